/* change - the command that changes what is recorded (docs/spec/logger.md C3). */
#ifndef PMLC_CHANGE_H
#define PMLC_CHANGE_H

struct command;
struct session;

void change_run(struct session *s, const struct command *c);

#endif
