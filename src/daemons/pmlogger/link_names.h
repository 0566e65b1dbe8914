/*
 * link_names - the metrics below names, and whether known ones are still what they were.
 */
#ifndef PMLOGGER_LINK_NAMES_H
#define PMLOGGER_LINK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/pmcd_link.h"

struct link_name {
	char *name; /* owned */
	pmID pmid;
	pmDesc desc;
	char **all; /* owned, one block: every name of the pmid */
	int nall;
	int err; /* no pmid, or no descriptor */
	/* link_names_check: what is different now. NULL: nothing. */
	const char *changed;
};

struct link_names {
	struct link_job job;
	size_t n, room;
	struct link_name *names;
	int err; /* of the traversal */
	bool lost;
};

/* Adds a name; 0 or -ENOMEM. */
int link_names_add(struct link_names *names, const char *name);

/*
 * Adds the leaves below a name (itself, if it is one), and finds their pmids and descriptors, all
 * in a few requests. How many; the library's error. For the thread.
 */
int link_names_traverse(struct link_names *names, const char *root);

/*
 * Finds pmids, descriptors and all names of a list, in a few requests; a name that is not a leaf
 * has err < 0. 0; the library's error. For the thread.
 */
int link_names_look_up(struct link_names *names);

/* A job: pmids and descriptors of the leaves below each name of the list, which replace it. A name
 * that has none is dropped. */
int link_names_run(struct link_job *job, struct pmcd_link *link);

/* A job: each name is looked up again and compared with its pmid and desc. Names that are missing
 * for the moment are not a change. */
int link_names_check(struct link_job *job, struct pmcd_link *link);

void link_names_done(struct link_names *names);

#endif
