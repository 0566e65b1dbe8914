/*
 * sample.h - shared by the files of the sample agent: the words that its rows are written in, its
 * instance domains, and the functions that a file has for the others.
 *
 * A metric is a row (<pitot/agent.h>) whose value a function computes. A file has one or a few
 * clusters of rows and their state. Nothing is locked: the agent answers one request at a time.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/agent.h>

/* Serials of the instance domains. */
enum sample_serial {
	COLOURS = 1,
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

extern const struct agent_indom sample_indoms[SAMPLE_SERIALS];

/* Our own metrics are in cluster 1, the tree of names begins at cluster 2. */
#define SAMPLE_DOMAIN  29
#define SAMPLE_SECOND  30 /* of a second copy: stdpmid calls it SAMPLEDSO */
#define SAMPLE_CLUSTER 2

/* Columns of a row: two of them for the number, then the instance domain. */
#define ITEM(item) 0, item
#define OWN(item)  1, item
#define ONE_VALUE  NULL
#define OF(serial) (&sample_indoms[serial])

#define NO_UNITS PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNT    PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define KBYTE    PMDA_PMUNITS(1, 0, 0, PM_SPACE_KBYTE, 0, 0)
#define SEC      PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)
#define MSEC     PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)

#define ROWS_CLUSTER(noun, table)                                                                  \
	const struct agent_cluster noun##_cluster = {                                              \
	    .name = #noun, .metrics = table, .nmetrics = sizeof(table) / sizeof((table)[0])}

extern const struct agent_cluster constants_cluster, stored_cluster, bins_cluster, series_cluster,
    steps_cluster, domains_cluster, processes_cluster, ghosts_cluster, events_cluster,
    errors_cluster, returns_cluster, traffic_cluster, meta_cluster, tree_cluster;

/* ---- for all clusters ---- */

/* The agent begins, with the library's state, which has the domains. */
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

/* A metric will be fetched. */
void domains_begin(unsigned int number);

/* The error that is the answer of a metric in this fetch, or 0. */
int domains_error(unsigned int number);

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

/* The row of a metric that may be a leaf, valid until the next call; NULL if it is none. */
const struct agent_metric *tree_row(unsigned int cluster, unsigned int item, pmdaExt *ext);

/* ---- meta ---- */

enum { META_ITEM = 86 };

/* The descriptor as it has been stored, but for the identifier. */
void meta_desc(pmDesc *ret_desc);

/* ---- a number that takes every store, and whether there was one ---- */

/* 1: the value is another one than at the start, 0: the same, -1: the row is none of these. */
int stored_is_changed(const struct agent_metric *row);

/* ---- names ---- */

enum { SAMPLE_NCLUSTERS = 14 };

extern const struct agent_cluster *const sample_clusters[SAMPLE_NCLUSTERS];

/* The row of a metric, or NULL. */
const struct agent_metric *sample_find(pmID pmid);

/* Hooks of the agent: all names there are now; labels. */
void names_insert(pmdaNameSpace *tree, pmdaExt *ext);
int labels_add(int ident, int type, pmLabelSet **sets, pmdaExt *ext);

/* The label call-back for an instance. */
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
