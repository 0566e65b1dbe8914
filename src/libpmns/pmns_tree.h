/*
 * pmns_tree - the structure of a name space, for the files that build one (pmns.c, build.c,
 * load.c).
 *
 * A node and its full name are one record in a slab, so that a look-up touches one slot and one
 * record. Records never move; the number of a node is its place: slab and offset. Node 0 is the
 * root of the tree; the root is never a child, so 0 also means "no node" in links and slots. Two
 * open hash tables lead to nodes: from full names, and from PMIDs to the last leaf defined with it;
 * leaves of one PMID are chained.
 */
#ifndef LIBPMNS_PMNS_TREE_H
#define LIBPMNS_PMNS_TREE_H

#include "libpmns/folder.h"
#include "libpmns/pmns.h"

enum {
	PMNS_ROOT = 0,
	PMNS_DEPTH_MAX = 128, /* components of a name */
};

enum pmns_node_flag {
	NODE_LINKED = 1u << 0,  /* is in its parent's list of children */
	NODE_DEFINED = 1u << 1, /* a non-leaf whose children were given */
	NODE_TWICE = 1u << 2,   /* ... by more than one definition */
	NODE_CLASH = 1u << 3,   /* defined as a non-leaf, and named as a leaf */
	NODE_HIDDEN = 1u << 4,  /* trimmed */
};

struct pmns_node {
	uint32_t next; /* the next child of its parent */
	union {
		struct { /* non-leaf */
			uint32_t first;
			uint32_t last;
		};
		struct { /* leaf, dynamic root */
			pmID pmid;
			uint32_t same; /* the leaf defined before with this PMID */
		};
	};
	uint16_t name_len;
	uint16_t base_len;
	uint8_t kind;  /* enum pmns_kind */
	uint8_t flags; /* enum pmns_node_flag */
	char name[];   /* full, NUL-terminated */
};

struct pmns_slot {
	uint32_t key;  /* the name's hash, or the PMID */
	uint32_t node; /* PMNS_ROOT: free (the root itself is not in the tables) */
};

struct pmns_index {
	struct pmns_slot *slots;
	uint32_t count;
	uint32_t cap; /* 0 or a power of two */
};

enum {
	SLAB_UNIT = 4, /* bytes: records begin at multiples */
	SLAB_UNITS_LOG2 = 14,
	SLAB_UNITS = 1 << SLAB_UNITS_LOG2,
	SLAB_LEN = SLAB_UNITS * SLAB_UNIT,
};

struct pmns_slab {
	char *data;    /* SLAB_LEN bytes */
	uint32_t used; /* units */
};

struct pmns {
	struct pmns_slab *slabs; /* records go into the last one */
	uint32_t nslab, slab_cap;
	uint32_t nnode;
	uint32_t nleaf; /* leaves and dynamic roots */
	uint32_t ndynamic;
	struct pmns_index names;
	struct pmns_index pmids;
	struct stamps stamps; /* the files it was loaded from */
};

static inline struct pmns_node *pmns_node(const struct pmns *ns, uint32_t node)
{
	const struct pmns_slab *slab = &ns->slabs[node >> SLAB_UNITS_LOG2];

	return (struct pmns_node *)(slab->data + (size_t)(node & (SLAB_UNITS - 1)) * SLAB_UNIT);
}

/* The node of a full name, or PMNS_ROOT: not there (or name_len 0). */
uint32_t pmns_find(const struct pmns *ns, const char *name, size_t name_len);

/*
 * A new node "prefix.base" (prefix_len 0: "base"), neither linked nor in the index of names. A leaf
 * has no PMID yet: pmns_set_pmid must follow. 0, PM_ERR_NAME for a name too long, -E2BIG, -ENOMEM.
 */
int pmns_node_new(struct pmns *ns, const char *prefix, size_t prefix_len, const char *base,
		  size_t base_len, enum pmns_kind kind, uint32_t *ret_node);

/* The hash of a name, as the index knows it. */
uint32_t pmns_name_key(const char *name, size_t len);

/*
 * Enters a new node in the index of names. 1, or 0 when there is a node of this name: that one is
 * *ret_there then. -ENOMEM.
 */
int pmns_index_name(struct pmns *ns, uint32_t key, uint32_t node, uint32_t *ret_there);

/* The processor is asked to have at hand what pmns_index_name and pmns_set_pmid will touch. */
void pmns_prefetch(const struct pmns *ns, uint32_t key, pmID pmid);

/*
 * The node "prefix.base", made as an unlinked node of this kind when it is not there. 1 made, 0
 * there already, or an error as above.
 */
int pmns_node_get(struct pmns *ns, const char *prefix, size_t prefix_len, const char *base,
		  size_t base_len, enum pmns_kind kind, uint32_t *ret_node);

/* Appends an unlinked node to the children of a non-leaf. */
void pmns_link(struct pmns *ns, uint32_t parent, uint32_t child);

/* Gives a new leaf its PMID and enters it in the index of PMIDs. 0 or -ENOMEM. */
int pmns_set_pmid(struct pmns *ns, uint32_t node, pmID pmid);

/* The last leaf defined with a PMID, or PMNS_ROOT. */
uint32_t pmns_find_pmid(const struct pmns *ns, pmID pmid);

/* Room in the indexes for about this many names at once; a hint, and 0 or -ENOMEM. */
int pmns_reserve(struct pmns *ns, uint32_t count);

/* Walks all nodes in the order in which they were made: the one after node, or PMNS_ROOT at the
 * end. */
uint32_t pmns_node_after(const struct pmns *ns, uint32_t node);

void pmns_entry_of(const struct pmns *ns, uint32_t node, struct pmns_entry *ret_entry);

#endif
