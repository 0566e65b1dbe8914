/*
 * collector - a collector's metrics about itself, and whether the wall clock runs evenly.
 */
#ifndef PITOT_COLLECTOR_H
#define PITOT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/pitot/process.h"

struct collector_query;

/*
 * clocks - whether the wall clock runs evenly; the time stamps of values depend on it.
 *
 * The wall clock is compared with the clock that counts from boot, which cannot be set.
 */

struct moment {
	double wall_s; /* since the epoch */
	double boot_s; /* since boot, including suspended time */
};

/* The number of seconds by which the wall clock was set between two readings. */
double moment_step(const struct moment *from, const struct moment *to);

/*
 * collector - a collector's metrics about itself, its agents and its listeners.
 *
 * PCP's own metrics give the first half; only a Pitot collector has the rest
 * (docs/pmcd-metrics.md). An unknown value is -1, NAN, or NULL.
 */

struct collector_agent {
	int domain;
	char *name;
	int64_t type, status, fenced; /* value of pmcd.agent.* */
	char *state;                  /* value of pitot.agent.state */
	int64_t pid, uptime_ms, starts, ends, timeouts, requests, late;
	char *error;
	int64_t error_age_ms;
	int64_t metrics; /* number of names in its domain */
	double requests_per_s;
	int64_t more_timeouts; /* within the window */
	struct process process;
};

struct collector_listener {
	char *spec; /* the form in which clients name it */
	char *address;
	int64_t port; /* 0: a Unix socket */
};

struct collector {
	char *pcp_version, *version; /* version: Pitot's; NULL: not a Pitot collector */
	char *hostname;
	int64_t pid, uid, clients, numagents;
	int64_t requests, fetches, highres_fetches, cpu_ms, datasize_kb, sighups, timeout_s;
	double start_time;
	int64_t uptime_ms;
	int64_t fds, fds_limit, fds_limit_hard, starved;
	char *config, *log, *run_dir, *tmp_dir, *var_dir;
	int64_t metrics; /* -1: not counted */
	int nagent;
	struct collector_agent *agents; /* sorted by domain */
	int nlistener;
	struct collector_listener *listeners;
	struct moment asked, answered; /* by the clocks of this host */
	double stamp;                  /* by its own clock */
};

/* A struct in which everything is unknown. */
void collector_init(struct collector *c);

/* The metrics to fetch, looked up once, so that each round costs one request. */

/*
 * Looks up the metrics that the collector of the current context has. Returns 0 or a PMAPI error.
 */
int collector_query_new(struct collector_query **ret_query);
void collector_query_free(struct collector_query *q);

/* Sends one request. Returns 0 or a PMAPI error. The caller frees the result after success. */
int collector_read(const struct collector_query *q, struct collector *c);

/* Counts the names of the collector and of each agent. Returns 0 or a PMAPI error. */
int collector_count_names(struct collector *c);

/* Frees the contents: then everything is unknown. */
void collector_free(struct collector *c);

#endif
