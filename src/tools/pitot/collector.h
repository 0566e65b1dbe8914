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
 * clocks - does the wall clock run evenly? Time stamps of values are only as good as it is.
 *
 * The wall clock is compared with the one that counts from boot, which cannot be set.
 */

struct moment {
	double wall_s; /* since the epoch */
	double boot_s; /* since boot, suspended or not */
};

/* By how much the wall clock was set between the two, in seconds. */
double moment_step(const struct moment *from, const struct moment *to);

/* True if the kernel knows that no time service keeps the clock right. */
bool clock_is_unsynchronised(void);

/* The command that makes a time service of this host keep the clock right. */
const char *clock_service(void);

/*
 * collector - a collector's metrics about itself, its agents and its listeners.
 *
 * PCP's own metrics give the first half; only a collector of Pitot has the rest
 * (docs/pmcd-metrics.md). A missing value is unknown: -1, NAN, or NULL.
 */

struct collector_agent {
	int domain;
	char *name;
	int64_t type, status, fenced; /* as pmcd.agent.* has them */
	char *state;                  /* as pitot.agent.state has it */
	int64_t pid, uptime_ms, starts, ends, timeouts, requests, late;
	char *error;
	int64_t error_age_ms;
	int64_t metrics; /* names in its domain */
	double requests_per_s;
	int64_t more_timeouts; /* within the window */
	struct process process;
};

struct collector_listener {
	char *spec; /* as a client would name it */
	char *address;
	int64_t port; /* 0: a Unix socket */
};

struct collector {
	char *pcp_version, *version; /* version: Pitot's; NULL: it is none */
	char *hostname;
	int64_t pid, uid, clients, numagents;
	int64_t requests, fetches, highres_fetches, cpu_ms, datasize_kb, sighups, timeout_s;
	double start_time;
	int64_t uptime_ms;
	int64_t fds, fds_limit, fds_limit_hard, starved;
	char *config, *log, *run_dir, *tmp_dir, *var_dir;
	int64_t metrics; /* -1: not counted */
	int nagent;
	struct collector_agent *agents; /* by domain */
	int nlistener;
	struct collector_listener *listeners;
	struct moment asked, answered; /* by our clocks */
	double stamp;                  /* by its clock */
};

/* An empty one: nothing is known. */
void collector_init(struct collector *c);

/* The metrics to fetch, looked up once, so that each later round costs one request. */

/* Finds out what the collector of the current context has. 0 or a PMAPI error. */
int collector_query_new(struct collector_query **ret_query);
void collector_query_free(struct collector_query *q);

/* Asks; one request. 0 or a PMAPI error. To be freed on success. */
int collector_read(const struct collector_query *q, struct collector *c);

/* Counts names, for the collector and each agent. 0 or a PMAPI error. */
int collector_count_names(struct collector *c);

/* Of what it holds: nothing is known then. */
void collector_free(struct collector *c);

/*
 * One word for an agent: ready, late (owes answers), fenced, notready, starting or down; for a
 * collector of PCP starting and notready are one.
 */
const char *collector_agent_state(const struct collector_agent *a);

/* "dso", "pipe", "socket". */
const char *collector_agent_kind(const struct collector_agent *a);

/* Its last failure, or "". text holds at least 64 bytes. */
const char *collector_agent_error(const struct collector_agent *a, char *text, size_t size);

#endif
