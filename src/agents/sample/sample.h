/*
 * sample.h - shared by the files of the sample agent: rows, groups of rows, instance domains.
 *
 * A metric is a row: its description, the function that makes its value, the one that takes a
 * stored value. A file has one group of rows and their state. Nothing is locked: the agent answers
 * one request at a time.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Serials of the instance domains; 0: one value. */
enum sample_serial {
	ONE_VALUE,
	COLOURS,
	BINS,
	MIRAGE,
	FAMILY,
	HORDES,
	DODGEY,
	DYNAMIC,
	MANY,
	SCRAMBLED,
	EVENTS,
	GHOSTS,
	PROCESSES,
	RETURNS,
	SAMPLE_SERIALS
};

/* Numbers of our own metrics are in cluster 1, the tree of names begins at cluster 2. */
#define OWN(item)      PMDA_PMID(1, item)
#define SAMPLE_DOMAIN  29
#define SAMPLE_SECOND  30 /* of a second copy: stdpmid calls it SAMPLEDSO */
#define SAMPLE_CLUSTER 2

#define NO_UNITS PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNT    PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define KBYTE    PMDA_PMUNITS(1, 0, 0, PM_SPACE_KBYTE, 0, 0)
#define SEC      PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)
#define MSEC     PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)

struct sample_metric;

/* The value of an instance (PM_IN_NULL: the only one): PMDA_FETCH_* or an error. */
typedef int sample_value_fn(const struct sample_metric *row, int inst, pmAtomValue *ret_atom);

/* Takes a value of the row's type for an instance: 0 or an error. */
typedef int sample_store_fn(const struct sample_metric *row, int inst, const pmAtomValue *atom);

struct sample_metric {
	const char *name;    /* after "sample." */
	unsigned int number; /* the item, or OWN(item) */
	int type;
	enum sample_serial indom;
	int sem;
	pmUnits units;
	sample_value_fn *value;
	sample_store_fn *store; /* NULL: PM_ERR_PERMISSION */
	long long arg;          /* what the two functions make of it */
	const char *help;
};

struct sample_group {
	const struct sample_metric *rows;
	size_t nrows;
};

#define SAMPLE_GROUP(group, table)                                                                 \
	const struct sample_group group = {table, sizeof(table) / sizeof((table)[0])}

extern const struct sample_group constants_group, stored_group, bins_group, series_group,
    steps_group, domains_group, processes_group, ghosts_group, events_group, errors_group,
    returns_group, traffic_group, meta_group, tree_group;

/* ---- sample.c ---- */

extern const struct sample_group *const sample_groups[];
extern const size_t sample_ngroups;

/* Fills dispatch, whose version is set already. */
void sample_setup(pmdaInterface *dispatch);

/* A number as a value of the row's type; PMDA_FETCH_STATIC, PM_ERR_TYPE if it is not a number. */
int sample_number(int type, double number, pmAtomValue *ret_atom);

/* The row of a number (see struct sample_metric), or NULL. */
const struct sample_metric *sample_find(unsigned int number);

/* Gives a domain these instances, which stay the caller's. */
void sample_set_instances(enum sample_serial serial, pmdaInstid *set, int n);

/* The library's state: the domain, the profile of this request. */
pmdaExt *sample_ext(void);

/* Seconds since the agent began. */
double sample_elapsed(void);

/* From 0 to n - 1, the same sequence in each run. */
int sample_random(int n);

/* Tells clients that names have changed. */
void sample_names_changed(void);

#endif
