/*
 * run - what each command does (docs/spec/pmda.md 19.4 to 19.6).
 */
#ifndef DBPMDA_RUN_H
#define DBPMDA_RUN_H

struct command;
struct session;

/* Carries a command out. What goes wrong is printed; nothing ends the program but its "quit". */
void run_command(struct session *s, const struct command *c);

#endif
