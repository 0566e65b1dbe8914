/*
 * columns - a line of values, one column an instance, below a line with the instances' names.
 */
#ifndef PMVAL_COLUMNS_H
#define PMVAL_COLUMNS_H

#include <pcp/pmapi.h>

struct view;

/* A sample: one metric's values at a time. Two of them make a rate. */
struct sample {
	struct timespec stamp;
	const pmValueSet *values;
};

/* Ends the program, with a message, if the instances of an archive's metric are not to be had. */
void columns_check(const struct view *v);

/* Says instead of a line of values that there are none. */
void columns_print_none(const struct view *v, const struct sample *now);

/* Prints the names of the instances if some of the sample's have not been named yet. */
void columns_name(const struct view *v, const struct sample *now);

/*
 * Prints a line of values, or of the rates since `before`; before it the names of the instances,
 * when some of those at hand have not been named yet.
 */
void columns_print(const struct view *v, const struct sample *before, const struct sample *now);

/* The instances must be named again before the next line. */
void columns_forget(void);

#endif
