/* fixture - see fixture.h. */
#include "fixture.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
	int type;
	int serial; /* 0: singular */
} items[ITEM_COUNT] = {
    [ITEM_U32] = {PM_TYPE_U32, 0},
    [ITEM_COLOR] = {PM_TYPE_32, FIXTURE_TABLE},
    [ITEM_U64] = {PM_TYPE_U64, 0},
    [ITEM_64] = {PM_TYPE_64, 0},
    [ITEM_FLOAT] = {PM_TYPE_FLOAT, 0},
    [ITEM_DISK] = {PM_TYPE_DOUBLE, FIXTURE_CACHE},
    [ITEM_STRING] = {PM_TYPE_STRING, 0},
    [ITEM_STRING_DYNAMIC] = {PM_TYPE_STRING, 0},
    [ITEM_AGGREGATE] = {PM_TYPE_AGGREGATE, 0},
    [ITEM_AGGREGATE_DYNAMIC] = {PM_TYPE_AGGREGATE, 0},
    [ITEM_AGGREGATE_STATIC] = {PM_TYPE_AGGREGATE_STATIC, 0},
    [ITEM_EVENT] = {PM_TYPE_EVENT, 0},
    [ITEM_ENOENT] = {PM_TYPE_U32, 0},
    [ITEM_NO_INST] = {PM_TYPE_U32, 0},
    [ITEM_NO_PMID] = {PM_TYPE_U32, 0},
    [ITEM_NO_VALUE] = {PM_TYPE_U32, 0},
    [ITEM_NO_TYPE] = {PM_TYPE_NOSUPPORT, 0},
    [ITEM_PARTLY] = {PM_TYPE_U32, FIXTURE_TABLE},
};

/* The values of ITEM_U32 and ITEM_STRING. */
static uint32_t stored = 4000000000u;
static char told[128] = "static";

/* Three bytes after a header, in memory of the agent that a fetch does not write twice. */
static pmValueBlock *aggregate(int type)
{
	static union {
		pmValueBlock block;
		char room[8];
	} blocks[2];
	pmValueBlock *block = &blocks[type == PM_TYPE_AGGREGATE].block;

	block->vtype = (unsigned int)type & 0xff;
	block->vlen = PM_VAL_HDR_SIZE + 3;
	memcpy(block->vbuf, "abc", 3);
	return block;
}

/* An array without records. */
static pmValueBlock *no_events(void)
{
	static pmEventArray array;

	array.ea_type = PM_TYPE_EVENT;
	array.ea_len = 8;
	array.ea_nrecords = 0;
	return (pmValueBlock *)&array;
}

static void *copy_of(const void *p, size_t len)
{
	void *copy = malloc(len);

	return copy == NULL ? NULL : memcpy(copy, p, len);
}

static int fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	switch (metric->m_desc.pmid & 0x3ff) {
	case ITEM_U32:
		atom->ul = stored;
		return PMDA_FETCH_STATIC;
	case ITEM_COLOR:
		atom->l = 100 + (int)inst;
		return PMDA_FETCH_STATIC;
	case ITEM_U64:
		atom->ull = 0xfedcba9876543210u;
		return PMDA_FETCH_STATIC;
	case ITEM_64:
		atom->ll = -2;
		return PMDA_FETCH_STATIC;
	case ITEM_FLOAT:
		atom->f = 0.5f;
		return PMDA_FETCH_STATIC;
	case ITEM_DISK:
		atom->d = (int)inst * 10;
		return PMDA_FETCH_STATIC;
	case ITEM_STRING:
		atom->cp = told;
		return PMDA_FETCH_STATIC;
	case ITEM_STRING_DYNAMIC:
		if (metric->m_user != NULL)
			return PM_ERR_VALUE;
		atom->cp = strdup("dynamic");
		return PMDA_FETCH_DYNAMIC;
	case ITEM_AGGREGATE:
		atom->vbp = aggregate(PM_TYPE_AGGREGATE);
		return PMDA_FETCH_STATIC;
	case ITEM_AGGREGATE_DYNAMIC:
		if (metric->m_user != NULL)
			return PM_ERR_VALUE;
		atom->vbp = copy_of(aggregate(PM_TYPE_AGGREGATE), 8);
		return PMDA_FETCH_DYNAMIC;
	case ITEM_AGGREGATE_STATIC:
		atom->vbp = aggregate(PM_TYPE_AGGREGATE_STATIC);
		return PMDA_FETCH_STATIC;
	case ITEM_EVENT:
		atom->vbp = no_events();
		return PMDA_FETCH_STATIC;
	case ITEM_ENOENT:
		return -ENOENT;
	case ITEM_NO_INST:
		return PM_ERR_INST;
	case ITEM_NO_PMID:
		return PM_ERR_PMID;
	case ITEM_NO_TYPE:
		return PMDA_FETCH_STATIC;
	case ITEM_PARTLY:
		atom->ul = inst;
		return inst == 1 ? PM_ERR_AGAIN : PMDA_FETCH_STATIC;
	default:
		return PMDA_FETCH_NOVALUES;
	}
}

