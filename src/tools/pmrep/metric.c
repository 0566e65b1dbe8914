/*
 * Finding metrics: names are expanded to leaves, scales are chosen, instances are filtered, and
 * each metric is added to the fetch group, which converts counters to rates and scales values.
 */
#include "tools/pmrep/metric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_MIN       3
#define WIDTH_SEPARATE  8 /* below a separate header, which has the names */
#define PRECISION       3
#define INSTANCES_EXTRA 16 /* room for instances that come later */

static void *need(void *memory, const char *what, size_t size)
{
	if (memory == NULL)
		pmNoMem(what, size, PM_FATAL_ERR);
	return memory;
}

static char *copy(const char *text)
{
	return need(strdup(text), "metric", strlen(text));
}

bool metric_is_number(const struct metric *m)
{
	return m->type != PM_TYPE_STRING;
}

double metric_number(const struct metric *m, const pmAtomValue *atom)
{
	switch (m->type) {
	case PM_TYPE_32:
		return atom->l;
	case PM_TYPE_U32:
		return atom->ul;
	case PM_TYPE_64:
		return (double)atom->ll;
	case PM_TYPE_U64:
		return (double)atom->ull;
	case PM_TYPE_DOUBLE:
		return atom->d;
	default:
		return 0;
	}
}

/*
 * Texts
 */

/* Each part of the name but the last is its first letter. */
static char *short_label(const char *name)
{
	char *label = copy(name), *to = label;
	const char *dot;

	while ((dot = strchr(name, '.')) != NULL) {
		*to++ = name[0];
		*to++ = '.';
		name = dot + 1;
	}
	memmove(to, name, strlen(name) + 1);
	return label;
}

static void replace(char *text, const char *old, const char *new)
{
	char *at = strstr(text, old);

	if (at == NULL)
		return;
	memmove(at + strlen(new), at + strlen(old), strlen(at + strlen(old)) + 1);
	memcpy(at, new, strlen(new));
}

/* The unit of the values as printed: of a rate, per second unless it has a time. */
static char *unit_text(const char *unit, bool rate)
{
	static const char *const times[][2] = {{"nanosec", "ns"},  {"microsec", "us"},
					       {"millisec", "ms"}, {"sec", "s"},
					       {"hour", "h"},      {" / ", "/"}};
	size_t size = strlen(unit) + sizeof(" / s");
	char *text = need(malloc(size), "unit", size);

	pmsprintf(text, size, "%s%s", unit, rate && strchr(unit, '/') == NULL ? " / s" : "");
	if (strstr(text, " / ") != NULL)
		for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
			replace(text, times[i][0], times[i][1]);
	return text;
}

/*
 * Scales
 */

/* The scale that the settings have for a dimension: the forced one, or the preferred one. */
static const char *global_scale(const struct settings *s, const pmUnits *units, bool force)
{
	bool space = units->dimSpace == 1, time = units->dimTime == 1, count = units->dimCount == 1;

	if ((units->dimSpace | units->dimTime | units->dimCount) != 1 || space + time + count != 1)
		return NULL;
	if (space)
		return force ? s->space_scale_force : s->space_scale;
	if (time)
		return force ? s->time_scale_force : s->time_scale;
	return force ? s->count_scale_force : s->count_scale;
}

static const char *chosen_scale(const struct settings *s, const struct spec *spec,
				const pmUnits *units)
{
	const char *scale = global_scale(s, units, true);

	if (scale == NULL)
		scale = spec->unit;
	if (scale == NULL)
		scale = global_scale(s, units, false);
	return scale;
}

/* Reports a scale that is not one. */
static int check_scale(const char *scale)
{
	pmUnits units;
	double factor;
	char *why;
	int sts = pmParseUnitsStr(scale, &units, &factor, &why);

	if (sts >= 0)
		return 0;
	fprintf(stderr, "PM_ERR_CONV %s %s: %s.\n", pmErrStr(PM_ERR_CONV), why, scale);
	free(why);
	return PM_ERR_CONV;
}

/*
 * Instances
 */

static void add_column(struct metric *m, int inst, const char *name)
{
	struct column *columns =
	    realloc(m->columns, (size_t)(m->n_columns + 1) * sizeof(columns[0]));

	need(columns, "instances", sizeof(columns[0]));
	m->columns = columns;
	columns[m->n_columns++] = (struct column){inst, name != NULL ? copy(name) : NULL, NULL};
}

/* The instances of the domain: of an archive, those of all times. */
static int list_instances(pmInDom indom, int **ret_ids, char ***ret_names)
{
	pmLogLabel label;

	if (pmGetArchiveLabel(&label) >= 0)
		return pmGetInDomArchive(indom, ret_ids, ret_names);
	return pmGetInDom(indom, ret_ids, ret_names);
}

