#include "tools/pmlogcheck/observed.h"

#include <stdlib.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct observed {
	struct hash table;
	struct arena mem;
	unsigned int epoch; /* number of marks so far */
};

static void no_memory(void)
{
	pmNoMem("observations", sizeof(struct observation), PM_FATAL_ERR);
}

struct observed *observed_new(void)
{
	struct observed *o = calloc(1, sizeof(*o));

	if (o == NULL)
		no_memory();
	return o;
}

void observed_free(struct observed *o)
{
	if (o == NULL)
		return;
	hash_done(&o->table);
	arena_done(&o->mem);
	free(o);
}

static bool same(const void *entry, const void *key)
{
	const struct observation *a = entry, *b = key;

	return a->pmid == b->pmid && a->inst == b->inst;
}

struct observation *observed_get(struct observed *o, pmID pmid, int inst)
{
	struct observation key = {.pmid = pmid, .inst = inst};
	uint64_t hash = hash_u64((uint64_t)pmid << 32 | (uint32_t)inst);
	struct observation *found = hash_find(&o->table, hash, same, &key);

	if (found == NULL) {
		found = arena_alloc(&o->mem, sizeof(*found));
		if (found == NULL || hash_add(&o->table, hash, found) < 0)
			no_memory();
		*found = key;
	}
	if (found->epoch != o->epoch)
		found->known = false;
	found->epoch = o->epoch;
	return found;
}

void observed_forget(struct observed *o)
{
	o->epoch++;
}
