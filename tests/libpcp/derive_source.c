/* derive_source - see derive_source.h. */
#include "derive_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/derive/derive.h"
#include "libpcp/results.h"

#define INDOM (1u << 22 | 1)
#define OTHER (1u << 22 | 2)

enum { NINST = 3, ROOM = 8192, STEP_S = 2 };

unsigned int source_fetches;
size_t source_asked;

/* clang-format off */
static const struct metric {
	const char *name;
	int type;
	pmInDom indom;
	int sem;
	pmUnits units;
	int insts[NINST]; /* 0: no more */
	int numval;       /* 0: as many as there are instances */
} metrics[] = {
	{ "t.i32", PM_TYPE_32, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.u32", PM_TYPE_U32, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.i64", PM_TYPE_64, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.u64", PM_TYPE_U64, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.float", PM_TYPE_FLOAT, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.double", PM_TYPE_DOUBLE, INDOM, PM_SEM_INSTANT, {0}, {1, 2, 3}, 0 },
	{ "t.few", PM_TYPE_32, INDOM, PM_SEM_INSTANT, {0}, {1, 3}, 0 },
	{ "t.other", PM_TYPE_32, OTHER, PM_SEM_INSTANT, {0}, {1, 2}, 0 },
	{ "t.ctr", PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_COUNTER, {.dimSpace = 1}, {-1}, 0 },
	{ "t.time", PM_TYPE_64, PM_INDOM_NULL, PM_SEM_COUNTER, {.dimTime = 1, .scaleTime = PM_TIME_MSEC}, {-1}, 0 },
	{ "t.one", PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}, {-1}, 0 },
	{ "t.text", PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_INSTANT, {0}, {-1}, 0 },
	{ "t.none", PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}, {0}, 0 },
	{ "t.wrong", PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}, {0}, PM_ERR_AGAIN },
};
/* clang-format on */

enum { NMETRIC = sizeof(metrics) / sizeof(metrics[0]) };

static pmID pmid_of(size_t i)
{
	return 1u << 22 | (pmID)(i + 1);
}

static const struct metric *metric_of(pmID pmid)
{
	size_t i = (pmid & 1023) - 1;

	return pmid >> 22 == 1 && i < NMETRIC ? &metrics[i] : NULL;
}

static int source_lookup(struct context *ctx, size_t n, const char *const *names, pmID *pmids)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		pmids[i] = PM_ID_NULL;
		for (size_t m = 0; m < NMETRIC; m++) {
			if (strcmp(metrics[m].name, names[i]) == 0)
				pmids[i] = pmid_of(m);
		}
		found += pmids[i] != PM_ID_NULL;
	}
	return n == 1 && found == 0 ? PM_ERR_NAME : found;
}

static int source_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *descs)
{
	for (size_t i = 0; i < n; i++) {
		const struct metric *m = metric_of(pmids[i]);

		descs[i] = (pmDesc){.pmid = pmids[i],
				    .type = m->type,
				    .indom = m->indom,
				    .sem = m->sem,
				    .units = m->units};
	}
	return (int)n;
}

static int source_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
			    struct context_insts *insts)
{
	static const char *const names[] = {"one", "two", "three men"};
	static const char *const others[] = {"a", "b"};
	int n = indom == INDOM ? 3 : 2;
	char *text;

	insts->ids = malloc(sizeof(int) * (size_t)n);
	insts->names = malloc((sizeof(char *) + 16) * (size_t)n);
	if (insts->ids == NULL || insts->names == NULL) {
		free(insts->ids);
		free(insts->names);
		return -ENOMEM;
	}
	text = (char *)(insts->names + n);
	for (int i = 0; i < n; i++) {
		insts->ids[i] = i + 1;
		insts->names[i] = strcpy(text, indom == INDOM ? names[i] : others[i]);
		text += 16;
	}
	return n;
}

static double value_of(const struct metric *m, int inst)
{
	if (m->sem == PM_SEM_COUNTER)
		return 1000.0 * source_fetches;
	return inst < 0 ? 1 : 10.0 * inst + source_fetches;
}

static size_t write_value(char *to, int type, double v)
{
	pmValueBlock *block = (pmValueBlock *)to;
	pmAtomValue atom;
	size_t len = type == PM_TYPE_FLOAT ? 4 : 8;

	if (type == PM_TYPE_FLOAT)
		atom.f = (float)v;
	else if (type == PM_TYPE_DOUBLE)
		atom.d = v;
	else
		atom.ll = (int64_t)v;
	memcpy(block->vbuf, type == PM_TYPE_STRING ? "hi\0\0\0\0\0" : (char *)&atom, len);
	block->vtype = (unsigned int)type;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	return 16;
}

static pmValueSet *write_set(pmID pmid, char **at)
{
	const struct metric *m = metric_of(pmid);
	pmValueSet *set = (pmValueSet *)*at;

	*at += sizeof(*set) + NINST * sizeof(pmValue);
	set->pmid = pmid;
	set->valfmt = PM_VAL_INSITU;
	set->numval = m == NULL ? 0 : m->numval;
	for (int i = 0; m != NULL && i < NINST && m->insts[i] != 0; i++) {
		pmValue *v = &set->vlist[set->numval++];

		v->inst = m->insts[i];
		if (m->type == PM_TYPE_32 || m->type == PM_TYPE_U32) {
			v->value.lval = (int)value_of(m, v->inst);
			continue;
		}
		set->valfmt = PM_VAL_DPTR;
		v->value.pval = (pmValueBlock *)*at;
		*at += write_value(*at, m->type, value_of(m, v->inst));
	}
	return set;
}

static int source_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret)
{
	pmHighResResult *result = calloc(1, sizeof(*result) + n * (sizeof(void *) + 256) + ROOM);
	char *at;

	if (result == NULL)
		return -ENOMEM;
	source_fetches++;
	source_asked = n;
	result->timestamp.tv_sec = STEP_S * (time_t)source_fetches;
	result->numpmid = (int)n;
	at = (char *)&result->vset[(n + 2) & ~(size_t)1];
	for (size_t i = 0; i < n; i++)
		result->vset[i] = write_set(pmids[i], &at);
	if (results_add(result) < 0) {
		free(result);
		return -ENOMEM;
	}
	*ret = result;
	return 0;
}

static const struct context_ops ops = {
    .lookup_names = source_lookup,
    .descs = source_descs,
    .instances = source_instances,
    .fetch = source_fetch,
};

void source_init(struct context *ctx)
{
	*ctx = (struct context){.type = PM_CONTEXT_HOST, .ops = &ops};
	source_fetches = 0;
}

void source_done(struct context *ctx)
{
	derive_free(ctx->derive);
	ctx->derive = NULL;
}