static void fill_cache(void)
{
	pmInDom indom = fixture_indom(FIXTURE_CACHE);

	pmdaCacheStore(indom, PMDA_CACHE_ADD, "disk0", NULL);
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "disk1 foo", NULL);
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "disk2", NULL);
	pmdaCacheStore(indom, PMDA_CACHE_HIDE, "disk0", NULL);
}

static void fixture_tables(struct fixture *f)
{
	static char *const names[] = {"red", "green leaf", "blue"};
	static const int insts[] = {0, 1, 5};

	for (int i = 0; i < 3; i++) {
		f->colors[i].i_inst = insts[i];
		f->colors[i].i_name = names[i];
	}
	f->indoms[0] = (pmdaIndom){FIXTURE_TABLE, 3, f->colors};
	for (int m = 0; m < ITEM_COUNT; m++) {
		pmDesc *desc = &f->metrics[m].m_desc;

		desc->pmid = (pmID)m;
		desc->type = items[m].type;
		desc->sem = PM_SEM_INSTANT;
		desc->indom = items[m].serial == 0 ? PM_INDOM_NULL : (pmInDom)items[m].serial;
	}
	fill_cache();
}

static void fixture_start(struct fixture *f, int flags)
{
	pmdaSetFetchCallBack(&f->dispatch, fetch);
	pmdaSetFlags(&f->dispatch, flags);
	/* Without a table of domains pmdaInit does not check those of caches. */
	pmdaInit(&f->dispatch, NULL, 0, f->metrics, ITEM_COUNT);
	f->dispatch.version.any.ext->e_indoms = f->indoms;
	f->dispatch.version.any.ext->e_nindoms = 1;
	f->indoms[0].it_indom = fixture_indom(FIXTURE_TABLE);
}

void fixture_init(struct fixture *f, int version, int flags)
{
	memset(f, 0, sizeof(*f));
	fixture_tables(f);
	f->dispatch.domain = FIXTURE_DOMAIN;
	pmdaDSO(&f->dispatch, version, (char *)"fixture", NULL);
	fixture_start(f, flags);
}

/* ---- the daemon ---- */

static pmdaNameSpace *tree;

static int daemon_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	if (strncmp(told, "attr", 4) != 0 && strncmp(told, "end", 3) != 0)
		snprintf(told, sizeof(told), "fetch %d", pmdaGetContext());
	return pmdaFetch(n, pmids, result, ext);
}

static int daemon_store(pmResult *result, pmdaExt *ext)
{
	pmdaStore(result, ext);
	if (result->numpmid != 1 || result->vset[0]->pmid != fixture_pmid(ITEM_U32))
		return PM_ERR_PERMISSION;
	if (result->vset[0]->valfmt != PM_VAL_INSITU)
		return PM_ERR_CONV;
	stored = (uint32_t)result->vset[0]->vlist[0].value.lval;
	return 0;
}

static int daemon_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(tree, name, pmid);
}

static int daemon_name(pmID pmid, char ***names, pmdaExt *ext)
{
	return pmdaTreeName(tree, pmid, names);
}

static int daemon_children(const char *name, int traverse, char ***offspring, int **status,
			   pmdaExt *ext)
{
	return pmdaTreeChildren(tree, name, traverse, offspring, status);
}

static int daemon_text(int ident, int type, char **text, pmdaExt *ext)
{
	if (type & PM_TEXT_INDOM)
		return pmdaText(ident, type, text, ext);
	*text = (char *)(type & PM_TEXT_ONELINE ? "One line" : "");
	return 0;
}

static int daemon_attribute(int context, int key, const char *value, int len, pmdaExt *ext)
{
	snprintf(told, sizeof(told), "attr %d %d %s %d", context, key,
		 value == NULL ? "(null)" : value, len);
	return pmdaAttribute(context, key, value, len, ext);
}

