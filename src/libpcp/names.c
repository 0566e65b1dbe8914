/*
 * names - metric names and identifiers, from the valid name space: that of the context, or the one
 * that the program has loaded (docs/spec/pmapi.md 5).
 *
 * The special metrics are part of every name space; they come after those of the source.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/register.h"
#include "libpcp/event.h"
#include "libpcp/name_list.h"
#include "libpcp/namespace.h"
#include "libpcp/trace.h"

/* The operations for questions about names. */
struct source {
	const struct context_ops *ops;
	struct context *ctx;     /* locked, or NULL if the answers need none */
	struct context *current; /* the thread's context, locked, or NULL: for derived metrics */
};

static int source_hold(struct source *ret_source)
{
	const struct context_ops *ops = namespace_ops();
	struct context *ctx;

	register_start();
	ctx = context_hold_current();
	*ret_source = (struct source){.ops = ops, .current = ctx};
	/* A local context asks its agents for what the loaded name space leaves to them. */
	if (ctx != NULL && (ops == NULL || ctx->type == PM_CONTEXT_LOCAL)) {
		ret_source->ops = ctx->ops;
		ret_source->ctx = ctx;
	}
	return ret_source->ops == NULL ? PM_ERR_NOPMNS : 0;
}

static void source_release(struct source *source)
{
	if (source->current != NULL)
		context_release(source->current);
}

int pmGetPMNSLocation(void)
{
	struct source source;
	int r = source_hold(&source);

	if (r == 0)
		r = source.ops->location(source.ctx);
	source_release(&source);
	return r;
}

/* The id of a special or derived metric, which no source knows. */
static pmID pmid_here(struct context *ctx, const char *name)
{
	const struct special *special = special_by_name(name);
	const struct definition *def;

	if (special != NULL)
		return special->desc.pmid;
	def = derive_by_name(ctx, name);
	return def == NULL ? PM_ID_NULL : def->pmid;
}

/* Gives such names that are still unknown their ids. How many there were. */
static int lookup_here(struct context *ctx, int n, const char **names, pmID *pmids)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		if (pmids[i] != PM_ID_NULL)
			continue;
		pmids[i] = pmid_here(ctx, names[i]);
		found += pmids[i] != PM_ID_NULL;
	}
	return found;
}

static int names_lookup(int n, const char **names, pmID *pmids)
{
	struct source source;
	int here;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	r = source_hold(&source);
	if (r == 0)
		r = source.ops->lookup_names(source.ctx, (size_t)n, names, pmids);
	for (int i = 0; r < 0 && i < n; i++)
		pmids[i] = PM_ID_NULL;
	here = lookup_here(source.current, n, names, pmids);
	source_release(&source);
	if (here == n)
		return n;
	if (r < 0)
		return r;
	return n == 1 && r == 0 ? PM_ERR_NAME : r + here;
}

int pmLookupName(int n, const char **names, pmID *pmids)
{
	int r = names_lookup(n, names, pmids);

	trace_names(n, names, pmids, r);
	trace_call(r, "pmLookupName(%d)", n);
	return r;
}

static int one_name(const char *text, char ***ret_names)
{
	const struct wire_str name = {text, (uint32_t)strlen(text)};
	int r = str_block_new(&name, 1, ret_names);

	return r < 0 ? r : 1;
}

/* The name of a special or derived metric: 1, or 0 for others. */
static int names_here(struct context *ctx, pmID pmid, char ***ret_names)
{
	const struct special *special = special_by_pmid(pmid);
	const struct definition *def;

	if (special != NULL)
		return one_name(special->name, ret_names);
	def = derive_is_pmid(pmid) ? derive_by_pmid(ctx, pmid) : NULL;
	return def == NULL ? 0 : one_name(def->name, ret_names);
}

int pmNameAll(pmID pmid, char ***names)
{
	struct source source;
	int held = source_hold(&source);
	int r = names_here(source.current, pmid, names);

	if (r == 0)
		r = held < 0 ? held : source.ops->name_all(source.ctx, pmid, names);
	source_release(&source);
	r = r == 0 ? PM_ERR_PMID : r;
	trace_call(r, "pmNameAll(0x%x)", pmid);
	return r;
}

/* These are everybody's: they come over what the source said. */
static void names_all(struct source *source, size_t n, const pmID *pmids, char ***names,
		      int *counts)
{
	if (source->ops->names_all != NULL)
		source->ops->names_all(source->ctx, n, pmids, names, counts);
	for (size_t i = 0; i < n; i++) {
		char **own = NULL;
		int r = names_here(source->current, pmids[i], &own);

		if (r != 0) {
			free(names[i]);
			names[i] = own;
			counts[i] = r;
		} else if (source->ops->names_all == NULL) {
			counts[i] = source->ops->name_all(source->ctx, pmids[i], &names[i]);
		}
		if (counts[i] == 0)
			counts[i] = PM_ERR_PMID;
		if (counts[i] < 0)
			names[i] = NULL;
	}
}

