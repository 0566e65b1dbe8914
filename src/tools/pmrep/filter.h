/*
 * filter - which instances are reported, by their names.
 */
#ifndef PMREP_FILTER_H
#define PMREP_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct pattern {
	char *text;
	regex_t regex; /* of a whole name */
};

/* An empty filter matches all names. */
struct filter {
	struct pattern *patterns;
	size_t n;
};

/*
 * Parses patterns that are separated by commas and may be quoted. Returns 0, or PM_ERR_CONV after
 * reporting a regular expression that is wrong. Exits if out of memory.
 */
int filter_parse(struct filter *filter, const char *text);

/*
 * True if a pattern is the name, a regular expression for it, its first word as a number (a
 * process), or the last part of the path in its second word (a command).
 */
bool filter_matches(const struct filter *filter, const char *name);

void filter_done(struct filter *filter);

#endif
