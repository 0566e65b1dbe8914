/* agent_names - see agent_names.h. */
#include "libpcp_pmda/agent_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

#include "libpcp_pmda/agent_table.h"

/* The row's name below the label: without the agent's own name in front. */
static const char *below_label(const struct agent_state *s, const struct agent_row *row)
{
	size_t len = strlen(s->agent->name);

	if (strncmp(row->name, s->agent->name, len) == 0 && row->name[len] == '.')
		return row->name + len + 1;
	return row->name;
}

/* Takes the label off a name that was asked for, and keeps it. "" is the label alone. */
static const char *strip_label(struct agent_state *s, const char *name)
{
	size_t len = strcspn(name, ".");

	if (len < sizeof(s->label)) {
		memcpy(s->label, name, len);
		s->label[len] = '\0';
	}
	return name[len] == '.' ? name + len + 1 : name + len;
}

/* If name is at or below prefix: what follows it, without the dot; else NULL. */
static const char *under(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len == 0)
		return name;
	if (strncmp(name, prefix, len) != 0)
		return NULL;
	if (name[len] == '.')
		return name + len + 1;
	return name[len] == '\0' ? name + len : NULL;
}

/* ---- Names that the agent's hook makes ------------------------------------------------------ */

/* NULL without memory. */
static pmdaNameSpace *hook_tree(struct agent_state *s)
{
	if (s->tree == NULL && pmdaTreeCreate(&s->tree) == 0) {
		s->hooks->names(s->tree, s->ext);
		pmdaTreeRebuildHash(s->tree, pmdaTreeSize(s->tree));
	}
	return s->tree;
}

int agent_insert_names(pmdaExt *ext, pmdaNameSpace *tree, const char *root)
{
	const struct agent_state *s = pmdaExtGetData(ext);
	struct buffer name = BUFFER_INIT;
	int r = 0;

	/* Names that are inserted later are listed earlier. */
	for (unsigned int i = s->nrows; r != -ENOMEM && i-- > 0;) {
		buffer_reset(&name);
		buffer_printf(&name, "%s.%s", root, below_label(s, &s->rows[i]));
		r = name.err < 0 ? name.err
				 : pmdaTreeInsert(tree, s->rows[i].pmid, buffer_str(&name));
	}
	buffer_done(&name);
	return r == -ENOMEM ? r : 0;
}

void agent_names_changed(pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);

	pmdaTreeRelease(s->tree);
	s->tree = NULL;
	ext->e_flags |= PMDA_EXT_NAMES_CHANGE;
}

/* ---- Names of the rows ---------------------------------------------------------------------- */

static int rows_pmid(struct agent_state *s, const char *name, pmID *ret_pmid)
{
	const char *rest = strip_label(s, name);

	for (unsigned int i = 0; i < s->nrows; i++) {
		const struct agent_row *row = s->by_name[i];

		if (strcmp(below_label(s, row), rest) == 0 || strcmp(row->name, name) == 0) {
			*ret_pmid = row->pmid;
			return 0;
		}
	}
	return PM_ERR_NAME;
}

/* n strings as one block: pointers first. text holds them one after another, with NULs. */
static char **name_block(const struct buffer *text, unsigned int n)
{
	char **block;
	char *at;

	if (text->err != 0)
		return NULL;
	block = malloc(n * sizeof(*block) + text->len);
	if (block == NULL)
		return NULL;
	at = (char *)(block + n);
	memcpy(at, text->data, text->len);
	for (unsigned int i = 0; i < n; i++) {
		block[i] = at;
		at += strlen(at) + 1;
	}
	return block;
}

static void put_full_name(const struct agent_state *s, const struct agent_row *row,
			  struct buffer *text)
{
	buffer_printf(text, "%s.%s", s->label, below_label(s, row));
	buffer_put_u8(text, 0);
}

static int rows_name(struct agent_state *s, pmID pmid, char ***ret_names)
{
	const struct agent_row *row = agent_row_find(s, pmid);
	struct buffer text = BUFFER_INIT;

	if (row == NULL)
		return PM_ERR_PMID;
	put_full_name(s, row, &text);
	*ret_names = name_block(&text, 1);
	buffer_done(&text);
	return *ret_names != NULL ? 1 : -ENOMEM;
}

/* Children being collected. Rows are sorted by name, so a child's rows mostly follow each other;
 * the agent's own (below_label) may not, hence the search. */
struct children {
	struct buffer names;
	struct buffer status; /* ints */
	unsigned int n;
};

static bool child_known(const struct children *c, const char *name, size_t len)
{
	const char *at = (const char *)c->names.data;

	for (unsigned int i = 0; i < c->n; i++, at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '\0')
			return true;
	return false;
}

