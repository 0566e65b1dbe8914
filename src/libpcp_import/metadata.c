/*
 * metadata - metrics, instance domains and instances of a context, and their look-up.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp_import/import.h"

enum {
	IMPORT_DOMAIN = 245, /* of identifiers that the library makes */
	ITEMS = 1 << 10,
	CLUSTERS = 1 << 12,
};

/* ---- look-up ---- */

static uint64_t name_hash(const char *name, size_t len)
{
	return hash_bytes(name, len);
}

static bool metric_has_name(const void *entry, const void *key)
{
	return strcmp(((const struct import_metric *)entry)->name, key) == 0;
}

static bool metric_has_id(const void *entry, const void *key)
{
	return ((const struct import_metric *)entry)->desc.pmid == *(const pmID *)key;
}

static bool indom_has_id(const void *entry, const void *key)
{
	return ((const struct import_indom *)entry)->indom == *(const pmInDom *)key;
}

static bool inst_has_name(const void *entry, const void *key)
{
	return strcmp(((const struct import_inst *)entry)->name, key) == 0;
}

/* The bytes before the first space. */
static size_t word_len(const char *name)
{
	return strcspn(name, " ");
}

static bool inst_has_word(const void *entry, const void *key)
{
	const char *name = ((const struct import_inst *)entry)->name;
	size_t len = word_len(name);

	return len == word_len(key) && memcmp(name, key, len) == 0;
}

static bool inst_has_id(const void *entry, const void *key)
{
	return ((const struct import_inst *)entry)->inst == *(const int *)key;
}

struct import_metric *import_metric(const struct import *c, const char *name)
{
	return hash_find(&c->by_name, name_hash(name, strlen(name)), metric_has_name, name);
}

struct import_metric *import_metric_id(const struct import *c, pmID pmid)
{
	return hash_find(&c->by_pmid, hash_u64(pmid), metric_has_id, &pmid);
}

struct import_indom *import_indom(const struct import *c, pmInDom indom)
{
	return hash_find(&c->by_indom, hash_u64(indom), indom_has_id, &indom);
}

static struct import_inst *inst_exact(const struct import_indom *d, const char *name)
{
	return hash_find(&d->by_name, name_hash(name, strlen(name)), inst_has_name, name);
}

static struct import_inst *inst_by_word(const struct import_indom *d, const char *name)
{
	return hash_find(&d->by_word, name_hash(name, word_len(name)), inst_has_word, name);
}

struct import_inst *import_inst(const struct import_indom *d, const char *name)
{
	return strchr(name, ' ') != NULL ? inst_by_word(d, name) : inst_exact(d, name);
}

struct import_inst *import_inst_id(const struct import_indom *d, int inst)
{
	return hash_find(&d->by_id, hash_u64((uint32_t)inst), inst_has_id, &inst);
}

/* ---- metrics ---- */

/* Parts that begin with a letter, of letters, digits and "_", with a dot between two. */
static bool is_metric_name(const char *name)
{
	if (name == NULL)
		return false;
	for (;;) {
		if (!isalpha((unsigned char)*name))
			return false;
		while (isalnum((unsigned char)*name) || *name == '_')
			name++;
		if (*name == '\0')
			return true;
		if (*name++ != '.')
			return false;
	}
}

/* The next identifier that no metric has: 245.0.1 for the first metric, 245.0.2 for the second. */
static pmID free_pmid(const struct import *c)
{
	for (size_t n = c->nmetrics + 1; n < (size_t)ITEMS * CLUSTERS; n++) {
		pmID pmid =
		    pmID_build(IMPORT_DOMAIN, (unsigned int)(n / ITEMS), (unsigned int)(n % ITEMS));

		if (import_metric_id(c, pmid) == NULL)
			return pmid;
	}
	return PM_ID_NULL;
}

/* Of two metrics that are in the way, the older one gives the code. */
static int check_new_metric(const struct import *c, const char *name, const pmDesc *desc)
{
	const struct import_metric *named = import_metric(c, name);
	const struct import_metric *same =
	    desc->pmid != PM_ID_NULL ? import_metric_id(c, desc->pmid) : NULL;

	if (named != NULL && (same == NULL || named->index <= same->index))
		return PMI_ERR_DUPMETRICNAME;
	if (same != NULL)
		return PMI_ERR_DUPMETRICID;
	if (desc->type < PM_TYPE_32 || desc->type > PM_TYPE_STRING)
		return PMI_ERR_BADTYPE;
	if (desc->sem != PM_SEM_COUNTER && desc->sem != PM_SEM_INSTANT &&
	    desc->sem != PM_SEM_DISCRETE)
		return PMI_ERR_BADSEM;
	return 0;
}

