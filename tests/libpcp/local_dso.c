/*
 * local_dso - an agent without any library, for test_local: its metrics report the requests that it
 * received.
 *
 *     D.0.0 U32 calls of its end-of-context method     D.0.3 string, NULL: no value, error AGAIN
 *     D.0.1 string: attributes and contexts seen       D.0.4 U32: what was stored last
 *     D.0.2 double, instances 1 "one", 2 "two" as the profile wants
 *     D.1.x names below the dynamic root: dso.dynamic.a and .b
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include <pcp/pmda.h>

enum { NSTATIC = 5 };

static pmdaExt ext;
static int domain;
static unsigned int ends, stored;
static char seen[256];

static void note(const char *fmt, int a, int b)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, fmt, a, b);
}

static unsigned int item_of(pmID pmid)
{
	return pmid & 0x3ff;
}

static unsigned int cluster_of(pmID pmid)
{
	return pmid >> 10 & 0xfff;
}

static int dso_profile(pmProfile *profile, pmdaExt *e)
{
	e->e_prof = profile;
	return 0;
}

/* As libpcp_pmda has it. */
static int wanted(int inst)
{
	for (int i = 0; ext.e_prof != NULL && i < ext.e_prof->profile_len; i++) {
		const pmInDomProfile *p = &ext.e_prof->profile[i];

		for (int j = 0; j < p->instances_len; j++) {
			if (p->instances[j] == inst)
				return p->state == PM_PROFILE_EXCLUDE;
		}
		return p->state == PM_PROFILE_INCLUDE;
	}
	return 1;
}

static pmValueBlock *block(int type, const void *bytes, size_t len)
{
	pmValueBlock *b = malloc(PM_VAL_HDR_SIZE + len);

	b->vtype = (unsigned int)type;
	b->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy((char *)b + PM_VAL_HDR_SIZE, bytes, len);
	return b;
}

static pmValueSet *values(pmID pmid)
{
	pmValueSet *set = calloc(1, sizeof(*set) + sizeof(pmValue));

	set->pmid = pmid;
	set->numval = 1;
	set->vlist[0].inst = (int)PM_IN_NULL;
	if (cluster_of(pmid) == 1) {
		set->vlist[0].value.lval = (int)item_of(pmid);
		return set;
	}
	switch (item_of(pmid)) {
	case 0:
		set->vlist[0].value.lval = (int)ends;
		break;
	case 1:
		set->valfmt = PM_VAL_DPTR;
		set->vlist[0].value.pval = block(PM_TYPE_STRING, seen, strlen(seen) + 1);
		break;
	case 2:
		set->valfmt = PM_VAL_DPTR;
		set->numval = 0;
		for (int inst = 1; inst <= 2; inst++) {
			double d = inst;

			if (!wanted(inst))
				continue;
			set->vlist[set->numval].inst = inst;
			set->vlist[set->numval++].value.pval = block(PM_TYPE_DOUBLE, &d, sizeof(d));
		}
		break;
	case 4:
		set->vlist[0].value.lval = (int)stored;
		break;
	default:
		set->numval = PM_ERR_AGAIN;
	}
	return set;
}

static int dso_fetch(int n, pmID *pmids, pmResult **ret_result, pmdaExt *e)
{
	static union {
		pmResult result;
		char room[sizeof(pmResult) + 64 * sizeof(pmValueSet *)];
	} mine;

	if (n > 64)
		return -E2BIG;
	mine.result.numpmid = n;
	for (int i = 0; i < n; i++)
		mine.result.vset[i] = values(pmids[i]);
	*ret_result = &mine.result;
	return 0;
}

static int dso_desc(pmID pmid, pmDesc *desc, pmdaExt *e)
{
	static const int types[NSTATIC] = {PM_TYPE_U32, PM_TYPE_STRING, PM_TYPE_DOUBLE,
					   PM_TYPE_STRING, PM_TYPE_U32};
	unsigned int item = item_of(pmid);

	if (cluster_of(pmid) > 1 || item >= NSTATIC)
		return PM_ERR_PMID;
	*desc = (pmDesc){.pmid = pmid, .indom = PM_INDOM_NULL, .sem = PM_SEM_INSTANT};
	desc->type = cluster_of(pmid) == 1 ? PM_TYPE_U32 : types[item];
	if (cluster_of(pmid) == 0 && item == 2)
		desc->indom = (pmInDom)domain << 22 | 1;
	return 0;
}

