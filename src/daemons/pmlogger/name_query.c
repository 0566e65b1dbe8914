/* name_query - see name_query.h. */
#include "daemons/pmlogger/name_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"

int name_query_add(struct name_query *names, const char *name)
{
	struct queried_name *one;

	if (names->n == names->room) {
		size_t room = names->room > 0 ? names->room * 2 : 16;

		one = reallocarray(names->names, room, sizeof(*one));
		if (one == NULL)
			return -ENOMEM;
		names->names = one;
		names->room = room;
	}
	one = &names->names[names->n];
	*one = (struct queried_name){.name = strdup(name), .pmid = PM_ID_NULL};
	if (one->name == NULL)
		return -ENOMEM;
	names->n++;
	return 0;
}

static void drop_from(struct name_query *names, size_t first)
{
	while (names->n > first) {
		names->n--;
		free(names->names[names->n].name);
		free(names->names[names->n].all);
	}
}

void name_query_done(struct name_query *names)
{
	drop_from(names, 0);
	free(names->names);
	names->names = NULL;
	names->room = 0;
}

static void name_query_add_leaf(const char *name, void *arg)
{
	struct name_query *names = arg;

	if (names->err == 0)
		names->err = name_query_add(names, name);
}

/* The pmids of the names from first on. Where some have none, all the others do. */
static int find_pmids(struct name_query *names, size_t first)
{
	size_t n = names->n - first;
	AUTO_FREE const char **list = calloc(n, sizeof(*list));
	AUTO_FREE pmID *pmids = calloc(n, sizeof(*pmids));
	int r;

	if (list == NULL || pmids == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list[i] = names->names[first + i].name;
	r = pmLookupName((int)n, list, pmids);
	if (r < 0 && r != PM_ERR_NAME && r != PM_ERR_NONLEAF)
		return r;
	for (size_t i = 0; i < n; i++) {
		names->names[first + i].pmid = pmids[i];
		if (pmids[i] == PM_ID_NULL)
			names->names[first + i].err = r < 0 ? r : PM_ERR_NAME;
	}
	return 0;
}

static int find_descs(struct name_query *names, size_t first)
{
	size_t n = names->n - first;
	AUTO_FREE pmID *pmids = calloc(n, sizeof(*pmids));
	AUTO_FREE pmDesc *descs = calloc(n, sizeof(*descs));
	int r;

	if (descs == NULL || pmids == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		pmids[i] = names->names[first + i].pmid;
	r = pmLookupDescs((int)n, pmids, descs);
	for (size_t i = 0; i < n; i++) {
		struct queried_name *one = &names->names[first + i];

		if (one->err < 0)
			continue;
		if (r >= 0 && descs[i].pmid == one->pmid)
			one->desc = descs[i];
		else
			one->err = pmLookupDesc(one->pmid, &one->desc);
		if (one->err > 0)
			one->err = 0;
	}
	return r == PM_ERR_IPC || r == PM_ERR_TIMEOUT ? r : 0;
}

/* All names of each: an archive has them. */
static int find_all_names(struct name_query *names, size_t first)
{
	size_t n = names->n - first;
	AUTO_FREE pmID *pmids = calloc(n + 1, sizeof(*pmids));
	AUTO_FREE char ***all = calloc(n + 1, sizeof(*all));
	AUTO_FREE int *counts = calloc(n + 1, sizeof(*counts));
	int asked = 0;

	if (pmids == NULL || all == NULL || counts == NULL)
		return -ENOMEM;
	for (size_t i = first; i < names->n; i++) {
		if (names->names[i].err == 0)
			pmids[asked++] = names->names[i].pmid;
	}
	if (asked == 0 || pitot_names_all(asked, pmids, all, counts) < 0)
		return 0;
	asked = 0;
	for (size_t i = first; i < names->n; i++) {
		struct queried_name *one = &names->names[i];

		if (one->err < 0)
			continue;
		one->nall = counts[asked] > 0 ? counts[asked] : 0;
		one->all = all[asked++];
	}
	return 0;
}

int name_query_traverse(struct name_query *names, const char *root)
{
	size_t first = names->n;
	int r;

	names->err = 0;
	r = pmTraversePMNS_r(root, name_query_add_leaf, names);
	if (r >= 0)
		r = names->err;
	if (r < 0 || names->n == first)
		return r;
	r = find_pmids(names, first);
	if (r == 0)
		r = find_descs(names, first);
	if (r == 0)
		r = find_all_names(names, first);
	if (r < 0)
		drop_from(names, first);
	return r < 0 ? r : (int)(names->n - first);
}

int name_query_look_up(struct name_query *names)
{
	int r = names->n > 0 ? find_pmids(names, 0) : 0;

	if (r == 0 && names->n > 0)
		r = find_descs(names, 0);
	return r == 0 ? find_all_names(names, 0) : r;
}

int name_query_run(struct worker_job *job, struct worker *worker)
{
	struct name_query *names = CONTAINER_OF(job, struct name_query, job);
	struct name_query found = {0};
	int r = worker_ready(worker);

	for (size_t i = 0; i < names->n && r >= 0; i++) {
		r = name_query_traverse(&found, names->names[i].name);
		if (r < 0 && !worker_lost(worker, r) && r != -ENOMEM)
			r = 0; /* still nothing */
	}
	names->lost = r < 0 && r != -ENOMEM;
	name_query_done(names);
	names->names = found.names;
	names->n = found.n;
	names->room = found.room;
	return r < 0 ? r : 0;
}

static const char *difference(const pmDesc *was, const pmDesc *is)
{
	if (was->type != is->type)
		return "type";
	if (was->sem != is->sem)
		return "semantics";
	if (was->indom != is->indom)
		return "instance domain";
	return memcmp(&was->units, &is->units, sizeof(was->units)) != 0 ? "units" : NULL;
}

int name_query_check(struct worker_job *job, struct worker *worker)
{
	struct name_query *names = CONTAINER_OF(job, struct name_query, job);
	struct name_query now = {0};
	int r = worker_ready(worker);

	for (size_t i = 0; i < names->n && r == 0; i++)
		r = name_query_add(&now, names->names[i].name);
	if (r == 0 && now.n > 0)
		r = find_pmids(&now, 0);
	if (r == 0 && now.n > 0)
		r = find_descs(&now, 0);
	for (size_t i = 0; i < names->n && r == 0; i++) {
		struct queried_name *was = &names->names[i];
		const struct queried_name *is = &now.names[i];

		if (is->err == 0)
			was->changed =
			    was->pmid != is->pmid ? "PMID" : difference(&was->desc, &is->desc);
	}
	names->lost = r < 0 && worker_lost(worker, r);
	name_query_done(&now);
	return r;
}
