/*
 * dump - the shared data of all sections of the output.
 */
#ifndef PMDUMPLOG_DUMP_H
#define PMDUMPLOG_DUMP_H

#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/pmdumplog/options.h"

struct metrics;

struct dump {
	const struct options *options;
	struct recording recording;
	struct window window;
	struct metrics *metrics; /* names and descriptions */
};

#endif
