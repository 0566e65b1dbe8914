/* errors.h - requests that fail as a whole. */
#ifndef SAMPLE_ERRORS_H
#define SAMPLE_ERRORS_H

enum { BAD_UNKNOWN = 54, ERROR_CHECK = 75 };

/* The error that requests for the metric answer, or 0. */
int errors_check(unsigned int number);

/* PM_ERR_PMDANOTREADY if that is the answer to this request, or 0. */
int errors_not_ready(void);

/* In how many seconds pmcd must be informed that the agent is ready again; 0: it knows. */
int errors_ready_after(void);

#endif
