/*
 * special - the two metrics that exist without a source: event.flags and event.missed.
 *
 * They are the parameters that unpacking adds to each event record (docs/spec/pdu.md 6), so every
 * context knows their names and descriptors. They have no values outside event records.
 */
#ifndef LIBPCP_SPECIAL_H
#define LIBPCP_SPECIAL_H

#include <stddef.h>

#include <pcp/pmapi.h>

struct special {
	const char *name;
	pmDesc desc;
	const char *oneline;
	const char *help;
};

/* NULL: not one of them. */
const struct special *special_by_name(const char *name);
const struct special *special_find(pmID pmid);

/* Asked for every metric of a fetch, so the answer for ordinary ones is quick. */
static inline const struct special *special_by_pmid(pmID pmid)
{
	return pmid >> 22 == DYNAMIC_PMID ? special_find(pmid) : NULL;
}

/* Walks them in their order: NULL, then what came last. NULL at the end. */
const struct special *special_next(const struct special *last);

#endif
