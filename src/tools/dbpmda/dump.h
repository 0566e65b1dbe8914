/*
 * dump - the result of a fetch on standard output (docs/spec/pmda.md 19.6).
 */
#ifndef DBPMDA_DUMP_H
#define DBPMDA_DUMP_H

#include <pcp/pmapi.h>

struct session;

/*
 * Prints a result. descs are those of the n PMIDs that were asked for, or NULL: then values are
 * shown in every form that their word could mean, as are those that nobody asked for. Names of
 * instances are asked of the agent if the session wants them.
 */
void dump_result(struct session *s, const pmResult *result, int n, const pmID *pmids,
		 const pmDesc *descs);

/* "PMDA's profile as text": which instances are in and out. */
void dump_profile(const pmProfile *profile);

#endif