static int find_columns(struct metric *m)
{
	char **names;
	int *ids, n;

	if (m->desc.indom == PM_INDOM_NULL) {
		add_column(m, PM_IN_NULL, NULL);
		return 0;
	}
	n = list_instances(m->desc.indom, &ids, &names);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		if (filter_matches(&m->filter, names[i]))
			add_column(m, ids[i], names[i]);
	m->room = n > 0 ? (unsigned int)n : 0;
	if (n > 0) {
		free(ids);
		free(names);
	}
	return 0;
}

/* Allocates the memory for values, with room for some more instances than there are now. */
static void make_room(struct metric *m)
{
	size_t n = m->desc.indom == PM_INDOM_NULL ? 1 : 2 * (size_t)m->room + INSTANCES_EXTRA;

	m->room = (unsigned int)n;
	m->insts = need(calloc(n, sizeof(m->insts[0])), "values", n);
	m->stss = need(calloc(n, sizeof(m->stss[0])), "values", n);
	m->names = need(calloc(n, sizeof(m->names[0])), "values", n);
	m->atoms = need(calloc(n, sizeof(m->atoms[0])), "values", n);
	m->values = need(calloc(n, sizeof(m->values[0])), "values", n);
	/* The group leaves the last value of a discrete metric, of which there is none yet. */
	m->stss[0] = m->sts = PM_ERR_VALUE;
}

/*
 * Metrics
 */

static int add_to_group(struct metric *m, pmFG group, const char *scale)
{
	if (m->desc.indom == PM_INDOM_NULL)
		return pmExtendFetchGroup_item(group, m->name, NULL, scale, m->atoms, m->type,
					       m->stss);
	return pmExtendFetchGroup_indom(group, m->name, scale, m->insts, m->names, m->atoms,
					m->type, m->stss, m->room, &m->num, &m->sts);
}

/* The type of the values: whole numbers and strings remain, the rest is a double. */
static int value_type(const pmDesc *desc, bool rate, bool scaled)
{
	if (desc->type == PM_TYPE_STRING)
		return PM_TYPE_STRING;
	if (rate || scaled || desc->type == PM_TYPE_FLOAT)
		return PM_TYPE_DOUBLE;
	return desc->type;
}

/* Sets unit and type, and adds the metric to the group. */
static int extend(struct metric *m, pmFG group, const char *scale, const struct spec *spec,
		  const struct settings *s)
{
	bool counter = m->desc.sem == PM_SEM_COUNTER && m->desc.type != PM_TYPE_STRING;
	bool rate = counter && !s->raw && !spec->raw && !s->prefer_raw;
	char *full = NULL;
	int sts;

	m->unit = unit_text(scale != NULL ? scale : pmUnitsStr(&m->desc.units), rate);
	if (scale == NULL && strcmp(m->unit, "") != 0 && m->desc.units.dimSpace == 0 &&
	    m->desc.units.dimTime == 0 && m->desc.units.dimCount == 0 && !rate)
		m->unit[0] = '\0';
	m->type = value_type(&m->desc, rate, scale != NULL);
	make_room(m);
	if (scale != NULL && rate && strchr(scale, '/') == NULL) {
		if (asprintf(&full, "%s / s", scale) < 0)
			pmNoMem("scale", strlen(scale), PM_FATAL_ERR);
		scale = full;
	}
	sts = add_to_group(m, group, scale != NULL ? scale : rate ? "rate" : "instant");
	free(full);
	return sts;
}

static int first_set(int a, int b, int c, int d)
{
	return a != SETTINGS_UNSET ? a : b != SETTINGS_UNSET ? b : c != SETTINGS_UNSET ? c : d;
}

static void set_layout(struct metric *m, const struct spec *spec, const struct settings *s)
{
	int width = s->separate_header ? WIDTH_SEPARATE : (int)strlen(m->label);

	m->width = first_set(s->width_force, spec->width, s->width, width);
	if (m->width < WIDTH_MIN)
		m->width = WIDTH_MIN;
	m->precision = first_set(s->precision_force, spec->precision, s->precision, PRECISION);
	m->limit = s->limit_force != 0 ? s->limit_force : spec->limit != 0 ? spec->limit : s->limit;
}

