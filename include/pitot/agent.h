/*
 * pitot/agent.h - an agent is tables.
 *
 * A metric is one row: its name, its number, what it is, and where its value is. A cluster is a
 * snapshot struct, the function that fills it, and the rows that read it. An instance domain is
 * fixed, or is filled by name (or by number) while a cluster is refreshed. Everything else is
 * derived: fetch, descriptors, names, help text, the name-space fragment, the metric list, and for
 * each cluster how long its refreshes take and how often they failed (metrics NAME.refresh.*).
 *
 *     fetch -> the rows asked for -> their clusters, each refreshed at most once -> the values
 *
 * Memory is "absent" until the refresh writes it: whatever a refresh does not find has no value,
 * and needs no code. Absent is all bits set (for signed integers: the most negative number).
 *
 * An agent in one C file:
 *
 *     struct ducks {
 *             uint64_t count;
 *     };
 *
 *     static const struct agent_metric ducks_metrics[] = {
 *         {"pond.ducks", 0, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_COUNT,
 *          AGENT_FIELD(struct ducks, count), "Ducks on the pond", NULL, 0},
 *     };
 *
 *     static int ducks_refresh(struct agent_refresh *r, void *snapshot)
 *     {
 *             struct ducks *d = snapshot;
 *
 *             d->count = 5;
 *             return 0;
 *     }
 *
 *     static const struct agent_cluster ducks_cluster = {
 *         .name = "ducks",
 *         .size = sizeof(struct ducks),
 *         .refresh = ducks_refresh,
 *         .metrics = ducks_metrics,
 *         .nmetrics = 1,
 *     };
 *     static const struct agent_cluster *const clusters[] = {&ducks_cluster};
 *     static const struct agent ducks = {
 *         .name = "ducks", .domain = 400, .clusters = clusters, .nclusters = 1};
 *
 *     AGENT_PROGRAM(ducks, ducks_init)
 */
#ifndef PITOT_AGENT_H
#define PITOT_AGENT_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/agent_row.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The PMID cluster and the instance domain of the agent's own metrics; not for others. */
#define AGENT_SELF 4095

/* Instance domains that one cluster can fill. */
#define AGENT_CLUSTER_INDOMS 4

/* That a cluster fills an instance domain, with a struct of this size for each instance. */
struct agent_fill {
	const struct agent_indom *indom;
	unsigned int size;
	int defines; /* 1: its instances are the domain; 0: it knows more about instances of another
		      */
};

struct agent_refresh;

/*
 * A cluster. refresh returns 0, or -errno if it could not do its work: then what it has filled
 * counts, the rest is absent, and instances stay as they were. It reads under agent_root_fd(). The
 * first refresh that fails, and each that fails with another error, is logged.
 */
struct agent_cluster {
	const char *name;   /* instance name in NAME.refresh.* */
	const char *source; /* where the data comes from, for the help text */
	unsigned int size;  /* of the snapshot struct; may be 0 */
	/* NULL if no field of the cluster's own structs has a value. */
	int (*refresh)(struct agent_refresh *r, void *snapshot);
	const struct agent_metric *metrics;
	unsigned int nmetrics;
	struct agent_fill fills[AGENT_CLUSTER_INDOMS];
	/* A snapshot younger than this is served again without reading; 0: every fetch reads. */
	unsigned int max_age_ms;
	/*
	 * Not 0: refresh may take long, or (may_hang) never return. It then runs in a thread of its
	 * own. A fetch waits for it at most this long, and otherwise gets the last complete
	 * snapshot (PM_ERR_AGAIN if there is none). A refresh that cannot hang runs in the fetch
	 * until it has once taken longer. Such a refresh uses its arguments and its own data only.
	 */
	unsigned int wait_ms;
	int may_hang;
	int optional; /* 1: hosts without the source are normal; -ENOENT is not logged */
};

