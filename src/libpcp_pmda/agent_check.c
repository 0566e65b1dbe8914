/* agent_check - see agent_check.h. */
#include "libpcp_pmda/agent_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"

enum {
	DOMAIN_MAX = 510, /* 511 is that of dynamic names */
	ITEM_MAX = 1023,  /* 10 bits */
	SERIAL_MAX = (1 << 22) - 1,
	FAULTS_SHOWN = 20, /* a table with more has one cause */
};

struct check {
	const struct agent *agent;
	const struct agent_cluster *self;
	unsigned int faults;
};

__attribute__((format(printf, 2, 3))) static void fault(struct check *c, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (++c->faults > FAULTS_SHOWN)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	pmNotifyErr(LOG_CRIT, "agent %s: %s", c->agent->name, text);
}

/* The agent's clusters, then that of the framework's own metrics. */
static const struct agent_cluster *cluster_at(const struct check *c, unsigned int i)
{
	return i < c->agent->nclusters ? c->agent->clusters[i] : c->self;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Letters, digits and underscores after a letter. */
static size_t component_len(const char *name)
{
	size_t len = 0;

	if (!isalpha((unsigned char)name[0]))
		return 0;
	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	return len;
}

static bool is_component(const char *name)
{
	size_t len = name != NULL ? component_len(name) : 0;

	return len != 0 && name[len] == '\0';
}

static bool is_metric_name(const char *name)
{
	for (;;) {
		size_t len = component_len(name);

		if (len == 0)
			return false;
		if (name[len] == '\0')
			return true;
		if (name[len] != '.')
			return false;
		name += len + 1;
	}
}

/* ---- instance domains ----------------------------------------------------------------------- */

static void check_instance(struct check *c, const struct agent_indom *indom, unsigned int i)
{
	const struct agent_instance *at = &indom->fixed[i];

	if (at->name == NULL || at->name[0] == '\0') {
		fault(c, "instance domain %u: instance %d has no name", indom->serial, at->id);
		return;
	}
	if (at->id < 0)
		fault(c, "instance domain %u: instance \"%s\" has number %d: expected 0 or more",
		      indom->serial, at->name, at->id);
	for (unsigned int j = 0; j < i; j++) {
		if (indom->fixed[j].id == at->id)
			fault(c, "instance domain %u: two instances have the number %d",
			      indom->serial, at->id);
		if (indom->fixed[j].name != NULL && strcmp(indom->fixed[j].name, at->name) == 0)
			fault(c, "instance domain %u: two instances have the name \"%s\"",
			      indom->serial, at->name);
	}
}

static const struct agent_fill *fill_of(const struct agent_cluster *cluster,
					const struct agent_indom *indom)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		if (cluster->fills[i].indom == indom)
			return &cluster->fills[i];
	return NULL;
}

static bool is_filled(const struct check *c, const struct agent_indom *indom)
{
	for (unsigned int i = 0; i < c->agent->nclusters; i++)
		if (fill_of(c->agent->clusters[i], indom) != NULL)
			return true;
	return false;
}

static void check_indom(struct check *c, const struct agent_indom *indom)
{
	if (indom->serial > SERIAL_MAX)
		fault(c, "instance domain %u: expected a serial number of 0 to %d", indom->serial,
		      SERIAL_MAX);
	if (indom->oneline == NULL)
		fault(c, "instance domain %u has no help text (oneline)", indom->serial);
	if (indom->own && is_filled(c, indom))
		fault(c, "clusters fill instance domain %u, which the agent keeps itself (own)",
		      indom->serial);
	if (indom->own && indom->fixed != NULL)
		fault(c,
		      "instance domain %u has fixed instances: the agent can't keep them itself "
		      "(own)",
		      indom->serial);
	if (!indom->own && indom->find != NULL)
		fault(c,
		      "instance domain %u has a find function, but the agent does not keep it "
		      "itself (own)",
		      indom->serial);
	if (indom->fixed == NULL && indom->nfixed != 0)
		fault(c, "instance domain %u: %u instances (nfixed), but no table of them (fixed)",
		      indom->serial, indom->nfixed);
	for (unsigned int i = 0; indom->fixed != NULL && i < indom->nfixed; i++)
		check_instance(c, indom, i);
}

