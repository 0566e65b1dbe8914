/*
 * dump - prints the result of a fetch on standard output (docs/spec/pmda.md 19.6).
 */
#ifndef DBPMDA_DUMP_H
#define DBPMDA_DUMP_H

#include <pcp/pmapi.h>

struct session;

/*
 * Prints a result. descs are those of the n requested PMIDs, or NULL: then values are printed in
 * every form that the word could have. Values that were not requested are printed in this way, too.
 * The agent is asked for names of instances if the session wants them.
 */
void dump_result(struct session *s, const pmResult *result, int n, const pmID *pmids,
		 const pmDesc *descs);

/* Prints "PMDA's profile as text": the instances that are included and excluded. */
void dump_profile(const pmProfile *profile);

#endif
