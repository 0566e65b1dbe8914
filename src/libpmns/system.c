/*
 * system - the name space of an installation: "root" of a folder, and the fragments "root_*" beside
 * it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "libpmns/pmns.h"

struct merge {
	struct pmns *into;
	const struct pmns_options *opt;
};

static int add_leaf(void *arg, const struct pmns_entry *e)
{
	const struct merge *m = arg;
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
	struct merge m = {.into = root, .opt = opt};

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