/* More sets than an indom can have: only instances have several. */
static int two_sets(pmLabelSet **sets)
{
	*sets = calloc(2, sizeof(**sets));
	for (int i = 0; i < 2 && *sets != NULL; i++) {
		pmLabelSet *set = NULL;

		pmdaAddLabels(&set, "{\"set\":%d}", i);
		(*sets)[i] = *set;
		free(set);
	}
	return *sets == NULL ? -ENOMEM : 2;
}

static int daemon_label(int ident, int type, pmLabelSet **set, pmdaExt *ext)
{
	if (type == PM_LABEL_INDOM)
		return two_sets(set);
	if (type == PM_LABEL_ITEM)
		pmdaAddLabels(set, "{\"item\":%d}", ident & 0x3ff);
	return pmdaLabel(ident, type, set, ext);
}

static int daemon_instance_label(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	return inst == 5 ? 0 : pmdaAddLabels(set, "{\"i\":%u}", inst);
}

static void daemon_end(int context)
{
	snprintf(told, sizeof(told), "end %d", context);
}

static int daemon_check(void)
{
	const char *code = getenv(FIXTURE_CHECK_ENV);

	return code == NULL ? 0 : atoi(code);
}

static void daemon_methods(pmdaInterface *dispatch, int version)
{
	dispatch->version.any.fetch = daemon_fetch;
	dispatch->version.any.store = daemon_store;
	dispatch->version.any.text = daemon_text;
	pmdaSetCheckCallBack(dispatch, daemon_check);
	if (version >= PMDA_INTERFACE_4) {
		dispatch->version.four.pmid = daemon_pmid;
		dispatch->version.four.name = daemon_name;
		dispatch->version.four.children = daemon_children;
	}
	if (version >= PMDA_INTERFACE_5)
		pmdaSetEndContextCallBack(dispatch, daemon_end);
	if (version >= PMDA_INTERFACE_6)
		dispatch->version.six.attribute = daemon_attribute;
	if (version >= PMDA_INTERFACE_7) {
		dispatch->version.seven.label = daemon_label;
		pmdaSetLabelCallBack(dispatch, daemon_instance_label);
	}
}

/* The loop of an agent that has other things to wait for: one call each time there is input. */
static void poll_loop(pmdaInterface *dispatch)
{
	struct pollfd p = {.fd = __pmdaInFd(dispatch), .events = POLLIN};

	while (poll(&p, 1, -1) == 1 && __pmdaMainPDU(dispatch) >= 0)
		;
}

static void make_tree(void)
{
	if (tree != NULL)
		return;
	pmdaTreeCreate(&tree);
	pmdaTreeInsert(tree, fixture_pmid(ITEM_U32), "fix.a.one");
	pmdaTreeInsert(tree, fixture_pmid(ITEM_COLOR), "fix.b");
	pmdaTreeRebuildHash(tree, 2);
}

void fixture_forget(void)
{
	stored = 4000000000u;
	strcpy(told, "static");
}

void fixture_methods_init(struct fixture *f, int version)
{
	memset(f, 0, sizeof(*f));
	fixture_tables(f);
	make_tree();
	f->dispatch.domain = FIXTURE_DOMAIN;
	pmdaDSO(&f->dispatch, version, (char *)"fixture", NULL);
	daemon_methods(&f->dispatch, version);
	/* Values that the library frees are for agents that know of it (10.2). */
	if (version < PMDA_INTERFACE_5) {
		f->metrics[ITEM_STRING_DYNAMIC].m_user = f;
		f->metrics[ITEM_AGGREGATE_DYNAMIC].m_user = f;
	}
	fixture_start(f, 0);
}

static void daemon_run(int version)
{
	struct fixture f = {0};

	pmSetProgname("fixture");
	fixture_tables(&f);
	make_tree();
	pmdaDaemon(&f.dispatch, version, "fixture", FIXTURE_DOMAIN, NULL, NULL);
	daemon_methods(&f.dispatch, version);
	pmdaSetCommFlags(&f.dispatch, PMDA_FLAG_AUTHORIZE);
	pmdaConnect(&f.dispatch);
	fixture_start(&f, 0);
	if (getenv(FIXTURE_POLL_ENV) != NULL)
		poll_loop(&f.dispatch);
	else
		pmdaMain(&f.dispatch);
	exit(f.dispatch.status == 0 ? 0 : 1);
}

pid_t fixture_daemon(int version, int *ret_fd)
{
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		dup2(fds[1], 0);
		dup2(fds[1], 1);
		close(fds[1]);
		daemon_run(version);
	}
	close(fds[1]);
	*ret_fd = fds[0];
	return pid;
}
