/* fixture - see fixture.h. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Three bytes behind a header, in storage of the agent. */
static pmValueBlock *aggregate(int type)
{
	static union {
		pmValueBlock block;
		char room[8];
	} u;

	u.block.vtype = (unsigned int)type & 0xff;
	u.block.vlen = PM_VAL_HDR_SIZE + 3;
	memcpy(u.block.vbuf, "abc", 3);
	return &u.block;
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
		atom->ul = 4000000000u;
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
		atom->cp = (char *)"static";
		return PMDA_FETCH_STATIC;
	case ITEM_STRING_DYNAMIC:
		atom->cp = strdup("dynamic");
		return PMDA_FETCH_DYNAMIC;
	case ITEM_AGGREGATE:
		atom->vbp = aggregate(PM_TYPE_AGGREGATE);
		return PMDA_FETCH_STATIC;
	case ITEM_AGGREGATE_DYNAMIC:
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

void fixture_init(struct fixture *f, int version, int flags)
{
	static char *const names[] = {"red", "green leaf", "blue"};
	static const int insts[] = {0, 1, 5};

	memset(f, 0, sizeof(*f));
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
	f->dispatch.domain = FIXTURE_DOMAIN;
	pmdaDSO(&f->dispatch, version, (char *)"fixture", NULL);
	pmdaSetFetchCallBack(&f->dispatch, fetch);
	pmdaSetFlags(&f->dispatch, flags);
	/* Without a table of domains pmdaInit does not check those of caches. */
	pmdaInit(&f->dispatch, NULL, 0, f->metrics, ITEM_COUNT);
	f->dispatch.version.any.ext->e_indoms = f->indoms;
	f->dispatch.version.any.ext->e_nindoms = 1;
	f->indoms[0].it_indom = fixture_indom(FIXTURE_TABLE);
}
