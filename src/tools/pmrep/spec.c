#include "tools/pmrep/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/pmrep/settings.h"

enum kind { TEXT, RAW, NATURAL, INTEGER };

struct property {
	const char *name;
	enum kind kind;
	size_t target;
};

#define AT(member) offsetof(struct spec, member)

/* Those of the compact form come first, in their order. */
static const struct property properties[] = {
    {"label", TEXT, AT(label)},    {"instances", TEXT, AT(instances)},
    {"unit", TEXT, AT(unit)},      {"type", RAW, AT(raw)},
    {"width", NATURAL, AT(width)}, {"precision", NATURAL, AT(precision)},
    {"limit", INTEGER, AT(limit)}, {"formula", TEXT, AT(formula)},
};

#define N_PROPERTIES (sizeof(properties) / sizeof(properties[0]))
#define N_COMPACT    (N_PROPERTIES - 1)

static int set(struct spec *spec, const struct property *property, const char *value)
{
	void *target = (char *)spec + property->target;
	char *copy;

	switch (property->kind) {
	case TEXT:
		copy = strdup(value);
		if (copy == NULL)
			pmNoMem("metric", strlen(value), PM_FATAL_ERR);
		free(*(char **)target);
		*(char **)target = copy;
		return 0;
	case RAW:
		*(bool *)target = strcmp(value, "raw") == 0;
		return 0;
	default:
		if (settings_number(value, property->kind == NATURAL, target))
			return 0;
		fprintf(stderr, "%s expected: %s\n",
			property->kind == NATURAL ? "Non-negative integer" : "Integer", spec->name);
		return PM_ERR_CONV;
	}
}

int spec_set(struct spec *spec, const char *property, const char *value)
{
	for (size_t i = 0; i < N_PROPERTIES; i++)
		if (strcmp(properties[i].name, property) == 0)
			return set(spec, &properties[i], value);
	return PM_ERR_NAME;
}

static void spec_done(struct spec *spec)
{
	free(spec->name);
	free(spec->label);
	free(spec->instances);
	free(spec->unit);
	free(spec->formula);
}

void specs_done(struct specs *specs)
{
	for (size_t i = 0; i < specs->n; i++)
		spec_done(&specs->list[i]);
	free(specs->list);
	*specs = (struct specs){0};
}

/* The length of a word that ends at a comma. Quotes protect commas. */
static size_t word_length(const char *text)
{
	char quote = '\0';
	size_t n = 0;

	for (; text[n] != '\0' && (quote != '\0' || text[n] != ','); n++) {
		if (quote == text[n])
			quote = '\0';
		else if (quote == '\0' && (text[n] == '"' || text[n] == '\''))
			quote = text[n];
	}
	return n;
}

/* The word without blanks at its ends and without the quotes around the whole. */
static char *word_copy(const char *text, size_t n)
{
	char *copy;

	while (n > 0 && (text[0] == ' ' || text[0] == '\n')) {
		text++;
		n--;
	}
	while (n > 0 && text[n - 1] == ' ')
		n--;
	if (n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0] &&
	    memchr(text + 1, text[0], n - 2) == NULL) {
		text++;
		n -= 2;
	}
	copy = strndup(text, n);
	if (copy == NULL)
		pmNoMem("metric", n, PM_FATAL_ERR);
	return copy;
}

/* Reads the properties of the compact form; surplus words are ignored. */
static int set_all(struct spec *spec, const char *rest)
{
	int sts = 0;

	for (size_t i = 0; i < N_COMPACT && sts >= 0; i++) {
		size_t n = word_length(rest);
		char *word = word_copy(rest, n);

		if (word[0] != '\0')
			sts = set(spec, &properties[i], word);
		free(word);
		if (rest[n] == '\0')
			break;
		rest += n + 1;
	}
	return sts;
}

/* The place of a metric, which is empty then. */
static struct spec *place(struct specs *specs, const char *name)
{
	struct spec *list, *spec = NULL;

	for (size_t i = 0; i < specs->n; i++)
		if (strcmp(specs->list[i].name, name) == 0)
			spec = &specs->list[i];
	if (spec != NULL) {
		spec_done(spec);
	} else {
		list = realloc(specs->list, (specs->n + 1) * sizeof(list[0]));
		if (list == NULL)
			pmNoMem("metrics", (specs->n + 1) * sizeof(list[0]), PM_FATAL_ERR);
		specs->list = list;
		spec = &list[specs->n++];
	}
	*spec = (struct spec){.width = SETTINGS_UNSET, .precision = SETTINGS_UNSET};
	spec->name = strdup(name);
	if (spec->name == NULL)
		pmNoMem("metric", strlen(name), PM_FATAL_ERR);
	return spec;
}

bool specs_have(const struct specs *specs, const char *name)
{
	for (size_t i = 0; i < specs->n; i++)
		if (strcmp(specs->list[i].name, name) == 0)
			return true;
	return false;
}

int specs_add(struct specs *specs, const char *name, const char *rest)
{
	struct spec *spec = place(specs, name);
	int sts = rest != NULL ? set_all(spec, rest) : 0;

	return sts < 0 ? sts : (int)(spec - specs->list);
}

int specs_add_argument(struct specs *specs, const char *argument)
{
	size_t n = strcspn(argument, ",");
	char *name = strndup(argument, n);
	int sts;

	if (name == NULL)
		pmNoMem("metric", n, PM_FATAL_ERR);
	sts = specs_add(specs, name, argument[n] == ',' ? argument + n + 1 : NULL);
	free(name);
	return sts;
}
