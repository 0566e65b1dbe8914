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
		hash_done(&names->by_id);
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
	hash_done(&group->slots);
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

/*
 * The hashes are from a 32-bit number to a place; a hash entry is the place and 1, so that none is
 * NULL. hash_u64 is one to one, so the hash alone decides.
 */
static size_t place_find(const struct hash *places, uint32_t number)
{
	return (size_t)(uintptr_t)hash_find(places, hash_u64(number), NULL, NULL);
}

static int place_add(struct hash *places, uint32_t number, size_t place)
{
	return hash_add(places, hash_u64(number), (void *)(uintptr_t)(place + 1));
}

int group_slot(pmFG group, pmID pmid, size_t *ret_slot)
{
	size_t place = place_find(&group->slots, pmid);
	pmID *pmids;

	if (place == 0) {
		pmids = realloc(group->pmids, (group->npmid + 1) * sizeof(pmids[0]));
		if (pmids == NULL)
			return -ENOMEM;
		group->pmids = pmids;
		if (place_add(&group->slots, pmid, group->npmid) < 0)
			return -ENOMEM;
		group->pmids[group->npmid++] = pmid;
		place = group->npmid;
	}
	*ret_slot = place - 1;
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
	for (int i = 0; i < names->n; i++) {
		uint32_t id = (uint32_t)names->ids[i];

		/* The first of several with one number counts. Without memory one has no name. */
		if (place_find(&names->by_id, id) == 0)
			(void)place_add(&names->by_id, id, (size_t)i);
	}
	names->next = group->names;
	group->names = names;
	return names;
}

char *group_inst_name(pmFG group, pmInDom indom, int inst)
{
	const struct group_names *names =
	    indom == PM_INDOM_NULL ? NULL : group_names_of(group, indom);

	size_t place = names == NULL ? 0 : place_find(&names->by_id, (uint32_t)inst);

	return place == 0 ? NULL : names->names[place - 1];
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
