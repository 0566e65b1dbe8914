/*
 * rules - a configuration parsed into a list of steps (docs/spec/logger.md D6).
 *
 * The grammar knows only the language. The meaning of a step for an archive, and whether its
 * subject exists, is the task of plan. The steps before an error are in the list.
 */
#ifndef PMLOGREWRITE_RULES_H
#define PMLOGREWRITE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

enum rule_kind {
	RULE_HOSTNAME,
	RULE_TIME,
	RULE_TIMEZONE,
	RULE_ZONEINFO,
	RULE_FEATURES,
	RULE_INDOM, /* the clauses that follow are about this domain */
	RULE_INDOM_INAME,
	RULE_INDOM_INST,
	RULE_INDOM_MOVE,
	RULE_METRIC,
	RULE_METRIC_DELETE,
	RULE_METRIC_NAME,
	RULE_METRIC_PMID,
	RULE_METRIC_SEM,
	RULE_METRIC_TYPE,
	RULE_METRIC_UNITS,
	RULE_METRIC_INDOM,
	RULE_TEXT,
	RULE_TEXT_DELETE,
	RULE_TEXT_MOVE,
	RULE_TEXT_REPLACE,
	RULE_LABEL,
	RULE_LABEL_DELETE,
	RULE_LABEL_NEW,
	RULE_LABEL_NAME,
	RULE_LABEL_VALUE,
	RULE_LABEL_MOVE,
	RULE_LABEL_INSTANCE,
};

enum rule_pick {
	PICK_NONE,
	PICK_FIRST,
	PICK_LAST,
	PICK_INST,
	PICK_INAME,
	PICK_MIN,
	PICK_MAX,
	PICK_SUM,
	PICK_AVG,
};

/* A metric by its name; or a metric, a cluster, a domain, an instance domain by numbers. */
struct rule_id {
	const char *name; /* NULL: by numbers */
	int domain, cluster, item; /* item is the serial number of an instance domain */
	bool any_cluster, any_item; /* "*": on the right side it means no change */
};

enum rule_flag {
	RULE_TO_DELETE = 1u << 0,    /* an instance */
	RULE_TO_DUPLICATE = 1u << 1, /* a domain */
	RULE_TO_NULL = 1u << 2,      /* no domain */
	RULE_RESCALE = 1u << 3,
	RULE_IF = 1u << 4,       /* `old` is the type that the metric must have */
	RULE_BY_NUMBER = 1u << 5, /* the instance of a label: `old`, else text */
};

struct rule_step {
	enum rule_kind kind;
	unsigned int line;
	unsigned int flags;
	struct rule_id id;
	int type; /* PM_TYPE_*, PM_SEM_*, PM_TEXT_* bits, PM_LABEL_* */
	int old, now; /* instances; types */
	const char *text, *value; /* NULL: none or any */
	const char *inst;         /* the name of a label's instance */
	enum rule_pick pick;
	pmUnits units;
	struct timespec delta;
	unsigned int features;
	int minutes, seconds; /* as written, for warnings */
};

struct rules {
	struct arena mem;
	struct rule_step *steps; /* owned */
	size_t n, room;
	unsigned int error_line;
	char error[200]; /* "": no error */
};

/* Returns 0; -1 with a message in error; -ENOMEM. The caller ends r in each case. */
int rules_parse(struct rules *r, const char *text, size_t len);
void rules_done(struct rules *r);

#endif
