/*
 * collector - a collector's metrics about itself, and whether the wall clock runs evenly.
 */
#include "tools/pitot/collector.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"
#include "tools/pitot/pitot.h"

/*
 * Clocks
 */

enum { TRIES = 20 };
static const double tight_s = 0.0001;

static double now(clockid_t id)
{
	struct timespec ts = {0};

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/*
 * Between the readings of the two clocks another process may run: of several pairs of readings, the
 * closest is used.
 */
static struct moment moment_now(void)
{
	struct moment best = {0};
	double least = -1;

	for (int i = 0; i < TRIES && (least < 0 || least > tight_s); i++) {
		double before = now(CLOCK_BOOTTIME), wall = now(CLOCK_REALTIME);
		double took = now(CLOCK_BOOTTIME) - before;

		if (least >= 0 && took >= least)
			continue;
		least = took;
		best.wall_s = wall;
		best.boot_s = before + took / 2;
	}
	return best;
}

double moment_step(const struct moment *from, const struct moment *to)
{
	return (to->wall_s - from->wall_s) - (to->boot_s - from->boot_s);
}

/*
 * The collector
 */

enum {
	FIELDS_MAX = 48,
	NAMES_BYTES = 24 << 10, /* metrics of one request: a collector accepts PDUs of 64 KiB */
	NAMES_COUNT = 1000,
	AGENTS_MAX = 512,
	LISTENERS_MAX = 1024,
	DOMAIN_OF_THE_LIBRARY = 511, /* names that no collector has */
};

enum field_type { NUMBER, REAL, TEXT };
enum field_of { OF_COLLECTOR, OF_AGENT, OF_LISTENER };

struct field {
	const char *name;
	enum field_of of;
	enum field_type type;
	size_t offset;
};

#define C(member) offsetof(struct collector, member)
#define A(member) offsetof(struct collector_agent, member)
#define L(member) offsetof(struct collector_listener, member)

/* clang-format off */
static const struct field fields[] = {
	{ "pmcd.version",              OF_COLLECTOR, TEXT,   C(pcp_version) },
	{ "pmcd.hostname",             OF_COLLECTOR, TEXT,   C(hostname) },
	{ "pmcd.pid",                  OF_COLLECTOR, NUMBER, C(pid) },
	{ "pmcd.numclients",           OF_COLLECTOR, NUMBER, C(clients) },
	{ "pmcd.numagents",            OF_COLLECTOR, NUMBER, C(numagents) },
	{ "pmcd.pdu_in.fetch",         OF_COLLECTOR, NUMBER, C(fetches) },
	{ "pmcd.pdu_in.highres_fetch", OF_COLLECTOR, NUMBER, C(highres_fetches) },
	{ "pmcd.cputime.total",        OF_COLLECTOR, NUMBER, C(cpu_ms) },
	{ "pmcd.datasize",             OF_COLLECTOR, NUMBER, C(datasize_kb) },
	{ "pmcd.sighups",              OF_COLLECTOR, NUMBER, C(sighups) },
	{ "pmcd.control.timeout",      OF_COLLECTOR, NUMBER, C(timeout_s) },
	{ "pitot.pmcd.version",        OF_COLLECTOR, TEXT,   C(version) },
	{ "pitot.pmcd.start_time",     OF_COLLECTOR, REAL,   C(start_time) },
	{ "pitot.pmcd.uptime",         OF_COLLECTOR, NUMBER, C(uptime_ms) },
	{ "pitot.pmcd.requests",       OF_COLLECTOR, NUMBER, C(requests) },
	{ "pitot.pmcd.uid",            OF_COLLECTOR, NUMBER, C(uid) },
	{ "pitot.pmcd.fd.open",        OF_COLLECTOR, NUMBER, C(fds) },
	{ "pitot.pmcd.fd.limit",       OF_COLLECTOR, NUMBER, C(fds_limit) },
	{ "pitot.pmcd.fd.limit_hard",  OF_COLLECTOR, NUMBER, C(fds_limit_hard) },
	{ "pitot.pmcd.fd.starved",     OF_COLLECTOR, NUMBER, C(starved) },
	{ "pitot.pmcd.config",         OF_COLLECTOR, TEXT,   C(config) },
	{ "pitot.pmcd.log",            OF_COLLECTOR, TEXT,   C(log) },
	{ "pitot.pmcd.run_dir",        OF_COLLECTOR, TEXT,   C(run_dir) },
	{ "pitot.pmcd.tmp_dir",        OF_COLLECTOR, TEXT,   C(tmp_dir) },
	{ "pitot.pmcd.var_dir",        OF_COLLECTOR, TEXT,   C(var_dir) },
	{ "pmcd.agent.name",           OF_AGENT,     TEXT,   A(name) },
	{ "pmcd.agent.type",           OF_AGENT,     NUMBER, A(type) },
	{ "pmcd.agent.status",         OF_AGENT,     NUMBER, A(status) },
	{ "pmcd.agent.fenced",         OF_AGENT,     NUMBER, A(fenced) },
	{ "pitot.agent.state",         OF_AGENT,     TEXT,   A(state) },
	{ "pitot.agent.pid",           OF_AGENT,     NUMBER, A(pid) },
	{ "pitot.agent.uptime",        OF_AGENT,     NUMBER, A(uptime_ms) },
	{ "pitot.agent.starts",        OF_AGENT,     NUMBER, A(starts) },
	{ "pitot.agent.ends",          OF_AGENT,     NUMBER, A(ends) },
	{ "pitot.agent.timeouts",      OF_AGENT,     NUMBER, A(timeouts) },
	{ "pitot.agent.requests",      OF_AGENT,     NUMBER, A(requests) },
	{ "pitot.agent.late",          OF_AGENT,     NUMBER, A(late) },
	{ "pitot.agent.error",         OF_AGENT,     TEXT,   A(error) },
	{ "pitot.agent.error_age",     OF_AGENT,     NUMBER, A(error_age_ms) },
	{ "pitot.listener.address",    OF_LISTENER,  TEXT,   L(address) },
	{ "pitot.listener.port",       OF_LISTENER,  NUMBER, L(port) },
};
/* clang-format on */

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };
_Static_assert((int)FIELDS <= (int)FIELDS_MAX, "room for all fields");

