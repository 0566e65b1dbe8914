/*
 * inputs - the archives that are read, and whether they can become one.
 */
#ifndef TOOLS_PMLOGEXTRACT_INPUTS_H
#define TOOLS_PMLOGEXTRACT_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "tools/archive/recording.h"

struct metadata;
struct options;

/* The collector that an input was recorded from, as its 5-metric records tell. */
struct collector {
	bool known;
	uint64_t pid;
	uint32_t seqnum;
};

struct input {
	char *name; /* owned */
	struct recording recording;
	struct metadata *metadata; /* owned */

	struct result_view view; /* the next record, if it is held */
	bool held;
	bool ended;
	bool given; /* a record of it was given out */
	struct timespec last;
	struct collector collector;
};

struct inputs {
	struct input *list;
	size_t n;
};

/*
 * Opens what the command line names; lists and directories are all the archives in them. Empty ones
 * are told and left out. False after an error was told.
 */
bool inputs_open(struct inputs *in, const struct options *o);
void inputs_close(struct inputs *in);

/* The label of the archive that is to be made: version, host, zone. False after an error was told:
 * other hosts, a version that can't be gone back to. */
bool inputs_label(const struct inputs *in, const struct options *o, struct log_label *ret_label);

#endif
