#include "tools/pmdumplog/chosen.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/archive/name_tree.h"

/* Adds a metric once, even if it has several names. */
static void add(const char *name, pmID pmid, void *arg)
{
	struct chosen *c = arg;
	uint64_t hash = hash_u64(pmid);

	(void)name;
	if (hash_find(&c->seen, hash, NULL, NULL) != NULL)
		return;
	if (hash_add(&c->seen, hash, c) < 0)
		pmNoMem("metrics", sizeof(pmid), PM_FATAL_ERR);
	if (c->n == c->room) {
		c->room = c->room * 2 + 16;
		c->pmids = reallocarray(c->pmids, c->room, sizeof(c->pmids[0]));
		if (c->pmids == NULL)
			pmNoMem("metrics", c->room * sizeof(c->pmids[0]), PM_FATAL_ERR);
	}
	c->pmids[c->n++] = pmid;
}

static void add_name(const char *name, void *arg)
{
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) > 0)
		add(name, pmid, arg);
}

bool chosen_find(const struct archive_meta *meta, bool use_namespace, char **names, int n,
		 struct chosen *ret_chosen)
{
	struct chosen c = {.all = n == 0};
	struct name_tree *tree = n > 0 && !use_namespace ? name_tree_new(meta) : NULL;
	char text[PM_MAXERRMSGLEN];

	for (int i = 0; i < n; i++) {
		int sts = tree != NULL ? name_tree_walk(tree, names[i], add, &c)
				       : pmTraversePMNS_r(names[i], add_name, &c);

		if (sts < 0)
			fprintf(stderr, "%s: pmLookupName(%s): %s\n", pmGetProgname(), names[i],
				pmErrStr_r(sts, text, sizeof(text)));
	}
	name_tree_free(tree);
	*ret_chosen = c;
	if (c.all || c.n > 0)
		return true;
	fprintf(stderr, "No metric names can be translated, dump abandoned\n");
	return false;
}

void chosen_done(struct chosen *c)
{
	free(c->pmids);
	hash_done(&c->seen);
	*c = (struct chosen){0};
}
