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

static int visible_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = visible;
	return PMDA_FETCH_STATIC;
}

static int store_visible(const struct agent_call *call, const pmAtomValue *atom)
{
	int names_change = (visible < 0) != (atom->l < 0);

	turn = 1;
	visible = atom->l > NGHOSTS ? NGHOSTS : atom->l;
	sample_set_instances(GHOSTS, ghosts, visible < 0 ? 0 : visible);
	if (names_change)
		agent_names_changed(call->ext);
	return 0;
}

static int origin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->cp = traits[call->inst - 1].origin;
	return PMDA_FETCH_STATIC;
}

static int karma(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = traits[call->inst - 1].karma;
	return PMDA_FETCH_STATIC;
}

/* 0 and 1 change places with each fetch: instances with an odd number have 1 first. */
static int state(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = ((unsigned int)call->inst + turn) & 1;
	return PMDA_FETCH_STATIC;
}

/* Their metrics exist only while they can be seen, and are never changed. */
static int store_trait(const struct agent_call *call, const pmAtomValue *atom)
{
	return ghosts_hide(call->metric->item) ? PM_ERR_PMID : PM_ERR_PERMISSION;
}

/* clang-format off */
static const struct agent_metric ghost_rows[] = {
    {"ghosts.visible", 0, 1008, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, COUNT, AGENT_GET_STORE(visible_value, store_visible),
     "How many ghosts there are, up to 8; below 0: not even their names", NULL, 0},
    {"ghosts.origin", 0, GHOST_FIRST, PM_TYPE_STRING, PM_SEM_DISCRETE, OF(GHOSTS), NO_UNITS,
     AGENT_GET_STORE(origin, store_trait), "Where they are told of", NULL, 0},
    {"ghosts.karma", 0, 1010, PM_TYPE_U32, PM_SEM_INSTANT, OF(GHOSTS), NO_UNITS, AGENT_GET_STORE(karma, store_trait),
     "A number of each", NULL, 0},
    {"ghosts.state", 0, GHOST_STATE, PM_TYPE_U32, PM_SEM_INSTANT, OF(GHOSTS), NO_UNITS, AGENT_GET_STORE(state, store_trait),
     "0 or 1, the other with each fetch", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(ghosts, ghost_rows);

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

static int leaf_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = (unsigned int)call->metric->value.arg;
	return PMDA_FETCH_STATIC;
}

const struct agent_metric *tree_row(unsigned int cluster, unsigned int item, pmdaExt *ext)
{
	static struct agent_metric row;
	int leaf = ((int)cluster - SAMPLE_CLUSTER) * ITEMS + (int)item;

	if (leaf < 0 || leaf >= size)
		return NULL;
	row = (struct agent_metric){
	    .cluster = (unsigned short)cluster,
	    .item = (unsigned short)item,
	    .type = PM_TYPE_U32,
	    .sem = PM_SEM_DISCRETE,
	    .value = AGENT_GET_ARG(leaf_value, leaf),
	};
	return &row;
}

static int size_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = size;
	return PMDA_FETCH_STATIC;
}

static int store_size(const struct agent_call *call, const pmAtomValue *atom)
{
	if (atom->l < 0 || atom->l > MOST)
		return PM_ERR_BADSTORE;
	size = atom->l;
	agent_names_changed(call->ext);
	return 0;
}

/* clang-format off */
static const struct agent_metric tree_rows[] = {
    {"tree.size", OWN(10), PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, COUNT, AGENT_GET_STORE(size_value, store_size),
     "How many names there are below sample.tree.leaf; up to 100000 can be stored", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(tree, tree_rows);
