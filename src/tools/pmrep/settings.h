/*
 * settings - what a report looks like: options of the command line and of configurations.
 */
#ifndef PMREP_SETTINGS_H
#define PMREP_SETTINGS_H

#include <stdbool.h>

/* repeat_header: when the terminal is full. */
#define SETTINGS_AUTO (-1)

/* A number that is not set. */
#define SETTINGS_UNSET (-1)

struct settings {
	bool header, instinfo, unitinfo, globals, timestamp, delay;
	bool ignore_incompat, ignore_unknown, live_filter, invert_filter;
	bool overall_rank, overall_rank_alt, omit_flat, include_labels, include_texts;
	bool extcsv, extheader, fixed_header, dynamic_header, separate_header;
	bool interpol, daemonize;
	bool record;     /* values as they are in the source, also of new instances */
	bool raw;        /* counters are not converted to rates */
	bool prefer_raw; /* the same, where a metric does not say otherwise */
	int version, rank, limit, limit_force, samples;
	int width, width_force, precision, precision_force; /* or SETTINGS_UNSET */
	int repeat_header;
	/* Owned; NULL: not set. */
	char *source, *output, *speclocal, *derived, *names_change, *instances, *predicate;
	char *sort_metric, *colxrow, *delimiter, *timefmt, *interval;
	char *count_scale, *count_scale_force, *space_scale, *space_scale_force;
	char *time_scale, *time_scale_force;
};

void settings_init(struct settings *s);

/* True if a key of a configuration is the name of a setting. */
bool settings_has(const char *key);

/*
 * Changes a setting. Returns 0, PM_ERR_NAME for an unknown key, or PM_ERR_CONV after reporting a
 * wrong number. Exits if out of memory.
 */
int settings_set(struct settings *s, const char *key, const char *value);

void settings_done(struct settings *s);

/* Reads a number. Returns false if the text is not one, or below 0 and `natural` is true. */
bool settings_number(const char *text, bool natural, int *ret_n);

#endif