/* Reports a metric that cannot be used. */
static int invalid(const char *name, int sts)
{
	static const struct {
		int code;
		const char *name;
	} codes[] = {
	    {PM_ERR_NAME, "PM_ERR_NAME"},           {PM_ERR_PMID, "PM_ERR_PMID"},
	    {PM_ERR_INDOM, "PM_ERR_INDOM"},         {PM_ERR_INDOM_LOG, "PM_ERR_INDOM_LOG"},
	    {PM_ERR_PMID_LOG, "PM_ERR_PMID_LOG"},   {PM_ERR_NOAGENT, "PM_ERR_NOAGENT"},
	    {PM_ERR_AGAIN, "PM_ERR_AGAIN"},         {PM_ERR_PERMISSION, "PM_ERR_PERMISSION"},
	    {PM_ERR_PROFILE, "PM_ERR_PROFILE"},     {PM_ERR_TYPE, "PM_ERR_TYPE"},
	    {PM_ERR_BADDERIVE, "PM_ERR_BADDERIVE"},
	};
	const char *code = "";

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == sts)
			code = codes[i].name;
	fprintf(stderr, "Invalid metric %s (%s%s%s).\n", name, code, code[0] != '\0' ? " " : "",
		pmErrStr(sts));
	return sts;
}

static int lookup(struct metric *m)
{
	const char *name = m->name;
	int sts = pmLookupName(1, &name, &m->pmid);

	return sts < 0 ? sts : pmLookupDesc(m->pmid, &m->desc);
}

/* True if the metric was found by another name. */
static bool is_found(const struct metrics *metrics, pmID pmid)
{
	for (size_t i = 0; i < metrics->n; i++)
		if (metrics->list[i].pmid == pmid)
			return true;
	return false;
}

/* Adds the metric to the group. Returns 1, 0 if it is ignored, or an error after reporting it. */
static int extend_checked(struct metric *m, pmFG group, const struct spec *spec,
			  const struct settings *s)
{
	const char *scale = m->desc.type != PM_TYPE_STRING && !s->record
				? chosen_scale(s, spec, &m->desc.units)
				: NULL;
	int sts;

	if (scale != NULL && check_scale(scale) < 0)
		return PM_ERR_CONV;
	sts = extend(m, group, scale, spec, s);
	if (sts >= 0 && s->include_labels)
		label_find(m);
	if (sts >= 0)
		return 1;
	if (s->ignore_incompat)
		return 0;
	if (sts == PM_ERR_TYPE)
		return invalid(m->name, sts);
	fprintf(stderr, "%s: %s\n", pmGetProgname(), pmErrStr(sts));
	return sts;
}

/* Finds one metric. Returns 1 if it is reported, 0 if not, or an error after reporting it. */
static int find(struct metric *m, const struct metrics *metrics, const struct spec *spec,
		const struct settings *s)
{
	int sts = lookup(m);

	if (sts < 0)
		return s->ignore_unknown ? 0 : invalid(m->name, sts);
	if ((s->omit_flat && m->desc.indom == PM_INDOM_NULL) || is_found(metrics, m->pmid))
		return 0;
	if (spec->instances != NULL)
		sts = filter_parse(&m->filter, spec->instances);
	else if (s->instances != NULL)
		sts = filter_parse(&m->filter, s->instances);
	if (sts < 0)
		return sts;
	m->label = spec->label != NULL ? copy(spec->label) : short_label(m->name);
	set_layout(m, spec, s);
	sts = find_columns(m);
	if (sts < 0)
		return s->ignore_incompat ? 0 : invalid(m->name, sts);
	if (m->n_columns == 0 && m->filter.n > 0 && !s->live_filter)
		return 0;
	return extend_checked(m, metrics->group, spec, s);
}

static void metric_done(struct metric *m)
{
	for (int i = 0; i < m->n_columns; i++) {
		free(m->columns[i].name);
		free(m->columns[i].labels);
	}
	free(m->columns);
	filter_done(&m->filter);
	free(m->name);
	free(m->label);
	free(m->unit);
	free(m->labels);
	free(m->insts);
	free(m->stss);
	free(m->names);
	free(m->atoms);
	free(m->values);
}

void metrics_done(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++)
		metric_done(&metrics->list[i]);
	free(metrics->list);
	*metrics = (struct metrics){0};
}

/* A leaf of the name space, and what was requested for it. */
struct leaf {
	char *name;
	const struct spec *spec;
};

struct leaves {
	struct leaf *list;
	size_t n;
	const struct spec *spec; /* what is expanded now */
};

/* A later request of a metric takes the place of an earlier one. */
static void add_leaf(const char *name, void *argument)
{
	struct leaves *leaves = argument;
	struct leaf *list;

	for (size_t i = 0; i < leaves->n; i++)
		if (strcmp(leaves->list[i].name, name) == 0) {
			leaves->list[i].spec = leaves->spec;
			return;
		}
	list = realloc(leaves->list, (leaves->n + 1) * sizeof(list[0]));
	leaves->list = need(list, "names", sizeof(list[0]));
	list[leaves->n++] = (struct leaf){copy(name), leaves->spec};
}

