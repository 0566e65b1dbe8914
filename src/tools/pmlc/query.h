/* query - the command that shows how metrics are recorded (docs/spec/logger.md C3). */
#ifndef PMLC_QUERY_H
#define PMLC_QUERY_H

struct command;
struct session;

void query_run(struct session *s, const struct command *c);

#endif