int pitot_names_all(int n, const pmID *pmids, char ***names, int *counts)
{
	struct source source;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	for (int i = 0; i < n; i++)
		names[i] = NULL;
	r = source_hold(&source);
	if (r == 0)
		names_all(&source, (size_t)n, pmids, names, counts);
	source_release(&source);
	if (r < 0)
		return r;
	trace_call(0, "pitot_names_all(%d)", n);
	return 0;
}

int pmNameID(pmID pmid, char **name)
{
	AUTO_FREE char **all = NULL;
	char *copy;
	int r = pmNameAll(pmid, &all);

	if (r < 0)
		return r;
	copy = strdup(all[0]);
	if (copy == NULL)
		return -ENOMEM;
	*name = copy;
	return 0;
}

/* The part of a name below a node: the rest of it after "node.", or NULL. */
static const char *rest_below(const char *name, const char *node)
{
	size_t len = strlen(node);

	if (len == 0)
		return name;
	return strncmp(name, node, len) == 0 && name[len] == '.' ? name + len + 1 : NULL;
}

static bool is_at_or_below(const char *name, const char *node)
{
	return rest_below(name, node) != NULL || strcmp(name, node) == 0;
}

/*
 * The names of special metrics at or below a node, and after them those of derived metrics, in an
 * array for the caller; see derive_names. How many, or an error.
 */
static int list_here(struct context *ctx, const char *node, bool bind, const char ***ret_names)
{
	AUTO_FREE const char **derived = NULL;
	int nderived = ctx == NULL ? 0 : derive_names(ctx, bind, &derived);
	int nspecial = 0;
	const char **names;
	int n = 0;

	if (nderived < 0)
		return nderived;
	for (const struct special *s = special_next(NULL); s != NULL; s = special_next(s))
		nspecial++;
	names = malloc((size_t)(nspecial + nderived) * sizeof(names[0]));
	if (names == NULL)
		return -ENOMEM;
	for (const struct special *s = special_next(NULL); s != NULL; s = special_next(s)) {
		if (is_at_or_below(s->name, node))
			names[n++] = s->name;
	}
	for (int i = 0; i < nderived; i++) {
		if (is_at_or_below(derived[i], node))
			names[n++] = derived[i];
	}
	*ret_names = names;
	return n;
}

/* A list of children that grows. */
struct children {
	int n;
	char **names;
	int *status;
};

static bool has_child(const struct children *list, const char *name, size_t len)
{
	for (int i = 0; i < list->n; i++) {
		if (strncmp(list->names[i], name, len) == 0 && list->names[i][len] == '\0')
			return true;
	}
	return false;
}

