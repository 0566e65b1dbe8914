/*
 * chosen - the configuration, and the metrics and instances that it chooses.
 */
#include "tools/pmlogextract/pmlogextract.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libstore/archive_meta.h"
#include "tools/archive/names.h"
#include "tools/common/cmdline.h"

/*
 * Specifications
 */

enum { CONFIG_MAX = 64 << 20 };

enum token {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_WRONG, /* the next character begins no token */
};

struct scan {
	const char *p, *end;
	int line;
	const char *s; /* of the last name, number or string token */
	size_t len;
};

/* Skips blanks, commas and comments. */
static void skip_blank(struct scan *in)
{
	while (in->p < in->end) {
		if (*in->p == '#')
			while (in->p < in->end && *in->p != '\n')
				in->p++;
		else if (*in->p == '\n')
			in->line++, in->p++;
		else if (*in->p == ',' || isspace((unsigned char)*in->p))
			in->p++;
		else
			return;
	}
}

/* Reads a quoted text: on one line, and not empty. */
static enum token take_string(struct scan *in)
{
	char quote = *in->p;
	const char *s = in->p + 1, *end = s;

	while (end < in->end && *end != quote && *end != '\n')
		end++;
	if (end == in->end || *end != quote || end == s)
		return TOKEN_WRONG;
	in->s = s;
	in->len = (size_t)(end - s);
	in->p = end + 1;
	return TOKEN_STRING;
}

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A number ends after its digits: 9x is a number and a name. */
static enum token take_word(struct scan *in)
{
	bool number = is_digit(*in->p);

	if (!number && !isalpha((unsigned char)*in->p))
		return TOKEN_WRONG;
	in->s = in->p;
	while (in->p < in->end && (number ? is_digit(*in->p) : is_name(*in->p)))
		in->p++;
	in->len = (size_t)(in->p - in->s);
	return number ? TOKEN_NUMBER : TOKEN_NAME;
}

static enum token next_token(struct scan *in)
{
	skip_blank(in);
	if (in->p == in->end)
		return TOKEN_END;
	if (*in->p == '"' || *in->p == '\'')
		return take_string(in);
	if (*in->p == '[' || *in->p == ']')
		return *in->p++ == '[' ? TOKEN_OPEN : TOKEN_CLOSE;
	return take_word(in);
}

static char *copy_text(const struct scan *in)
{
	char *text = strndup(in->s, in->len);

	if (text == NULL)
		pmNoMem("configuration", in->len, PM_FATAL_ERR);
	return text;
}

static struct spec *add_spec(struct specs *s, const struct scan *in)
{
	struct spec *list = reallocarray(s->list, s->n + 1, sizeof(*list));

	if (list == NULL)
		pmNoMem("configuration", sizeof(*list), PM_FATAL_ERR);
	s->list = list;
	list[s->n] = (struct spec){.metric = copy_text(in), .line = in->line};
	return &list[s->n++];
}

static bool add_inst(struct spec *spec, const struct scan *in, enum token token)
{
	struct spec_inst *insts = reallocarray(spec->insts, spec->n + 1, sizeof(*insts));
	struct spec_inst *inst;

	if (insts == NULL)
		pmNoMem("configuration", sizeof(*insts), PM_FATAL_ERR);
	spec->insts = insts;
	inst = &insts[spec->n++];
	*inst = (struct spec_inst){.name = copy_text(in)};
	if (token == TOKEN_NUMBER) {
		long n = strtol(inst->name, NULL, 10);

		free(inst->name);
		*inst = (struct spec_inst){.inst = n > INT_MAX ? INT_MAX : (int)n};
	}
	return true;
}

/* Reads instances from the '[' up to the ']'. */
static bool read_insts(struct spec *spec, struct scan *in, enum token *ret_token)
{
	for (;;) {
		enum token token = *ret_token = next_token(in);

		if (token == TOKEN_CLOSE)
			return spec->n > 0;
		if (token != TOKEN_NUMBER && token != TOKEN_STRING && token != TOKEN_NAME)
			return false;
		add_inst(spec, in, token);
	}
}

static void free_spec(struct spec *spec)
{
	for (size_t i = 0; i < spec->n; i++)
		free(spec->insts[i].name);
	free(spec->insts);
	free(spec->metric);
}

