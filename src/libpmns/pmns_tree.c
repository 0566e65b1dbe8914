/* pmns_tree - see pmns_tree.h: slabs, nodes and the two indexes. */
#include "libpmns/pmns_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libbase/hash.h"

enum {
	INDEX_MIN = 64,
	HUGE_PAGE = 2 << 20,
	SLABS_MAX = 4096, /* 256 MiB of nodes and names */
};

/*
 * Indexes
 */

static uint32_t index_start(const struct pmns_index *x, uint32_t key)
{
	return (uint32_t)hash_u64(key) & (x->cap - 1);
}

static void index_put(struct pmns_index *x, uint32_t key, uint32_t node)
{
	uint32_t i = index_start(x, key);

	while (x->slots[i].node != PMNS_ROOT)
		i = (i + 1) & (x->cap - 1);
	x->slots[i] = (struct pmns_slot){.key = key, .node = node};
	x->count++;
}

/*
 * Zeroed memory for slots. A table as large as a huge page is aligned to use huge pages: its slots
 * are accessed at random, and with ordinary pages each one costs a fault when it is made and a TLB
 * miss when it is used.
 */
static struct pmns_slot *slots_new(size_t len)
{
	struct pmns_slot *slots;

	if (len < HUGE_PAGE)
		return calloc(1, len);
	slots = aligned_alloc(HUGE_PAGE, len);
	if (slots == NULL)
		return NULL;
	madvise(slots, len, MADV_HUGEPAGE); /* a wish: no harm if it is not granted */
	memset(slots, 0, len);
	return slots;
}

static int index_resize(struct pmns_index *x, uint32_t cap)
{
	struct pmns_index old = *x;

	x->slots = slots_new(cap * sizeof(*x->slots));
	if (x->slots == NULL) {
		*x = old;
		return -ENOMEM;
	}
	x->cap = cap;
	x->count = 0;
	for (uint32_t i = 0; i < old.cap; i++) {
		if (old.slots[i].node != PMNS_ROOT)
			index_put(x, old.slots[i].key, old.slots[i].node);
	}
	free(old.slots);
	return 0;
}

/* Room for count entries in all, at most three quarters full. */
static int index_reserve(struct pmns_index *x, uint32_t count)
{
	uint32_t cap = x->cap < INDEX_MIN ? INDEX_MIN : x->cap;

	while ((uint64_t)count * 4 > (uint64_t)cap * 3)
		cap *= 2;
	return cap == x->cap ? 0 : index_resize(x, cap);
}

uint32_t pmns_name_key(const char *name, size_t len)
{
	uint64_t h = hash_bytes(name, len);

	return (uint32_t)(h ^ h >> 32);
}

/* The slot of a name, or the free one where it belongs; the index is not empty. */
static struct pmns_slot *name_slot(const struct pmns *ns, uint32_t key, const char *name,
				   size_t len)
{
	const struct pmns_index *x = &ns->names;
	uint32_t i = index_start(x, key);

	for (; x->slots[i].node != PMNS_ROOT; i = (i + 1) & (x->cap - 1)) {
		const struct pmns_node *n;

		if (x->slots[i].key != key)
			continue;
		n = pmns_node(ns, x->slots[i].node);
		if (n->name_len == len && memcmp(n->name, name, len) == 0)
			break;
	}
	return &x->slots[i];
}

uint32_t pmns_find(const struct pmns *ns, const char *name, size_t name_len)
{
	if (name_len == 0 || name_len > PMNS_NAME_MAX || ns->names.cap == 0)
		return PMNS_ROOT;
	return name_slot(ns, pmns_name_key(name, name_len), name, name_len)->node;
}

static struct pmns_slot *pmid_slot(const struct pmns *ns, pmID pmid)
{
	const struct pmns_index *x = &ns->pmids;

	if (x->cap == 0)
		return NULL;
	for (uint32_t i = index_start(x, pmid); x->slots[i].node != PMNS_ROOT;
	     i = (i + 1) & (x->cap - 1)) {
		if (x->slots[i].key == pmid)
			return &x->slots[i];
	}
	return NULL;
}

