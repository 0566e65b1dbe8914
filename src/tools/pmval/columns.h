/*
 * columns - a line of values, one column an instance, below a line with the names of the instances.
 */
#ifndef PMVAL_COLUMNS_H
#define PMVAL_COLUMNS_H

#include <pcp/pmapi.h>

struct view;

/* The values of one metric at a time. A rate needs two samples. */
struct sample {
	struct timespec stamp;
	const pmValueSet *values;
};

/* Ends the program, with a message, if the instances of an archive's metric cannot be listed. */
void columns_check(const struct view *v);

/* Prints that there are no values. */
void columns_print_none(const struct view *v, const struct sample *now);

/* Prints the names of the instances if the sample has instances without a column. */
void columns_name(const struct view *v, const struct sample *now);

/*
 * Prints a line of values, or of the rates since `before`. Prints the names of the instances first
 * if some of them have not been named yet.
 */
void columns_print(const struct view *v, const struct sample *before, const struct sample *now);

/* Makes the next line be preceded by the names of the instances again. */
void columns_forget(void);

#endif