/*
 * Reads a metric with its instances, and the token after it. Returns false if it is incomplete; it
 * is then left out.
 */
static bool read_spec(struct specs *s, struct scan *in, enum token *token)
{
	struct spec *spec = add_spec(s, in);
	bool whole;

	*token = next_token(in);
	if (*token == TOKEN_OPEN)
		whole = read_insts(spec, in, token);
	else
		whole = *token != TOKEN_WRONG;
	spec->line = in->line;
	if (!whole)
		free_spec(&s->list[--s->n]);
	else if (*token == TOKEN_CLOSE && spec->n > 0)
		*token = next_token(in);
	return whole;
}

static bool read_specs(struct specs *s, struct scan *in)
{
	enum token token = next_token(in);
	bool whole = true;

	while (whole && token == TOKEN_NAME)
		whole = read_spec(s, in, &token);
	if (whole && token == TOKEN_END)
		return true;
	s->wrong_line = in->line;
	if (token == TOKEN_WRONG)
		s->wrong = *in->p;
	return false;
}

bool specs_read(struct specs *s, const char *path)
{
	struct buffer text = BUFFER_INIT;
	char why[PM_MAXERRMSGLEN];
	int sts = file_read_all(path, CONFIG_MAX, &text);
	bool ok = false;

	if (sts < 0) {
		fprintf(stderr, "%s: Cannot open config file \"%s\": %s\n", pmGetProgname(), path,
			pmErrStr_r(sts, why, sizeof(why)));
	} else {
		const char *p = (const char *)buffer_head(&text);
		struct scan in = {.p = p, .end = p + buffer_pending(&text), .line = 1};

		ok = read_specs(s, &in);
	}
	buffer_done(&text);
	return ok;
}

void specs_complain(const struct specs *s, const char *path)
{
	if (s->wrong_line == 0)
		return;
	fprintf(stderr, "Specification error in configuration file (%s)\n[line %d] ", path,
		s->wrong_line);
	if (s->wrong != '\0')
		fprintf(stderr, "Unexpected character '%c'\n", s->wrong);
	else
		fputs("syntax error\n", stderr);
}

void specs_done(struct specs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_spec(&s->list[i]);
	free(s->list);
}

/*
 * Chosen metrics
 */

/* A specification that is looked up. */
struct choice {
	struct chosen *chosen;
	const struct spec *spec;
	const struct inputs *in;
	const char *config;
};

static int compare_metrics(const void *a, const void *b)
{
	const struct chosen_metric *x = a, *y = b;

	return (x->pmid > y->pmid) - (x->pmid < y->pmid);
}

/* The list is not sorted while it grows, so the search is linear. */
static struct chosen_metric *chosen_find_or_add(struct chosen *c, pmID pmid)
{
	struct chosen_metric *list;

	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].pmid == pmid)
			return &c->list[i];
	list = reallocarray(c->list, c->n + 1, sizeof(*list));
	if (list == NULL)
		pmNoMem("metrics", sizeof(*list), PM_FATAL_ERR);
	c->list = list;
	list[c->n] = (struct chosen_metric){.pmid = pmid};
	return &list[c->n++];
}

/* Adds all instances that ever had the name or the number. Returns false if there is none. */
static bool add_spec_inst(struct chosen_metric *m, struct archive_meta *meta,
			  const struct spec_inst *spec)
{
	const struct archive_metric *metric = archive_meta_metric(meta, m->pmid);

	return metric != NULL &&
	       inst_set_add_name(&m->insts, meta, metric->desc.indom, spec->name, spec->inst);
}

static void report_no_inst(const struct choice *choice, const struct spec_inst *inst,
			   const char *metric)
{
	fprintf(finding(), "Warning [%s, line %d]\nInstance \"", choice->config,
		choice->spec->line);
	if (inst->name != NULL)
		fputs(inst->name, stderr);
	else
		fprintf(stderr, "%d", inst->inst);
	fprintf(stderr, "\" is not defined for the metric \"%s\"\n", metric);
}

