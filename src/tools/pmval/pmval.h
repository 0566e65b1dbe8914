/*
 * pmval - prints the values of one metric again and again (docs/spec/tools.md 4), also for
 * pmevent(1).
 */
#ifndef PMVAL_PMVAL_H
#define PMVAL_PMVAL_H

struct pmLongOptions;

/*
 * The whole program. Rows and letters are those of options.h, or a superset: additional options are
 * in the usage text, but must not be in argv. Returns the exit status.
 */
int pmval_run(int argc, char **argv, struct pmLongOptions *rows, const char *letters);

#endif
