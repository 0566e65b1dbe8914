/* signals - what each signal does (docs/spec/logger.md A6). */
#ifndef PMLOGGER_SIGNALS_H
#define PMLOGGER_SIGNALS_H

#include <uv.h>

struct bounds;

struct signals {
	uv_signal_t all[8];
	unsigned int n;
};

/* From the first moment on: what is ignored, and what ends us with a trace of where we were. */
void signals_early(void);

/* A new volume, the orderly end, and the restart, in the loop of bounds. 0 or -errno. */
int signals_watch(struct signals *s, struct bounds *bounds);
void signals_close(struct signals *s);

#endif