/* 0 or -ENOMEM; the list can be freed in any case. */
static int add_child(struct children *list, const char *name, size_t len, int status)
{
	size_t n = (size_t)list->n;
	AUTO_FREE struct wire_str *strs = malloc((n + 1) * sizeof(strs[0]));
	int *statuses = realloc(list->status, (n + 1) * sizeof(statuses[0]));
	char **names;

	if (statuses != NULL)
		list->status = statuses;
	if (strs == NULL || statuses == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		strs[i] = (struct wire_str){list->names[i], (uint32_t)strlen(list->names[i])};
	strs[n] = (struct wire_str){name, (uint32_t)len};
	if (str_block_new(strs, n + 1, &names) < 0)
		return -ENOMEM;
	free(list->names);
	list->names = names;
	list->status[list->n++] = status;
	return 0;
}

static int add_children_here(struct children *list, struct context *ctx, const char *node)
{
	AUTO_FREE const char **names = NULL;
	int n = list_here(ctx, node, false, &names);

	for (int i = 0; i < n; i++) {
		const char *rest = rest_below(names[i], node);
		size_t len = rest == NULL ? 0 : strcspn(rest, ".");
		int status;

		if (len == 0 || has_child(list, rest, len))
			continue;
		status = rest[len] == '\0' ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
		if (add_child(list, rest, len, status) < 0)
			return -ENOMEM;
	}
	return n;
}

/* An unknown name is not an error if it is that of a special or derived metric, or has such below
 * it. */
static int list_children(const char *name, bool with_status, struct children *ret_list)
{
	struct source source;
	int r = source_hold(&source);
	int added = 0;

	if (r == 0)
		r = source.ops->children(source.ctx, name, &ret_list->names,
					 with_status ? &ret_list->status : NULL);
	if (r >= 0 || r == PM_ERR_NAME) {
		ret_list->n = r < 0 ? 0 : r;
		added = add_children_here(ret_list, source.current, name);
	}
	source_release(&source);
	if (added < 0)
		return added;
	return ret_list->n > 0 || added > 0 ? ret_list->n : r;
}

int pmGetChildrenStatus(const char *name, char ***offspring, int **status)
{
	struct children list = {0};
	int r;

	if (name == NULL)
		return PM_ERR_NAME;
	r = list_children(name, status != NULL, &list);
	trace_call(r, "pmGetChildren(%s)", name);
	if (r < 0)
		free(list.names);
	else
		*offspring = list.names;
	if (r < 0 || status == NULL)
		free(list.status);
	else
		*status = list.status;
	return r;
}

int pmGetChildren(const char *name, char ***offspring)
{
	return pmGetChildrenStatus(name, offspring, NULL);
}

/* How many components two names have in common, as a length. */
static size_t common_path(const char *a, const char *b)
{
	size_t len = 0;

	for (size_t i = 0;; i++) {
		bool ends = a[i] == '\0' || a[i] == '.';
		bool other_ends = b[i] == '\0' || b[i] == '.';

		if (ends && other_ends)
			len = i;
		if (a[i] == '\0' || a[i] != b[i])
			return len;
	}
}

/* The place of a name in a list in the order of a tree: after those that share the most with it. */
static int place_in_tree(char *const *names, int n, const char *name)
{
	size_t best = 0;
	int place = n;

	for (int i = 0; i < n; i++) {
		size_t common = common_path(names[i], name);

		if (common < best)
			continue;
		best = common;
		place = i + 1;
	}
	return place;
}

static bool is_host(const struct source *source)
{
	return source->ctx != NULL && source->ctx->type == PM_CONTEXT_HOST;
}

/* Copies of all names: the source's, and the others where they belong. */
struct walk {
	char **names;
	int n;
};

static void walk_done(struct walk *walk)
{
	for (int i = 0; i < walk->n; i++)
		free(walk->names[i]);
	free(walk->names);
}

/* A collector's names are followed by the others; a tree of our own has them at each level. */
static int walk_make(struct walk *walk, const struct source *source, char **names, int n,
		     const char **others, int nothers)
{
	bool at_end = is_host(source);

	walk->names = malloc(((size_t)n + (size_t)nothers + 1) * sizeof(walk->names[0]));
	if (walk->names == NULL)
		return -ENOMEM;
	for (int i = 0; i < n + nothers; i++) {
		const char *name = i < n ? names[i] : others[i - n];
		int place = i < n || at_end ? i : place_in_tree(walk->names, i, name);
		char *copy = strdup(name);

		if (copy == NULL)
			return -ENOMEM;
		memmove(&walk->names[place + 1], &walk->names[place],
			(size_t)(i - place) * sizeof(walk->names[0]));
		walk->names[place] = copy;
		walk->n = i + 1;
	}
	return walk->n;
}

static int walk_ask(struct walk *walk, struct source *source, const char *node)
{
	AUTO_FREE char **names = NULL;
	AUTO_FREE const char **others = NULL;
	int n = source->ops->traverse(source->ctx, node, &names);
	int nothers;

	trace_call(n, "pmTraversePMNS(%s)", node);
	if (n < 0 && n != PM_ERR_NAME)
		return n;
	nothers = list_here(source->current, node, is_host(source), &others);
	if (nothers < 0)
		return nothers;
	return walk_make(walk, source, names, n < 0 ? 0 : n, others, nothers);
}

int pmTraversePMNS_r(const char *name, void (*func)(const char *, void *), void *closure)
{
	struct walk walk = {0};
	struct source source;
	int r;

	if (name == NULL)
		return PM_ERR_NAME;
	r = source_hold(&source);
	if (r == 0)
		r = walk_ask(&walk, &source, name);
	source_release(&source);
	/* Nothing is locked from here on: the callback may use this library. */
	for (int i = 0; i < r; i++)
		func(walk.names[i], closure);
	walk_done(&walk);
	return r == 0 ? PM_ERR_NAME : r;
}

static void call_plain(const char *name, void *closure)
{
	void (*const *func)(const char *) = closure;

	(*func)(name);
}

int pmTraversePMNS(const char *name, void (*func)(const char *))
{
	return pmTraversePMNS_r(name, call_plain, &func);
}

static bool is_in_archive(void *ctx, pmID pmid)
{
	return archive_knows(ctx, pmid);
}

/* Only an archive has less than everything. */
int pmTrimNameSpace(void)
{
	int location = pmGetPMNSLocation();
	struct context *ctx;

	if (location != PMNS_LOCAL)
		return location < 0 ? location : 0;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	namespace_trim(archive_is_source(ctx) ? is_in_archive : NULL, ctx);
	context_release(ctx);
	return 0;
}
