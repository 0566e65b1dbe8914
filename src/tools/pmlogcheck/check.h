/*
 * check - the shared data of passes 1 to 3.
 */
#ifndef PMLOGCHECK_CHECK_H
#define PMLOGCHECK_CHECK_H

#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/pmlogcheck/options.h"

struct check {
	const struct options *options;
	const char *name; /* the name of the archive in messages */
	struct recording recording;
	struct window window;
};

#endif