uint32_t pmns_find_pmid(const struct pmns *ns, pmID pmid)
{
	const struct pmns_slot *slot = pmid_slot(ns, pmid);

	return slot == NULL ? PMNS_ROOT : slot->node;
}

/*
 * Nodes
 */

static size_t record_units(size_t name_len)
{
	size_t len = offsetof(struct pmns_node, name) + name_len + 1;

	return (len + SLAB_UNIT - 1) / SLAB_UNIT;
}

static int slab_add(struct pmns *ns)
{
	struct pmns_slab *slabs;
	char *data;

	if (ns->nslab == SLABS_MAX)
		return -E2BIG;
	if (ns->nslab == ns->slab_cap) {
		uint32_t cap = ns->slab_cap == 0 ? 1 : ns->slab_cap * 2;

		slabs = reallocarray(ns->slabs, cap, sizeof(*slabs));
		if (slabs == NULL)
			return -ENOMEM;
		ns->slabs = slabs;
		ns->slab_cap = cap;
	}
	data = malloc(SLAB_LEN);
	if (data == NULL)
		return -ENOMEM;
	ns->slabs[ns->nslab++] = (struct pmns_slab){.data = data};
	return 0;
}

/* A record at the end of the slabs, zeroed but for the name. */
static int record_new(struct pmns *ns, size_t name_len, uint32_t *ret_node)
{
	uint32_t units = (uint32_t)record_units(name_len);
	struct pmns_slab *slab;

	if (ns->nnode == PMNS_NODES_MAX)
		return -E2BIG;
	if (ns->nslab == 0 || ns->slabs[ns->nslab - 1].used + units > SLAB_UNITS) {
		int r = slab_add(ns);

		if (r < 0)
			return r;
	}
	slab = &ns->slabs[ns->nslab - 1];
	*ret_node = (ns->nslab - 1) << SLAB_UNITS_LOG2 | slab->used;
	slab->used += units;
	ns->nnode++;
	memset(pmns_node(ns, *ret_node), 0, offsetof(struct pmns_node, name));
	return 0;
}

/* Undoes the last pmns_node_new. */
static void pmns_node_drop(struct pmns *ns, uint32_t node)
{
	ns->slabs[ns->nslab - 1].used -= (uint32_t)record_units(pmns_node(ns, node)->name_len);
	ns->nnode--;
}

uint32_t pmns_node_after(const struct pmns *ns, uint32_t node)
{
	uint32_t slab = node >> SLAB_UNITS_LOG2;
	uint32_t unit = node & (SLAB_UNITS - 1);

	unit += (uint32_t)record_units(pmns_node(ns, node)->name_len);
	if (unit < ns->slabs[slab].used)
		return slab << SLAB_UNITS_LOG2 | unit;
	/* A slab may have been begun for a node that was dropped. */
	if (++slab < ns->nslab && ns->slabs[slab].used > 0)
		return slab << SLAB_UNITS_LOG2;
	return PMNS_ROOT;
}

int pmns_node_new(struct pmns *ns, const char *prefix, size_t prefix_len, const char *base,
		  size_t base_len, enum pmns_kind kind, uint32_t *ret_node)
{
	size_t dot = prefix_len > 0 ? 1 : 0;
	size_t len = prefix_len + dot + base_len;
	struct pmns_node *n;
	int r;

	if (prefix_len > PMNS_NAME_MAX || base_len > PMNS_NAME_MAX || len > PMNS_NAME_MAX)
		return PM_ERR_NAME;
	r = record_new(ns, len, ret_node);
	if (r < 0)
		return r;
	n = pmns_node(ns, *ret_node);
	n->kind = (uint8_t)kind;
	n->name_len = (uint16_t)len;
	n->base_len = (uint16_t)base_len;
	memcpy(n->name, prefix, prefix_len);
	if (dot != 0)
		n->name[prefix_len] = '.';
	memcpy(n->name + prefix_len + dot, base, base_len);
	n->name[len] = '\0';
	return 0;
}

int pmns_reserve(struct pmns *ns, uint32_t count)
{
	int r;

	if (count > PMNS_NODES_MAX)
		count = PMNS_NODES_MAX;
	r = index_reserve(&ns->names, count);
	if (r == 0)
		r = index_reserve(&ns->pmids, count);
	return r;
}

