/*
 * metrics - the metrics and instances of a command, as the recorder's collector has them.
 */
#include "tools/pmlc/pmlc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/libpcp.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"

static void *more(void *list, size_t n, size_t size)
{
	list = reallocarray(list, n, size);
	if (list == NULL)
		pmNoMem("metrics", n * size, PM_FATAL_ERR);
	return list;
}

/* ---- Instances ------------------------------------------------------------------------------ */

static struct domain *domain_of(struct metrics *m, pmInDom indom)
{
	struct domain *d;

	for (int i = 0; i < m->ndomain; i++) {
		if (m->domains[i].indom == indom)
			return &m->domains[i];
	}
	m->domains = more(m->domains, (size_t)m->ndomain + 1, sizeof(*m->domains));
	d = &m->domains[m->ndomain++];
	*d = (struct domain){.indom = indom};
	d->n = pmGetInDom(indom, &d->insts, &d->names);
	return d;
}

const char *metrics_inst_name(struct metrics *m, pmInDom indom, int inst)
{
	const struct domain *d = domain_of(m, indom);

	for (int i = 0; i < d->n; i++) {
		if (d->insts[i] == inst)
			return d->names[i];
	}
	return NULL;
}

/* The index in the domain, or -1. */
static int find_inst(const struct domain *d, const struct inst_spec *spec)
{
	for (int i = 0; i < d->n; i++) {
		if (spec->name == NULL ? d->insts[i] == spec->number
				       : strcasecmp(d->names[i], spec->name) == 0)
			return i;
	}
	return -1;
}

static void explain(struct session *s)
{
	if (s->explained)
		return;
	s->explained = true;
	fputs("    - you may only specify metric instances active now.  However if no\n"
	      "      instances are specified, pmlogger will use all of the instances\n"
	      "      available at the time the metric is logged\n",
	      stderr);
}

static void say_no_inst(struct metrics *m, struct session *s, const char *name,
			const struct inst_spec *spec)
{
	m->failed = true;
	if (spec->name != NULL)
		fprintf(stderr, "Error: metric %s currently has no instance named %s\n", name,
			spec->name);
	else
		fprintf(stderr, "Error: metric %s currently has no instance number %d\n", name,
			spec->number);
	explain(s);
}

static bool has_inst(const struct metric *metric, int inst)
{
	for (int i = 0; i < metric->ninst; i++) {
		if (metric->insts[i] == inst)
			return true;
	}
	return false;
}

static void add_inst(struct metric *metric, const struct inst_spec *spec, int inst)
{
	if (!has_inst(metric, inst)) {
		metric->insts =
		    more(metric->insts, (size_t)metric->ninst + 1, sizeof(*metric->insts));
		metric->insts[metric->ninst++] = inst;
	} else if (spec->name != NULL) {
		fprintf(stderr, "Warning: instance name %s already specified for metric %s\n",
			spec->name, metric->name);
	} else {
		fprintf(stderr, "Warning: instance number %d already specified for %s\n",
			spec->number, metric->name);
	}
}

static void add_insts(struct metrics *m, struct session *s, struct metric *metric,
		      const struct inst_spec *specs)
{
	const struct domain *d = domain_of(m, metric->desc.indom);

	for (const struct inst_spec *spec = specs; spec != NULL; spec = spec->next) {
		int at = find_inst(d, spec);

		if (at < 0)
			say_no_inst(m, s, metric->name, spec);
		else
			add_inst(metric, spec, d->insts[at]);
	}
}

/* ---- Metrics -------------------------------------------------------------------------------- */

static struct metric *metrics_find_metric(struct metrics *m, pmID pmid)
{
	for (int i = 0; i < m->n; i++) {
		if (m->list[i].pmid == pmid)
			return &m->list[i];
	}
	return NULL;
}

static struct metric *metrics_add_metric(struct metrics *m, const char *name, const pmDesc *desc)
{
	struct metric *metric;