/* Makes all members of a struct unknown: numbers -1, texts NULL. */
static void set_unknown(void *of, enum field_of which)
{
	for (int i = 0; i < FIELDS; i++) {
		void *at = (char *)of + fields[i].offset;

		if (fields[i].of != which)
			continue;
		if (fields[i].type == NUMBER)
			*(int64_t *)at = -1;
		else if (fields[i].type == REAL)
			*(double *)at = NAN;
		else
			*(char **)at = NULL;
	}
}

void collector_init(struct collector *c)
{
	memset(c, 0, sizeof(*c));
	set_unknown(c, OF_COLLECTOR);
	c->metrics = -1;
}

static void free_texts(void *of, enum field_of which)
{
	for (int i = 0; i < FIELDS; i++) {
		if (fields[i].of == which && fields[i].type == TEXT)
			free(*(char **)((char *)of + fields[i].offset));
	}
}

/* Stores a value in its member; a value that cannot be converted stays unknown. */
static void take_value(const struct field *f, int valfmt, const pmValue *value, int type, void *of)
{
	static const int want[] = {
	    [NUMBER] = PM_TYPE_64, [REAL] = PM_TYPE_DOUBLE, [TEXT] = PM_TYPE_STRING};
	void *at = (char *)of + f->offset;
	pmAtomValue atom;

	if (pmExtractValue(valfmt, value, type, &atom, want[f->type]) < 0)
		return;
	if (f->type == NUMBER) {
		*(int64_t *)at = atom.ll;
	} else if (f->type == REAL) {
		*(double *)at = atom.d;
	} else {
		free(*(char **)at);
		word_clean(atom.cp);
		*(char **)at = atom.cp;
	}
}

