/*
 * pmns - the name space: a tree of metric names, each leaf with a PMID (docs/spec/pmcd.md 10).
 *
 * Every node is found by its full name through one hash table, so a look-up costs the same at any
 * depth and fan-out. Children keep the order of their definition. Names handed out are borrowed
 * and stay valid until pmns_free, also over pmns_add. A loaded name space is read by any number of
 * threads at once; changing it (add, merge, trim) is for one thread with no readers.
 *
 * Nothing is printed: what a load has to say goes to the message function of its options.
 */
#ifndef LIBPMNS_PMNS_H
#define LIBPMNS_PMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct pmns;

enum {
	PMNS_NAME_MAX = 4095,     /* bytes of a full name */
	PMNS_NODES_MAX = 8 << 20, /* nodes of a name space, the inner ones too */
	PMNS_DOMAIN_MAX = 510,
	PMNS_CLUSTER_MAX = 4095,
	PMNS_ITEM_MAX = 1023,
	PMNS_DOMAIN_DYNAMIC = 511, /* the domain of a dynamic root's PMID */
};

static inline pmID pmns_pmid(unsigned int domain, unsigned int cluster, unsigned int item)
{
	return (pmID)(domain & 0x1ff) << 22 | (cluster & 0xfff) << 10 | (item & 0x3ff);
}

/* The PMID under which a dynamic root "domain:*:*" is kept. */
static inline pmID pmns_dynamic_pmid(unsigned int domain)
{
	return pmns_pmid(PMNS_DOMAIN_DYNAMIC, domain, 0);
}

static inline bool pmns_pmid_is_dynamic(pmID pmid)
{
	return (pmid >> 22 & 0x1ff) == PMNS_DOMAIN_DYNAMIC && (pmid & 0x3ff) == 0;
}

/* The domain whose agent knows the names below a dynamic root. */
static inline unsigned int pmns_dynamic_domain(pmID pmid)
{
	return pmid >> 10 & 0xfff;
}

enum pmns_kind {
	PMNS_NONLEAF, /* has children here */
	PMNS_LEAF,    /* a metric */
	PMNS_DYNAMIC, /* the root of a subtree that an agent knows; non-leaf to a client */
};

/* The facts of one node. */
struct pmns_entry {
	const char *name; /* full, NUL-terminated, borrowed; "" is the root of the tree */
	const char *base; /* its last component: points into name */
	uint32_t name_len;
	uint32_t base_len;
	pmID pmid; /* PM_ID_NULL for a non-leaf; pmns_dynamic_pmid() for a dynamic root */
	enum pmns_kind kind;
};

/* PMNS_LEAF_STATUS or PMNS_NONLEAF_STATUS, as in a list of children. */
static inline int pmns_status(const struct pmns_entry *e)
{
	return e->kind == PMNS_LEAF ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
}

/*
 * Loading
 */

enum pmns_flag {
	PMNS_PREPROCESS = 1u << 0,   /* the text goes through the preprocessor (cpp.h) first */
	PMNS_UNIQUE_PMIDS = 1u << 1, /* a PMID with two names is an error; dynamic roots may */
};

/* All fields may be zero. */
struct pmns_options {
	unsigned int flags; /* enum pmns_flag */
	const char *const
	    *dirs; /* where included files are searched after the folder of the
		      main file: the last is "pmns" of $PCP_VAR_DIR; NULL-terminated */
	/* Gets each message: one or more lines without a final newline, e.g.
	 * "[file:3] Error Parsing ASCII PMNS: { expected\nroot x\n     ^". */
	void (*message)(void *arg, const char *text);
	void *message_arg;
};

/*
 * From a file, from memory (messages call it file_name), and from all files "root_*" of a folder,
 * in alphabetical order, each preprocessed with the macros of stdpmid (docs/spec/pmcd.md 10.3; made
 * from stdpmid.* if there is no file stdpmid). opt may be NULL.
 *
 * 0; -errno if the file or folder cannot be read ('Cannot open "X"' is reported), PM_ERR_PMNS for
 * any error in a text (reported with file and line), -EFBIG, -ENOMEM. In a folder a broken file,
 * and a name that an earlier file has with another PMID, is reported and skipped: this is not a
 * failure.
 */
