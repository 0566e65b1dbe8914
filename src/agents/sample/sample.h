/*
 * sample.h - shared by the files of the sample agent: rows, groups of rows, instance domains, and
 * the functions that a file has for the others.
 *
 * A metric is a row: its description, the function that makes its value, the one that takes a
 * stored value. A file has one or a few groups of rows and their state. Nothing is locked: the
 * agent answers one request at a time.
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

/* ---- for all groups ---- */

/* The instance domains, by serial - 1. */
extern pmdaIndom sample_indoms[];

/* The agent begins, with the library's state. */
void sample_begin(pmdaExt *ext);

/* A number as a value of the row's type; PMDA_FETCH_STATIC, PM_ERR_TYPE if it is not a number. */
int sample_number(int type, double number, pmAtomValue *ret_atom);

/* Gives a domain these instances, which stay the caller's. */
void sample_set_instances(enum sample_serial serial, pmdaInstid *set, int n);

/* The library's state: the domain, the profile of this request. */
pmdaExt *sample_ext(void);

/* Seconds since the agent began. */
double sample_elapsed(void);

/* From 0 to n - 1, the same sequence in each run. */
int sample_random(int n);

/* Names have changed: clients are informed. */
void sample_names_changed(void);

/* Whether names have changed since the last call; the first call returns 1. */
int sample_names_renew(void);

/* ---- sample.c ---- */

/* Fills dispatch, whose version is set already. */
void sample_setup(pmdaInterface *dispatch);

/* The entry of the DSO. Fills dispatch; dispatch->status reports a failure. */
__PMDA_INIT_CALL void sample_init(pmdaInterface *dispatch);

/* ---- what must be done around a fetch of the bins ---- */

enum { BOGUS_BIN = 51, SCRAMBLE_BIN = 121 };

void bins_start(void);

/* Gives the values of bogus_bin the instances that do not exist. */
void bins_make_bogus(pmValueSet *vset);

/* Before a fetch of SCRAMBLE_BIN: another choice of bins. */
void bins_scramble(void);

/* ---- what must be done before a fetch of what has instances ---- */

enum { MIRAGE_ITEM = 37, MIRAGE_LONG_ITEM = 38, NEEDPROFILE_ITEM = 49, DODGEY_ITEM = 62 };

void domains_start(void);

/* A metric will be fetched: 0, or the error that is to be its answer. */
int domains_begin(unsigned int number);

/* ---- processes ---- */

enum { PROC_FIRST = 156, PROC_LAST = 158 };

void processes_start(void);

/* Perhaps one goes and one comes: for each fetch. */
void processes_change(void);

/* ---- requests that fail as a whole ---- */

enum { BAD_UNKNOWN = 54, ERROR_CHECK = 75 };

/* The error that requests for the metric answer, or 0. */
int errors_check(unsigned int number);

/* PM_ERR_PMDANOTREADY if that is the answer to this request, or 0. */
int errors_not_ready(void);

/* In how many seconds pmcd must be informed that the agent is ready again; 0: it knows. */
int errors_ready_after(void);

/* ---- returns ---- */

void returns_start(int is_process);

/* Ends the agent if a store that has been answered wants it. */
void returns_end(void);

/* ---- events ---- */

void events_start(void);

/* ---- ghosts ---- */

enum { GHOST_FIRST = 1009, GHOST_STATE = 1011 };

/* Whether a metric has neither name nor descriptor now. */
int ghosts_hide(unsigned int number);

/* For each fetch of their state. */
void ghosts_turn(void);

/* ---- tree ---- */

enum { TREE_NAME = 48 };

int tree_size(void);

/* A leaf's metric and its name below a root; 0 <= leaf < tree_size(). */
pmID tree_pmid(int domain, int leaf);
void tree_name(int leaf, const char *root, char ret_name[TREE_NAME]);

/* A metric that may be a leaf: 0 or PMDA_FETCH_STATIC, or PM_ERR_PMID. */
int tree_desc(pmID pmid, pmDesc *ret_desc);
int tree_value(pmID pmid, pmAtomValue *ret_atom);

/* ---- meta ---- */

enum { META_ITEM = 86 };

/* The descriptor as it has been stored, but for the identifier. */
void meta_desc(pmDesc *ret_desc);

/* ---- a number that takes every store, and whether there was one ---- */

/* 1: the value is another one than at the start, 0: the same, -1: the row is none of these. */
int stored_is_changed(const struct sample_metric *row);

/* ---- names ---- */

/* The rows of all groups. */
extern const struct sample_group *const sample_groups[];
extern const size_t sample_ngroups;

/* The row of a number (see struct sample_metric), or NULL. */
const struct sample_metric *sample_find(unsigned int number);

/* All names there are now; NULL without memory. */
pmdaNameSpace *names_tree(int domain);

/* ---- labels ---- */

/* The label method of pmdaInterface, and its callback for an instance. */
int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext);
int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set);

/* ---- series ---- */

enum { RAPID_ITEM = 64 };

void series_start(void);

/* ---- traffic ---- */

/* A client asks; is_answered: this kind of request has an answer (a profile has none). */
void traffic_count(int context, int is_answered);

/* A client has gone. */
void traffic_end(int context);

#endif