static int expand(struct leaves *leaves, const struct specs *specs, const struct settings *s)
{
	for (size_t i = 0; i < specs->n; i++) {
		int sts;

		leaves->spec = &specs->list[i];
		sts = pmTraversePMNS_r(specs->list[i].name, add_leaf, leaves);
		if (sts >= 0 || s->ignore_unknown)
			continue;
		return invalid(specs->list[i].name, sts);
	}
	if (leaves->n > 0)
		return 0;
	fprintf(stderr, "Not one known metric found.\n");
	return PM_ERR_NAME;
}

static void report_instances(const struct settings *s)
{
	struct filter filter = {0};

	fprintf(stderr, "No matching instances found.\n");
	if (s->instances == NULL || filter_parse(&filter, s->instances) < 0)
		return;
	printf("\nRequested global instances:\n[");
	for (size_t i = 0; i < filter.n; i++)
		printf("%s'%s'", i > 0 ? ", " : "", filter.patterns[i].text);
	puts("]");
	filter_done(&filter);
}

static int find_all(struct metrics *metrics, const struct leaves *leaves, const struct settings *s)
{
	metrics->list = need(calloc(leaves->n, sizeof(metrics->list[0])), "metrics", leaves->n);
	for (size_t i = 0; i < leaves->n; i++) {
		struct metric *m = &metrics->list[metrics->n];
		int sts;

		m->name = copy(leaves->list[i].name);
		sts = find(m, metrics, leaves->list[i].spec, s);
		if (sts > 0) {
			metrics->n++;
			continue;
		}
		metric_done(m);
		memset(m, 0, sizeof(*m));
		if (sts < 0)
			return sts;
	}
	if (metrics->n > 0)
		return 0;
	report_instances(s);
	return PM_ERR_VALUE;
}

int metrics_find(struct metrics *metrics, pmFG group, const struct specs *specs,
		 const struct settings *settings)
{
	struct leaves leaves = {0};
	int sts;

	*metrics = (struct metrics){.group = group};
	sts = expand(&leaves, specs, settings);
	if (sts >= 0)
		sts = pmExtendFetchGroup_timespec(group, &metrics->stamp);
	if (sts >= 0)
		sts = find_all(metrics, &leaves, settings);
	for (size_t i = 0; i < leaves.n; i++)
		free(leaves.list[i].name);
	free(leaves.list);
	return sts;
}

int metrics_columns(const struct metrics *metrics)
{
	int n = 0;

	for (size_t i = 0; i < metrics->n; i++)
		n += metrics->list[i].n_columns;
	return n;
}

/*
 * Values
 */

static const struct column *find_column(const struct metric *m, int inst)
{
	for (int i = 0; i < m->n_columns; i++)
		if (m->columns[i].inst == inst)
			return &m->columns[i];
	return NULL;
}

static bool is_reported(const struct metric *m, const struct column *column, const char *name,
			const struct settings *s)
{
	if (s->record && m->filter.n == 0)
		return true;
	if (s->live_filter)
		return s->invert_filter || filter_matches(&m->filter, name);
	return column != NULL;
}

/* Takes value i of a metric with instances, if it is reported. */
static void take_value(struct metric *m, unsigned int i, const struct settings *s)
{
	const struct column *column = find_column(m, m->insts[i]);
	const char *name = m->names[i];

	if (m->stss[i] < 0)
		return;
	if (name == NULL) { /* a value that the group has kept: the metric is discrete */
		if (column == NULL)
			return;
		name = column->name;
	}
	if (!is_reported(m, column, name, s))
		return;
	m->values[m->n_values++] = (struct value){m->insts[i], name, m->atoms[i]};
}

static void take_values(struct metric *m, const struct settings *s)
{
	m->n_values = 0;
	if (m->desc.indom == PM_INDOM_NULL) {
		if (m->stss[0] >= 0)
			m->values[m->n_values++] = (struct value){PM_IN_NULL, NULL, m->atoms[0]};
		return;
	}
	for (unsigned int i = 0; m->sts >= 0 && i < m->num && i < m->room; i++)
		take_value(m, i, s);
}

int metrics_fetch(struct metrics *metrics, const struct settings *settings)
{
	int sts = pmFetchGroup(metrics->group);

	for (size_t i = 0; sts >= 0 && i < metrics->n; i++)
		take_values(&metrics->list[i], settings);
	return sts;
}

const struct value *metric_value(const struct metric *m, int inst)
{
	for (int i = 0; i < m->n_values; i++)
		if (m->values[i].inst == inst)
			return &m->values[i];
	return NULL;
}
