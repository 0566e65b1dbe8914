#include "tools/common/event.h"

#include <stdbool.h>
#include <stdio.h>

struct anonymous {
	const char *name;
	bool known;
	pmID pmid; /* PM_ID_NULL: the library has none */
};

static pmID find(struct anonymous *a)
{
	int sts;

	if (a->known)
		return a->pmid;
	sts = pmLookupName(1, &a->name, &a->pmid);
	if (sts < 0) {
		fprintf(stderr, "Warning: cannot get PMID for %s: %s\n", a->name, pmErrStr(sts));
		a->pmid = PM_ID_NULL;
	}
	a->known = true;
	return a->pmid;
}

pmID event_flags_pmid(void)
{
	static struct anonymous flags = {.name = "event.flags"};

	return find(&flags);
}

pmID event_missed_pmid(void)
{
	static struct anonymous missed = {.name = "event.missed"};

	return find(&missed);
}
