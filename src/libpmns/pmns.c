/*
 * pmns - see pmns.h: functions that add to a name space, read it, and hide parts of it. Its
 * structure is in pmns_tree.c; texts come from build.c, files from load.c.
 */
#include "libpmns/pmns.h"

#include <string.h>

#include "libpmns/pmns_tree.h"

/*
 * Adding
 */

/* Components of a name; 0 if one is empty or there are too many. */
static unsigned int count_components(const char *name, size_t len)
{
	unsigned int n = 1;
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && name[i] != '.')
			continue;
		if (i == start || memchr(name + start, '\0', i - start) != NULL)
			return 0;
		start = i + 1;
		n += i < len;
	}
	return n > PMNS_DEPTH_MAX ? 0 : n;
}

static size_t parent_len(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);

	return dot == NULL ? 0 : (size_t)(dot - name);
}

/* The non-leaf of a name, made with all above it when it is not there. */
static int path_get(struct pmns *ns, const char *name, size_t len, uint32_t *ret_node)
{
	size_t have = len;
	uint32_t parent;

	while (have > 0 && pmns_find(ns, name, have) == PMNS_ROOT)
		have = parent_len(name, have);
	parent = pmns_find(ns, name, have);
	while (have < len) {
		size_t base = have + (have > 0);
		size_t end = base;
		uint32_t node;
		int r;

		while (end < len && name[end] != '.')
			end++;
		if (pmns_node(ns, parent)->kind != PMNS_NONLEAF)
			return PM_ERR_PMNS;
		r = pmns_node_get(ns, name, have, name + base, end - base, PMNS_NONLEAF, &node);
		if (r < 0)
			return r;
		pmns_node(ns, node)->flags |= NODE_DEFINED;
		pmns_link(ns, parent, node);
		parent = node;
		have = end;
	}
	*ret_node = parent;
	return pmns_node(ns, parent)->kind == PMNS_NONLEAF ? 0 : PM_ERR_PMNS;
}

int pmns_add(struct pmns *ns, const char *name, size_t name_len, pmID pmid)
{
	enum pmns_kind kind = pmns_pmid_is_dynamic(pmid) ? PMNS_DYNAMIC : PMNS_LEAF;
	size_t up;
	uint32_t node, parent;
	int r;

	if (name_len > PMNS_NAME_MAX || count_components(name, name_len) == 0)
		return PM_ERR_NAME;
	node = pmns_find(ns, name, name_len);
	if (node != PMNS_ROOT) {
		const struct pmns_node *n = pmns_node(ns, node);

		return n->kind != PMNS_NONLEAF && n->pmid == pmid ? 0 : PM_ERR_PMNS;
	}
	up = parent_len(name, name_len);
	r = path_get(ns, name, up, &parent);
	if (r < 0)
		return r;
	up += up > 0;
	r = pmns_reserve(ns, ns->names.count + 1); /* so that it is in both indexes or in none */
	if (r < 0)
		return r;
	r = pmns_node_get(ns, name, up > 0 ? up - 1 : 0, name + up, name_len - up, kind, &node);
	if (r < 0)
		return r;
	r = pmns_set_pmid(ns, node, pmid);
	if (r < 0)
		return r;
	pmns_link(ns, parent, node);
	return 1;
}

/*
 * Reading
 */

/* The node that a reader means: true if it is there and not hidden. */
static bool visible(const struct pmns *ns, const char *name, size_t len, uint32_t *ret_node)
{
	*ret_node = pmns_find(ns, name, len);
	if (*ret_node == PMNS_ROOT)
		return len == 0;
	return (pmns_node(ns, *ret_node)->flags & NODE_HIDDEN) == 0;
}

int pmns_lookup(const struct pmns *ns, const char *name, size_t name_len,
		struct pmns_entry *ret_entry)
{
	uint32_t node;

	if (!visible(ns, name, name_len, &node))
		return PM_ERR_NAME;
	pmns_entry_of(ns, node, ret_entry);
	return 0;
}

int pmns_lookup_dynamic(const struct pmns *ns, const char *name, size_t name_len,
			struct pmns_entry *ret_entry)
{
	if (ns->ndynamic == 0 || name_len > PMNS_NAME_MAX)
		return PM_ERR_NAME;
	/* From the top, so that a name unknown at its first component costs one look-up. */
	for (size_t end = 1; end <= name_len; end++) {
		uint32_t node;

		if (end < name_len && name[end] != '.')
			continue;
		if (!visible(ns, name, end, &node) || pmns_node(ns, node)->kind == PMNS_LEAF)
			return PM_ERR_NAME;
		if (pmns_node(ns, node)->kind == PMNS_DYNAMIC) {
			pmns_entry_of(ns, node, ret_entry);
			return 0;
		}
	}
	return PM_ERR_NAME;
}

