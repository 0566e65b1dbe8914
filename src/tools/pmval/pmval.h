/*
 * pmval - watches the values of one metric (docs/spec/tools.md 4). pmevent(1) does the same.
 */
#ifndef PMVAL_PMVAL_H
#define PMVAL_PMVAL_H

struct pmLongOptions;

/*
 * The whole program. Rows and letters are those of options.h, or these and more: they are told by
 * the usage, but none of them may be in argv. Returns the exit status.
 */
int pmval_run(int argc, char **argv, struct pmLongOptions *rows, const char *letters);

#endif
