/* build - see build.h. */
#include "libpmns/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libpmns/pmns_tree.h"

enum { NAME_BYTES = 20 }; /* about what the line of a name takes in a file */

void build_say(const struct pmns_options *opt, struct buffer *text)
{
	if (opt->message != NULL)
		opt->message(opt->message_arg, buffer_str(text));
	buffer_done(text);
}

static int fail(struct build *b, int err)
{
	if (b->err == 0)
		b->err = err;
	return b->err;
}

int build_error(struct build *b, struct token at, const char *what)
{
	struct buffer msg = BUFFER_INIT;

	if (b->err != 0)
		return b->err;
	source_error(&b->src, (size_t)(at.s - b->src.text), what, &msg);
	build_say(b->opt, &msg);
	return fail(b, PM_ERR_PMNS);
}

int build_syntax_error(struct build *b, const char *what)
{
	return build_error(b, b->word, what);
}

/* An error of the tree as a whole: it has no place in the text. */
static int __attribute__((format(printf, 2, 3))) tree_error(struct build *b, const char *fmt, ...)
{
	struct buffer msg = BUFFER_INIT;
	va_list ap;

	buffer_printf(&msg, SOURCE_PREFIX);
	va_start(ap, fmt);
	buffer_vprintf(&msg, fmt, ap);
	va_end(ap);
	build_say(b->opt, &msg);
	return fail(b, PM_ERR_PMNS);
}

/*
 * PMIDs
 */

enum { FIELD_ANY = -1, FIELD_BAD = -2, FIELD_HUGE = 1 << 20 };

static bool build_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* One field and the blanks around it: a number (at most FIELD_HUGE), FIELD_ANY for '*'. */
static int pmid_field(const char **s, const char *end)
{
	const char *p = *s;
	int v = FIELD_BAD;

	while (p < end && build_is_blank(*p))
		p++;
	if (p < end && *p == '*') {
		v = FIELD_ANY;
		p++;
	} else {
		for (; p < end && *p >= '0' && *p <= '9'; p++) {
			v = (v < 0 ? 0 : v) * 10 + (*p - '0');
			if (v > FIELD_HUGE)
				v = FIELD_HUGE;
		}
	}
	while (p < end && build_is_blank(*p))
		p++;
	*s = p;
	return v;
}

int build_pmid(const char *s, size_t len, pmID *ret_pmid, const char **ret_error)
{
	const char *end = s + len;
	int v[3];

	*ret_error = "Illegal PMID";
	for (int i = 0; i < 3; i++) {
		v[i] = pmid_field(&s, end);
		if (v[i] == FIELD_BAD || (i < 2 && (s == end || *s++ != ':')))
			return PM_ERR_PMNS;
	}
	if (s != end || v[0] < 0 || (v[1] < 0) != (v[2] < 0))
		return PM_ERR_PMNS;
	if (v[1] < 0)
		*ret_error = v[0] > PMNS_DOMAIN_MAX ? "Illegal domain field in dynamic PMID" : NULL;
	else if (v[0] > PMNS_DOMAIN_MAX)
		*ret_error = "Illegal domain field in PMID";
	else if (v[1] > PMNS_CLUSTER_MAX)
		*ret_error = "Illegal cluster field in PMID";
	else if (v[2] > PMNS_ITEM_MAX)
		*ret_error = "Illegal item field in PMID";
	else
		*ret_error = NULL;
	if (*ret_error != NULL)
		return PM_ERR_PMNS;
	*ret_pmid = v[1] < 0
			? pmns_dynamic_pmid((unsigned int)v[0])
			: pmns_pmid((unsigned int)v[0], (unsigned int)v[1], (unsigned int)v[2]);
	return 0;
}

const char *build_pmid_text(pmID pmid, char *buf, size_t size)
{
	if (pmns_pmid_is_dynamic(pmid))
		snprintf(buf, size, "%u.*.*", pmns_dynamic_domain(pmid));
	else
		snprintf(buf, size, "%u.%u.%u", pmid >> 22 & 0x1ff, pmid >> 10 & 0xfff,
			 pmid & 0x3ff);
	return buf;
}

/*
 * Actions
 */

