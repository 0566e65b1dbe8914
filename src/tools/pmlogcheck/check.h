/*
 * check - what passes 1 to 3 work with.
 */
#ifndef PMLOGCHECK_CHECK_H
#define PMLOGCHECK_CHECK_H

#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/pmlogcheck/options.h"

struct check {
	const struct options *options;
	const char *name; /* of the archive, in messages */
	struct recording recording;
	struct window window;
};

#endif
