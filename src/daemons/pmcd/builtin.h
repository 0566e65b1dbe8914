/*
 * builtin - the agent "pmcd": the collector's metrics about itself (docs/spec/pmcd.md 11).
 *
 * A metric is a row of builtin_metrics.c (PCP's) or builtin_own.c (pitot.*): name, identifier,
 * description, how it is read and who may set it. Name space, descriptors, one-line help and values
 * come from the rows. A configuration line with the entry point pmcd_init means this agent,
 * whatever object it names.
 */
#ifndef PMCD_BUILTIN_H
#define PMCD_BUILTIN_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct arena;
struct client;
struct pmns;
struct server;

enum {
	BUILTIN_DOMAIN = 2,
	BUILTIN_NO_INDOM = -1,
	/* Serials of the instance domains. */
	BUILTIN_PMLOGGERS = 1,
	BUILTIN_REGISTERS = 2,
	BUILTIN_AGENTS = 3,
	BUILTIN_PMIES = 4,
	BUILTIN_BUFFERS = 5,
	BUILTIN_CLIENTS = 6,
	BUILTIN_LISTENERS = 7, /* ours */
};

/* One question to this agent: what a reading may use. */
struct builtin_call {
	struct server *server;
	struct client *client; /* who asks; NULL: has left */
	struct arena *mem;     /* for texts of values */
};

struct builtin_inst {
	int id;
	const char *name;
	const void *of; /* of the instance domain: what getters of its metrics read */
};

struct builtin_metric {
	const char *name;
	uint16_t cluster, item;
	int type;
	int indom; /* serial or BUILTIN_NO_INDOM */
	int sem;
	pmUnits units;
	/* One value: 1, 0 for none, or an error. inst is NULL for a singular metric. */
	int (*get)(const struct builtin_call *call, const struct builtin_metric *m,
		   const struct builtin_inst *inst, pmAtomValue *ret);
	/* Sets one value, or NULL: PM_ERR_PMID. */
	int (*set)(const struct builtin_call *call, const struct builtin_metric *m, int inst,
		   const pmAtomValue *value);
	const char *help;
};

/* PCP's rows, and those that are Pitot's own, each in name-space order. */
extern const struct builtin_metric builtin_metrics[];
extern const unsigned int builtin_nmetric;
extern const struct builtin_metric builtin_own_metrics[];
extern const unsigned int builtin_nown_metric;

/* The instances of a domain: their number, or PM_ERR_INDOM, -ENOMEM. */
int builtin_instances(const struct builtin_call *call, int serial, struct builtin_inst **ret_insts);

/* The set of a metric that takes whatever is stored, and does nothing. */
int builtin_set_ignored(const struct builtin_call *call, const struct builtin_metric *m, int inst,
			const pmAtomValue *value);

/* Adds the names that are missing. 0 or -ENOMEM. */
int builtin_add_names(struct pmns *ns);

#endif
