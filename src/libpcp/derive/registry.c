/*
 * registry - see registry.h.
 *
 * Ids: those of global definitions count up from 511.0.3, after the special metrics; those of a
 * context count down, and have the flag bit.
 */
#include "libpcp/derive/registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

enum {
	ITEMS = 1023,    /* of a cluster: item 0 is not used */
	CLUSTERS = 2048, /* the cluster bit above is for archives */
	NSPECIAL = 2,
	FIRST_CAP = 16,
};

#define FLAG (1u << 31)

/* ---- Lists ---------------------------------------------------------------------------------- */

struct definition *definition_new(const char *name)
{
	struct definition *def = calloc(1, sizeof(*def));

	if (def == NULL)
		return NULL;
	def->name = strdup(name);
	if (def->name == NULL) {
		free(def);
		return NULL;
	}
	return def;
}

void definition_free(struct definition *def)
{
	if (def == NULL)
		return;
	expr_done(&def->expr);
	free(def->oneline);
	free(def->help);
	free(def->name);
	free(def);
}

void deflist_done(struct deflist *list)
{
	for (size_t i = 0; i < list->n; i++)
		definition_free(list->defs[i]);
	free(list->defs);
	hash_done(&list->by_name);
	*list = (struct deflist){0};
}

static bool has_name(const void *entry, const void *key)
{
	return strcmp(((const struct definition *)entry)->name, key) == 0;
}

struct definition *deflist_find(const struct deflist *list, const char *name)
{
	return hash_find(&list->by_name, hash_bytes(name, strlen(name)), has_name, name);
}

int deflist_add(struct deflist *list, struct definition *def)
{
	if (list->n == list->cap) {
		size_t cap = list->cap == 0 ? FIRST_CAP : list->cap * 2;
		struct definition **defs = reallocarray(list->defs, cap, sizeof(defs[0]));

		if (defs == NULL)
			return -ENOMEM;
		list->defs = defs;
		list->cap = cap;
	}
	if (hash_add(&list->by_name, hash_bytes(def->name, strlen(def->name)), def) < 0)
		return -ENOMEM;
	list->defs[list->n++] = def;
	return 0;
}

pmID registry_own_pmid(size_t n)
{
	if (n >= (size_t)ITEMS * CLUSTERS)
		return PM_ID_NULL;
	return FLAG | pmID_build(DYNAMIC_PMID, (unsigned int)(CLUSTERS - 1 - n / ITEMS),
				 (unsigned int)(ITEMS - n % ITEMS));
}

long registry_own_number(pmID pmid)
{
	if ((pmid & FLAG) == 0 || !IS_DERIVED(pmid))
		return -1;
	return (long)(CLUSTERS - 1 - pmID_cluster(pmid)) * ITEMS + (long)(ITEMS - pmID_item(pmid));
}

/* ---- The global list ------------------------------------------------------------------------ */

static struct {
	pthread_mutex_t lock;
	struct deflist list;
	int limit;
	int own_limit; /* of each context */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = -1, .own_limit = -1};

const struct definition *registry_by_name(const char *name)
{
	const struct definition *def;

	pthread_mutex_lock(&registry.lock);
	def = deflist_find(&registry.list, name);
	pthread_mutex_unlock(&registry.lock);
	return def;
}

/* An index that is too large: the id is not that of a global definition. */
size_t registry_index(pmID pmid)
{
	size_t number = (size_t)pmID_cluster(pmid) * ITEMS + pmID_item(pmid) - 1;

	if ((pmid & FLAG) != 0 || !IS_DERIVED(pmid) || number < NSPECIAL)
		return SIZE_MAX;
	return number - NSPECIAL;
}

const struct definition *registry_by_pmid(pmID pmid)
{
	return registry_at(registry_index(pmid));
}

size_t registry_count(void)
{
	size_t n;

	pthread_mutex_lock(&registry.lock);
	n = registry.list.n;
	pthread_mutex_unlock(&registry.lock);
	return n;
}

const struct definition *registry_at(size_t index)
{
	const struct definition *def;

	pthread_mutex_lock(&registry.lock);
	def = index < registry.list.n ? registry.list.defs[index] : NULL;
	pthread_mutex_unlock(&registry.lock);
	return def;
}

static int add_locked(struct definition *def)
{
	size_t number = registry.list.n + NSPECIAL;

	if (registry.limit >= 0 && registry.list.n >= (size_t)registry.limit)
		return REGISTRY_LIMIT;
	if (deflist_find(&registry.list, def->name) != NULL)
		return REGISTRY_DUPLICATE;
	if (number >= (size_t)ITEMS * CLUSTERS)
		return REGISTRY_FULL;
	def->pmid = pmID_build(DYNAMIC_PMID, (unsigned int)(number / ITEMS),
			       (unsigned int)(number % ITEMS + 1));
	return deflist_add(&registry.list, def);
}

int registry_add(struct definition *def)
{
	int r;

	pthread_mutex_lock(&registry.lock);
	r = add_locked(def);
	pthread_mutex_unlock(&registry.lock);
	return r;
}

int registry_limit(bool global)
{
	int limit;

	pthread_mutex_lock(&registry.lock);
	limit = global ? registry.limit : registry.own_limit;
	pthread_mutex_unlock(&registry.lock);
	return limit;
}

void registry_set_limit(bool global, int limit)
{
	pthread_mutex_lock(&registry.lock);
	*(global ? &registry.limit : &registry.own_limit) = limit;
	pthread_mutex_unlock(&registry.lock);
}

int registry_set_text(const char *name, bool oneline, const char *text)
{
	char *copy = strdup(text);
	struct definition *def;
	char **place;
	int r = 0;

	if (copy == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&registry.lock);
	def = deflist_find(&registry.list, name);
	place = def == NULL ? NULL : oneline ? &def->oneline : &def->help;
	if (place == NULL)
		r = PM_ERR_NAME;
	else if (*place != NULL)
		r = -EEXIST;
	else
		*place = TAKE(copy);
	pthread_mutex_unlock(&registry.lock);
	free(copy);
	return r;
}

const char *registry_text(const struct definition *def, bool oneline)
{
	const char *text;

	pthread_mutex_lock(&registry.lock);
	text = oneline ? def->oneline : def->help;
	pthread_mutex_unlock(&registry.lock);
	return text;
}