/* Counts a visible node, and passes it to the visitor, if there is one. Returns the visitor's
 * result. */
static int visit_node(const struct pmns *ns, uint32_t node, pmns_visit visit, void *arg, int *count)
{
	struct pmns_entry e;

	if ((pmns_node(ns, node)->flags & NODE_HIDDEN) != 0)
		return 0;
	(*count)++;
	if (visit == NULL)
		return 0;
	pmns_entry_of(ns, node, &e);
	return visit(arg, &e);
}

int pmns_children(const struct pmns *ns, const char *name, size_t name_len, pmns_visit visit,
		  void *arg)
{
	uint32_t node;
	int count = 0;

	if (!visible(ns, name, name_len, &node))
		return PM_ERR_NAME;
	if (pmns_node(ns, node)->kind != PMNS_NONLEAF)
		return 0;
	for (node = pmns_node(ns, node)->first; node != PMNS_ROOT;
	     node = pmns_node(ns, node)->next) {
		int r = visit_node(ns, node, visit, arg, &count);

		if (r != 0)
			return r;
	}
	return count;
}

struct walk {
	const struct pmns *ns;
	pmns_visit visit;
	void *arg;
	int count;
};

/* Depth is bounded by PMNS_DEPTH_MAX. */
static int walk_node(struct walk *w, uint32_t node)
{
	const struct pmns_node *n = pmns_node(w->ns, node);
	int r = 0;

	if (n->kind != PMNS_NONLEAF)
		return visit_node(w->ns, node, w->visit, w->arg, &w->count);
	if ((n->flags & NODE_HIDDEN) != 0)
		return 0;
	for (node = n->first; node != PMNS_ROOT && r == 0; node = pmns_node(w->ns, node)->next)
		r = walk_node(w, node);
	return r;
}

int pmns_traverse(const struct pmns *ns, const char *name, size_t name_len, pmns_visit visit,
		  void *arg)
{
	struct walk w = {.ns = ns, .visit = visit, .arg = arg};
	uint32_t node;
	int r;

	if (!visible(ns, name, name_len, &node))
		return PM_ERR_NAME;
	r = walk_node(&w, node);
	return r != 0 ? r : w.count;
}

int pmns_names(const struct pmns *ns, pmID pmid, pmns_visit visit, void *arg)
{
	uint32_t node = pmns_find_pmid(ns, pmid);
	int count = 0;

	for (; node != PMNS_ROOT; node = pmns_node(ns, node)->same) {
		int r = visit_node(ns, node, visit, arg, &count);

		if (r != 0)
			return r;
	}
	return count > 0 ? count : PM_ERR_PMID;
}

/*
 * Trimming
 */

typedef bool (*keep_fn)(void *arg, const struct pmns_entry *e);

/* True if the node stays visible. */
static bool trim_node(struct pmns *ns, uint32_t node, keep_fn keep, void *arg)
{
	struct pmns_node *n = pmns_node(ns, node);
	bool stays = false;

	if (n->kind == PMNS_NONLEAF) {
		for (uint32_t c = n->first; c != PMNS_ROOT; c = pmns_node(ns, c)->next)
			stays |= trim_node(ns, c, keep, arg);
	} else {
		struct pmns_entry e;

		pmns_entry_of(ns, node, &e);
		stays = keep(arg, &e);
	}
	if (stays || node == PMNS_ROOT)
		n->flags &= (uint8_t)~NODE_HIDDEN;
	else
		n->flags |= NODE_HIDDEN;
	return stays;
}

void pmns_trim(struct pmns *ns, keep_fn keep, void *arg)
{
	trim_node(ns, PMNS_ROOT, keep, arg);
}

void pmns_untrim(struct pmns *ns)
{
	uint32_t node = PMNS_ROOT;

	do {
		pmns_node(ns, node)->flags &= (uint8_t)~NODE_HIDDEN;
		node = pmns_node_after(ns, node);
	} while (node != PMNS_ROOT);
}

bool pmns_changed(const struct pmns *ns)
{
	return stamps_changed(&ns->stamps);
}

size_t pmns_count(const struct pmns *ns)
{
	return ns->nleaf;
}

size_t pmns_memory(const struct pmns *ns)
{
	return sizeof(*ns) + ns->nslab * (SLAB_LEN + sizeof(*ns->slabs)) +
	       ((size_t)ns->names.cap + ns->pmids.cap) * sizeof(struct pmns_slot);
}