static void child_put(struct children *c, const char *name, size_t len, int status)
{
	if (child_known(c, name, len))
		return;
	buffer_put(&c->names, name, len);
	buffer_put_u8(&c->names, 0);
	buffer_put(&c->status, &status, sizeof(status));
	c->n++;
}

static void leaf_put(struct agent_state *s, struct children *c, const struct agent_row *row)
{
	int leaf = PMNS_LEAF_STATUS;

	put_full_name(s, row, &c->names);
	buffer_put(&c->status, &leaf, sizeof(leaf));
	c->n++;
}

/* False if name is nowhere. */
static bool children_collect(struct agent_state *s, const char *name, int traverse,
			     struct children *c)
{
	const char *prefix = strip_label(s, name);
	bool found = false;

	for (unsigned int i = 0; i < s->nrows; i++) {
		const struct agent_row *row = s->by_name[i];
		const char *rest = under(below_label(s, row), prefix);
		size_t len;

		if (rest == NULL)
			continue;
		found = true;
		len = strcspn(rest, ".");
		if (traverse)
			leaf_put(s, c, row);
		else if (len != 0)
			child_put(c, rest, len,
				  rest[len] == '.' ? PMNS_NONLEAF_STATUS : PMNS_LEAF_STATUS);
	}
	return found;
}

static int rows_children(struct agent_state *s, const char *name, int traverse, char ***ret_names,
			 int **ret_status)
{
	struct children c = {BUFFER_INIT, BUFFER_INIT, 0};
	int r = 0;

	if (!children_collect(s, name, traverse, &c))
		return PM_ERR_NAME;
	if (c.n != 0) {
		char **names = name_block(&c.names, c.n);

		if (names == NULL || c.status.err != 0) {
			free(names);
			r = -ENOMEM;
		} else {
			*ret_names = names;
			*ret_status = (int *)(void *)TAKE(c.status.data);
			r = (int)c.n;
		}
	}
	buffer_done(&c.names);
	buffer_done(&c.status);
	return r;
}

/* ---- Either --------------------------------------------------------------------------------- */

int agent_names_pmid(struct agent_state *s, const char *name, pmID *ret_pmid)
{
	return s->hooks->names != NULL ? pmdaTreePMID(hook_tree(s), name, ret_pmid)
				       : rows_pmid(s, name, ret_pmid);
}

int agent_names_of(struct agent_state *s, pmID pmid, char ***ret_names)
{
	return s->hooks->names != NULL ? pmdaTreeName(hook_tree(s), pmid, ret_names)
				       : rows_name(s, pmid, ret_names);
}

int agent_names_children(struct agent_state *s, const char *name, int traverse, char ***ret_names,
			 int **ret_status)
{
	return s->hooks->names != NULL
		   ? pmdaTreeChildren(hook_tree(s), name, traverse, ret_names, ret_status)
		   : rows_children(s, name, traverse, ret_names, ret_status);
}

/* ---- The fragment --------------------------------------------------------------------------- */

/* The children of one node: those rows from..to (sorted) whose name begins with len bytes of
 * path. */
static void print_node(const struct agent_state *s, FILE *out, unsigned int from, unsigned int to,
		       size_t len)
{
	const char *path = s->by_name[from]->name;

	fprintf(out, "%.*s {\n", len != 0 ? (int)len - 1 : 4, len != 0 ? path : "root");
	for (unsigned int i = from; i < to; i++) {
		const char *child = s->by_name[i]->name + len;
		size_t n = strcspn(child, ".");

		if (child[n] == '\0')
			fprintf(out, "\t%s\t%d:%u:%u\n", child, s->domain,
				s->by_name[i]->metric->cluster, s->by_name[i]->metric->item);
		else if (i == from || strncmp(s->by_name[i - 1]->name + len, child, n + 1) != 0)
			fprintf(out, "\t%.*s\n", (int)n, child);
	}
	fprintf(out, "}\n\n");
}

/* A node, then the nodes below it. */
static void print_tree(const struct agent_state *s, FILE *out, unsigned int from, unsigned int to,
		       size_t len)
{
	print_node(s, out, from, to, len);
	for (unsigned int i = from; i < to;) {
		const char *child = s->by_name[i]->name + len;
		size_t n = strcspn(child, ".");
		unsigned int end = i + 1;

		while (end < to && strncmp(s->by_name[end]->name + len, child, n + 1) == 0)
			end++;
		if (child[n] == '.')
			print_tree(s, out, i, end, len + n + 1);
		i = end;
	}
}

int agent_names_print(const struct agent_state *s, FILE *out)
{
	fprintf(out, "/* Made from the rows of the %s agent: pmda%s --print-pmns */\n\n",
		s->agent->name, s->agent->name);
	print_tree(s, out, 0, s->nrows, 0);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