static int duplicate_error(struct build *b, struct token name)
{
	char what[2 * PMNS_NAME_MAX + 64];

	snprintf(what, sizeof(what), "Duplicate name \"%.*s\" in subtree for \"%s\"", (int)name.len,
		 name.s, b->block == PMNS_ROOT ? "root" : pmns_node(b->ns, b->block)->name);
	return build_error(b, name, what);
}

/* The oldest waiting leaf enters the indexes. */
static int settle_one(struct build *b)
{
	const struct build_leaf *leaf = &b->waiting[b->oldest];
	struct pmns_node *other;
	uint32_t there;
	int r;

	b->oldest = (b->oldest + 1) % BUILD_WAITING;
	b->nwaiting--;
	r = pmns_index_name(b->ns, leaf->key, leaf->node, &there);
	if (r > 0)
		r = pmns_set_pmid(b->ns, leaf->node, leaf->pmid);
	else if (r == 0) {
		other = pmns_node(b->ns, there);
		if ((other->flags & NODE_LINKED) != 0)
			return duplicate_error(b, leaf->name);
		/* It is also defined as a node of its own: reported at the end. */
		other->flags |= NODE_CLASH;
		b->suspect = true;
	}
	return r < 0 ? fail(b, r) : 0;
}

/* Called before anything but a leaf is looked up: the pending leaves are then all of one node. */
static int settle_all(struct build *b)
{
	while (b->nwaiting > 0 && b->err == 0)
		settle_one(b);
	return b->err;
}

int build_open(struct build *b, struct token path)
{
	bool root = path.len == 4 && memcmp(path.s, "root", 4) == 0;
	uint32_t node = PMNS_ROOT;
	struct pmns_node *n;
	int r = settle_all(b);

	if (r == 0 && !root)
		r = pmns_node_get(b->ns, "", 0, path.s, path.len, PMNS_NONLEAF, &node);
	if (r < 0)
		return fail(b, r);
	n = pmns_node(b->ns, node);
	b->nloose += r > 0;
	if (r > 0) { /* "a.b" is more than one component */
		const char *dot = memrchr(path.s, '.', path.len);

		if (dot != NULL)
			n->base_len = (uint16_t)(path.s + path.len - dot - 1);
	}
	if (n->kind != PMNS_NONLEAF)
		n->flags |= NODE_CLASH;
	else if ((n->flags & NODE_DEFINED) != 0)
		n->flags |= NODE_TWICE;
	else if (r == 0 && !root)
		b->nundefined--;
	b->skip = (n->flags & (NODE_CLASH | NODE_TWICE)) != 0;
	b->suspect |= b->skip;
	n->flags |= NODE_DEFINED;
	b->block = node;
	return 0;
}

int build_nonleaf(struct build *b, struct token name)
{
	const struct pmns_node *up = pmns_node(b->ns, b->block);
	uint32_t node;
	int r;

	if (b->skip)
		return 0;
	r = settle_all(b);
	if (r == 0)
		r = pmns_node_get(b->ns, up->name, up->name_len, name.s, name.len, PMNS_NONLEAF,
				  &node);
	if (r < 0)
		return fail(b, r);
	if ((pmns_node(b->ns, node)->flags & NODE_LINKED) != 0)
		return duplicate_error(b, name);
	if (r > 0)
		b->nundefined++;
	else
		b->nloose--;
	pmns_link(b->ns, b->block, node);
	return 0;
}

int build_leaf(struct build *b, struct token name, struct token pmid)
{
	const struct pmns_node *up = pmns_node(b->ns, b->block);
	struct build_leaf *leaf;
	const struct pmns_node *n;
	const char *what;
	pmID id;
	int r;

	if (build_pmid(pmid.s, pmid.len, &id, &what) < 0)
		return build_error(b, pmid, what);
	if (b->skip)
		return 0;
	if (b->nwaiting == BUILD_WAITING && settle_one(b) < 0)
		return b->err;
	leaf = &b->waiting[(b->oldest + b->nwaiting) % BUILD_WAITING];
	r = pmns_node_new(b->ns, up->name, up->name_len, name.s, name.len,
			  pmns_pmid_is_dynamic(id) ? PMNS_DYNAMIC : PMNS_LEAF, &leaf->node);
	if (r < 0)
		return fail(b, r);
	n = pmns_node(b->ns, leaf->node);
	leaf->key = pmns_name_key(n->name, n->name_len);
	leaf->pmid = id;
	leaf->name = name;
	pmns_prefetch(b->ns, leaf->key, id);
	pmns_link(b->ns, b->block, leaf->node);
	b->nwaiting++;
	return 0;
}

