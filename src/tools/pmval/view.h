/*
 * view - the layout of the samples of a metric.
 */
#ifndef PMVAL_VIEW_H
#define PMVAL_VIEW_H

#include <stdbool.h>

struct options;
struct target;

struct view {
	const struct options *options;
	const struct target *target;
	int width;     /* characters of a column */
	int precision; /* digits after the point, or OPTIONS_ANY_FORMAT */
	bool stamps;   /* begin each sample with its time */
};

#endif
