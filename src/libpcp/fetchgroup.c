/* fetchgroup - see fetchgroup.h. */
#include "libpcp/fetchgroup.h"

#include <errno.h>
#include <stdlib.h>

int pmCreateFetchGroup(pmFG *group, int type, const char *name)
{
	struct __pmFetchGroup *made;

	if (group == NULL)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return -ENOMEM;
	made->context = pmNewContext(type, name);
	if (made->context < 0) {
		int r = made->context;

		free(made);
		return r;
	}
	made->wrap = getenv("PCP_COUNTER_WRAP") != NULL;
	made->last = &made->first;
	*group = made;
	return 0;
}

int pmGetFetchGroupContext(pmFG group)
{
	return group == NULL ? -EINVAL : group->context;
}

static void drop_names(pmFG group)
{
	while (group->names != NULL) {
		struct group_names *names = group->names;

		group->names = names->next;
		free(names->ids);
		free(names->names);
		free(names);
	}
}

int pmClearFetchGroup(pmFG group)
{
	if (group == NULL)
		return -EINVAL;
	while (group->first != NULL) {
		struct group_item *item = group->first;

		group->first = item->next;
		item->kind->free(item);
	}
	group->last = &group->first;
	drop_names(group);
	pmFreeHighResResult(group->now);
	pmFreeHighResResult(group->before);
	group->now = group->before = NULL;
	free(group->pmids);
	group->pmids = NULL;
	group->npmid = 0;
	return 0;
}

int pmDestroyFetchGroup(pmFG group)
{
	int r = pmClearFetchGroup(group);

	if (r < 0)
		return r;
	r = pmDestroyContext(group->context);
	free(group);
	return r;
}

void group_add(pmFG group, struct group_item *item)
{
	item->next = NULL;
	*group->last = item;
	group->last = &item->next;
}

int group_slot(pmFG group, pmID pmid, size_t *ret_slot)
{
	pmID *pmids;
	size_t i = 0;

	while (i < group->npmid && group->pmids[i] != pmid)
		i++;
	if (i == group->npmid) {
		pmids = realloc(group->pmids, (i + 1) * sizeof(pmids[0]));
		if (pmids == NULL)
			return -ENOMEM;
		group->pmids = pmids;
		group->pmids[group->npmid++] = pmid;
	}
	*ret_slot = i;
	return 0;
}

const pmValueSet *group_values(const pmHighResResult *result, size_t slot)
{
	return result == NULL || slot >= (size_t)result->numpmid ? NULL : result->vset[slot];
}

/* The names of a domain, asked for once a fetch. NULL: out of memory. */
static const struct group_names *group_names_of(pmFG group, pmInDom indom)
{
	struct group_names *names = group->names;

	while (names != NULL && names->indom != indom)
		names = names->next;
	if (names != NULL)
		return names;
	names = calloc(1, sizeof(*names));
	if (names == NULL)
		return NULL;
	names->indom = indom;
	names->n = pmGetInDom(indom, &names->ids, &names->names);
	names->next = group->names;
	group->names = names;
	return names;
}

char *group_inst_name(pmFG group, pmInDom indom, int inst)
{
	const struct group_names *names =
	    indom == PM_INDOM_NULL ? NULL : group_names_of(group, indom);

	for (int i = 0; names != NULL && i < names->n; i++) {
		if (names->ids[i] == inst)
			return names->names[i];
	}
	return NULL;
}

/* The newest result, and the one before; a fetch that fails makes no gap in the rates. */
static int group_fetch(pmFG group)
{
	pmHighResResult *result;
	int r = pmUseContext(group->context);

	if (r == 0)
		r = pmFetchHighRes((int)group->npmid, group->pmids, &result);
	if (r < 0)
		return r;
	pmSortHighResInstances(result);
	pmFreeHighResResult(group->before);
	group->before = group->now;
	group->now = result;
	return r;
}

int pmFetchGroup(pmFG group)
{
	int r;

	if (group == NULL)
		return -EINVAL;
	drop_names(group);
	r = group_fetch(group);
	for (struct group_item *item = group->first; item != NULL; item = item->next) {
		if (r < 0)
			item->kind->reset(item);
		else
			item->kind->fill(item, group);
	}
	return r;
}
