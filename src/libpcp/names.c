/*
 * names - metric names and identifiers, from the valid name space: that of the context, or the one
 * that the program has loaded (docs/spec/pmapi.md 5); lists and trees of names, printed (24).
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
#include "libpcp/event.h"
#include "libpcp/name_list.h"
#include "libpcp/namespace.h"
#include "libpcp/trace.h"

/* The operations for questions about names. ctx is locked, or NULL if the answer needs none. */
struct source {
	const struct context_ops *ops;
	struct context *ctx;
};

static int source_hold(struct source *ret_source)
{
	const struct context_ops *ops = namespace_ops();
	struct context *ctx;

	ctx = context_hold_current();
	/* A local context asks its agents for what the loaded name space leaves to them. */
	if (ctx != NULL && (ops == NULL || ctx->type == PM_CONTEXT_LOCAL)) {
		*ret_source = (struct source){.ops = ctx->ops, .ctx = ctx};
		return 0;
	}
	if (ctx != NULL)
		context_release(ctx);
	if (ops == NULL)
		return PM_ERR_NOPMNS;
	*ret_source = (struct source){.ops = ops};
	return 0;
}

static void source_release(struct source *source)
{
	if (source->ctx != NULL)
		context_release(source->ctx);
}

int pmGetPMNSLocation(void)
{
	struct source source;
	int r = source_hold(&source);

	if (r < 0)
		return r;
	r = source.ops->location(source.ctx);
	source_release(&source);
	return r;
}

/* Gives the special names that are still unknown their ids. How many there were. */
static int lookup_special(int n, const char **names, pmID *pmids)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		const struct special *s = pmids[i] == PM_ID_NULL ? special_by_name(names[i]) : NULL;

		if (s == NULL)
			continue;
		pmids[i] = s->desc.pmid;
		found++;
	}
	return found;
}

static int names_lookup(int n, const char **names, pmID *pmids)
{
	struct source source;
	int special;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	r = source_hold(&source);
	if (r == 0) {
		r = source.ops->lookup_names(source.ctx, (size_t)n, names, pmids);
		source_release(&source);
	}
	for (int i = 0; r < 0 && i < n; i++)
		pmids[i] = PM_ID_NULL;
	special = lookup_special(n, names, pmids);
	if (special == n)
		return n;
	if (r < 0)
		return r;
	return n == 1 && r == 0 ? PM_ERR_NAME : r + special;
}

int pmLookupName(int n, const char **names, pmID *pmids)
{
	int r = names_lookup(n, names, pmids);

	trace_names(n, names, pmids, r);
	trace_call(r, "pmLookupName(%d)", n);
	return r;
}

static int special_names(const struct special *special, char ***ret_names)
{
	const struct wire_str name = {special->name, (uint32_t)strlen(special->name)};
	int r = str_block_new(&name, 1, ret_names);

	return r < 0 ? r : 1;
}

int pmNameAll(pmID pmid, char ***names)
{
	const struct special *special = special_by_pmid(pmid);
	struct source source;
	int r;

	if (special != NULL)
		return special_names(special, names);
	r = source_hold(&source);
	if (r < 0)
		return r;
	r = source.ops->name_all(source.ctx, pmid, names);
	source_release(&source);
	r = r == 0 ? PM_ERR_PMID : r;
	trace_call(r, "pmNameAll(0x%x)", pmid);
	return r;
}

