/*
 * agent_dso - the kinds of questions, and agents that are loaded into this process.
 */
#include "tools/dbpmda/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/libpcp.h>
#include <pcp/pmda.h>

#include "libbase/cleanup.h"
#include "tools/dbpmda/command.h"

/*
 * Questions
 */

/* clang-format off */
static const struct question_row rows[ASK_NKIND] = {
	[ASK_DESC]	= { "desc",	 "DescReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_FETCH]	= { "fetch",	 "Fetch",	    PMDA_INTERFACE_2, NULL },
	[ASK_INSTANCE]	= { "instance",	 "InstanceReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_TEXT]	= { "text",	 "TextReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_STORE]	= { "store",	 "Result",	    PMDA_INTERFACE_2, NULL },
	[ASK_PROFILE]	= { "profile",	 "Profile",	    PMDA_INTERFACE_2, NULL },
	[ASK_PMID]	= { "pmid",	 "IDList",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_NAME]	= { "name",	 "IDList",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_CHILDREN]	= { "children",	 "ChildReq",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_TRAVERSE]	= { "children",	 "TraversePMNS", PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_ATTRIBUTE]	= { "attribute", "Auth",	    PMDA_INTERFACE_6, "authentication" },
	[ASK_LABEL]	= { "label",	 "LabelReq",	    PMDA_INTERFACE_7, "labels" },
};
/* clang-format on */

const struct question_row *question_row(enum question_kind kind)
{
	return &rows[kind];
}

/*
 * Agents in this process
 */

enum {
	DSO_ANY_INTERFACE = 0xff, /* the agent is offered these as a challenge */
	DSO_PMAPI_CHALLENGE = 253,
	DSO_PMAPI_VERSION = 2,
};

struct dso {
	struct agent agent;
	void *handle;
	bool keep;              /* do not unload at the end of the program */
	pmdaInterface dispatch; /* not copied: the agent may keep its address */
};

static struct dso *dso_of(struct agent *agent)
{
	return (struct dso *)agent;
}

static unsigned int dso_version(const struct dso *d)
{
	return d->dispatch.comm.pmda_interface;
}

static pmdaExt *dso_ext(const struct dso *d)
{
	return d->dispatch.version.any.ext;
}

static int dso_instance(struct dso *d, const struct question *q, struct answer *a)
{
	pmInResult *in = NULL;
	int r =
	    d->dispatch.version.any.instance(q->ident, q->inst, (char *)q->name, &in, dso_ext(d));

	if (r < 0 || in == NULL)
		return r < 0 ? r : PM_ERR_INDOM;
	a->owned_in = in;
	a->n = in->numinst;
	a->insts = in->instlist;
	a->names = in->namelist;
	return 0;
}

static int dso_names(struct dso *d, const struct question *q, struct answer *a)
{
	int r;

	if (q->kind == ASK_NAME)
		r = d->dispatch.version.four.name(q->pmid, &a->owned_names, dso_ext(d));
	else
		r = d->dispatch.version.four.children(q->name, q->kind == ASK_TRAVERSE,
						      &a->owned_names, &a->owned_status,
						      dso_ext(d));
	if (r < 0)
		return r;
	a->n = a->owned_names != NULL ? r : 0;
	a->names = a->owned_names;
	a->status = a->owned_status;
	return 0;
}

static int dso_label(struct dso *d, const struct question *q, struct answer *a)
{
	int r = d->dispatch.version.seven.label((int)q->ident, q->type, &a->owned_sets, dso_ext(d));

	if (r < 0)
		return r;
	a->n = a->owned_sets != NULL ? r : 0;
	a->sets = a->owned_sets;
	return 0;
}

static void dso_result_free(struct agent *agent, pmResult *result)
{
	const pmdaExt *ext = dso_ext(dso_of(agent));

	if (ext != NULL && ext->e_resultCallBack != NULL)
		ext->e_resultCallBack(result);
}

/* Prints the part of a set that is missing and prevents showing or storing it. */
static bool set_is_whole(const pmValueSet *set, pmID asked)
{
	pmID pmid = set == NULL ? asked : set->pmid;
	const char *lacks = set == NULL ? "value set" : NULL;
	char text[32];

	for (int i = 0; set != NULL && i < set->numval && set->valfmt != PM_VAL_INSITU; i++) {
		const pmValueBlock *block = set->vlist[i].value.pval;

		if (block == NULL || block->vlen < PM_VAL_HDR_SIZE)
			lacks = "value";
	}
	if (lacks != NULL)
		printf("Error: DSO fetch() gave no %s of %s\n", lacks,
		       pmIDStr_r(pmid, text, sizeof(text)));
	return lacks == NULL;
}

static int dso_fetch(struct dso *d, const struct question *q, struct answer *a)
{
	pmResult *result = NULL;
	bool whole = true;
	int r = d->dispatch.version.any.fetch(q->n, (pmID *)q->pmids, &result, dso_ext(d));

	if (r < 0 || result == NULL)
		return r < 0 ? r : PM_ERR_VALUE;
	for (int i = 0; i < result->numpmid; i++)
		whole &= set_is_whole(result->vset[i], i < q->n ? q->pmids[i] : PM_ID_NULL);
	if (!whole) {
		dso_result_free(&d->agent, result);
		return PM_ERR_VALUE;
	}
	a->result = result;
	return r;
}

static int dso_call(struct dso *d, const struct question *q, struct answer *a)
{
	pmdaExt *ext = dso_ext(d);
	char *text = NULL;
	int r;

	switch (q->kind) {
	case ASK_DESC:
		return d->dispatch.version.any.desc(q->pmid, &a->desc, ext);
	case ASK_FETCH:
		return dso_fetch(d, q, a);
	case ASK_TEXT:
		r = d->dispatch.version.any.text((int)q->ident, q->type, &text, ext);
		a->text = text;
		return r;
	case ASK_STORE:
		return d->dispatch.version.any.store(q->result, ext);
	case ASK_PROFILE:
		return d->dispatch.version.any.profile((pmProfile *)q->profile, ext);
	case ASK_PMID:
		return d->dispatch.version.four.pmid(q->name, &a->pmid, ext);
	case ASK_ATTRIBUTE:
		return d->dispatch.version.six.attribute(0, q->type, q->name,
							 (int)strlen(q->name) + 1, ext);
	case ASK_INSTANCE:
		return dso_instance(d, q, a);
	case ASK_LABEL:
		return dso_label(d, q, a);
	default:
		return dso_names(d, q, a);
	}
}

static bool dso_can(const struct agent *agent, enum question_kind kind)
{
	const struct question_row *row = question_row(kind);
	unsigned int version = dso_version((const struct dso *)agent);

	if (version < row->since)
		printf("Error: PMDA Interface %u does not support %s\n", version, row->lacks);
	return version >= row->since;
}

/* The offset in the interface of the method for each question. */
/* clang-format off */
static const size_t methods[ASK_NKIND] = {
	[ASK_DESC]	= offsetof(pmdaInterface, version.any.desc),
	[ASK_FETCH]	= offsetof(pmdaInterface, version.any.fetch),
	[ASK_INSTANCE]	= offsetof(pmdaInterface, version.any.instance),
	[ASK_TEXT]	= offsetof(pmdaInterface, version.any.text),
	[ASK_STORE]	= offsetof(pmdaInterface, version.any.store),
	[ASK_PROFILE]	= offsetof(pmdaInterface, version.any.profile),
	[ASK_PMID]	= offsetof(pmdaInterface, version.four.pmid),
	[ASK_NAME]	= offsetof(pmdaInterface, version.four.name),
	[ASK_CHILDREN]	= offsetof(pmdaInterface, version.four.children),
	[ASK_TRAVERSE]	= offsetof(pmdaInterface, version.four.children),
	[ASK_ATTRIBUTE]	= offsetof(pmdaInterface, version.six.attribute),
	[ASK_LABEL]	= offsetof(pmdaInterface, version.seven.label),
};
/* clang-format on */

/* An agent may have cleared a method, by mistake or because it seemed unused. */
static bool dso_has(const struct dso *d, enum question_kind kind)
{
	void (*method)(void);

	memcpy(&method, (const char *)&d->dispatch + methods[kind], sizeof(method));
	if (method == NULL)
		printf("Error: DSO has no %s() method\n", question_row(kind)->method);
	return method != NULL;
}

/* True for methods of an object that 6.0.3 shows where PDUs are traced. */
static bool is_traced(const struct question *q)
{
	return pmDebugOptions.pdu && !q->quiet && !q->untraced &&
	       (q->kind == ASK_DESC || q->kind == ASK_FETCH || q->kind == ASK_PROFILE ||
		q->kind == ASK_INSTANCE);
}

static int dso_ask(struct agent *agent, const struct question *q, struct answer *a)
{
	int r;

	if (q->quiet && dso_version(dso_of(agent)) < question_row(q->kind)->since)
		return PM_ERR_NYI;
	if (!dso_can(agent, q->kind) || !dso_has(dso_of(agent), q->kind))
		return PM_ERR_NYI;
	if (is_traced(q))
		fprintf(stderr, "DSO %s()\n", question_row(q->kind)->method);
	r = dso_call(dso_of(agent), q, a);
	if (r >= 0 && q->kind == ASK_DESC && is_traced(q))
		pmPrintDesc(stdout, &a->desc);
	if (r < 0 && !q->quiet)
		printf("Error: DSO %s() failed: %s\n", question_row(q->kind)->method, pmErrStr(r));
	return r;
}

static void dso_status(const struct agent *agent)
{
	const struct dso *d = (const struct dso *)agent;

	printf("Connection:             dso\n");
	printf("DSO Interface Version:  %u\n", dso_version(d));
	printf("PMDA PMAPI Version:     %u\n", d->dispatch.comm.pmapi_version);
}

static void dso_free(struct dso *d)
{
	free(d->agent.path);
	free(d);
}

static void dso_close(struct agent *agent, bool last)
{
	struct dso *d = dso_of(agent);
	pmdaExt *ext = dso_ext(d);

	if (dso_version(d) >= PMDA_INTERFACE_5 && ext != NULL && ext->e_endCallBack != NULL)
		ext->e_endCallBack(0);
	if (!last || !d->keep)
		dlclose(d->handle);
	dso_free(d);
}

static const struct agent_ops dso_ops = {
    .ask = dso_ask,
    .can = dso_can,
    .status = dso_status,
    .result_free = dso_result_free,
    .close = dso_close,
    .in_process = true,
};

/* True if the agent, after its initialisation, has an interface that this program supports. */
static bool dso_accept(const struct dso *d, const char *entry)
{
	const char *path = d->agent.path;

	if (d->dispatch.status != 0)
		printf("Error: initialization routine \"%s\" failed in DSO \"%s\": %s\n", entry,
		       path, pmErrStr(d->dispatch.status));
	else if (dso_version(d) < PMDA_INTERFACE_2 || dso_version(d) > PMDA_INTERFACE_LATEST)
		printf("Error: Unsupported PMDA interface version %u returned by DSO \"%s\"\n",
		       dso_version(d), path);
	else if (d->dispatch.comm.pmapi_version != DSO_PMAPI_VERSION)
		printf("Error: Unsupported PMAPI version %u returned by DSO \"%s\"\n",
		       d->dispatch.comm.pmapi_version, path);
	else
		return true;
	return false;
}

static bool dso_load(struct dso *d, const char *entry, int domain)
{
	void (*init)(pmdaInterface *);

	d->handle = pitot_dso_open(d->agent.path);
	if (d->handle == NULL) {
		printf("Error attaching DSO \"%s\"\n%s\n\n", d->agent.path, dlerror());
		return false;
	}
	*(void **)&init = dlsym(d->handle, entry);
	if (init == NULL) {
		printf("Error: couldn't find init function \"%s\" in DSO \"%s\"\n", entry,
		       d->agent.path);
		return false;
	}
	d->dispatch.domain = domain;
	d->dispatch.comm.pmda_interface = DSO_ANY_INTERFACE;
	d->dispatch.comm.pmapi_version = DSO_PMAPI_CHALLENGE;
	init(&d->dispatch);
	return dso_accept(d, entry);
}

struct agent *agent_dso_open(const struct command *c, const struct agent_settings *s)
{
	struct stat st;
	struct dso *d;

	if (stat(c->text, &st) < 0) {
		fprintf(stderr, "opendso: %s: %s\n", c->text, strerror(errno));
		return NULL;
	}
	d = calloc(1, sizeof(*d));
	if (d == NULL || (d->agent.path = strdup(c->text)) == NULL)
		pmNoMem("open dso", sizeof(*d), PM_FATAL_ERR);
	d->agent.ops = &dso_ops;
	d->keep = s->keep_dso;
	if (!dso_load(d, c->words[0], c->number)) {
		if (d->handle != NULL)
			dlclose(d->handle);
		dso_free(d);
		return NULL;
	}
	if (dso_version(d) >= PMDA_INTERFACE_5 && dso_ext(d) != NULL)
		dso_ext(d)->e_context = 0;
	return &d->agent;
}
