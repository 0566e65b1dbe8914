/*
 * metricspec - "host:metric[inst,...]", "archive/metric[...]", "@:metric": docs/spec/pmapi.md 16.
 *
 * The result is one block: the structure, its list of instances, and room for all texts, which are
 * not longer than what they are made from.
 */
#include <ctype.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libpcp/format.h"

enum { FROM_HOST, FROM_ARCHIVE, FROM_LOCAL };

struct parser {
	const char *pos;
	pmMetricSpec *spec;
	char *room; /* where the next text goes */
	const char *error;
};

static void spec_skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->pos))
		p->pos++;
}

/* One character of a text, without the backslash before it, unless nothing follows that. */
static void spec_take_char(struct parser *p, const char *end)
{
	if (*p->pos == '\\' && p->pos + 1 < end)
		p->pos++;
	*p->room++ = *p->pos++;
}

static char *end_text(struct parser *p, char *text)
{
	*p->room++ = '\0';
	return text;
}

/* The last colon or slash before the instances, or NULL. */
static const char *find_separator(const char *str)
{
	const char *found = NULL;

	for (; *str != '\0' && *str != '['; str++)
		if (*str == ':' || *str == '/')
			found = str;
	return found;
}

static void take_source(struct parser *p, const char *separator)
{
	const char *start, *end = separator;
	char *text = p->room;

	spec_skip_blanks(p);
	start = p->pos;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (end <= start) {
		p->error = *separator == ':' ? "host name expected" : "archive name expected";
		return;
	}
	while (p->pos < end)
		spec_take_char(p, end);
	p->spec->source = end_text(p, text);
	p->spec->isarch = *separator == '/' ? FROM_ARCHIVE : FROM_HOST;
	if (*separator == ':' && strcmp(text, "@") == 0)
		p->spec->isarch = FROM_LOCAL;
	p->pos = separator + 1;
}

static void take_metric(struct parser *p)
{
	const char *end = p->pos + strlen(p->pos);
	char *text = p->room;

	spec_skip_blanks(p);
	while (*p->pos != '\0' && *p->pos != '[' && !isspace((unsigned char)*p->pos)) {
		if (*p->pos == ']' || *p->pos == ',') {
			p->error = "unexpected character in metric name";
			return;
		}
		spec_take_char(p, end);
	}
	if (p->room == text)
		p->error = "performance metric name expected";
	p->spec->metric = end_text(p, text);
}

/* The text up to the closing quote, which is passed. */
static void take_quoted(struct parser *p, const char *end)
{
	p->pos++;
	while (*p->pos != '"') {
		if (*p->pos == '\0') {
			p->error = "closing \" and ] expected";
			return;
		}
		spec_take_char(p, end);
	}
	p->pos++;
}

static void take_plain(struct parser *p, const char *end)
{
	while (*p->pos != '\0' && strchr(",]\"", *p->pos) == NULL &&
	       !isspace((unsigned char)*p->pos))
		spec_take_char(p, end);
}

/* After the opening bracket, to after the closing one. */
static void take_instances(struct parser *p)
{
	const char *end = p->pos + strlen(p->pos);

	while (p->error == NULL) {
		char *text = p->room;

		while (*p->pos == ',' || isspace((unsigned char)*p->pos))
			p->pos++;
		if (*p->pos == '\0')
			p->error = "closing ] expected";
		if (*p->pos == '\0' || *p->pos == ']')
			break;
		if (*p->pos == '"')
			take_quoted(p, end);
		else
			take_plain(p, end);
		p->spec->inst[p->spec->ninst++] = end_text(p, text);
	}
	if (p->error == NULL)
		p->pos++;
}

static void parse(struct parser *p, const char *separator)
{
	if (separator != NULL)
		take_source(p, separator);
	if (p->error == NULL)
		take_metric(p);
	if (p->error != NULL)
		return;
	spec_skip_blanks(p);
	if (*p->pos == '[') {
		p->pos++;
		take_instances(p);
	}
	if (p->error != NULL)
		return;
	spec_skip_blanks(p);
	if (*p->pos != '\0')
		p->error = "unexpected extra characters";
}

int pmParseMetricSpec(const char *str, int isarch, char *source, pmMetricSpec **spec, char **errmsg)
{
	size_t len = strlen(str);
	size_t head = sizeof(pmMetricSpec) + len * sizeof(char *);
	struct parser p = {.pos = str};

	/* at most len instances, and a NUL for each of them, for source and for metric */
	p.spec = calloc(1, head + 2 * len + 2);
	if (p.spec == NULL)
		return -ENOMEM;
	p.room = (char *)p.spec + head;
	p.spec->isarch = isarch;
	p.spec->source = source;
	parse(&p, find_separator(str));
	if (p.error != NULL) {
		*errmsg = parse_error(str, p.pos, p.error);
		free(p.spec);
		return PM_ERR_GENERIC;
	}
	*spec = p.spec;
	return 0;
}

void pmFreeMetricSpec(pmMetricSpec *spec)
{
	free(spec);
}