/* Requests of a client to the agent. */
enum agent_request {
	AGENT_REQUEST_PROFILE,
	AGENT_REQUEST_FETCH,
	AGENT_REQUEST_DESC,
	AGENT_REQUEST_INSTANCE,
	AGENT_REQUEST_TEXT,
	AGENT_REQUEST_STORE,
	AGENT_REQUEST_NAMES, /* PMID of a name, names of a PMID, children of a name */
	AGENT_REQUEST_LABEL
};

/* Call-backs of an agent as a whole. Each may be NULL. */
struct agent_hooks {
	/*
	 * Called before and after each request. If begin returns an error code, that is the answer,
	 * and end is not called; status is the code of the answer. A request that the library makes
	 * while another one is served is part of it. With one of the two, values are stored in a
	 * pmResult and are not written straight into the answer.
	 */
	int (*begin)(enum agent_request request, pmdaExt *ext);
	void (*end)(enum agent_request request, int status, pmdaExt *ext);
	/* Called before the refreshes and values of a fetch. An error code is the answer. */
	int (*fetch)(int numpmid, const pmID *pmids, pmdaExt *ext);
	/* A metric that is in no cluster's table: known at run time only. Returns its row, which is
	 * valid until the next call, or NULL. Such a row has no field in a cluster's structs. */
	const struct agent_metric *(*row)(unsigned int cluster, unsigned int item, pmdaExt *ext);
	/* Adds all names to an empty tree: agent_insert_names() those of the tables, and
	 * pmdaTreeInsert() others. Called for the first request about names, and for the first one
	 * after agent_names_changed(). NULL: the names of the tables. */
	void (*names)(pmdaNameSpace *tree, pmdaExt *ext);
	/* Adds labels with pmdaAddLabels(). An error code is the answer. Labels of one instance:
	 * pmdaSetLabelCallBack(). */
	int (*label)(int ident, int type, pmLabelSet **sets, pmdaExt *ext);
};

/* Flags of an agent. */
#define AGENT_NO_SELF  1u /* there are no metrics NAME.refresh.* */
#define AGENT_ONE_TEXT 2u /* the help text of a metric or domain is its one line */

/* An agent. Its root directory is "/", or what PITOT_NAME_ROOT (name in capitals) says. */
struct agent {
	const char *name;
	int domain;
	const struct agent_cluster *const *clusters;
	unsigned int nclusters;
	unsigned int flags;              /* AGENT_NO_SELF and so on */
	const struct agent_hooks *hooks; /* NULL: none */
};

/* ---- for a refresh ---- */

/* The root directory, open: for openat and the like. */
int agent_root_fd(const struct agent_refresh *r);

/* The root directory's path without a slash at its end ("" for /): for calls that need a path. */
const char *agent_root(const struct agent_refresh *r);

/*
 * The whole of a file (path is relative to the root and a constant: the descriptor is kept open for
 * the next refresh) as text that ends with a NUL and is valid until the next agent_read or
 * agent_readf of r. Returns its length, or -errno.
 */
long agent_read(struct agent_refresh *r, const char *path, const char **ret_text);

/* Like agent_read, with a path made as by printf. The file is opened and closed in each call: for
 * many files, and for files that are replaced and not rewritten. */
