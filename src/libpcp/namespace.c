/*
 * namespace - see namespace.h.
 *
 * Readers share the lock for one look-up, and get copies.
 */
#include "libpcp/namespace.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/name_list.h"
#include "libpmns/pmns.h"

static struct {
	pthread_rwlock_t lock;
	bool wanted;     /* the program has asked for one */
	struct pmns *ns; /* NULL: none, or it could not be loaded */
} loaded = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static int add_name(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, pmns_status(e));
}

static int add_base(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->base, e->base_len, pmns_status(e));
}

static int name_location(struct context *ctx)
{
	int r;

	pthread_rwlock_rdlock(&loaded.lock);
	r = loaded.ns == NULL ? PM_ERR_NOPMNS : PMNS_LOCAL;
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

/* Names at and below a dynamic root have the root's id here: only its agent knows theirs. */
static int lookup_one(const char *name, pmID *ret_pmid)
{
	size_t len = strlen(name);
	struct pmns_entry e;

	if (len == 0)
		return PM_ERR_NAME;
	if (pmns_lookup(loaded.ns, name, len, &e) < 0 &&
	    pmns_lookup_dynamic(loaded.ns, name, len, &e) < 0)
		return PM_ERR_NAME;
	if (e.kind == PMNS_NONLEAF)
		return PM_ERR_NONLEAF;
	*ret_pmid = e.pmid;
	return 0;
}

static int name_lookup(struct context *ctx, size_t n, const char *const *names, pmID *pmids)
{
	int found = 0;
	int r = 0;

	pthread_rwlock_rdlock(&loaded.lock);
	for (size_t i = 0; i < n && loaded.ns != NULL; i++) {
		pmids[i] = PM_ID_NULL;
		r = lookup_one(names[i], &pmids[i]);
		found += r == 0;
	}
	if (loaded.ns == NULL)
		r = PM_ERR_NOPMNS;
	else if (n > 1 || r == 0)
		r = found;
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

/* The names of a PMID on their way into one block: first they are measured, then copied. */
struct name_block {
	size_t n;
	size_t len; /* of all texts */
	char **block;
	char *end; /* of the texts that are there */
};

static int measure_name(void *arg, const struct pmns_entry *e)
{
	struct name_block *b = arg;

	b->n++;
	b->len += e->name_len + 1;
	return 0;
}

static int copy_name(void *arg, const struct pmns_entry *e)
{
	struct name_block *b = arg;

	b->block[b->n++] = memcpy(b->end, e->name, e->name_len);
	b->end[e->name_len] = '\0';
	b->end += e->name_len + 1;
	return 0;
}

/* Many PMIDs are looked up one by one, so nothing is allocated but the block of names. */
static int namespace_names_of(const struct pmns *ns, pmID pmid, char ***ret_names)
{
	struct name_block b = {0};
	int r = pmns_names(ns, pmid, measure_name, &b);

	if (r < 0)
		return r;
	b.block = malloc(b.n * sizeof(b.block[0]) + b.len);
	if (b.block == NULL)
		return -ENOMEM;
	b.end = (char *)(b.block + b.n);
	b.n = 0;
	*ret_names = b.block;
	return pmns_names(ns, pmid, copy_name, &b);
}

int namespace_names(pmID pmid, char ***ret_names)
{
	int r = PM_ERR_NOPMNS;

	pthread_rwlock_rdlock(&loaded.lock);
	if (loaded.ns != NULL)
		r = namespace_names_of(loaded.ns, pmid, ret_names);
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

static int name_all(struct context *ctx, pmID pmid, char ***ret_names)
{
	return namespace_names(pmid, ret_names);
}

int namespace_children(const char *name, char ***ret_names, int **ret_status)
{
	struct name_list list = {0};
	int r = PM_ERR_NOPMNS;

	pthread_rwlock_rdlock(&loaded.lock);
	if (loaded.ns != NULL)
		r = pmns_children(loaded.ns, name, strlen(name), add_base, &list);
	r = name_list_done(&list, r, ret_names, ret_status);
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

static int name_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status)
{
	return namespace_children(name, ret_names, ret_status);
}

static int name_traverse(struct context *ctx, const char *name, char ***ret_names)
{
	struct name_list list = {0};
	int r = PM_ERR_NOPMNS;

	pthread_rwlock_rdlock(&loaded.lock);
	if (loaded.ns != NULL)
		r = pmns_traverse(loaded.ns, name, strlen(name), add_name, &list);
	r = name_list_done(&list, r, ret_names, NULL);
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

static const struct context_ops ops = {
    .location = name_location,
    .lookup_names = name_lookup,
    .name_all = name_all,
    .children = name_children,
    .traverse = name_traverse,
};

int namespace_lookup(const char *name, pmID *ret_pmid, unsigned int *ret_domain)
{
	pmID pmid = PM_ID_NULL;
	int r;

	pthread_rwlock_rdlock(&loaded.lock);
	r = loaded.ns == NULL ? PM_ERR_NOPMNS : lookup_one(name, &pmid);
	pthread_rwlock_unlock(&loaded.lock);
	if (r == 0 && pmns_pmid_is_dynamic(pmid)) {
		*ret_domain = pmns_dynamic_domain(pmid);
		return 1;
	}
	if (r == 0)
		*ret_pmid = pmid;
	return r;
}

static int add_leaf(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, (int)e->pmid);
}

int namespace_leaves(const char *name, char ***ret_names, pmID **ret_pmids)
{
	struct name_list list = {0};
	int r = PM_ERR_NOPMNS;

	pthread_rwlock_rdlock(&loaded.lock);
	if (loaded.ns != NULL)
		r = pmns_traverse(loaded.ns, name, strlen(name), add_leaf, &list);
	r = name_list_done(&list, r, ret_names, (int **)ret_pmids);
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

struct domain_search {
	unsigned int domain;
	bool found;
};

static int is_of_domain(void *arg, const struct pmns_entry *e)
{
	struct domain_search *search = arg;

	search->found = search->domain == (e->kind == PMNS_DYNAMIC ? pmns_dynamic_domain(e->pmid)
								   : pmID_domain(e->pmid));
	return search->found;
}

int namespace_give_root(const char *label, unsigned int domain)
{
	struct domain_search search = {.domain = domain};
	int r = PM_ERR_NOPMNS;

	pthread_rwlock_wrlock(&loaded.lock);
	if (loaded.ns != NULL) {
		pmns_traverse(loaded.ns, "", 0, is_of_domain, &search);
		r = search.found
			? 0
			: pmns_add(loaded.ns, label, strlen(label), pmns_dynamic_pmid(domain));
	}
	pthread_rwlock_unlock(&loaded.lock);
	return r < 0 ? r : 0;
}

const struct context_ops *namespace_ops(void)
{
	bool wanted;

	pthread_rwlock_rdlock(&loaded.lock);
	wanted = loaded.wanted;
	pthread_rwlock_unlock(&loaded.lock);
	return wanted ? &ops : NULL;
}

static void print_message(void *arg, const char *text)
{
	pmprintf("%s\n", text);
	pmflush();
}

/* The "pmns" folder of PCP_VAR_DIR, or "" if that is not known. */
static const char *system_folder(char *buf, size_t size)
{
	const char *var_dir = pmGetOptionalConfig("PCP_VAR_DIR");

	if (var_dir == NULL || snprintf(buf, size, "%s/pmns", var_dir) >= (int)size)
		buf[0] = '\0';
	return buf;
}

/* The name space that is named, or that the environment names; else that of the installation. */
static int load_locked(const char *file, unsigned int flags)
{
	struct pmns *fragments = NULL;
	char folder[PATH_MAX];
	const char *dirs[] = {system_folder(folder, sizeof(folder)), NULL};
	const struct pmns_options opt = {
	    .flags = flags,
	    .dirs = dirs,
	    .message = print_message,
	};
	int r;

	if (loaded.ns != NULL)
		return PM_ERR_DUPPMNS;
	if (file == PM_NS_DEFAULT)
		file = getenv("PMNS_DEFAULT");
	if (file != NULL)
		return pmns_load_file(file, &opt, &loaded.ns);
	r = pmns_load_system(folder, &opt, &loaded.ns, &fragments);
	pmns_free(fragments);
	if (r < 0) {
		pmns_free(loaded.ns);
		loaded.ns = NULL;
	}
	return r;
}

static int namespace_load(const char *file, unsigned int flags)
{
	int r;

	pthread_rwlock_wrlock(&loaded.lock);
	loaded.wanted = true;
	r = load_locked(file, flags);
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

int namespace_need(void)
{
	int r = 0;

	pthread_rwlock_wrlock(&loaded.lock);
	if (loaded.ns == NULL && !loaded.wanted)
		r = load_locked(PM_NS_DEFAULT, 0);
	if (loaded.ns == NULL)
		r = PM_ERR_NOPMNS;
	pthread_rwlock_unlock(&loaded.lock);
	return r;
}

int pmLoadNameSpace(const char *file)
{
	return namespace_load(file, 0);
}

int pmLoadASCIINameSpace(const char *file, int dupok)
{
	return namespace_load(file, PMNS_PREPROCESS | (dupok != 0 ? 0 : PMNS_UNIQUE_PMIDS));
}

void pmUnloadNameSpace(void)
{
	pthread_rwlock_wrlock(&loaded.lock);
	pmns_free(loaded.ns);
	loaded.ns = NULL;
	loaded.wanted = false;
	pthread_rwlock_unlock(&loaded.lock);
}

struct trim {
	namespace_keep *keep;
	void *arg;
};

static bool trim_keeps(void *arg, const struct pmns_entry *e)
{
	struct trim *trim = arg;

	return trim->keep(trim->arg, e->pmid);
}

void namespace_trim(namespace_keep *keep, void *arg)
{
	struct trim trim = {.keep = keep, .arg = arg};

	pthread_rwlock_wrlock(&loaded.lock);
	if (loaded.ns != NULL) {
		pmns_untrim(loaded.ns);
		if (keep != NULL)
			pmns_trim(loaded.ns, trim_keeps, &trim);
	}
	pthread_rwlock_unlock(&loaded.lock);
}