/* One use of an instance domain: by a cluster that fills it, or by a row. */
struct use {
	const struct agent_indom *indom;
	const struct agent_cluster *cluster;
	bool defines;
	bool row;
};

static int use_cmp(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->indom->serial != y->indom->serial)
		return x->indom->serial < y->indom->serial ? -1 : 1;
	if (x->indom != y->indom)
		return (uintptr_t)x->indom < (uintptr_t)y->indom ? -1 : 1;
	return (x->row - y->row) * 2 + y->defines - x->defines;
}

/* Neighbours in the order of use_cmp. */
static void check_uses(struct check *c, const struct use *a, const struct use *b)
{
	if (a->indom->serial != b->indom->serial)
		return;
	if (a->indom != b->indom)
		fault(c, "two instance domains have the serial number %u: expected one",
		      a->indom->serial);
	else if (a->row || b->row)
		return;
	else if (a->cluster == b->cluster)
		fault(c, "cluster %s fills instance domain %u twice", a->cluster->name,
		      a->indom->serial);
	else if (b->defines)
		fault(c, "instance domain %u is defined by the clusters %s and %s: expected one",
		      a->indom->serial, a->cluster->name, b->cluster->name);
}

static unsigned int list_row_uses(const struct agent_cluster *cluster, struct use *uses)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < cluster->nmetrics; i++)
		if (cluster->metrics[i].indom != NULL)
			uses[n++] = (struct use){cluster->metrics[i].indom, cluster, false, true};
	return n;
}

static unsigned int list_uses(struct check *c, struct use *uses)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_cluster *cluster = cluster_at(c, i);

		for (int j = 0; j < AGENT_CLUSTER_INDOMS; j++) {
			const struct agent_fill *fill = &cluster->fills[j];

			if (fill->indom == NULL)
				continue;
			if (j > 0 && cluster->fills[j - 1].indom == NULL)
				fault(c, "cluster %s: fills[%d] comes after an empty entry",
				      cluster->name, j);
			uses[n++] = (struct use){fill->indom, cluster, fill->defines != 0, false};
		}
		n += list_row_uses(cluster, uses + n);
	}
	return n;
}

static unsigned int count_rows(const struct check *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= c->agent->nclusters; i++)
		n += cluster_at(c, i)->nmetrics;
	return n;
}

