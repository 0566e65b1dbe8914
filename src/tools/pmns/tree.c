/*
 * tree - a name space: loaded from files, merged, and written to a file.
 */
#include "tools/pmns/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libpmns/build.h"
#include "libpmns/pmns.h"

/*
 * Tree
 */

static void print_message(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
}

static void get_folder(char *path, size_t size)
{
	pmsprintf(path, size, "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
}

char *tree_default_path(void)
{
	const char *given = getenv("PMNS_DEFAULT");
	char folder[MAXPATHLEN], *path;

	get_folder(folder, sizeof(folder));
	if (given != NULL && given[0] != '\0')
		path = strdup(given);
	else if (asprintf(&path, "%s/root", folder) < 0)
		path = NULL;
	if (path == NULL)
		pmNoMem("path", sizeof(folder), PM_FATAL_ERR);
	return path;
}

int tree_load(const char *path, bool duplicates, struct pmns **ret_ns)
{
	char folder[MAXPATHLEN];
	const char *const dirs[] = {folder, NULL};
	struct pmns_options opt = {
	    .flags = PMNS_PREPROCESS, .dirs = dirs, .message = print_message};

	get_folder(folder, sizeof(folder));
	if (!duplicates)
		opt.flags |= PMNS_UNIQUE_PMIDS;
	return pmns_load_file(path, &opt, ret_ns);
}

int tree_load_text(const char *text, size_t len, const char *path, struct pmns **ret_ns)
{
	const struct pmns_options opt = {.message = print_message};

	return pmns_load_text(text, len, path, &opt, ret_ns);
}

struct merge {
	struct pmns *to;
	const struct pmns *from;
};

/* The children of one node, before any are added. */
struct children {
	struct pmns_entry *list;
	size_t n;
};

static int count_child(void *arg, const struct pmns_entry *e)
{
	struct children *c = arg;

	c->list[c->n++] = *e;
	return 0;
}

/* Handles a name that is in both, with different PMIDs. */
static void report_conflict(const struct merge *m, const struct pmns_entry *e)
{
	struct pmns_entry there;
	char kept[BUILD_PMID_TEXT], ignored[BUILD_PMID_TEXT];

	build_pmid_text(e->pmid, ignored, sizeof(ignored));
	if (pmns_lookup(m->to, e->name, e->name_len, &there) < 0 || there.kind == PMNS_NONLEAF) {
		fprintf(
		    stderr,
		    "%s: Warning: \"%s\" is a branch or lies below a metric, ignoring PMID %s\n",
		    pmGetProgname(), e->name, ignored);
		return;
	}
	fprintf(stderr,
		"%s: Warning: performance metric \"%s\" has multiple PMIDs.\n"
		"... using PMID %s and ignoring PMID %s\n",
		pmGetProgname(), e->name, build_pmid_text(there.pmid, kept, sizeof(kept)), ignored);
}

static int add_leaf(const struct merge *m, const struct pmns_entry *e)
{
	int sts = pmns_add(m->to, e->name, e->name_len, e->pmid);

	if (sts != PM_ERR_PMNS)
		return sts;
	report_conflict(m, e);
	return 0;
}

static int merge_node(const struct merge *m, const char *name, size_t len)
{
	struct children c = {0};
	int n = pmns_children(m->from, name, len, NULL, NULL);
	int sts = 0;

	if (n <= 0)
		return n;
	c.list = calloc((size_t)n, sizeof(c.list[0]));
	if (c.list == NULL)
		return -ENOMEM;
	pmns_children(m->from, name, len, count_child, &c);
	for (size_t i = 0; i < c.n && sts >= 0; i++)
		if (c.list[i].kind != PMNS_NONLEAF)
			sts = add_leaf(m, &c.list[i]);
	for (size_t i = 0; i < c.n && sts >= 0; i++)
		if (c.list[i].kind == PMNS_NONLEAF)
			sts = merge_node(m, c.list[i].name, c.list[i].name_len);
	free(c.list);
	return sts < 0 ? sts : 0;
}

int tree_merge(struct pmns *to, const struct pmns *from)
{
	const struct merge m = {.to = to, .from = from};

	return merge_node(&m, "", 0);
}

/*
 * Writer
 */

struct writer {
	const struct pmns *ns;
	FILE *f;
};

static int write_entry(void *arg, const struct pmns_entry *e)
{
	const struct writer *w = arg;

	fprintf(w->f, "\t%s", e->base);
	if (e->kind == PMNS_DYNAMIC)
		fprintf(w->f, "\t%u:*:*", pmns_dynamic_domain(e->pmid));
	else if (e->kind == PMNS_LEAF)
		fprintf(w->f, "\t%u:%u:%u", pmID_domain(e->pmid), pmID_cluster(e->pmid),
			pmID_item(e->pmid));
	fputc('\n', w->f);
	return 0;
}

static int write_node(void *arg, const struct pmns_entry *e)
{
	const struct writer *w = arg;

	if (e->kind != PMNS_NONLEAF)
		return 0;
	fprintf(w->f, "\n%s {\n", e->name);
	pmns_children(w->ns, e->name, e->name_len, write_entry, arg);
	fputs("}\n", w->f);
	return pmns_children(w->ns, e->name, e->name_len, write_node, arg) < 0 ? -1 : 0;
}

static int write_all(const struct pmns *ns, FILE *f)
{
	struct writer w = {.ns = ns, .f = f};

	fputs("root {\n", f);
	pmns_children(ns, "", 0, write_entry, &w);
	fputs("}\n", f);
	pmns_children(ns, "", 0, write_node, &w);
	if (fflush(f) != 0 || ferror(f))
		return errno != 0 ? -errno : -EIO;
	return fsync(fileno(f)) < 0 && errno != EINVAL ? -errno : 0;
}

/* The mode of the file that is replaced, or the mode of a new file. */
static mode_t choose_mode(const char *path)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0)
		return st.st_mode & 07777;
	mask = umask(022);
	umask(mask);
	return 0666 & ~mask;
}

static int tree_replace(const struct pmns *ns, const char *path)
{
	char *temp;
	FILE *f;
	int fd, sts;

	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temp, O_CLOEXEC);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	sts = f != NULL ? write_all(ns, f) : -errno;
	if (sts >= 0 && fchmod(fd, choose_mode(path)) < 0)
		sts = -errno;
	if (f != NULL && fclose(f) != 0 && sts >= 0)
		sts = -errno;
	if (sts >= 0 && rename(temp, path) < 0)
		sts = -errno;
	if (sts < 0 && fd >= 0)
		unlink(temp);
	free(temp);
	return sts;
}

int writer_write(const struct pmns *ns, const char *path)
{
	char *real = realpath(path, NULL); /* a symbolic link is kept: its target is replaced */
	int sts = tree_replace(ns, real != NULL ? real : path);

	free(real);
	return sts;
}