static void free_metric(struct import_metric *m)
{
	if (m == NULL)
		return;
	free(m->name);
	free(m->values);
	free(m);
}

static int link_metric(struct import *c, struct import_metric *m)
{
	uint64_t by_name = name_hash(m->name, strlen(m->name));

	if (import_grow(&c->metrics, c->nmetrics, sizeof(struct import_metric *)) != 0 ||
	    import_grow(&c->pending, c->nmetrics, sizeof(struct import_metric *)) != 0 ||
	    hash_add(&c->by_name, by_name, m) != 0)
		return -ENOMEM;
	if (hash_add(&c->by_pmid, hash_u64(m->desc.pmid), m) != 0) {
		hash_del(&c->by_name, by_name, m);
		return -ENOMEM;
	}
	c->metrics[c->nmetrics++] = m;
	return 0;
}

static int copy_metric(struct import *c, const char *name, const pmDesc *desc)
{
	struct import_metric *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return -ENOMEM;
	m->name = strdup(name);
	m->desc = *desc;
	m->index = c->nmetrics;
	if (m->name == NULL || link_metric(c, m) != 0) {
		free_metric(m);
		return -ENOMEM;
	}
	return 0;
}

int import_add_metric(struct import *c, const char *name, const pmDesc *desc)
{
	pmDesc own = *desc;
	int r;

	if (!is_metric_name(name))
		return PMI_ERR_BADMETRICNAME;
	r = check_new_metric(c, name, desc);
	if (r != 0)
		return r;
	if (own.pmid == PM_ID_NULL && (own.pmid = free_pmid(c)) == PM_ID_NULL)
		return PMI_ERR_DUPMETRICID;
	return copy_metric(c, name, &own);
}

/* ---- instances ---- */

static void free_indom(struct import_indom *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n; i++) {
		free(d->insts[i]->name);
		free(d->insts[i]);
	}
	free(d->insts);
	hash_done(&d->by_name);
	hash_done(&d->by_word);
	hash_done(&d->by_id);
	free(d);
}

static struct import_indom *indom_new(struct import *c, pmInDom indom)
{
	struct import_indom *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->indom = indom;
	if (import_grow(&c->indoms, c->nindoms, sizeof(struct import_indom *)) != 0 ||
	    hash_add(&c->by_indom, hash_u64(indom), d) != 0) {
		free_indom(d);
		return NULL;
	}
	c->indoms[c->nindoms++] = d;
	return d;
}

static int check_new_inst(const struct import_indom *d, const char *name, int inst)
{
	const struct import_inst *named = import_inst(d, name);
	const struct import_inst *same = import_inst_id(d, inst);

	if (named != NULL && (same == NULL || named->index <= same->index))
		return PMI_ERR_DUPINSTNAME;
	return same != NULL ? PMI_ERR_DUPINSTID : 0;
}

static int link_inst(struct import_indom *d, struct import_inst *i)
{
	bool words = strchr(i->name, ' ') != NULL;
	uint64_t by_name = name_hash(i->name, strlen(i->name));
	uint64_t by_word = name_hash(i->name, word_len(i->name));

	if (import_grow(&d->insts, d->n, sizeof(struct import_inst *)) != 0 ||
	    hash_add(&d->by_name, by_name, i) != 0)
		return -ENOMEM;
	if (words && hash_add(&d->by_word, by_word, i) != 0) {
		hash_del(&d->by_name, by_name, i);
		return -ENOMEM;
	}
	if (hash_add(&d->by_id, hash_u64((uint32_t)i->inst), i) != 0) {
		hash_del(&d->by_name, by_name, i);
		hash_del(&d->by_word, by_word, i);
		return -ENOMEM;
	}
	d->insts[d->n++] = i;
	d->written = false;
	return 0;
}

static int copy_inst(struct import_indom *d, const char *name, int inst)
{
	struct import_inst *i = malloc(sizeof(*i));

	if (i == NULL)
		return -ENOMEM;
	*i = (struct import_inst){.name = strdup(name), .index = d->n, .inst = inst};
	if (i->name == NULL || link_inst(d, i) != 0) {
		free(i->name);
		free(i);
		return -ENOMEM;
	}
	return 0;
}