static int check_indoms(struct check *c)
{
	unsigned int max = (c->agent->nclusters + 1) * AGENT_CLUSTER_INDOMS + count_rows(c), n;
	AUTO_FREE struct use *uses = calloc(max, sizeof(*uses));

	if (uses == NULL)
		return -ENOMEM;
	n = list_uses(c, uses);
	qsort(uses, n, sizeof(*uses), use_cmp);
	for (unsigned int i = 0; i < n; i++) {
		if (i == 0 || uses[i].indom != uses[i - 1].indom)
			check_indom(c, uses[i].indom);
		if (i > 0)
			check_uses(c, &uses[i - 1], &uses[i]);
	}
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Whether the value is in a struct: not computed by a call-back, and not missing. */
static bool is_field(const struct agent_metric *m)
{
	return m->value.kind != AGENT_KIND_CALL && m->value.kind != AGENT_KIND_NONE;
}

static const char *const kind_names[] = {[AGENT_KIND_UNKNOWN] = "value",
					 [AGENT_KIND_INTEGER] = "integer",
					 [AGENT_KIND_REAL] = "floating-point number",
					 [AGENT_KIND_TEXT] = "const char *",
					 [AGENT_KIND_OTHER] = "array, structure or pointer"};

/* A call-back computes values of any type. */
static void check_any_type(struct check *c, const struct agent_metric *m)
{
	if (m->type != PM_TYPE_NOSUPPORT &&
	    (m->type < PM_TYPE_32 || m->type > PM_TYPE_HIGHRES_EVENT))
		fault(c, "metric %s: type %d: expected one of PM_TYPE_", m->name, m->type);
	if ((m->value.kind == AGENT_KIND_CALL) != (m->value.get != NULL))
		fault(c,
		      "metric %s: expected its value as AGENT_FIELD, AGENT_GET or AGENT_NO_VALUE",
		      m->name);
}

/* The rules for the field of a row. */
static const struct type_rule {
	int type;
	unsigned int kind;
	unsigned int widths[2];
	const char *expected;
} type_rules[] = {
    {PM_TYPE_32, AGENT_KIND_INTEGER, {4, 8}, "an integer of 4 or 8 bytes"},
    {PM_TYPE_U32, AGENT_KIND_INTEGER, {4, 8}, "an integer of 4 or 8 bytes"},
    {PM_TYPE_64, AGENT_KIND_INTEGER, {8, 8}, "an integer of 8 bytes"},
    {PM_TYPE_U64, AGENT_KIND_INTEGER, {8, 8}, "an integer of 8 bytes"},
    {PM_TYPE_FLOAT, AGENT_KIND_REAL, {sizeof(float), sizeof(float)}, "a float"},
    {PM_TYPE_DOUBLE, AGENT_KIND_REAL, {8, 8}, "a double"},
    {PM_TYPE_STRING, AGENT_KIND_TEXT, {sizeof(char *), sizeof(char *)}, "a const char *"},
};

static void check_type(struct check *c, const struct agent_metric *m)
{
	const struct agent_field *f = &m->value;
	const struct type_rule *rule = type_rules;
	char type[32];

	if (!is_field(m)) {
		check_any_type(c, m);
		return;
	}
	while (rule < type_rules + ARRAY_SIZE(type_rules) && rule->type != m->type)
		rule++;
	if (rule == type_rules + ARRAY_SIZE(type_rules)) {
		fault(c,
		      "metric %s: type %d: expected PM_TYPE_32, U32, 64, U64, FLOAT, DOUBLE or "
		      "STRING",
		      m->name, m->type);
		return;
	}
	if ((f->width == rule->widths[0] || f->width == rule->widths[1]) &&
	    (f->kind == AGENT_KIND_UNKNOWN || f->kind == rule->kind))
		return;
	fault(c, "metric %s: its field is of %u bytes, %s: type %s expects %s", m->name, f->width,
	      f->kind < ARRAY_SIZE(kind_names) ? kind_names[f->kind] : "",
	      pmTypeStr_r(m->type, type, sizeof(type)), rule->expected);
}

static void check_units(struct check *c, const struct agent_metric *m)
{
	const pmUnits *u = &m->units;

	if ((u->dimSpace == 0 && u->scaleSpace != 0) || (u->dimTime == 0 && u->scaleTime != 0) ||
	    (u->dimCount == 0 && u->scaleCount != 0))
		fault(c, "metric %s: its units have a scale without its dimension", m->name);
	if (u->scaleSpace > PM_SPACE_YBYTE || u->scaleTime > PM_TIME_HOUR)
		fault(c, "metric %s: the scale of its units is not a PM_SPACE_ or PM_TIME_ code",
		      m->name);
}

static void check_numbers(struct check *c, const struct agent_cluster *cluster,
			  const struct agent_metric *m)
{
	if (cluster != c->self && m->cluster >= AGENT_SELF)
		fault(c, "metric %s: cluster %u: expected 0 to %d", m->name, m->cluster,
		      AGENT_SELF - 1);
	if (m->item > ITEM_MAX)
		fault(c, "metric %s: item %u: expected 0 to %d", m->name, m->item, ITEM_MAX);
	if (m->type == PM_TYPE_NOSUPPORT)
		return;
	if (m->sem != PM_SEM_COUNTER && m->sem != PM_SEM_INSTANT && m->sem != PM_SEM_DISCRETE)
		fault(c, "metric %s: semantics %d: expected PM_SEM_COUNTER, _INSTANT or _DISCRETE",
		      m->name, m->sem);
	else if (m->sem == PM_SEM_COUNTER && m->type == PM_TYPE_STRING)
		fault(c, "metric %s: a string is not a counter", m->name);
	if (m->absent > 0)
		fault(c, "metric %s: absent is %d: expected 0 or an error code", m->name,
		      m->absent);
}

static bool is_defined(const struct check *c, const struct agent_indom *indom)
{
	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_fill *fill = fill_of(cluster_at(c, i), indom);

		if (fill != NULL && fill->defines)
			return true;
	}
	return indom->fixed != NULL;
}

