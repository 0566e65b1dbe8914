/* agent_check_rows - see agent_check_rows.h. */
#include "libpcp_pmda/agent_check_rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"

enum { ITEM_MAX = 1023 }; /* 10 bits */

void check_fault(struct check *c, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (++c->faults > CHECK_FAULTS_SHOWN)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	pmNotifyErr(LOG_CRIT, "agent %s: %s", c->agent->name, text);
}

const struct agent_cluster *check_cluster_at(const struct check *c, unsigned int i)
{
	return i < c->agent->nclusters ? c->agent->clusters[i] : c->self;
}

/* ---- what the tables say -------------------------------------------------------------------- */

const struct agent_fill *check_fill_of(const struct agent_cluster *cluster,
				       const struct agent_indom *indom)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		if (cluster->fills[i].indom == indom)
			return &cluster->fills[i];
	return NULL;
}

unsigned int check_count_rows(const struct check *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= c->agent->nclusters; i++)
		n += check_cluster_at(c, i)->nmetrics;
	return n;
}

bool check_is_field(const struct agent_metric *m)
{
	return m->value.kind != AGENT_KIND_CALL && m->value.kind != AGENT_KIND_NONE;
}

/* ---- names ---------------------------------------------------------------------------------- */

size_t check_component_len(const char *name)
{
	size_t len = 0;

	if (!isalpha((unsigned char)name[0]))
		return 0;
	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	return len;
}

static bool is_metric_name(const char *name)
{
	for (;;) {
		size_t len = check_component_len(name);

		if (len == 0)
			return false;
		if (name[len] == '\0')
			return true;
		if (name[len] != '.')
			return false;
		name += len + 1;
	}
}

/* ---- rows ----------------------------------------------------------------------------------- */

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
		check_fault(c, "metric %s: type %d: expected one of PM_TYPE_", m->name, m->type);
	if ((m->value.kind == AGENT_KIND_CALL) != (m->value.get != NULL))
		check_fault(
		    c, "metric %s: expected its value as AGENT_FIELD, AGENT_GET or AGENT_NO_VALUE",
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

	if (!check_is_field(m)) {
		check_any_type(c, m);
		return;
	}
	while (rule < type_rules + ARRAY_SIZE(type_rules) && rule->type != m->type)
		rule++;
	if (rule == type_rules + ARRAY_SIZE(type_rules)) {
		check_fault(
		    c,
		    "metric %s: type %d: expected PM_TYPE_32, U32, 64, U64, FLOAT, DOUBLE or "
		    "STRING",
		    m->name, m->type);
		return;
	}
	if ((f->width == rule->widths[0] || f->width == rule->widths[1]) &&
	    (f->kind == AGENT_KIND_UNKNOWN || f->kind == rule->kind))
		return;
	check_fault(c, "metric %s: its field is of %u bytes, %s: type %s expects %s", m->name,
		    f->width, f->kind < ARRAY_SIZE(kind_names) ? kind_names[f->kind] : "",
		    pmTypeStr_r(m->type, type, sizeof(type)), rule->expected);
}

static void check_units(struct check *c, const struct agent_metric *m)
{
	const pmUnits *u = &m->units;

	if ((u->dimSpace == 0 && u->scaleSpace != 0) || (u->dimTime == 0 && u->scaleTime != 0) ||
	    (u->dimCount == 0 && u->scaleCount != 0))
		check_fault(c, "metric %s: its units have a scale without its dimension", m->name);
	if (u->scaleSpace > PM_SPACE_YBYTE || u->scaleTime > PM_TIME_HOUR)
		check_fault(c,
			    "metric %s: the scale of its units is not a PM_SPACE_ or PM_TIME_ code",
			    m->name);
}

