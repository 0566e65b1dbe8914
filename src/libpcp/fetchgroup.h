/*
 * fetchgroup - a list of items on a context of their own: each fetch asks for all metrics at once
 * and writes every value where the program wants it (docs/spec/pmapi.md 21.2).
 *
 * A pure layer over the public calls. fetchgroup.c holds the group, fetchgroup_item.c the kinds of
 * items, fetchgroup_value.c the conversion of one value and the program's arrays that it is written
 * to.
 */
#ifndef LIBPCP_FETCHGROUP_H
#define LIBPCP_FETCHGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"

/* How a metric's values become those that were asked for. */
struct group_value {
	pmDesc desc;
	int otype;    /* type of the output */
	bool rate;    /* differences by time */
	bool convert; /* units */
	pmUnits from; /* of the values, or of their rates */
	pmUnits to;
	double mult; /* after the units are converted */
};

/* A metric or event field: the place of its values in the results, and their conversion. */
struct group_metric {
	size_t slot;
	int inst; /* PM_IN_NULL: there is only one value */
	struct group_value value;
};

/* One thing that a fetch writes. */
struct group_item {
	const struct group_item_kind *kind;
	struct group_item *next;
};

struct group_item_kind {
	/* Makes the outputs empty: the fetch failed. */
	void (*reset)(struct group_item *item);
	/* Writes what the group's newest result has. */
	void (*fill)(struct group_item *item, pmFG group);
	/* Frees the item and its strings; the outputs are not touched any more. */
	void (*free)(struct group_item *item);
};

/* The instances of a domain as the newest fetch found them. */
struct group_names {
	struct group_names *next;
	pmInDom indom;
	int n;
	int *ids;
	char **names;
	struct hash by_id; /* places in both, and 1 */
};

struct __pmFetchGroup {
	int context;
	bool wrap; /* counters that fall have wrapped */
	struct group_item *first;
	struct group_item **last;
	pmID *pmids; /* of all items, each once; a slot is an index here and in the results */
	size_t npmid;
	struct hash slots;       /* of pmids, and 1 */
	pmHighResResult *now;    /* NULL: none, or the fetch failed */
	pmHighResResult *before; /* the one before, for rates */
	struct group_names *names;
};

/* Adds an item at the end; from now on it is the group's. */
void group_add(pmFG group, struct group_item *item);

/* The slot of a metric, a new one if need be. 0 or -ENOMEM. */
int group_slot(pmFG group, pmID pmid, size_t *ret_slot);

/* The value set of a slot in a result; NULL if there is none. */
const pmValueSet *group_values(const pmHighResResult *result, size_t slot);

/* The name of an instance, valid until the next fetch; NULL if it can't be found out. */
char *group_inst_name(pmFG group, pmInDom indom, int inst);

/*
 * Prepares value for the conversion from the metric of desc to otype and scale (NULL: rates of
 * counters). 0, PM_ERR_TYPE, PM_ERR_CONV.
 */
int group_value_init(struct group_value *value, const pmDesc *desc, const char *scale, int otype);

/*
 * One value of a metric's newest result into *out. 0, PM_ERR_AGAIN for a rate without a fetch
 * before, PM_ERR_VALUE for one without a value before or of a counter that fell, PM_ERR_TYPE,
 * PM_ERR_TRUNC, PM_ERR_SIGN, -ERANGE, -ENOMEM. out is as it was then.
 */
int group_value_get(const struct __pmFetchGroup *group, const struct group_metric *metric,
		    const pmValue *v, int valfmt, pmAtomValue *out);

/* The value of an instance in a value set, NULL if there is none. Instances are in order. */
const pmValue *group_value_find(const pmValueSet *vset, int inst);

/*
 * The program's arrays for the values of an item, each of which it may leave out, and the strings
 * that they point to, which are the item's. Nothing is ever read from the arrays, and only fetches
 * write to them.
 */
struct group_output {
	/* The program's; NULL where it does not want to know. */
	pmAtomValue *values; /* max of each */
	int *statuses;
	int *codes;
	char **names;
	struct timespec *times;
	unsigned int max;
	unsigned int *num;
	int *status;

	int type;       /* of the values */
	char **strings; /* max, or NULL if the values are numbers */
};

/* Makes room for strings, if the type is that. 0 or -ENOMEM. */
int group_output_init(struct group_output *out, int type);
void group_output_done(struct group_output *out);

/* No values: all bits of each set, which is not a number, or NULL; statuses are PM_ERR_VALUE. */
void group_output_reset(struct group_output *out);

/* Value i, below max, or why there is none. A string is taken over. */
void group_output_put(struct group_output *out, unsigned int i, int status,
		      const pmAtomValue *value);

/* How many values there are, and how it went as a whole. */
void group_output_end(struct group_output *out, unsigned int num, int status);

#endif