static struct collector_agent *agent_for(struct collector *c, int domain)
{
	struct collector_agent *a;

	for (int i = 0; i < c->nagent; i++) {
		if (c->agents[i].domain == domain)
			return &c->agents[i];
	}
	if (c->nagent == AGENTS_MAX)
		return NULL;
	a = realloc(c->agents, (size_t)(c->nagent + 1) * sizeof(*a));
	if (a == NULL)
		return NULL;
	c->agents = a;
	a = &c->agents[c->nagent++];
	memset(a, 0, sizeof(*a));
	set_unknown(a, OF_AGENT);
	a->domain = domain;
	a->metrics = -1;
	a->requests_per_s = NAN;
	process_init(&a->process);
	return a;
}

/* The instances of an agent's listeners are looked up before the values. */
static void *place_for(struct collector *c, const struct field *f, int inst)
{
	if (f->of == OF_COLLECTOR)
		return c;
	if (f->of == OF_AGENT)
		return agent_for(c, inst);
	return inst >= 0 && inst < c->nlistener ? &c->listeners[inst] : NULL;
}

static void take_set(struct collector *c, const struct field *f, const pmValueSet *v, int type)
{
	for (int i = 0; i < v->numval; i++) {
		void *of = place_for(c, f, v->vlist[i].inst);

		if (of != NULL)
			take_value(f, v->valfmt, &v->vlist[i], type, of);
	}
}

/* The request */

struct collector_query {
	int n;
	const struct field *which[FIELDS];
	pmID pmids[FIELDS];
	pmDesc descs[FIELDS];
	int nlistener;
	char **listeners; /* names of instances, in one block of memory */
};

/* Finds out which of the members the collector has. Returns 0 or an error. */
static int look_up(struct collector_query *q)
{
	const char *names[FIELDS];
	const struct field *which[FIELDS];
	pmID all[FIELDS], pmids[FIELDS];
	pmDesc descs[FIELDS];
	int stss[FIELDS], found = 0, r;

	for (int i = 0; i < FIELDS; i++)
		names[i] = fields[i].name;
	r = pmLookupName(FIELDS, names, all);
	if (r < 0)
		return r;
	for (int i = 0; i < FIELDS; i++) {
		if (all[i] == PM_ID_NULL)
			continue;
		which[found] = &fields[i];
		pmids[found++] = all[i];
	}
	descs_get(found, pmids, descs, stss);
	for (int i = 0; i < found; i++) {
		if (stss[i] < 0)
			continue;
		q->which[q->n] = which[i];
		q->pmids[q->n] = pmids[i];
		q->descs[q->n++] = descs[i];
	}
	return q->n > 0 ? 0 : PM_ERR_NAME;
}

/* The instances of a collector's listeners do not change while it runs. */
static void look_up_listeners(struct collector_query *q)
{
	int *ids;

	for (int i = 0; i < q->n; i++) {
		if (q->which[i]->of != OF_LISTENER)
			continue;
		q->nlistener = pmGetInDom(q->descs[i].indom, &ids, &q->listeners);
		if (q->nlistener > 0)
			free(ids);
		if (q->nlistener < 0 || q->nlistener > LISTENERS_MAX)
			q->nlistener = 0;
		return;
	}
}

int collector_query_new(struct collector_query **ret_query)
{
	struct collector_query *q = calloc(1, sizeof(*q));
	int r = q != NULL ? look_up(q) : -ENOMEM;

	if (r < 0) {
		free(q);
		return r;
	}
	look_up_listeners(q);
	*ret_query = q;
	return 0;
}

void collector_query_free(struct collector_query *q)
{
	if (q == NULL)
		return;
	free(q->listeners);
	free(q);
}

/*
 * The answer
 */