/* The instance domain of a row whose value is not in a struct of its cluster. */
static void check_domain(struct check *c, const struct agent_metric *m)
{
	if (m->indom != NULL && !m->indom->own && !is_defined(c, m->indom))
		fault(c, "metric %s: no cluster defines its instance domain %u", m->name,
		      m->indom->serial);
}

static void check_place(struct check *c, const struct agent_cluster *cluster,
			const struct agent_metric *m)
{
	const struct agent_fill *fill = m->indom != NULL ? fill_of(cluster, m->indom) : NULL;
	unsigned int size = fill != NULL ? fill->size : cluster->size;

	if (!is_field(m)) {
		check_domain(c, m);
		return;
	}
	if (m->indom != NULL && m->indom->own) {
		if (m->indom->find == NULL)
			fault(c, "metric %s: instance domain %u has no structs (find) for fields",
			      m->name, m->indom->serial);
		return;
	}
	if (m->indom != NULL && fill == NULL)
		fault(c, "metric %s: cluster %s does not have instance domain %u in its fills",
		      m->name, cluster->name, m->indom->serial);
	else if (m->value.offset + m->value.width > size)
		fault(c, "metric %s: its field ends at byte %d of a structure of %u bytes", m->name,
		      m->value.offset + m->value.width, size);
	if (fill != NULL)
		check_domain(c, m);
}

static void check_row(struct check *c, const struct agent_cluster *cluster,
		      const struct agent_metric *m)
{
	if (m->name == NULL || m->name[0] == '\0') {
		fault(c, "cluster %s: metric %ld has no name", cluster->name,
		      (long)(m - cluster->metrics));
		return;
	}
	if (!is_metric_name(m->name))
		fault(c,
		      "metric %s: expected a name of words of letters, digits and _, with dots "
		      "between them",
		      m->name);
	if (m->oneline == NULL)
		fault(c, "metric %s has no help text (oneline)", m->name);
	check_numbers(c, cluster, m);
	check_type(c, m);
	check_units(c, m);
	check_place(c, cluster, m);
}

/* ---- rows beside each other ----------------------------------------------------------------- */

static int name_cmp(const void *a, const void *b)
{
	return strcmp((*(const struct agent_metric *const *)a)->name,
		      (*(const struct agent_metric *const *)b)->name);
}

static int number_cmp(const void *a, const void *b)
{
	const struct agent_metric *x = *(const struct agent_metric *const *)a;
	const struct agent_metric *y = *(const struct agent_metric *const *)b;

	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	return (int)x->item - (int)y->item;
}

static void check_names(struct check *c, const struct agent_metric *a, const struct agent_metric *b)
{
	size_t len = strlen(a->name);

	if (strcmp(a->name, b->name) == 0)
		fault(c, "two metrics have the name %s", a->name);
	else if (strncmp(a->name, b->name, len) == 0 && b->name[len] == '.')
		fault(c, "metric %s is also the parent of metric %s", a->name, b->name);
}

static void check_pmids(struct check *c, const struct agent_metric *a, const struct agent_metric *b)
{
	if (number_cmp(&a, &b) == 0)
		fault(c, "metrics %s and %s have the same number: cluster %u, item %u", a->name,
		      b->name, a->cluster, a->item);
}

