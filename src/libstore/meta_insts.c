/*
 * meta_insts - the instances of one observation: by id and by name.
 *
 * A name is looked up in two tables, one by the whole name and one by what is before its first
 * blank. They are made when a large list is asked more than a few times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libstore/archive_meta_inner.h"

enum {
	HASHED_INSTS = 16, /* shorter lists are walked */
	HASHED_ASKED = 2,
};

void meta_observation_done(struct meta_observation *observation)
{
	if (observation == NULL)
		return;
	hash_done(&observation->exact);
	hash_done(&observation->word);
}

static int insts_by_id(const void *a, const void *b)
{
	const struct wire_inst *x = a, *y = b;

	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	/* The one that was written first comes first. */
	return x->name.s < y->name.s ? -1 : x->name.s > y->name.s;
}

size_t meta_insts_sort(struct wire_inst *insts, size_t n)
{
	size_t kept = 0;

	qsort(insts, n, sizeof(*insts), insts_by_id);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || insts[kept - 1].inst != insts[i].inst)
			insts[kept++] = insts[i];
	}
	return kept;
}

const struct wire_inst *archive_indom_inst(const struct archive_indom *indom, int inst)
{
	size_t low = 0, high = indom->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (indom->insts[mid].inst < inst)
			low = mid + 1;
		else
			high = mid;
	}
	return low < indom->n && indom->insts[low].inst == inst ? &indom->insts[low] : NULL;
}

/* The part of a name before its first blank. */
static struct wire_str first_word(struct wire_str name)
{
	const char *blank = memchr(name.s, ' ', name.len);

	if (blank != NULL)
		name.len = (uint32_t)(blank - name.s);
	return name;
}

static bool str_equal(struct wire_str a, struct wire_str b)
{
	return a.len == b.len && memcmp(a.s, b.s, a.len) == 0;
}

static bool insts_name_equal(const void *entry, const void *key)
{
	return str_equal(((const struct wire_inst *)entry)->name, *(const struct wire_str *)key);
}

static bool word_equal(const void *entry, const void *key)
{
	return str_equal(first_word(((const struct wire_inst *)entry)->name),
			 *(const struct wire_str *)key);
}

/* Adds the first instance of a name or word. */
static int table_add(struct hash *table, const struct wire_inst *inst, struct wire_str key,
		     hash_eq equal)
{
	uint64_t hash = hash_bytes(key.s, key.len);

	if (hash_find(table, hash, equal, &key) != NULL)
		return 0;
	return hash_add(table, hash, (void *)(uintptr_t)inst);
}

/* False if there is no memory for it: then lists are walked, as before. */
static bool tables_make(struct meta_observation *o)
{
	for (size_t i = 0; i < o->indom.n; i++) {
		const struct wire_inst *inst = &o->indom.insts[i];

		if (table_add(&o->exact, inst, inst->name, insts_name_equal) < 0 ||
		    table_add(&o->word, inst, first_word(inst->name), word_equal) < 0) {
			meta_observation_done(o);
			return false;
		}
	}
	return true;
}

static const struct wire_inst *tables_find(const struct meta_observation *o, struct wire_str name)
{
	uint64_t hash = hash_bytes(name.s, name.len);
	const struct wire_inst *inst = hash_find(&o->exact, hash, insts_name_equal, &name);

	return inst != NULL ? inst : hash_find(&o->word, hash, word_equal, &name);
}

static const struct wire_inst *list_find(const struct archive_indom *indom, struct wire_str name)
{
	const struct wire_inst *by_word = NULL;

	for (size_t i = 0; i < indom->n; i++) {
		const struct wire_inst *inst = &indom->insts[i];

		if (str_equal(inst->name, name))
			return inst;
		if (by_word == NULL && word_equal(inst, &name))
			by_word = inst;
	}
	return by_word;
}

int archive_indom_lookup(const struct archive_indom *indom, const char *name)
{
	struct meta_observation *o = (struct meta_observation *)(uintptr_t)indom;
	struct wire_str str = {name, (uint32_t)strlen(name)};
	const struct wire_inst *inst;

	if (o->exact.count == 0 &&
	    (indom->n < HASHED_INSTS || o->asked++ < HASHED_ASKED || !tables_make(o)))
		inst = list_find(indom, str);
	else
		inst = tables_find(o, str);
	return inst != NULL ? inst->inst : -1;
}
