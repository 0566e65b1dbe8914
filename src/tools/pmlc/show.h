/* show - the commands about recorders themselves (docs/spec/logger.md C3). */
#ifndef PMLC_SHOW_H
#define PMLC_SHOW_H

struct session;

/* Which ones run on a host; NULL: the one that is talked to, or the default. */
void show_loggers(const struct session *s, const char *host);

/* What the connected one does. */
void show_status(struct session *s);

#endif