int import_add_inst(struct import *c, pmInDom indom, const char *name, int inst)
{
	struct import_indom *d = import_indom(c, indom);
	int r;

	if (name == NULL || inst < 0) /* an archive cannot hold it */
		return PM_ERR_INST;
	if (d == NULL && (d = indom_new(c, indom)) == NULL)
		return -ENOMEM;
	r = check_new_inst(d, name, inst);
	return r != 0 ? r : copy_inst(d, name, inst);
}

/* ---- all of it ---- */

static int inherit_indoms(struct import *c, const struct import *from)
{
	int r = 0;

	for (size_t i = 0; i < from->nindoms && r == 0; i++) {
		const struct import_indom *d = from->indoms[i];
		struct import_indom *own = indom_new(c, d->indom);

		if (own == NULL)
			return -ENOMEM;
		for (size_t j = 0; j < d->n && r == 0; j++)
			r = copy_inst(own, d->insts[j]->name, d->insts[j]->inst);
	}
	return r;
}

static int inherit_handles(struct import *c, const struct import *from)
{
	for (size_t i = 0; i < from->nhandles; i++) {
		const struct import_handle *h = &from->handles[i];

		if (import_grow(&c->handles, c->nhandles, sizeof(*c->handles)) != 0)
			return -ENOMEM;
		c->handles[c->nhandles++] =
		    (struct import_handle){c->metrics[h->metric->index], h->inst};
	}
	return 0;
}

int import_inherit(struct import *c, const struct import *from)
{
	int r = inherit_indoms(c, from);

	for (size_t i = 0; i < from->nmetrics && r == 0; i++)
		r = copy_metric(c, from->metrics[i]->name, &from->metrics[i]->desc);
	if (r == 0)
		r = inherit_handles(c, from);
	for (size_t i = 0; i < from->ntexts && r == 0; i++)
		r = import_copy_text(c, &from->texts[i]);
	for (size_t i = 0; i < from->nlabels && r == 0; i++)
		r = import_copy_label(c, &from->labels[i]);
	return r;
}

void import_free_metadata(struct import *c)
{
	for (size_t i = 0; i < c->nmetrics; i++)
		free_metric(c->metrics[i]);
	for (size_t i = 0; i < c->nindoms; i++)
		free_indom(c->indoms[i]);
	for (size_t i = 0; i < c->ntexts; i++)
		free(c->texts[i].content);
	import_drop_labels(c);
	free(c->metrics);
	free(c->indoms);
	free(c->handles);
	free(c->texts);
	free(c->labels);
	free(c->pending);
	hash_done(&c->by_name);
	hash_done(&c->by_pmid);
	hash_done(&c->by_indom);
	arena_done(&c->record);
}

/* ---- the public calls ---- */

int pmiAddMetric(const char *name, pmID pmid, int type, pmInDom indom, int sem, pmUnits units)
{
	struct import *c = import_enter();
	pmDesc desc = {.pmid = pmid, .type = type, .indom = indom, .sem = sem, .units = units};

	return import_leave(c, c != NULL ? import_add_metric(c, name, &desc) : 0);
}

int pmiAddInstance(pmInDom indom, const char *instance, int inst)
{
	struct import *c = import_enter();

	return import_leave(c, c != NULL ? import_add_inst(c, indom, instance, inst) : 0);
}

pmID pmiID(int domain, int cluster, int item)
{
	return pmID_build((unsigned int)domain, (unsigned int)cluster, (unsigned int)item);
}

pmID pmiCluster(int domain, int cluster)
{
	return pmID_build((unsigned int)domain, (unsigned int)cluster, 0);
}

pmInDom pmiInDom(int domain, int serial)
{
	return pmInDom_build((unsigned int)domain, (unsigned int)serial);
}

pmUnits pmiUnits(int dimSpace, int dimTime, int dimCount, int scaleSpace, int scaleTime,
		 int scaleCount)
{
	return (pmUnits){
	    .dimSpace = dimSpace,
	    .dimTime = dimTime,
	    .dimCount = dimCount,
	    .scaleSpace = (unsigned int)scaleSpace,
	    .scaleTime = (unsigned int)scaleTime,
	    .scaleCount = scaleCount,
	};
}
