/*
 * chosen - the metrics that the command line names; none: all metrics.
 */
#ifndef PMDUMPLOG_CHOSEN_H
#define PMDUMPLOG_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"

struct archive_meta;

struct chosen {
	pmID *pmids; /* owned; by argument, then in the order of the name space */
	size_t n, room;
	struct hash seen; /* their identifiers */
	bool all;
};

/*
 * Looks up names in the archive, or with use_namespace in the loaded name space. A name that is not
 * found is reported and skipped. Returns false after reporting that there is nothing to dump.
 */
bool chosen_find(const struct archive_meta *meta, bool use_namespace, char **names, int n,
		 struct chosen *ret_chosen);

void chosen_done(struct chosen *c);

#endif
