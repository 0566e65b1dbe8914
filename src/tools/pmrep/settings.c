/*
 * A setting is a row. The command line and configurations change settings by their keys, so that
 * both have the same values and messages.
 */
#include "tools/pmrep/settings.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

enum kind {
	YES,     /* bool */
	RAW,     /* bool: true for "raw" */
	INTEGER, /* int */
	NATURAL, /* int, not below 0 */
	LINES,   /* int, not below 0, or "auto" */
	TEXT,    /* char *, owned */
};

struct row {
	const char *key;
	enum kind kind;
	size_t target;
};

#define AT(member) offsetof(struct settings, member)

/* clang-format off */
static const struct row rows[] = {
	{ "count_scale", TEXT, AT(count_scale) },
	{ "count_scale_force", TEXT, AT(count_scale_force) },
	{ "colxrow", TEXT, AT(colxrow) },
	{ "daemonize", YES, AT(daemonize) },
	{ "delay", YES, AT(delay) },
	{ "delimiter", TEXT, AT(delimiter) },
	{ "derived", TEXT, AT(derived) },
	{ "dynamic_header", YES, AT(dynamic_header) },
	{ "extcsv", YES, AT(extcsv) },
	{ "extheader", YES, AT(extheader) },
	{ "fixed_header", YES, AT(fixed_header) },
	{ "globals", YES, AT(globals) },
	{ "header", YES, AT(header) },
	{ "ignore_incompat", YES, AT(ignore_incompat) },
	{ "ignore_unknown", YES, AT(ignore_unknown) },
	{ "include_labels", YES, AT(include_labels) },
	{ "include_texts", YES, AT(include_texts) },
	{ "instances", TEXT, AT(instances) },
	{ "instinfo", YES, AT(instinfo) },
	{ "interpol", YES, AT(interpol) },
	{ "interval", TEXT, AT(interval) },
	{ "invert_filter", YES, AT(invert_filter) },
	{ "limit_filter", INTEGER, AT(limit) },
	{ "limit_filter_force", INTEGER, AT(limit_force) },
	{ "live_filter", YES, AT(live_filter) },
	{ "names_change", TEXT, AT(names_change) },
	{ "omit_flat", YES, AT(omit_flat) },
	{ "output", TEXT, AT(output) },
	{ "overall_rank", YES, AT(overall_rank) },
	{ "overall_rank_alt", YES, AT(overall_rank_alt) },
	{ "precision", NATURAL, AT(precision) },
	{ "precision_force", NATURAL, AT(precision_force) },
	{ "predicate", TEXT, AT(predicate) },
	{ "rank", INTEGER, AT(rank) },
	{ "repeat_header", LINES, AT(repeat_header) },
	{ "samples", NATURAL, AT(samples) },
	{ "separate_header", YES, AT(separate_header) },
	{ "sort_metric", TEXT, AT(sort_metric) },
	{ "source", TEXT, AT(source) },
	{ "space_scale", TEXT, AT(space_scale) },
	{ "space_scale_force", TEXT, AT(space_scale_force) },
	{ "speclocal", TEXT, AT(speclocal) },
	{ "time_scale", TEXT, AT(time_scale) },
	{ "time_scale_force", TEXT, AT(time_scale_force) },
	{ "timefmt", TEXT, AT(timefmt) },
	{ "timestamp", YES, AT(timestamp) },
	{ "type", RAW, AT(raw) },
	{ "type_prefer", RAW, AT(prefer_raw) },
	{ "unitinfo", YES, AT(unitinfo) },
	{ "version", NATURAL, AT(version) },
	{ "width", NATURAL, AT(width) },
	{ "width_force", NATURAL, AT(width_force) },
	{ NULL, YES, 0 },
};
/* clang-format on */

void settings_init(struct settings *s)
{
	*s = (struct settings){
	    .header = true,
	    .instinfo = true,
	    .unitinfo = true,
	    .globals = true,
	    .interpol = true,
	    .version = 1,
	    .width = SETTINGS_UNSET,
	    .width_force = SETTINGS_UNSET,
	    .precision = SETTINGS_UNSET,
	    .precision_force = SETTINGS_UNSET,
	};
}

static const struct row *find(const char *key)
{
	for (const struct row *row = rows; row->key != NULL; row++)
		if (strcmp(row->key, key) == 0)
			return row;
	return NULL;
}

bool settings_has(const char *key)
{
	return find(key) != NULL;
}

bool settings_number(const char *text, bool natural, int *ret_n)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || n > INT_MAX || n < (natural ? 0 : INT_MIN))
		return false;
	*ret_n = (int)n;
	return true;
}

static bool is_yes(const char *text)
{
	return strcasecmp(text, "yes") == 0 || strcasecmp(text, "true") == 0 ||
	       strcasecmp(text, "on") == 0 || strcmp(text, "1") == 0 || strcasecmp(text, "y") == 0;
}

static void set_text(char **target, const char *value)
{
	size_t length = strlen(value);
	char *copy;

	/* Quotes keep blanks at the ends of a value. */
	if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0] &&
	    memchr(value + 1, value[0], length - 2) == NULL)
		copy = strndup(value + 1, length - 2);
	else
		copy = strdup(value);
	if (copy == NULL)
		pmNoMem("settings", length, PM_FATAL_ERR);
	free(*target);
	*target = copy;
}

static int set_number(int *target, const struct row *row, const char *value)
{
	if (row->kind == LINES && strcmp(value, "auto") == 0) {
		*target = SETTINGS_AUTO;
		return 0;
	}
	if (settings_number(value, row->kind != INTEGER, target))
		return 0;
	fprintf(stderr, "Error while reading option %s: %s expected.\n", row->key,
		row->kind == INTEGER ? "Integer" : "Non-negative integer");
	return PM_ERR_CONV;
}

int settings_set(struct settings *s, const char *key, const char *value)
{
	const struct row *row = find(key);
	void *target;

	if (row == NULL)
		return PM_ERR_NAME;
	target = (char *)s + row->target;
	switch (row->kind) {
	case YES:
		*(bool *)target = is_yes(value);
		return 0;
	case RAW:
		*(bool *)target = strcmp(value, "raw") == 0;
		return 0;
	case TEXT:
		set_text(target, value);
		return 0;
	default:
		return set_number(target, row, value);
	}
}

void settings_done(struct settings *s)
{
	for (const struct row *row = rows; row->key != NULL; row++)
		if (row->kind == TEXT)
			free(*(char **)((char *)s + row->target));
}