static void add_listeners(const struct collector_query *q, struct collector *c)
{
	if (q->nlistener > 0)
		c->listeners = calloc((size_t)q->nlistener, sizeof(*c->listeners));
	for (int i = 0; c->listeners != NULL && i < q->nlistener; i++) {
		set_unknown(&c->listeners[i], OF_LISTENER);
		c->listeners[i].spec = strdup(q->listeners[i]);
		if (c->listeners[i].spec != NULL)
			word_clean(c->listeners[i].spec);
		c->nlistener++;
	}
}

static int by_domain(const void *a, const void *b)
{
	return ((const struct collector_agent *)a)->domain -
	       ((const struct collector_agent *)b)->domain;
}

int collector_read(const struct collector_query *q, struct collector *c)
{
	pmID pmids[FIELDS];
	pmResult *result;
	int r;

	collector_init(c);
	memcpy(pmids, q->pmids, sizeof(pmids));
	c->asked = moment_now();
	r = pmFetch(q->n, pmids, &result);
	c->answered = moment_now();
	if (r < 0)
		return r;
	c->stamp = (double)result->timestamp.tv_sec + (double)result->timestamp.tv_usec / 1e6;
	add_listeners(q, c);
	for (int i = 0; i < q->n; i++)
		take_set(c, q->which[i], result->vset[i], q->descs[i].type);
	pmFreeResult(result);
	if (c->nagent > 0)
		qsort(c->agents, (size_t)c->nagent, sizeof(*c->agents), by_domain);
	return 0;
}

void collector_free(struct collector *c)
{
	for (int i = 0; i < c->nagent; i++)
		free_texts(&c->agents[i], OF_AGENT);
	for (int i = 0; i < c->nlistener; i++) {
		free_texts(&c->listeners[i], OF_LISTENER);
		free(c->listeners[i].spec);
	}
	free_texts(c, OF_COLLECTOR);
	free(c->agents);
	free(c->listeners);
	collector_init(c);
}

/*
 * Names
 */

struct batch {
	struct collector *c;
	char text[NAMES_BYTES];
	size_t len;
	const char *names[NAMES_COUNT];
	int n;
};

static void count_domains(struct collector *c, const pmID *pmids, int n)
{
	for (int i = 0; i < n; i++) {
		unsigned int domain = pmID_domain(pmids[i]);

		if (pmids[i] == PM_ID_NULL || domain == DOMAIN_OF_THE_LIBRARY)
			continue;
		c->metrics++;
		for (int j = 0; j < c->nagent; j++)
			c->agents[j].metrics += c->agents[j].domain == (int)domain;
	}
}

/* A name that an agent cannot look up makes the whole request fail: then each half is requested. */
static void count_names(struct collector *c, const char *const *names, int n)
{
	pmID pmids[NAMES_COUNT];

	if (n == 0)
		return;
	if (pmLookupName(n, (const char **)names, pmids) >= 0) {
		count_domains(c, pmids, n);
	} else if (n > 1) {
		count_names(c, names, n / 2);
		count_names(c, names + n / 2, n - n / 2);
	}
}

static void batch_count(struct batch *b)
{
	count_names(b->c, b->names, b->n);
	b->n = 0;
	b->len = 0;
}

static void batch_add(const char *name, void *closure)
{
	struct batch *b = closure;
	size_t size = strlen(name) + 1;

	if (size > sizeof(b->text))
		return;
	if (b->len + size > sizeof(b->text) || b->n == NAMES_COUNT)
		batch_count(b);
	b->names[b->n++] = memcpy(b->text + b->len, name, size);
	b->len += size;
}

int collector_count_names(struct collector *c)
{
	struct batch *b = calloc(1, sizeof(*b));
	int r;

	if (b == NULL)
		return -ENOMEM;
	b->c = c;
	c->metrics = 0;
	for (int i = 0; i < c->nagent; i++)
		c->agents[i].metrics = 0;
	r = pmTraversePMNS_r("", batch_add, b);
	batch_count(b);
	free(b);
	return r < 0 ? r : 0;
}