int pmns_load_file(const char *path, const struct pmns_options *opt, struct pmns **ret_ns);
int pmns_load_text(const char *text, size_t len, const char *file_name,
		   const struct pmns_options *opt, struct pmns **ret_ns);
int pmns_load_folder(const char *dir, const struct pmns_options *opt, struct pmns **ret_ns);

/*
 * The name space of an installation: the file "root" of a folder, and after it the fragments of
 * pmns_load_folder. Either may be missing. *ret_fragments lists the files to watch for changes
 * besides the name space itself. On failure the parts that could be loaded are returned too; an
 * output is left alone if its part is missing. 0, -ENOENT if there is neither, the error of a root
 * that is broken, -ENOMEM.
 */
int pmns_load_system(const char *dir, const struct pmns_options *opt, struct pmns **ret_ns,
		     struct pmns **ret_fragments);

/* An empty name space (NULL: out of memory), to be filled by pmns_add. */
struct pmns *pmns_new(void);
void pmns_free(struct pmns *ns);

/*
 * Adds a leaf and the inner nodes above it. With pmns_dynamic_pmid(domain) it is a dynamic root.
 * The name is components joined by dots, none of them empty; their characters are not checked
 * (archives and agents have names that the grammar of files does not allow). 1 if it was added, 0
 * if it is there with this PMID already, PM_ERR_NAME for a name that is empty, too long or has an
 * empty component, PM_ERR_PMNS if the name is there with another PMID or as a non-leaf or is below
 * a leaf, -E2BIG if the name space is full, -ENOMEM.
 */
int pmns_add(struct pmns *ns, const char *name, size_t name_len, pmID pmid);

/*
 * Hides each leaf for which keep returns false, and each inner node that has no leaf left;
 * pmns_untrim shows everything again. Hidden nodes are unknown to every function below
 * (pmTrimNameSpace).
 */
void pmns_trim(struct pmns *ns, bool (*keep)(void *arg, const struct pmns_entry *e), void *arg);
void pmns_untrim(struct pmns *ns);

/*
 * True if a file that ns was loaded from, an included one too, differs in size, time or identity or
 * is gone; or if the folder itself has changed, as when a file comes, goes or is replaced. False
 * for a name space that comes from no file.
 */
bool pmns_changed(const struct pmns *ns);

/*
 * Reading
 */

/* The node of a full name; "" is the root. 0 or PM_ERR_NAME. Names need no NUL at name_len. */
int pmns_lookup(const struct pmns *ns, const char *name, size_t name_len,
		struct pmns_entry *ret_entry);

/*
 * The dynamic root that has this name or is above it: its agent is asked for a name that
 * pmns_lookup does not know. 0, or PM_ERR_NAME if there is none.
 */
int pmns_lookup_dynamic(const struct pmns *ns, const char *name, size_t name_len,
			struct pmns_entry *ret_entry);

/* Called for each node found; a non-zero return ends the walk and is its result. */
typedef int (*pmns_visit)(void *arg, const struct pmns_entry *e);

/*
 * The children of a node in the order of definition. Returns their number (0 for a leaf or a
 * dynamic root), PM_ERR_NAME for an unknown name, or what visit returned. visit may be NULL.
 */
int pmns_children(const struct pmns *ns, const char *name, size_t name_len, pmns_visit visit,
		  void *arg);

/*
 * The leaves and dynamic roots at or below a node, depth first in the order of definition. Returns
 * their number, PM_ERR_NAME for an unknown name, or what visit returned.
 */
int pmns_traverse(const struct pmns *ns, const char *name, size_t name_len, pmns_visit visit,
		  void *arg);

/*
 * All names of a PMID, the last defined first. Returns their number, PM_ERR_PMID when there is
 * none, or what visit returned.
 */
int pmns_names(const struct pmns *ns, pmID pmid, pmns_visit visit, void *arg);

/* The number of leaves and dynamic roots, hidden ones too; and the bytes that ns takes. */
size_t pmns_count(const struct pmns *ns);
size_t pmns_memory(const struct pmns *ns);

#endif
