/*
 * tree - a tree of as many names as one likes (not in PCP's sample): sample.tree.leaf.A.B.C, where
 * A, B and C are the pairs of digits of the leaf's number, which is its value.
 */
#include <stdio.h>

#include "sample.h"
#include "tree.h"

enum { MOST = 100000, ITEMS = 1024 };

static int size;

int tree_size(void)
{
	return size;
}

pmID tree_pmid(int domain, int leaf)
{
	return pmID_build((unsigned int)domain, (unsigned int)(SAMPLE_CLUSTER + leaf / ITEMS),
			  (unsigned int)(leaf % ITEMS));
}

void tree_name(int leaf, const char *root, char ret_name[TREE_NAME])
{
	snprintf(ret_name, TREE_NAME, "%s.tree.leaf.%02d.%02d.%02d", root, leaf / 10000,
		 leaf / 100 % 100, leaf % 100);
}

/* A metric's leaf, or -1. */
static int leaf(pmID pmid)
{
	int n = ((int)pmID_cluster(pmid) - SAMPLE_CLUSTER) * ITEMS + (int)pmID_item(pmid);

	return n >= 0 && n < size ? n : -1;
}

int tree_desc(pmID pmid, pmDesc *ret_desc)
{
	if (leaf(pmid) < 0)
		return PM_ERR_PMID;
	*ret_desc = (pmDesc){
	    .pmid = pmid, .type = PM_TYPE_U32, .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE};
	return 0;
}

int tree_value(pmID pmid, pmAtomValue *ret_atom)
{
	int n = leaf(pmid);

	if (n < 0)
		return PM_ERR_PMID;
	ret_atom->ul = (unsigned int)n;
	return PMDA_FETCH_STATIC;
}

static int size_value(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = size;
	return PMDA_FETCH_STATIC;
}

static int store_size(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	if (atom->l < 0 || atom->l > MOST)
		return PM_ERR_BADSTORE;
	size = atom->l;
	sample_names_changed();
	return 0;
}

static const struct sample_metric rows[] = {
    {"tree.size", OWN(10), PM_TYPE_32, ONE_VALUE, PM_SEM_INSTANT, COUNT, size_value, store_size, 0,
     "How many names there are below sample.tree.leaf; up to 100000 can be stored"},
};

SAMPLE_GROUP(tree_group, rows);
