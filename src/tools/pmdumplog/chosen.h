/*
 * chosen - the metrics that the command line names; none: all of them.
 */
#ifndef PMDUMPLOG_CHOSEN_H
#define PMDUMPLOG_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"

struct archive_meta;

struct chosen {
	pmID *pmids; /* owned; in the order of the names, and below a name in that of the name space */
	size_t n, room;
	struct hash seen; /* their identifiers */
	bool all;
};

/*
 * Looks up names in the archive, or with use_namespace in the loaded name space. False after saying
 * that there is nothing to dump; a name that is not found is reported and passed over.
 */
bool chosen_find(const struct archive_meta *meta, bool use_namespace, char **names, int n,
		 struct chosen *ret_chosen);

void chosen_done(struct chosen *c);

#endif
