/* datetext - "next Monday 3pm", "2 weeks ago", "20 Nov 2026 15:36": docs/spec/pmapi.md 15.4. */
#ifndef LIBPCP_DATETEXT_H
#define LIBPCP_DATETEXT_H

#include <time.h>

/* The instant that text means, seen from base, in the reporting zone. 0, or -1 if it means none. */
int datetext_parse(const char *text, time_t base, time_t *ret_time);

#endif