/* Special names are everybody's: they come over what the source said. */
static void names_all(struct source *source, size_t n, const pmID *pmids, char ***names,
		      int *counts)
{
	if (source->ops->names_all != NULL)
		source->ops->names_all(source->ctx, n, pmids, names, counts);
	for (size_t i = 0; i < n; i++) {
		const struct special *special = special_by_pmid(pmids[i]);

		if (special != NULL) {
			free(names[i]);
			counts[i] = special_names(special, &names[i]);
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
	if (r < 0)
		return r;
	names_all(&source, (size_t)n, pmids, names, counts);
	source_release(&source);
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

/* The part of a special name below a node: the rest of it after "node.", or NULL. */
static const char *rest_below(const char *name, const char *node)
{
	size_t len = strlen(node);

	if (len == 0)
		return name;
	return strncmp(name, node, len) == 0 && name[len] == '.' ? name + len + 1 : NULL;
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

static int add_special_children(struct children *list, const char *node)
{
	for (const struct special *s = special_next(NULL); s != NULL; s = special_next(s)) {
		const char *rest = rest_below(s->name, node);
		size_t len = rest == NULL ? 0 : strcspn(rest, ".");
		int status;

		if (rest == NULL || has_child(list, rest, len))
			continue;
		status = rest[len] == '\0' ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
		if (add_child(list, rest, len, status) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* An unknown name is not an error if special metrics are below it. */
static int list_children(const char *name, bool with_status, struct children *ret_list)
{
	struct source source;
	int r = source_hold(&source);
	int added;

	if (r < 0)
		return r;
	r = source.ops->children(source.ctx, name, &ret_list->names,
				 with_status ? &ret_list->status : NULL);
	source_release(&source);
	if (r < 0 && r != PM_ERR_NAME)
		return r;
	ret_list->n = r < 0 ? 0 : r;
	added = add_special_children(ret_list, name);
	if (added < 0)
		return added;
	return ret_list->n > 0 ? ret_list->n : r;
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

/* The special metrics at or below a node. How many. */
static int traverse_special(const char *node, void (*func)(const char *, void *), void *closure)
{
	int n = 0;

	for (const struct special *s = special_next(NULL); s != NULL; s = special_next(s)) {
		if (rest_below(s->name, node) == NULL && strcmp(s->name, node) != 0)
			continue;
		func(s->name, closure);
		n++;
	}
	return n;
}

int pmTraversePMNS_r(const char *name, void (*func)(const char *, void *), void *closure)
{
	AUTO_FREE char **names = NULL;
	struct source source;
	int n;
	int r;

	if (name == NULL)
		return PM_ERR_NAME;
	r = source_hold(&source);
	if (r < 0)
		return r;
	r = source.ops->traverse(source.ctx, name, &names);
	source_release(&source);
	trace_call(r, "pmTraversePMNS(%s)", name);
	if (r < 0 && r != PM_ERR_NAME)
		return r;
	/* Nothing is locked from here on: the callback may use this library. */
	for (int i = 0; i < r; i++)
		func(names[i], closure);
	n = (r < 0 ? 0 : r) + traverse_special(name, func, closure);
	return n == 0 ? PM_ERR_NAME : n;
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

/* ---- Printing ------------------------------------------------------------------------------- */

enum {
	TREE_INDENT = 4,
	TREE_DEPTH = 1000, /* deeper is a circle */
};

void __pmPrintMetricNames(FILE *f, int n, char **names, char *sep)
{
	if (n < 1) {
		fprintf(f, "<nonames>");
		return;
	}
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i > 0 ? sep : "", names[i]);
}

static void print_link(FILE *f, const char *what, const __pmnsNode *node)
{
	if (node == NULL)
		fprintf(f, "%s: <null>", what);
	else
		fprintf(f, "%s: %p", what, (const void *)node);
}

static void print_links(FILE *f, const __pmnsNode *node)
{
	print_link(f, "\t[first", node->first);
	print_link(f, " next", node->next);
	print_link(f, " parent", node->parent);
	print_link(f, " hash", node->hash);
}

static void dump_level(FILE *f, const __pmnsNode *node, int verbose, int level)
{
	char text[32];

	for (; node != NULL; node = node->next) {
		if (verbose > 1)
			fprintf(f, "%p", (const void *)node);
		fprintf(f, "%*s %-16.16s", level * TREE_INDENT, "", node->name);
		if (verbose > 0 && node->first == NULL)
			fprintf(f, " %u %s 0x%08x", node->pmid,
				pmIDStr_r(node->pmid, text, sizeof(text)), node->pmid);
		if (verbose > 1)
			print_links(f, node);
		putc('\n', f);
		if (level < TREE_DEPTH)
			dump_level(f, node->first, verbose, level + 1);
	}
}

void __pmDumpNameNode(FILE *f, const __pmnsNode *node, int verbose)
{
	dump_level(f, node, verbose, 0);
}
