/*
 * name_query - the metrics below names, and whether known ones are still what they were.
 */
#ifndef PMLOGGER_NAME_QUERY_H
#define PMLOGGER_NAME_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/worker.h"

struct queried_name {
	char *name; /* owned */
	pmID pmid;
	pmDesc desc;
	char **all; /* owned, one block: every name of the pmid */
	int nall;
	int err; /* no pmid, or no descriptor */
	/* name_query_check: what is different now. NULL: nothing. */
	const char *changed;
};

struct name_query {
	struct worker_job job;
	size_t n, room;
	struct queried_name *names;
	int err; /* of the traversal */
	bool lost;
};

/* Adds a name; 0 or -ENOMEM. */
int name_query_add(struct name_query *names, const char *name);

/*
 * Adds the leaves below a name (itself, if it is one), and finds their pmids and descriptors, all
 * in a few requests. How many; the library's error. For the thread.
 */
int name_query_traverse(struct name_query *names, const char *root);

/*
 * Finds pmids, descriptors and all names of a list, in a few requests; a name that is not a leaf
 * has err < 0. 0; the library's error. For the thread.
 */
int name_query_look_up(struct name_query *names);

/* A job: pmids and descriptors of the leaves below each name of the list, which replace it. A name
 * that has none is dropped. */
int name_query_run(struct worker_job *job, struct worker *worker);

/* A job: each name is looked up again and compared with its pmid and desc. Names that are missing
 * for the moment are not a change. */
int name_query_check(struct worker_job *job, struct worker *worker);

void name_query_done(struct name_query *names);

#endif
