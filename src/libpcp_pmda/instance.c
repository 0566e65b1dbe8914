/*
 * instance - pmdaInstance: names and numbers of a domain's instances (docs/spec/pmda.md 10.4).
 *
 * The profile is not used. Lists and names are malloc'd, as __pmFreeInResult frees them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/ext.h"

/* Where the names of a domain come from. */
struct source {
	pmInDom indom;
	bool cached;
	const pmdaIndom *table; /* if not cached */
};

static pmInResult *result_new(pmInDom indom, int n, bool insts, bool names)
{
	pmInResult *result = calloc(1, sizeof(*result));
	size_t room = n > 0 ? (size_t)n : 1;

	if (result == NULL)
		return NULL;
	result->indom = indom;
	result->numinst = n;
	if (insts)
		result->instlist = calloc(room, sizeof(*result->instlist));
	if (names)
		result->namelist = calloc(room, sizeof(*result->namelist));
	if ((insts && result->instlist == NULL) || (names && result->namelist == NULL)) {
		__pmFreeInResult(result);
		return NULL;
	}
	return result;
}

static int result_set(pmInResult *result, int i, int inst, const char *name)
{
	result->instlist[i] = inst;
	result->namelist[i] = strdup(name);
	return result->namelist[i] == NULL ? -ENOMEM : 0;
}

static int fill_from_cache(pmInResult *result)
{
	struct cache_walk walk;
	int inst, n = 0, r = 0;
	char *name;

	cache_walk_start(&walk, result->indom);
	while (r >= 0 && n < result->numinst && cache_walk_next(&walk, &inst)) {
		if (pmdaCacheLookup(result->indom, inst, &name, NULL) != PMDA_CACHE_ACTIVE)
			continue;
		r = result_set(result, n++, inst, name);
	}
	result->numinst = n;
	return r;
}

static int fill_from_table(pmInResult *result, const pmdaIndom *table)
{
	int r = 0;

	for (int i = 0; r >= 0 && i < result->numinst; i++)
		r = result_set(result, i, table->it_set[i].i_inst, table->it_set[i].i_name);
	return r;
}

static int instance_all(const struct source *src, pmInResult **ret_result)
{
	int n =
	    src->cached ? pmdaCacheOp(src->indom, PMDA_CACHE_SIZE_ACTIVE) : src->table->it_numinst;
	pmInResult *result = result_new(src->indom, n > 0 ? n : 0, true, true);
	int r;

	if (result == NULL)
		return -ENOMEM;
	r = src->cached ? fill_from_cache(result) : fill_from_table(result, src->table);
	if (r < 0) {
		__pmFreeInResult(result);
		return r;
	}
	*ret_result = result;
	return 0;
}

static const char *name_of(const struct source *src, int inst)
{
	char *name;

	if (src->cached)
		return pmdaCacheLookup(src->indom, inst, &name, NULL) == PMDA_CACHE_ACTIVE ? name
											   : NULL;
	for (int i = 0; i < src->table->it_numinst; i++) {
		if (src->table->it_set[i].i_inst == inst)
			return src->table->it_set[i].i_name;
	}
	return NULL;
}

static int instance_name(const struct source *src, int inst, pmInResult **ret_result)
{
	const char *name = name_of(src, inst);
	pmInResult *result;

	if (name == NULL)
		return PM_ERR_INST;
	result = result_new(src->indom, 1, false, true);
	if (result == NULL)
		return -ENOMEM;
	result->namelist[0] = strdup(name);
	if (result->namelist[0] == NULL) {
		__pmFreeInResult(result);
		return -ENOMEM;
	}
	*ret_result = result;
	return 0;
}

/* A name without a space also means the instance whose name begins with it and a space. */
static bool table_name_matches(const pmdaInstid *id, const char *name, size_t len)
{
	if (strcmp(id->i_name, name) == 0) {
		if (pmDebugOptions.libpmda)
			fprintf(stderr, "pmdaInstance: exact match name=%s id=%d\n", name,
				id->i_inst);
		return true;
	}
	if (strncmp(id->i_name, name, len) != 0 || id->i_name[len] != ' ' ||
	    memchr(name, ' ', len) != NULL)
		return false;
	if (pmDebugOptions.libpmda)
		fprintf(stderr,
			"pmdaInstance: matched argument name=\"%s\" with indom id=%d name=\"%s\" "
			"len=%d\n",
			name, id->i_inst, id->i_name, (int)len);
	return true;
}

static int number_of(const struct source *src, const char *name, int *ret_inst)
{
	size_t len = strlen(name);

	if (src->cached)
		return pmdaCacheLookupName(src->indom, name, ret_inst, NULL) == PMDA_CACHE_ACTIVE
			   ? 0
			   : PM_ERR_INST;
	for (int i = 0; i < src->table->it_numinst; i++) {
		if (table_name_matches(&src->table->it_set[i], name, len)) {
			*ret_inst = src->table->it_set[i].i_inst;
			return 0;
		}
	}
	return PM_ERR_INST;
}

static int instance_number(const struct source *src, const char *name, pmInResult **ret_result)
{
	pmInResult *result;
	int inst, r;

	if (*name == '\0')
		return PM_ERR_INST;
	r = number_of(src, name, &inst);
	if (r < 0)
		return r;
	result = result_new(src->indom, 1, true, false);
	if (result == NULL)
		return -ENOMEM;
	result->instlist[0] = inst;
	*ret_result = result;
	return 0;
}

int pmdaInstance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	struct source src = {.indom = indom};

	src.cached = pmdaCacheOp(indom, PMDA_CACHE_CHECK) == 1;
	if (!src.cached) {
		src.table = iterate_table(ext, indom);
		if (src.table == NULL)
			return PM_ERR_INDOM;
	}
	if (name == NULL && inst == (int)PM_IN_NULL)
		return instance_all(&src, result);
	if (name == NULL)
		return instance_name(&src, inst, result);
	if (inst == (int)PM_IN_NULL)
		return instance_number(&src, name, result);
	return PM_ERR_INST; /* both given */
}