static void check_numbers(struct check *c, const struct agent_cluster *cluster,
			  const struct agent_metric *m)
{
	if (cluster != c->self && m->cluster >= AGENT_SELF)
		check_fault(c, "metric %s: cluster %u: expected 0 to %d", m->name, m->cluster,
			    AGENT_SELF - 1);
	if (m->item > ITEM_MAX)
		check_fault(c, "metric %s: item %u: expected 0 to %d", m->name, m->item, ITEM_MAX);
	if (m->type == PM_TYPE_NOSUPPORT)
		return;
	if (m->sem != PM_SEM_COUNTER && m->sem != PM_SEM_INSTANT && m->sem != PM_SEM_DISCRETE)
		check_fault(
		    c, "metric %s: semantics %d: expected PM_SEM_COUNTER, _INSTANT or _DISCRETE",
		    m->name, m->sem);
	else if (m->sem == PM_SEM_COUNTER && m->type == PM_TYPE_STRING)
		check_fault(c, "metric %s: a string is not a counter", m->name);
	if (m->absent > 0)
		check_fault(c, "metric %s: absent is %d: expected 0 or an error code", m->name,
			    m->absent);
}

static bool is_defined(const struct check *c, const struct agent_indom *indom)
{
	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_fill *fill = check_fill_of(check_cluster_at(c, i), indom);

		if (fill != NULL && fill->defines)
			return true;
	}
	return indom->fixed != NULL;
}

/* The instance domain of a row whose value is not in a struct of its cluster. */
static void check_domain(struct check *c, const struct agent_metric *m)
{
	if (m->indom != NULL && !m->indom->own && !is_defined(c, m->indom))
		check_fault(c, "metric %s: no cluster defines its instance domain %u", m->name,
			    m->indom->serial);
}

static void check_place(struct check *c, const struct agent_cluster *cluster,
			const struct agent_metric *m)
{
	const struct agent_fill *fill = m->indom != NULL ? check_fill_of(cluster, m->indom) : NULL;
	unsigned int size = fill != NULL ? fill->size : cluster->size;

	if (!check_is_field(m)) {
		check_domain(c, m);
		return;
	}
	if (m->indom != NULL && m->indom->own) {
		if (m->indom->find == NULL)
			check_fault(
			    c, "metric %s: instance domain %u has no structs (find) for fields",
			    m->name, m->indom->serial);
		return;
	}
	if (m->indom != NULL && fill == NULL)
		check_fault(c,
			    "metric %s: cluster %s does not have instance domain %u in its fills",
			    m->name, cluster->name, m->indom->serial);
	else if (m->value.offset + m->value.width > size)
		check_fault(c, "metric %s: its field ends at byte %d of a structure of %u bytes",
			    m->name, m->value.offset + m->value.width, size);
	if (fill != NULL)
		check_domain(c, m);
}

static void check_row(struct check *c, const struct agent_cluster *cluster,
		      const struct agent_metric *m)
{
	if (m->name == NULL || m->name[0] == '\0') {
		check_fault(c, "cluster %s: metric %ld has no name", cluster->name,
			    (long)(m - cluster->metrics));
		return;
	}
	if (!is_metric_name(m->name))
		check_fault(
		    c,
		    "metric %s: expected a name of words of letters, digits and _, with dots "
		    "between them",
		    m->name);
	if (m->oneline == NULL)
		check_fault(c, "metric %s has no help text (oneline)", m->name);
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
		check_fault(c, "two metrics have the name %s", a->name);
	else if (strncmp(a->name, b->name, len) == 0 && b->name[len] == '.')
		check_fault(c, "metric %s is also the parent of metric %s", a->name, b->name);
}

static void check_pmids(struct check *c, const struct agent_metric *a, const struct agent_metric *b)
{
	if (number_cmp(&a, &b) == 0)
		check_fault(c, "metrics %s and %s have the same number: cluster %u, item %u",
			    a->name, b->name, a->cluster, a->item);
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

int check_rows(struct check *c)
{
	AUTO_FREE const struct agent_metric **rows = NULL;
	unsigned int n = 0;

	rows = calloc(check_count_rows(c) + 1, sizeof(const struct agent_metric *));
	if (rows == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i <= c->agent->nclusters; i++) {
		const struct agent_cluster *cluster = check_cluster_at(c, i);

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
