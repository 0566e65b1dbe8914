/*
 * fetchgroup_output - where the values of an item go: arrays of the program, each of which it may
 * leave out, and the strings that they point to, which are the item's.
 *
 * Nothing is ever read from the arrays, and they are written by fetches alone.
 */
#ifndef LIBPCP_FETCHGROUP_OUTPUT_H
#define LIBPCP_FETCHGROUP_OUTPUT_H

#include <time.h>

#include <pcp/pmapi.h>

struct group_output {
	/* The program's; NULL where it does not want to know. */
	pmAtomValue *values; /* max of each */
	int *statuses;
	int *codes;
	char **names;
	struct timespec *times;
	unsigned int max;
	unsigned int *num;
	int *status;

	int type;       /* of the values */
	char **strings; /* max, or NULL if the values are numbers */
};

/* Makes room for strings, if the type is that. 0 or -ENOMEM. */
int group_output_init(struct group_output *out, int type);
void group_output_done(struct group_output *out);

/* No values: all bits of each set, which is not a number, or NULL; statuses are PM_ERR_VALUE. */
void group_output_reset(struct group_output *out);

/* Value i, below max, or why there is none. A string is taken over. */
void group_output_put(struct group_output *out, unsigned int i, int status,
		      const pmAtomValue *value);

/* How many values there are, and how it went as a whole. */
void group_output_end(struct group_output *out, unsigned int num, int status);

#endif
