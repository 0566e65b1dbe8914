/*
 * plan - what is to become of an archive: its label, its metrics, domains, texts and labels, each
 * with what the rules say of it.
 *
 * Rules are applied step by step to what the archive has; then plan_check looks at the whole and
 * settles what follows from it (metrics go along with their domains, texts and labels with both).
 */
#ifndef PMLOGREWRITE_PLAN_H
#define PMLOGREWRITE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libstore/archive_meta.h"
#include "libvalue/wire_form.h"
#include "tools/pmlogrewrite/rules.h"

struct recording;

enum plan_global {
	PLAN_HOSTNAME = 1u << 0,
	PLAN_TIME = 1u << 1,
	PLAN_TIMEZONE = 1u << 2,
	PLAN_ZONEINFO = 1u << 3,
	PLAN_FEATURES = 1u << 4,
};

/* An instance, and one more for each name that its number ever had. */
struct plan_inst {
	struct wire_inst old;
	int id; /* new */
	const char *name; /* new; NULL: the old one */
	bool deleted, renumbered;
};

struct plan_domain {
	pmInDom old, now;
	bool moved;     /* now is another one */
	bool duplicate; /* the old one stays, without the changes of instances */
	bool changed;   /* some instance is */
	bool dropped;   /* no metric is left that had it */
	struct plan_inst *insts; /* ascending by id */
	size_t n;
	const struct archive_indom *const *seen; /* its observations */
	int nseen;
	int given; /* how many of them are written */
};

enum plan_metric_flag {
	PLAN_DELETE = 1u << 0,
	PLAN_PMID = 1u << 1,
	PLAN_NAME = 1u << 2,
	PLAN_TYPE = 1u << 3,
	PLAN_SEM = 1u << 4,
	PLAN_UNITS = 1u << 5,
	PLAN_INDOM = 1u << 6,   /* by its own clause */
	PLAN_RESCALE = 1u << 7,
	PLAN_FOLLOWS = 1u << 8, /* its domain moves, and it with it */
	PLAN_INSTS = 1u << 9,   /* instances of its domain change */
	PLAN_OUTPUT = 1u << 10, /* one value is picked */
};

/* Flags that change values or their sets. */
#define PLAN_VALUES                                                                                \
	(PLAN_DELETE | PLAN_PMID | PLAN_TYPE | PLAN_RESCALE | PLAN_INSTS | PLAN_OUTPUT)

struct plan_metric {
	const struct archive_metric *old;
	pmDesc now;
	unsigned int flags;
	const char *old_name, *new_name; /* of PLAN_NAME */
	enum rule_pick pick;
	int inst;              /* of PICK_INST, or the instance that a single value gets */
	const char *inst_name; /* of PICK_INAME that was not found */
	struct plan_domain *map; /* whose changes of instances its values see; NULL: none */
};

struct plan_text {
	int type, now_type;
	uint32_t ident, now;
	const char *text, *now_text;
	bool deleted, moved, follows; /* follows: with its metric or domain */
	bool replaced;
	bool ruled; /* by a clause */
};

/* A rule for labels; those of one subject are applied in their order. */
struct plan_label {
	enum rule_kind kind;
	int type;
	uint32_t ident;
	bool any_inst;
	int inst;
	const char *name, *value; /* NULL: any */
	const char *new_name, *new_value;
	uint32_t now; /* RULE_LABEL_MOVE */
	int new_inst;
};

/* Labels are there for this, in the archive. */
struct plan_subject {
	int type;
	uint32_t ident;
};

struct plan {
	const struct recording *in;
	struct arena mem;

	const char *file; /* of the rules that are applied */
	bool warn, rescale;

	struct log_label label; /* as it is to be */
	struct timespec delta;
	unsigned int global; /* PLAN_... */

	struct plan_metric *metrics;
	size_t nmetrics;
	struct hash by_pmid;
	struct plan_domain *domains;
	size_t ndomains;
	struct plan_text *texts; /* in the order of the file */
	size_t ntexts;
	struct plan_subject *subjects;
	size_t nsubjects;
	struct plan_label *labels; /* owned by the heap */
	size_t nlabels;

	struct rule_step about; /* the rule that the clauses belong to */
	const char *about_name; /* the name that its metric is known by there */
	void **chosen;          /* what it is about: metrics, domains, texts or subjects */
	size_t nchosen;
};

/* Loads what the archive has; version is that of the output. 0; a negative error. */
int plan_load(struct plan *p, const struct recording *in, int version);
void plan_done(struct plan *p);

/* Applies the rules of a file; false after an error was told. */
bool plan_apply(struct plan *p, const char *file, const struct rules *rules);

/* The whole; false after an error was told. */
bool plan_check(struct plan *p);

/* Something is to be changed. */
bool plan_changes(const struct plan *p);

/* Tells of all changes on standard output. */
void plan_summary(const struct plan *p);

struct plan_metric *plan_metric(const struct plan *p, pmID pmid);
struct plan_domain *plan_domain(const struct plan *p, pmInDom indom);
/* The instance with this number, by the name that it has in now, if it has several. NULL. */
const struct plan_inst *plan_inst(const struct plan_domain *d, int inst,
				  const struct archive_indom *now);

const char *plan_metric_name(const struct plan_metric *m);

/* A time of the archive as it is to be. */
struct timespec plan_time(const struct plan *p, const struct timespec *when);

#endif