long agent_readf(struct agent_refresh *r, const char **ret_text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a small file into the caller's buffer, and closes it. The text ends with a NUL and is cut
 * to size - 1 bytes. The text of agent_read stays valid. Returns its length, or -errno. */
long agent_read_into(struct agent_refresh *r, char *buf, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A directory under the root, for readdir and closedir; NULL with errno set. */
DIR *agent_opendir(struct agent_refresh *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * One more instance, by name (len bytes, no NUL in them): its struct, absent as yet, valid until
 * the next agent_add for the same domain; NULL when out of memory (return -ENOMEM then). A name
 * added twice counts once, the first one. Names end at the first space when they are looked up
 * (pmdaCacheStore): "a b" and "a c" can't both be instances, the second is left out.
 */
void *agent_add(struct agent_refresh *r, const struct agent_indom *indom, const char *name,
		size_t len);

/* The same for a domain whose ids are given, and for fixed ones. A cluster that does not define
 * the domain may leave name NULL. */
void *agent_add_id(struct agent_refresh *r, const struct agent_indom *indom, int id,
		   const char *name);

/* The struct of the i-th instance added to the domain in this refresh; NULL past the end. */
void *agent_added(struct agent_refresh *r, const struct agent_indom *indom, size_t i);

/*
 * 1 if this fetch asks for a metric whose value is at offset in the snapshot, or in the struct of
 * the domain's instances. A refresh need not read files for other values. Not for clusters with
 * max_age_ms or wait_ms: their snapshots serve later fetches too.
 */
int agent_wanted(const struct agent_refresh *r, const struct agent_indom *indom, size_t offset);

/*
 * A refresh of a cluster that may_hang calls this before each call that may hang. 0: go ahead.
 * -EBUSY: leave it, because an earlier refresh hangs on the same thing (a path, for example). A
 * refresh that hangs is taken to hang on the thing that it asked for last.
 */
int agent_may_hang_on(struct agent_refresh *r, const char *what);

/* A copy of len bytes that lives as long as the snapshot, for a string field; NULL if no memory. */
const char *agent_string(struct agent_refresh *r, const char *text, size_t len);

/* ---- for an agent with instance domains of its own, or with hooks ---- */

/* The instances of an own domain from now on. The table and its names stay the caller's. */
void agent_set_instances(pmdaExt *ext, const struct agent_indom *indom, pmdaInstid *set, int n);

/* For the hook "names": inserts the names of the tables below root, in their order. A row whose
 * name begins with the agent's own is not given it twice. 0 or -ENOMEM. */
int agent_insert_names(pmdaExt *ext, pmdaNameSpace *tree, const char *root);

/* Names have come or gone: the tree is made again when it is asked for, and the next fetch informs
 * the collector. */
void agent_names_changed(pmdaExt *ext);

/* ---- for an agent that is written with <pcp/pmda.h> alone ---- */

/*
 * Registers what the library calls before the values of each fetch: with the PMIDs that are asked
 * for, after pmdaGetContext() knows the client. 0: the values follow; a negative error code: the
 * fetch fails with it. An agent that leaves pmdaFetch as its fetch method, and registers this
 * instead of wrapping pmdaFetch, has its values written straight into the answer. NULL takes it
 * away. Call it between pmdaDaemon or pmdaDSO and pmdaInit; sets dispatch->status below 0 before
 * these. The table framework uses it itself: not for agents that are tables.
 */
void agent_set_refresh(pmdaInterface *dispatch,
		       int (*refresh)(int numpmid, pmID *pmids, pmdaExt *ext));

/* ---- for a program ---- */

/* The init function of a DSO: sets dispatch->status below 0 on failure. Each fault of the tables is
 * logged on a line of its own. agent_main logs them too, and returns 1. */
void agent_init(const struct agent *agent, pmdaInterface *dispatch);

/*
 * For a program or a DSO that does more than agent_main and agent_init: called after pmdaDaemon or
 * pmdaDSO, with dispatch->domain set. Sets the methods and calls pmdaInit; dispatch->status reports
 * a failure. The caller may replace methods afterwards.
 */
void agent_setup(const struct agent *agent, pmdaInterface *dispatch);

/* The main function of a daemon: options as pmdaGetOptions, --version, --print-pmns (the
 * name-space fragment) and --print-metrics (the list of metrics as Markdown). */
int agent_main(const struct agent *agent, int argc, char **argv);

/* Print the output of --print-pmns and --print-metrics. 0 or -errno. */
int agent_print_pmns(const struct agent *agent, int domain, FILE *out);
int agent_print_metrics(const struct agent *agent, FILE *out);

#define AGENT_PROGRAM(agent, init)                                                                 \
	__PMDA_INIT_CALL void init(pmdaInterface *dispatch);                                       \
	void init(pmdaInterface *dispatch)                                                         \
	{                                                                                          \
		agent_init(&(agent), dispatch);                                                    \
	}                                                                                          \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return agent_main(&(agent), argc, argv);                                           \
	}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