	if (m->n == m->room) {
		m->room = m->room == 0 ? 16 : m->room * 2;
		m->list = more(m->list, (size_t)m->room, sizeof(*m->list));
	}
	metric = &m->list[m->n++];
	*metric = (struct metric){.pmid = desc->pmid, .desc = *desc, .name = strdup(name)};
	if (metric->name == NULL)
		pmNoMem("name", strlen(name), PM_FATAL_ERR);
	return metric;
}

/* A metric or instance that is named twice is requested once. */
static void metrics_join(struct metrics *m, struct session *s, struct metric *metric,
			 const struct inst_spec *insts)
{
	if (metric->desc.indom == PM_INDOM_NULL) {
		fprintf(stderr, "Warning: %s has already been specified\n", metric->name);
	} else if (metric->all && insts == NULL) {
		fprintf(stderr, "Warning: already using all instances for %s\n", metric->name);
	} else if (metric->all) {
		fprintf(stderr,
			"Warning: instance(s) specified for %s\n"
			"         (already using all instances)\n",
			metric->name);
	} else if (insts == NULL) {
		fprintf(stderr,
			"Warning: %s had instance(s) specified previously.\n"
			"         Using all instances since none specified this time\n",
			metric->name);
		metric->all = true;
	} else {
		add_insts(m, s, metric, insts);
	}
}

static void take_metric(struct metrics *m, struct session *s, const char *name, const pmDesc *desc,
			const struct inst_spec *insts)
{
	struct metric *metric = metrics_find_metric(m, desc->pmid);

	if (metric != NULL) {
		metrics_join(m, s, metric, insts);
		return;
	}
	metric = metrics_add_metric(m, name, desc);
	metric->all = insts == NULL;
	if (insts != NULL)
		add_insts(m, s, metric, insts);
}

/* ---- One specification: a name that may mean many metrics ------------------------------------ */

struct leaves {
	struct names names;
	pmID *pmids;
	pmDesc *descs;
	int *stss;
};

static int find_leaves(struct leaves *l, const char *name)
{
	int r = pmTraversePMNS_r(name, names_add, &l->names);

	if (r < 0)
		return r;
	if (l->names.n == 0)
		return PM_ERR_NAME;
	l->pmids = more(NULL, l->names.n, sizeof(*l->pmids));
	l->descs = more(NULL, l->names.n, sizeof(*l->descs));
	r = pmLookupName((int)l->names.n, (const char **)l->names.list, l->pmids);
	if (r < 0)
		return r;
	l->stss = more(NULL, l->names.n, sizeof(*l->stss));
	descs_get((int)l->names.n, l->pmids, l->descs, l->stss);
	for (size_t i = 0; i < l->names.n; i++) {
		if (l->stss[i] < 0)
			return l->stss[i];
	}
	return 0;
}

static void print_domain(const char *name, pmInDom indom)
{
	char text[32];

	fprintf(stderr, "    %s (%s)\n", name,
		indom == PM_INDOM_NULL ? "PM_INDOM_NULL" : pmInDomStr_r(indom, text, sizeof(text)));
}

/* Named instances must be of one domain. Returns true if they are. */
static bool check_domains(const struct leaves *l)
{
	pmInDom first = l->descs[0].indom;
	bool same = true;
	bool none = false;

	for (size_t i = 0; i < l->names.n; i++) {
		same = same && l->descs[i].indom == first;
		if (l->descs[i].indom != PM_INDOM_NULL)
			continue;
		none = true;
		fprintf(stderr, "Error: %s has no instance domain but an instance was specified\n",
			l->names.list[i]);
	}
	if (!same) {
		fprintf(stderr, "Error: different instance domains:\n");
		print_domain(l->names.list[0], first);
		for (size_t i = 1; i < l->names.n; i++) {
			if (l->descs[i].indom != first)
				print_domain(l->names.list[i], l->descs[i].indom);
		}
	}
	return same && !none;
}

