/*
 * load - the part of pmns.h that reads files: one, or all fragments of a folder.
 *
 * A text becomes a name space of its own (build.c). Fragments are merged leaf by leaf, so a broken
 * fragment adds no names.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/build.h"
#include "libpmns/cpp.h"
#include "libpmns/folder.h"
#include "libpmns/pmns.h"
#include "libpmns/pmns_tree.h"
#include "libpmns/stdpmid.h"

/* The context of a load, apart from the text. */
struct load {
	struct pmns_options opt;
	struct cpp_options cpp;
	struct stamps stamps; /* the files that were read */
	int err;              /* of the stamps */
	bool unique;          /* of PMNS_UNIQUE_PMIDS, where files are merged */
};

static void __attribute__((format(printf, 2, 3)))
say(const struct pmns_options *opt, const char *fmt, ...)
{
	struct buffer msg = BUFFER_INIT;
	va_list ap;

	va_start(ap, fmt);
	buffer_vprintf(&msg, fmt, ap);
	va_end(ap);
	build_say(opt, &msg);
}

static void note_included(void *arg, const char *path)
{
	struct load *l = arg;

	if (stamps_add(&l->stamps, path) < 0)
		l->err = -ENOMEM;
}

/* The text through the preprocessor. The error of a text is the name space's. */
static int preprocess(struct load *l, const struct cpp_text *text, struct buffer *out)
{
	struct buffer error = BUFFER_INIT;
	int r = cpp_run(text, &l->cpp, out, &error);

	if (r < 0 && error.len > 0) {
		buffer_printf(&error, "\n" SOURCE_PREFIX "pmcpp returned non-zero exit status");
		build_say(&l->opt, &error);
	}
	buffer_done(&error);
	if (r == 0)
		r = l->err;
	return r == -EINVAL ? PM_ERR_PMNS : r;
}

/* A text becomes a new name space. */
static int load_one(struct load *l, const struct cpp_text *text, struct pmns **ret_ns)
{
	struct source src = {.text = text->text, .len = text->len, .file = text->name};
	struct buffer out = BUFFER_INIT;
	struct pmns *ns = pmns_new();
	int r = ns == NULL ? -ENOMEM : 0;

	if (r == 0 && text->len > CPP_FILE_MAX)
		r = -EFBIG;
	if (r == 0 && (l->opt.flags & PMNS_PREPROCESS) != 0) {
		r = preprocess(l, text, &out);
		src.text = (const char *)out.data;
		src.len = out.len;
	}
	if (r == 0)
		r = build_parse(ns, &src, &l->opt);
	buffer_done(&out);
	if (r < 0)
		pmns_free(ns);
	else
		*ret_ns = ns;
	return r;
}

static int load_path(struct load *l, const char *path, struct pmns **ret_ns)
{
	struct buffer text = BUFFER_INIT;
	int r = stamps_add(&l->stamps, path);

	if (r == 0) {
		r = file_read_all(path, CPP_FILE_MAX, &text);
		if (r < 0)
			say(&l->opt, SOURCE_PREFIX "Cannot open \"%s\"", path);
	}
	if (r == 0)
		r = load_one(l,
			     &(struct cpp_text){
				 .name = path, .text = (const char *)text.data, .len = text.len},
			     ret_ns);
	buffer_done(&text);
	return r;
}

static void load_init(struct load *l, const struct pmns_options *opt)
{
	memset(l, 0, sizeof(*l));
	if (opt != NULL)
		l->opt = *opt;
	l->cpp.dirs = l->opt.dirs;
	l->cpp.opened = note_included;
	l->cpp.arg = l;
}

/* The name space takes the stamps; without one they are released. */
static int load_end(struct load *l, int r, struct pmns *ns, struct pmns **ret_ns)
{
	if (r < 0) {
		stamps_done(&l->stamps);
		return r;
	}
	ns->stamps = l->stamps;
	*ret_ns = ns;
	return 0;
}

int pmns_load_file(const char *path, const struct pmns_options *opt, struct pmns **ret_ns)
{
	struct pmns *ns = NULL;
	struct load l;
	int r;

	load_init(&l, opt);
	r = load_path(&l, path, &ns);
	return load_end(&l, r, ns, ret_ns);
}

int pmns_load_text(const char *text, size_t len, const char *file_name,
		   const struct pmns_options *opt, struct pmns **ret_ns)
{
	struct cpp_text whole = {.name = file_name, .text = text, .len = len};
	struct pmns *ns = NULL;
	struct load l;
	int r;

	load_init(&l, opt);
	r = load_one(&l, &whole, &ns);
	return load_end(&l, r, ns, ret_ns);
}

/*
 * Merging
 */

struct load_merge {
	struct load *load;
	struct pmns *into;
	const char *file;
	int added;
};

static void say_clash(const struct load_merge *m, const struct pmns_entry *e)
{
	uint32_t node = pmns_find(m->into, e->name, e->name_len);
	char id[BUILD_PMID_TEXT], other[BUILD_PMID_TEXT];

	build_pmid_text(e->pmid, id, sizeof(id));
	if (node == PMNS_ROOT) {
		say(&m->load->opt, "%s: \"%s\" (%s) is skipped: it is below a metric", m->file,
		    e->name, id);
		return;
	}
	if (pmns_node(m->into, node)->kind == PMNS_NONLEAF)
		snprintf(other, sizeof(other), "no metric");
	else
		build_pmid_text(pmns_node(m->into, node)->pmid, other, sizeof(other));
	say(&m->load->opt, "%s: \"%s\" (%s) is skipped: it is %s already", m->file, e->name, id,
	    other);
}