void pmns_prefetch(const struct pmns *ns, uint32_t key, pmID pmid)
{
	if (ns->names.cap > 0)
		__builtin_prefetch(&ns->names.slots[index_start(&ns->names, key)], 1);
	if (ns->pmids.cap > 0)
		__builtin_prefetch(&ns->pmids.slots[index_start(&ns->pmids, pmid)], 1);
}

int pmns_index_name(struct pmns *ns, uint32_t key, uint32_t node, uint32_t *ret_there)
{
	const struct pmns_node *n = pmns_node(ns, node);
	struct pmns_slot *slot;
	int r = index_reserve(&ns->names, ns->names.count + 1);

	if (r < 0)
		return r;
	slot = name_slot(ns, key, n->name, n->name_len);
	if (slot->node != PMNS_ROOT) {
		*ret_there = slot->node;
		return 0;
	}
	*slot = (struct pmns_slot){.key = key, .node = node};
	ns->names.count++;
	return 1;
}

int pmns_node_get(struct pmns *ns, const char *prefix, size_t prefix_len, const char *base,
		  size_t base_len, enum pmns_kind kind, uint32_t *ret_node)
{
	const struct pmns_node *n;
	uint32_t node, there;
	int r;

	/* The name is put together where it will stay, if it is new. */
	r = pmns_node_new(ns, prefix, prefix_len, base, base_len, kind, &node);
	if (r < 0)
		return r;
	n = pmns_node(ns, node);
	r = pmns_index_name(ns, pmns_name_key(n->name, n->name_len), node, &there);
	if (r <= 0)
		pmns_node_drop(ns, node);
	if (r < 0)
		return r;
	*ret_node = r == 0 ? there : node;
	return r;
}

void pmns_link(struct pmns *ns, uint32_t parent, uint32_t child)
{
	struct pmns_node *p = pmns_node(ns, parent);

	if (p->first == PMNS_ROOT)
		p->first = child;
	else
		pmns_node(ns, p->last)->next = child;
	p->last = child;
	pmns_node(ns, child)->flags |= NODE_LINKED;
}

int pmns_set_pmid(struct pmns *ns, uint32_t node, pmID pmid)
{
	struct pmns_slot *slot = pmid_slot(ns, pmid);
	struct pmns_node *n = pmns_node(ns, node);

	if (slot == NULL) {
		int r = index_reserve(&ns->pmids, ns->pmids.count + 1);

		if (r < 0)
			return r;
		index_put(&ns->pmids, pmid, node);
		n->same = PMNS_ROOT;
	} else {
		n->same = slot->node;
		slot->node = node;
	}
	n->pmid = pmid;
	ns->nleaf++;
	if (n->kind == PMNS_DYNAMIC)
		ns->ndynamic++;
	return 0;
}

struct pmns *pmns_new(void)
{
	struct pmns *ns = calloc(1, sizeof(*ns));
	uint32_t root;

	if (ns == NULL || pmns_node_new(ns, "", 0, "", 0, PMNS_NONLEAF, &root) < 0) {
		pmns_free(ns);
		return NULL;
	}
	pmns_node(ns, PMNS_ROOT)->flags = NODE_LINKED;
	return ns;
}

void pmns_free(struct pmns *ns)
{
	if (ns == NULL)
		return;
	for (uint32_t i = 0; i < ns->nslab; i++)
		free(ns->slabs[i].data);
	free(ns->slabs);
	free(ns->names.slots);
	free(ns->pmids.slots);
	stamps_done(&ns->stamps);
	free(ns);
}

void pmns_entry_of(const struct pmns *ns, uint32_t node, struct pmns_entry *ret_entry)
{
	const struct pmns_node *n = pmns_node(ns, node);

	ret_entry->name = n->name;
	ret_entry->name_len = n->name_len;
	ret_entry->base = n->name + n->name_len - n->base_len;
	ret_entry->base_len = n->base_len;
	ret_entry->kind = n->kind;
	ret_entry->pmid = n->kind == PMNS_NONLEAF ? PM_ID_NULL : n->pmid;
}
