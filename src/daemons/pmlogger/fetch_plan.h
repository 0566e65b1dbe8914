/*
 * fetch_plan - the fetches that serve a task: each becomes one record (docs/spec/logger.md A4).
 *
 * All metrics of a task go into one fetch, so that they share a time, unless two of them want
 * different instances of one domain: a fetch has one profile. A metric is in one group only.
 */
#ifndef PMLOGGER_FETCH_PLAN_H
#define PMLOGGER_FETCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct logging_metric;
struct logging_task;

/* A metric of a group, and its part of the group's last record. The data that each record needs of
 * the metric are here too: thousands of metrics elsewhere would be thousands of cache misses. */
struct fetch_metric {
	struct logging_metric *metric;
	pmInDom indom;
	bool events; /* its values are event records */
	int *insts;  /* owned; in the record's order */
	size_t ninst, room;
	bool fetched;       /* insts say what a record held */
	bool same;          /* as the questions of the record in hand found: it has them too */
	unsigned int epoch; /* of the archive that has its metadata; 0: none yet */
	unsigned int indom_version;     /* of the domain's observation that it was compared with */
	struct metadata_domain *domain; /* in that archive; NULL: none */
};

/* Instances that are wanted of a domain; n 0: all. */
struct fetch_want {
	pmInDom indom;
	int *insts; /* owned; ascending */
	size_t n;
};

struct fetch_group {
	uint64_t id; /* no other group ever has it */
	size_t n;
	pmID *pmids;                  /* descending (A4) */
	struct fetch_metric *metrics; /* by the same index */
	size_t nwant;
	struct fetch_want *wants; /* those that are not "all" */
	bool events;              /* some of metrics have such values */
	bool reported;            /* its size was reported (-r) */
};

struct fetch_plan {
	size_t ngroup;
	struct fetch_group *groups;
};

/* The plan of a task's items, but those of metrics that wait. 0 or -ENOMEM. */
int fetch_plan_make(const struct logging_task *task, struct fetch_plan *ret_plan);
void fetch_plan_done(struct fetch_plan *plan);

#endif
