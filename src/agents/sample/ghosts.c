/*
 * ghosts - metrics whose names come and go: the ghosts, and a tree of as many names as were asked
 * for.
 */
#include <stdio.h>

#include "sample.h"

/* ---- metrics whose names exist only while a store says so, with so many instances ---- */

enum { NGHOSTS = 8 };

static pmdaInstid ghosts[NGHOSTS] = {
    {1, "Obambo"},   {2, "Banjhakri"}, {3, "Mogwai"}, {4, "Pocong"},
    {5, "Hitodama"}, {6, "Krahang"},   {7, "Zmeu"},   {8, "Duppy"},
};
static const struct {
	char *origin;
	unsigned int karma;
} traits[NGHOSTS] = {
    {"Africa", 6}, {"Nepal", 9},    {"China", 6},    {"Indonesia", 6},
    {"Japan", 8},  {"Thailand", 7}, {"Roumania", 4}, {"Jamaica", 5},
};
static int visible = -1;
static unsigned int turn = 1;

int ghosts_hide(unsigned int number)
{
	return visible < 0 && number >= GHOST_FIRST && number <= GHOST_STATE;
}

void ghosts_turn(void)
{
	turn ^= 1;
}

static int visible_value(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = visible;
	return PMDA_FETCH_STATIC;
}

static int store_visible(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	int names_change = (visible < 0) != (atom->l < 0);

	turn = 1;
	visible = atom->l > NGHOSTS ? NGHOSTS : atom->l;
	sample_set_instances(GHOSTS, ghosts, visible < 0 ? 0 : visible);
	if (names_change)
		sample_names_changed();
	return 0;
}

static int origin(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->cp = traits[inst - 1].origin;
	return PMDA_FETCH_STATIC;
}

static int karma(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->ul = traits[inst - 1].karma;
	return PMDA_FETCH_STATIC;
}

/* 0 and 1 change places with each fetch: instances with an odd number have 1 first. */
static int state(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->ul = ((unsigned int)inst + turn) & 1;
	return PMDA_FETCH_STATIC;
}

/* clang-format off */
static const struct sample_metric ghost_rows[] = {
    {"ghosts.visible", 1008, PM_TYPE_32, ONE_VALUE, PM_SEM_INSTANT, COUNT, visible_value,
     store_visible, 0, "How many ghosts there are, up to 8; below 0: not even their names"},
    {"ghosts.origin", GHOST_FIRST, PM_TYPE_STRING, GHOSTS, PM_SEM_DISCRETE, NO_UNITS, origin,
     NULL, 0,
     "Where they are told of"},
    {"ghosts.karma", 1010, PM_TYPE_U32, GHOSTS, PM_SEM_INSTANT, NO_UNITS, karma, NULL, 0,
     "A number of each"},
    {"ghosts.state", GHOST_STATE, PM_TYPE_U32, GHOSTS, PM_SEM_INSTANT, NO_UNITS, state, NULL, 0,
     "0 or 1, the other with each fetch"},
};
/* clang-format on */

SAMPLE_GROUP(ghosts_group, ghost_rows);

/*
 * ---- tree ----
 *
 * a tree of as many names as one likes (not in PCP's sample): sample.tree.leaf.A.B.C, where
 * A, B and C are the pairs of digits of the leaf's number, which is its value.
 */

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

static const struct sample_metric tree_rows[] = {
    {"tree.size", OWN(10), PM_TYPE_32, ONE_VALUE, PM_SEM_INSTANT, COUNT, size_value, store_size, 0,
     "How many names there are below sample.tree.leaf; up to 100000 can be stored"},
};

SAMPLE_GROUP(tree_group, tree_rows);
