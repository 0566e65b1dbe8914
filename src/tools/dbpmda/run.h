/*
 * run - the commands (docs/spec/pmda.md 19.4 to 19.6).
 */
#ifndef DBPMDA_RUN_H
#define DBPMDA_RUN_H

struct command;
struct session;

/* Runs a command. Errors are printed; only "quit" ends the program. */
void run_command(struct session *s, const struct command *c);

#endif
