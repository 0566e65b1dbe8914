/* signals - what each signal does (docs/spec/logger.md A6). */
#ifndef PMLOGGER_SIGNALS_H
#define PMLOGGER_SIGNALS_H

struct logger;

/* From the first moment on: what is ignored, and what ends us with a trace of where we were. */
void signals_early(void);

/* A new volume, the orderly end, and the restart, in the loop. 0 or -errno. */
int signals_watch(struct logger *l);
void signals_close(struct logger *l);

#endif
