/* show - the commands about recorders (docs/spec/logger.md C3). */
#ifndef PMLC_SHOW_H
#define PMLC_SHOW_H

struct session;

/* Lists the recorders of a host; NULL: of the connected one, or of the default host. */
void show_loggers(const struct session *s, const char *host);

/* Prints the status of the connected recorder. */
void show_status(struct session *s);

#endif
