#include "libpcp_pmda/agent_sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

/* Instances of one domain in one refresh: beyond this the source is not to be believed. */
#define SAMPLE_MAX_INSTANCES (1u << 20)

/*
 * Signed values may be -1, so their absent is the most negative number; all others are all ones.
 */
static void blank_field(void *base, const struct agent_metric *m)
{
	int64_t min64 = INT64_MIN;
	int32_t min32 = INT32_MIN;
	char *at = (char *)base + m->value.offset;

	if (m->type != PM_TYPE_32 && m->type != PM_TYPE_64)
		return;
	if (m->value.width == sizeof(min64))
		memcpy(at, &min64, sizeof(min64));
	else
		memcpy(at, &min32, sizeof(min32));
}

static void *blank_new(const struct agent_cluster *c, const struct agent_indom *indom, size_t size)
{
	void *blank = malloc(size != 0 ? size : 1);

	if (blank == NULL)
		return NULL;
	memset(blank, 0xff, size);
	for (unsigned int i = 0; i < c->nmetrics; i++)
		if (c->metrics[i].indom == indom)
			blank_field(blank, &c->metrics[i]);
	return blank;
}

int sample_blank_init(struct sample_blank *b, const struct agent_cluster *cluster)
{
	memset(b, 0, sizeof(*b));
	b->snapshot = blank_new(cluster, NULL, cluster->size);
	if (b->snapshot == NULL)
		return -ENOMEM;
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		const struct agent_fill *fill = &cluster->fills[i];

		if (fill->indom == NULL)
			break;
		b->tables[i] = blank_new(cluster, fill->indom, fill->size);
		if (b->tables[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

void sample_blank_done(struct sample_blank *b)
{
	free(b->snapshot);
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		free(b->tables[i]);
}

int sample_init(struct sample *s, const struct agent_cluster *cluster, const struct sample_blank *b)
{
	memset(s, 0, sizeof(*s));
	s->snapshot = malloc(cluster->size != 0 ? cluster->size : 1);
	if (s->snapshot == NULL)
		return -ENOMEM;
	for (int i = 0; i < AGENT_CLUSTER_INDOMS && cluster->fills[i].indom != NULL; i++) {
		s->tables[i].fill = &cluster->fills[i];
		s->tables[i].blank = b->tables[i];
	}
	sample_reset(s, cluster, b);
	return 0;
}

void sample_done(struct sample *s)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		free(s->tables[i].data);
		free(s->tables[i].keys);
		buffer_done(&s->tables[i].names);
	}
	arena_done(&s->strings);
	free(s->snapshot);
}

void sample_reset(struct sample *s, const struct agent_cluster *cluster,
		  const struct sample_blank *b)
{
	memcpy(s->snapshot, b->snapshot, cluster->size);
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		s->tables[i].n = 0;
		buffer_reset(&s->tables[i].names);
	}
	arena_reset(&s->strings);
}

struct sample_table *sample_table(struct sample *s, const struct agent_indom *indom)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS && s->tables[i].fill != NULL; i++)
		if (s->tables[i].fill->indom == indom)
			return &s->tables[i];
	return NULL;
}

static int table_grow(struct sample_table *t)
{
	size_t cap = t->cap != 0 ? 2 * t->cap : 16;
	struct sample_key *keys;
	unsigned char *data;

	if (cap > SAMPLE_MAX_INSTANCES)
		return -E2BIG;
	keys = realloc(t->keys, cap * sizeof(*keys));
	if (keys == NULL)
		return -ENOMEM;
	t->keys = keys;
	data = realloc(t->data, cap * t->fill->size);
	if (data == NULL)
		return -ENOMEM;
	t->data = data;
	t->cap = cap;
	return 0;
}

void *sample_add(struct sample_table *t, int32_t id, const char *name, size_t len)
{
	unsigned char *data;

	if (t->n == t->cap && table_grow(t) < 0)
		return NULL;
	t->keys[t->n].id = id;
	t->keys[t->n].name = SAMPLE_NO_NAME;
	if (name != NULL) {
		t->keys[t->n].name = (uint32_t)t->names.len;
		buffer_put(&t->names, name, len);
		buffer_put_u8(&t->names, 0);
		if (t->names.err != 0 || t->names.len >= SAMPLE_NO_NAME)
			return NULL;
	}
	data = t->data + t->n * t->fill->size;
	memcpy(data, t->blank, t->fill->size);
	t->n++;
	return data;
}

static int value_unsigned(uint64_t v, int width, int type, pmAtomValue *atom)
{
	if (v == (width == 8 ? UINT64_MAX : UINT32_MAX))
		return 0;
	if (type == PM_TYPE_U64)
		atom->ull = v;
	else
		atom->ul = (uint32_t)v;
	return 1;
}

static int value_signed(int64_t v, int width, int type, pmAtomValue *atom)
{
	if (v == (width == 8 ? INT64_MIN : INT32_MIN))
		return 0;
	if (type == PM_TYPE_64)
		atom->ll = v;
	else
		atom->l = (int32_t)v;
	return 1;
}

/* The member's bits, zero-extended. */
static uint64_t load_bits(const void *at, int width)
{
	uint64_t v64;
	uint32_t v32;

	if (width == 8) {
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
	memcpy(&v32, at, sizeof(v32));
	return v32;
}

int sample_value(const struct agent_metric *m, const void *base, pmAtomValue *ret_atom)
{
	int width = m->value.width;
	uint64_t bits = load_bits((const char *)base + m->value.offset, width);
	uint64_t ones = width == 8 ? UINT64_MAX : UINT32_MAX;

	switch (m->type) {
	case PM_TYPE_U32:
	case PM_TYPE_U64:
		return value_unsigned(bits, width, m->type, ret_atom);
	case PM_TYPE_32:
	case PM_TYPE_64:
		return value_signed(width == 8 ? (int64_t)bits : (int32_t)bits, width, m->type,
				    ret_atom);
	case PM_TYPE_STRING:
		ret_atom->cp = (char *)(uintptr_t)bits;
		return bits != ones && bits != 0;
	case PM_TYPE_FLOAT:
		memcpy(&ret_atom->f, (const char *)base + m->value.offset, sizeof(ret_atom->f));
		return bits != ones;
	default: /* PM_TYPE_DOUBLE: agent_table.c admits no others */
		memcpy(&ret_atom->d, (const char *)base + m->value.offset, sizeof(ret_atom->d));
		return bits != ones;
	}
}