static int dso_instance(pmInDom indom, int inst, char *name, pmInResult **ret_result, pmdaExt *e)
{
	static const char *const names[] = {"one", "two"};
	pmInResult *r;

	if ((indom & 0x3fffff) != 1)
		return PM_ERR_INDOM;
	r = calloc(1, sizeof(*r));
	r->indom = indom;
	r->instlist = calloc(2, sizeof(int));
	r->namelist = calloc(2, sizeof(char *));
	for (int i = 0; i < 2; i++) {
		if ((inst != (int)PM_IN_NULL && inst != i + 1) ||
		    (name != NULL && strcmp(name, names[i]) != 0))
			continue;
		r->instlist[r->numinst] = i + 1;
		r->namelist[r->numinst++] = strdup(names[i]);
	}
	if (r->numinst == 0) {
		free(r->instlist);
		free(r->namelist);
		free(r);
		return PM_ERR_INST;
	}
	*ret_result = r;
	return 0;
}

static int dso_text(int ident, int type, char **ret_text, pmdaExt *e)
{
	static char line[] = "a line";

	if ((type & PM_TEXT_ONELINE) == 0)
		return PM_ERR_TEXT;
	*ret_text = line;
	return 0;
}

static int dso_store(pmResult *result, pmdaExt *e)
{
	const pmValueSet *set = result->vset[0];

	if (result->numpmid != 1 || item_of(set->pmid) != 4)
		return PM_ERR_PERMISSION;
	stored = (unsigned int)set->vlist[0].value.lval + (unsigned int)set->numval;
	return 0;
}

static int dso_pmid(const char *name, pmID *pmid, pmdaExt *e)
{
	const char *leaf = strrchr(name, '.');

	if (leaf == NULL || (strcmp(leaf, ".a") != 0 && strcmp(leaf, ".b") != 0))
		return PM_ERR_NAME;
	*pmid = (pmID)domain << 22 | 1 << 10 | (leaf[1] == 'b');
	return 0;
}

/* Pointers and strings in one block. */
static char **strings(int n, const char *const *names)
{
	char **list = malloc((size_t)n * (sizeof(char *) + 64));
	char *at = (char *)(list + n);

	for (int i = 0; i < n; i++) {
		list[i] = strcpy(at, names[i]);
		at += strlen(at) + 1;
	}
	return list;
}

static int dso_name(pmID pmid, char ***ret_names, pmdaExt *e)
{
	static const char *const names[] = {"dso.dynamic.a", "dso.dynamic.b"};

	if (cluster_of(pmid) != 1 || item_of(pmid) > 1)
		return PM_ERR_PMID;
	*ret_names = strings(1, &names[item_of(pmid)]);
	return 1;
}

static int dso_children(const char *name, int traverse, char ***ret_names, int **ret_status,
			pmdaExt *e)
{
	static const char *const full[] = {"dso.dynamic.a", "dso.dynamic.b"};
	static const char *const base[] = {"a", "b"};

	if (strcmp(name, "dso.dynamic") != 0)
		return PM_ERR_NAME;
	*ret_names = strings(2, traverse ? full : base);
	*ret_status = calloc(2, sizeof(int));
	return 2;
}

static int dso_attribute(int ctx, int key, const char *value, int len, pmdaExt *e)
{
	note("attr %d %d;", key, len == (int)strlen(value) + 1);
	return 0;
}

static int dso_label(int ident, int type, pmLabelSet **sets, pmdaExt *e)
{
	return 0;
}

static void dso_end(int ctx)
{
	ends++;
	note("end %d %d;", ctx, ctx == ext.e_context);
}

static void fill(pmdaInterface *dispatch, int version)
{
	domain = dispatch->domain;
	dispatch->comm.pmda_interface = (unsigned int)version;
	dispatch->comm.flags = PMDA_FLAG_AUTHORIZE;
	dispatch->version.seven.ext = &ext;
	dispatch->version.seven.profile = dso_profile;
	dispatch->version.seven.fetch = dso_fetch;
	dispatch->version.seven.desc = dso_desc;
	dispatch->version.seven.instance = dso_instance;
	dispatch->version.seven.text = dso_text;
	dispatch->version.seven.store = dso_store;
	dispatch->version.seven.pmid = dso_pmid;
	dispatch->version.seven.name = dso_name;
	dispatch->version.seven.children = dso_children;
	dispatch->version.seven.attribute = dso_attribute;
	dispatch->version.seven.label = dso_label;
	ext.e_endCallBack = dso_end;
}

void dso_init(pmdaInterface *dispatch);
void dso_failed_init(pmdaInterface *dispatch);
void dso_future_init(pmdaInterface *dispatch);
void dso_future_api_init(pmdaInterface *dispatch);

__PMDA_INIT_CALL void dso_init(pmdaInterface *dispatch)
{
	fill(dispatch, 7);
}

__PMDA_INIT_CALL void dso_failed_init(pmdaInterface *dispatch)
{
	dispatch->status = PM_ERR_NYI;
}

__PMDA_INIT_CALL void dso_future_init(pmdaInterface *dispatch)
{
	dispatch->comm.pmda_interface = 99;
}

__PMDA_INIT_CALL void dso_future_api_init(pmdaInterface *dispatch)
{
	dispatch->comm.pmda_interface = 7;
	dispatch->comm.pmapi_version = 9;
}
