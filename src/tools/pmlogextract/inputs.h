/*
 * inputs - the archives that are read, and whether they can be merged.
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

/* The identity of the collector that an input was recorded from, read from its pmcd metrics. */
struct collector {
	bool known;
	uint64_t pid;
	uint32_t seqnum;
};

struct input {
	char *name; /* owned */
	struct recording recording;
	struct metadata *metadata; /* owned */

	struct result_view view; /* the next record, if it has been read ahead */
	bool held;
	bool ended;
	bool given; /* one of its records has been returned */
	struct timespec last;
	struct collector collector;
};

struct inputs {
	struct input *list;
	size_t n;
};

/*
 * Opens the archives that the command line names; lists and directories mean all the archives in
 * them. Empty archives are reported and left out. Returns false after reporting an error.
 */
bool inputs_open(struct inputs *in, const struct options *o);
void inputs_close(struct inputs *in);

/*
 * Makes the label of the new archive: version, host, zone. Returns false after reporting an error:
 * the hosts differ, or the version cannot be converted.
 */
bool inputs_label(const struct inputs *in, const struct options *o, struct log_label *ret_label);

#endif