static void check_neighbours(struct check *c, const struct agent_metric **rows, unsigned int n,
			     int (*cmp)(const void *, const void *),
			     void (*check)(struct check *c, const struct agent_metric *a,
					   const struct agent_metric *b))
{
	qsort(rows, n, sizeof(const struct agent_metric *), cmp);
	for (unsigned int i = 1; i < n; i++)
		check(c, rows[i - 1], rows[i]);
}

static int check_rows(struct check *c)
{
	AUTO_FREE const struct agent_metric **rows = NULL;
	unsigned int n = 0;

	rows = calloc(count_rows(c) + 1, sizeof(const struct agent_metric *));
	if (rows == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_cluster *cluster = cluster_at(c, i);

		for (unsigned int j = 0; j < cluster->nmetrics; j++) {
			check_row(c, cluster, &cluster->metrics[j]);
			if (cluster->metrics[j].name != NULL)
				rows[n++] = &cluster->metrics[j];
		}
	}
	check_neighbours(c, rows, n, name_cmp, check_names);
	check_neighbours(c, rows, n, number_cmp, check_pmids);
	return 0;
}

/* ---- the agent and its clusters ------------------------------------------------------------- */

/* Only rows without a field in the cluster's own structs do without a refresh. */
static bool needs_refresh(const struct agent_cluster *cluster)
{
	if (cluster->size != 0 || cluster->fills[0].indom != NULL)
		return true;
	for (unsigned int i = 0; cluster->metrics != NULL && i < cluster->nmetrics; i++) {
		const struct agent_metric *m = &cluster->metrics[i];

		if (is_field(m) && (m->indom == NULL || !m->indom->own))
			return true;
	}
	return cluster->nmetrics == 0;
}

/* False: the rest cannot be read. */
static bool check_cluster(struct check *c, unsigned int i)
{
	const struct agent_cluster *cluster = c->agent->clusters[i];

	if (cluster == NULL || cluster->name == NULL || cluster->name[0] == '\0') {
		fault(c, "clusters[%u] %s", i, cluster == NULL ? "is NULL" : "has no name");
		return false;
	}
	for (unsigned int j = 0; j < i; j++)
		if (strcmp(c->agent->clusters[j]->name, cluster->name) == 0)
			fault(c, "two clusters have the name %s", cluster->name);
	if (cluster->refresh == NULL && needs_refresh(cluster))
		fault(c, "cluster %s has no refresh function", cluster->name);
	if (cluster->may_hang && cluster->wait_ms == 0)
		fault(c, "cluster %s may hang: expected a wait_ms above 0", cluster->name);
	if (cluster->metrics == NULL && cluster->nmetrics != 0) {
		fault(c, "cluster %s: %u metrics (nmetrics), but no table of them (metrics)",
		      cluster->name, cluster->nmetrics);
		return false;
	}
	return true;
}

static bool check_clusters(struct check *c)
{
	if (c->agent->clusters == NULL && c->agent->nclusters != 0) {
		fault(c, "%u clusters (nclusters), but no table of them (clusters)",
		      c->agent->nclusters);
		return false;
	}
	for (unsigned int i = 0; i < c->agent->nclusters; i++)
		if (!check_cluster(c, i))
			return false;
	return true;
}

int agent_check(const struct agent *agent, const struct agent_cluster *self, int domain)
{
	struct check c = {.agent = agent, .self = self};
	int r = 0;

	if (!is_component(agent->name)) {
		fault(&c, "expected a name of letters, digits and _ that begins with a letter");
	} else if (check_clusters(&c)) {
		r = check_indoms(&c);
		if (r == 0)
			r = check_rows(&c);
	}
	if (domain < 1 || domain > DOMAIN_MAX)
		fault(&c, "domain %d: expected 1 to %d", domain, DOMAIN_MAX);
	if (c.faults > FAULTS_SHOWN)
		pmNotifyErr(LOG_CRIT, "agent %s: %u more faults of its tables", agent->name,
			    c.faults - FAULTS_SHOWN);
	return r == 0 && c.faults != 0 ? -EINVAL : r;
}