int build_marker(struct build *b, struct token line)
{
	const char *file;
	size_t file_len;
	unsigned int number;

	if (source_marker(line.s, line.len, &number, &file, &file_len))
		return 0;
	return build_error(b, line, "Illegal line number control number");
}

/*
 * The end
 */

/* The first node in the tree whose children were never given, or PMNS_ROOT. */
static uint32_t undefined_node(const struct pmns *ns, uint32_t node)
{
	const struct pmns_node *n = pmns_node(ns, node);
	uint32_t found = PMNS_ROOT;

	if (n->kind != PMNS_NONLEAF)
		return PMNS_ROOT;
	if ((n->flags & NODE_DEFINED) == 0)
		return node;
	for (uint32_t c = n->first; c != PMNS_ROOT && found == PMNS_ROOT;
	     c = pmns_node(ns, c)->next)
		found = undefined_node(ns, c);
	return found;
}

static void check_nodes(struct build *b)
{
	uint32_t i = PMNS_ROOT;

	while ((i = pmns_node_after(b->ns, i)) != PMNS_ROOT) {
		const struct pmns_node *n = pmns_node(b->ns, i);

		if ((n->flags & NODE_LINKED) == 0 || (n->flags & NODE_CLASH) != 0)
			tree_error(b, "Disconnected subtree (\"%s\") in name space", n->name);
		else if ((n->flags & NODE_TWICE) != 0)
			tree_error(b, "Multiple name space entries for \"%s\"", n->name);
	}
}

/* The later of two names comes first in the chain of its PMID, and in the message. */
static void check_unique(struct build *b)
{
	uint32_t i = PMNS_ROOT;

	while (b->err == 0 && (i = pmns_node_after(b->ns, i)) != PMNS_ROOT) {
		const struct pmns_node *n = pmns_node(b->ns, i);
		char id[BUILD_PMID_TEXT];

		if (n->kind != PMNS_LEAF || n->same == PMNS_ROOT)
			continue;
		tree_error(b,
			   "Duplicate metric id (%s) in name space for metrics \"%s\" and \"%s\"",
			   build_pmid_text(n->pmid, id, sizeof(id)), n->name,
			   pmns_node(b->ns, n->same)->name);
	}
}

/* The end of the text: is the tree whole? */
static int build_finish(struct build *b)
{
	uint8_t root = pmns_node(b->ns, PMNS_ROOT)->flags;
	uint32_t node;

	if (b->err != 0 || settle_all(b) < 0)
		return b->err;
	if ((root & NODE_DEFINED) == 0)
		return tree_error(b, "No name space entry for \"root\"");
	if ((root & NODE_TWICE) != 0)
		return tree_error(b, "Multiple name space entries for \"root\"");
	node = b->nundefined > 0 ? undefined_node(b->ns, PMNS_ROOT) : PMNS_ROOT;
	if (node != PMNS_ROOT)
		return tree_error(
		    b, "Cannot find definition for non-terminal node \"%s\" in name space",
		    pmns_node(b->ns, node)->name);
	if (b->nundefined > 0 || b->nloose > 0 || b->suspect)
		check_nodes(b);
	if (b->err == 0 && (b->opt->flags & PMNS_UNIQUE_PMIDS) != 0)
		check_unique(b);
	return b->err;
}

int build_parse(struct pmns *ns, const struct source *src, const struct pmns_options *opt)
{
	struct build b = {.ns = ns, .src = *src, .opt = opt};
	int r = pmns_reserve(ns, (uint32_t)(src->len / NAME_BYTES));

	if (r < 0)
		return r;
	if (build_run_grammar(&b) != 0 && b.err == 0)
		b.err = -ENOMEM;
	return build_finish(&b);
}