/* A metric without chosen instances is in the list but has no value. */
static void add_leaf(const char *name, pmID pmid, void *arg)
{
	const struct choice *choice = arg;
	const struct spec *spec = choice->spec;
	struct chosen_metric *m = chosen_find_or_add(choice->chosen, pmid);
	bool had =
	    m->insts.all || m->insts.n > 0; /* had instances already: then nothing is reported */
	bool any = spec->n == 0;

	m->insts.all |= spec->n == 0;
	for (size_t i = 0; i < spec->n; i++) {
		bool found = false;

		for (size_t k = 0; k < choice->in->n; k++)
			found |=
			    add_spec_inst(m, choice->in->list[k].recording.meta, &spec->insts[i]);
		if (!found && !had)
			report_no_inst(choice, &spec->insts[i], name);
		any |= found;
	}
	if (!any && !had)
		fprintf(finding(),
			"Warning [%s, line %d]\n"
			"None of the instances for metric \"%s\" are valid, metric not extracted\n",
			choice->config, spec->line, name);
}

static void report_unknown(const struct spec *spec, const char *config)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(finding(),
		"Warning [%s, line %d]\n"
		"Problem with lookup for metric \"%s\" ... metric ignored\n"
		"Reason: %s\n",
		config, spec->line, spec->metric, pmErrStr_r(PM_ERR_NAME, text, sizeof(text)));
}

/* Looks the name up in the name spaces of all inputs. */
static void choose_spec(struct choice *choice, struct name_tree *const *trees)
{
	bool found = false;

	for (size_t i = 0; i < choice->in->n; i++)
		if (name_tree_walk(trees[i], choice->spec->metric, add_leaf, choice) >= 0)
			found = true;
	if (!found)
		report_unknown(choice->spec, choice->config);
}

static void chosen_choose(struct chosen *c, const struct specs *s, const struct inputs *in,
			  const char *config)
{
	struct name_tree **trees = calloc(in->n, sizeof(struct name_tree *));

	if (trees == NULL)
		pmNoMem("metrics", in->n, PM_FATAL_ERR);
	for (size_t i = 0; i < in->n; i++)
		trees[i] = name_tree_new(in->list[i].recording.meta);
	for (size_t i = 0; i < s->n; i++) {
		struct choice choice = {c, &s->list[i], in, config};

		choose_spec(&choice, trees);
	}
	for (size_t i = 0; i < in->n; i++)
		name_tree_free(trees[i]);
	free(trees);
	if (c->n > 0)
		qsort(c->list, c->n, sizeof(*c->list), compare_metrics);
}

bool chosen_read(struct chosen *c, const char *config, const struct inputs *in,
		 const struct conflicts *conflicts)
{
	struct specs specs = {0};
	bool ok = true;

	*c = (struct chosen){.some = config != NULL, .conflicts = conflicts};
	if (config != NULL) {
		ok = specs_read(&specs, config);
		c->some = specs.n > 0; /* an empty configuration chooses everything */
		chosen_choose(c, &specs, in,
			      config); /* warnings about the part before a mistake come first */
		specs_complain(&specs, config);
		specs_done(&specs);
	}
	return ok;
}

void chosen_done(struct chosen *c)
{
	for (size_t i = 0; i < c->n; i++)
		inst_set_done(&c->list[i].insts);
	free(c->list);
}

bool chosen_everything(const struct chosen *c)
{
	return !c->some && c->conflicts->n == 0;
}

/* Moves the values of chosen instances to the front. Returns false if the set is left out. */
static bool reduce_set(const struct chosen_metric *m, pmValueSet *set)
{
	int n = 0;

	if (m->insts.all || set->numval <= 0)
		return true;
	for (int i = 0; i < set->numval; i++)
		if (inst_set_has(&m->insts, set->vlist[i].inst))
			set->vlist[n++] = set->vlist[i];
	set->numval = n;
	return n > 0;
}

static bool keep_set(const struct chosen *c, pmValueSet *set)
{
	struct chosen_metric key = {.pmid = set->pmid};
	const struct chosen_metric *m;

	if (conflicts_has(c->conflicts, set->pmid))
		return false;
	if (!c->some)
		return true;
	m = c->n > 0 ? bsearch(&key, c->list, c->n, sizeof(key), compare_metrics) : NULL;
	return m != NULL && reduce_set(m, set);
}

bool chosen_reduce(const struct chosen *c, pmHighResResult *result)
{
	int n = 0;

	for (int i = 0; i < result->numpmid; i++)
		if (keep_set(c, result->vset[i]))
			result->vset[n++] = result->vset[i];
	result->numpmid = n;
	return n > 0;
}