static void take_spec(struct metrics *m, struct session *s, const struct metric_spec *spec)
{
	char text[PM_MAXERRMSGLEN];
	struct leaves l = {0};
	int r = find_leaves(&l, spec->name);

	if (r < 0) {
		fprintf(stderr,
			"Warning [<stdin>, line %u]\n"
			"Problem with lookup for metric \"%s\" ...\nReason: %s\n",
			spec->line, spec->name, pmErrStr_r(r, text, sizeof(text)));
		m->failed = true;
	} else if (spec->insts != NULL && !check_domains(&l)) {
		m->failed = true;
	} else {
		for (size_t i = 0; i < l.names.n; i++)
			take_metric(m, s, l.names.list[i], &l.descs[i], spec->insts);
	}
	names_free(&l.names);
	free(l.pmids);
	free(l.descs);
	free(l.stss);
}

/* ---- The collector --------------------------------------------------------------------------- */

static bool local_like(const char *host)
{
	return strcmp(host, "localhost") == 0 || strncmp(host, "local:", 6) == 0 ||
	       strncmp(host, "unix:", 5) == 0;
}

/*
 * We reach the collector in the way the recorder does; its "local:" means the recorder's host for
 * us.
 */
static const char *collector_of(const struct session *s, const __pmLoggerStatus *status)
{
	const char *fqdn = status->pmcd.fqdn;

	if (fqdn == NULL)
		return s->host;
	if (local_like(fqdn) && __pmIsLocalhost(s->host) != 1)
		return s->host;
	return fqdn;
}

static int open_context(struct session *s)
{
	__pmLoggerStatus *status;
	char text[PM_MAXERRMSGLEN];
	const char *host;
	int ctx = pmWhichContext();

	if (ctx >= 0)
		pmDestroyContext(ctx);
	if (session_status(s, &status) < 0)
		return -1;
	host = collector_of(s, status);
	ctx = pmNewContext(PM_CONTEXT_HOST, host);
	if (ctx < 0)
		fprintf(finding(), "Error trying to connect to PMCD on %s: %s\n", host,
			pmErrStr_r(ctx, text, sizeof(text)));
	__pmFreeLogStatus(status, 1);
	return ctx < 0 ? -1 : 0;
}

int metrics_find(struct metrics *m, struct session *s, const struct metric_spec *specs)
{
	*m = (struct metrics){0};
	fflush(stdout);
	if (open_context(s) < 0)
		return -1;
	for (const struct metric_spec *spec = specs; spec != NULL; spec = spec->next)
		take_spec(m, s, spec);
	if (!m->failed)
		return 0;
	fprintf(finding(), "Logging statement ignored due to error(s)\n");
	return -1;
}

void metrics_done(struct metrics *m)
{
	for (int i = 0; i < m->n; i++) {
		free(m->list[i].name);
		free(m->list[i].insts);
	}
	for (int i = 0; i < m->ndomain; i++) {
		if (m->domains[i].n > 0) {
			free(m->domains[i].insts);
			free(m->domains[i].names);
		}
	}
	free(m->list);
	free(m->domains);
	*m = (struct metrics){0};
}

/* "All instances" is sent as an empty set; a metric without a domain has one value. */
static pmValueSet *make_set(const struct metric *metric)
{
	int n = metric->desc.indom == PM_INDOM_NULL ? 1 : metric->all ? 0 : metric->ninst;
	size_t size = sizeof(pmValueSet) + (size_t)n * sizeof(pmValue);
	pmValueSet *vset = calloc(1, size);

	if (vset == NULL)
		pmNoMem("value set", size, PM_FATAL_ERR);
	vset->pmid = metric->pmid;
	vset->numval = n;
	vset->valfmt = PM_VAL_INSITU;
	for (int i = 0; i < n; i++)
		vset->vlist[i].inst =
		    metric->desc.indom == PM_INDOM_NULL ? (int)PM_IN_NULL : metric->insts[i];
	return vset;
}

pmResult *metrics_request(const struct metrics *m)
{
	pmResult *request = __pmAllocResult(m->n);

	if (request == NULL)
		pmNoMem("request", (size_t)m->n * sizeof(void *), PM_FATAL_ERR);
	for (int i = 0; i < m->n; i++)
		request->vset[request->numpmid++] = make_set(&m->list[i]);
	return request;
}