/* True if the PMID has another name, and may not. */
static bool pmid_taken(const struct load_merge *m, const struct pmns_entry *e)
{
	uint32_t node;
	char id[BUILD_PMID_TEXT];

	if (!m->load->unique || e->kind == PMNS_DYNAMIC)
		return false;
	node = pmns_find_pmid(m->into, e->pmid);
	if (node == PMNS_ROOT || strcmp(pmns_node(m->into, node)->name, e->name) == 0)
		return false;
	say(&m->load->opt,
	    SOURCE_PREFIX "Duplicate metric id (%s) in name space for metrics \"%s\" and \"%s\"",
	    build_pmid_text(e->pmid, id, sizeof(id)), e->name, pmns_node(m->into, node)->name);
	return true;
}

static int merge_leaf(void *arg, const struct pmns_entry *e)
{
	struct load_merge *m = arg;
	int r;

	if (pmid_taken(m, e))
		return 0;
	r = pmns_add(m->into, e->name, e->name_len, e->pmid);
	if (r == PM_ERR_PMNS)
		say_clash(m, e);
	else if (r < 0)
		return r;
	m->added += r > 0;
	return 0;
}

/* The number of names added, or why the file could not be loaded. */
static int merge_path(struct load *l, const char *path, struct pmns *into)
{
	struct load_merge m = {.load = l, .into = into, .file = path};
	struct pmns *ns;
	int r = load_path(l, path, &ns);

	if (r < 0)
		return r;
	r = pmns_traverse(ns, "", 0, merge_leaf, &m);
	pmns_free(ns);
	return r < 0 ? r : m.added;
}

/* A PMID with two names is then no error of the file, but skipped where it is merged. */
static void merge_init(struct load *l, const struct pmns_options *opt)
{
	load_init(l, opt);
	l->unique = (l->opt.flags & PMNS_UNIQUE_PMIDS) != 0;
	l->opt.flags &= ~(unsigned int)PMNS_UNIQUE_PMIDS;
}

/* A file that cannot be merged was said to be so, and is left out. */
static int merge_folder(struct load *l, const char *dir, const struct folder *names,
			struct pmns *into)
{
	for (size_t i = 0; i < names->count; i++) {
		char path[PATH_MAX];
		int r = folder_path(dir, names->list[i], path, sizeof(path));

		if (r == 0 && folder_is_file(path))
			r = merge_path(l, path, into);
		if (r == -ENOMEM || r == -E2BIG)
			return r;
	}
	return 0;
}

int pmns_load_folder(const char *dir, const struct pmns_options *opt, struct pmns **ret_ns)
{
	struct cpp_text stdpmid = {.name = "stdpmid"};
	struct buffer text = BUFFER_INIT;
	struct folder names = {0};
	struct pmns *ns = NULL;
	struct load l;
	int r;

	merge_init(&l, opt);
	l.opt.flags |= PMNS_PREPROCESS;
	r = stamps_add(&l.stamps, dir); /* changes when a file comes or goes */
	if (r == 0)
		r = folder_list(dir, "root_", &names);
	if (r < 0) {
		say(&l.opt, SOURCE_PREFIX "Cannot open \"%s\"", dir);
		return load_end(&l, r, NULL, ret_ns);
	}
	ns = pmns_new();
	r = ns == NULL ? -ENOMEM : stdpmid_text(dir, &text, &l.stamps);
	stdpmid.text = (const char *)text.data;
	stdpmid.len = text.len;
	l.cpp.extra = &stdpmid;
	l.cpp.prelude = &stdpmid;
	if (r == 0)
		r = merge_folder(&l, dir, &names, ns);
	folder_done(&names);
	buffer_done(&text);
	if (r < 0)
		pmns_free(ns);
	return load_end(&l, r, ns, ret_ns);
}

/* ---- an installation: "root" of a folder, and the fragments "root_*" beside it ---- */

struct system_merge {
	struct pmns *into;
	const struct pmns_options *opt;
};

static int add_leaf(void *arg, const struct pmns_entry *e)
{
	const struct system_merge *m = arg;
	int r = pmns_add(m->into, e->name, e->name_len, e->pmid);
	char text[PMNS_NAME_MAX + 64];

	if (r == PM_ERR_PMNS && m->opt->message != NULL) {
		snprintf(text, sizeof(text), "Name space: \"%s\" is there with another PMID",
			 e->name);
		m->opt->message(m->opt->message_arg, text);
	}
	return r == -ENOMEM ? r : 0;
}

/* The tree to be given out, and the fragments if they are another one. */
static int merge(struct pmns *root, struct pmns *fragments, const struct pmns_options *opt,
		 struct pmns **ret_ns, struct pmns **ret_fragments)
{
	struct system_merge m = {.into = root, .opt = opt};

	if (root == NULL || fragments == NULL) {
		*ret_ns = root == NULL ? fragments : root;
		return 0;
	}
	*ret_ns = root;
	*ret_fragments = fragments;
	return pmns_traverse(fragments, "", 0, add_leaf, &m);
}

int pmns_load_system(const char *dir, const struct pmns_options *opt, struct pmns **ret_ns,
		     struct pmns **ret_fragments)
{
	struct pmns *root = NULL, *fragments = NULL;
	char path[PATH_MAX];
	int r = -ENOENT;
	int loaded, merged;

	if (snprintf(path, sizeof(path), "%s/root", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (access(path, R_OK) == 0)
		r = pmns_load_file(path, opt, &root);
	loaded = pmns_load_folder(dir, opt, &fragments);
	merged = merge(root, fragments, opt, ret_ns, ret_fragments);
	if (merged < 0 || loaded == -ENOMEM)
		return merged < 0 ? merged : loaded;
	/* Where only the fragments are missing, or only the root is, nothing is wrong. */
	return r == -ENOENT && loaded == 0 ? 0 : r;
}
