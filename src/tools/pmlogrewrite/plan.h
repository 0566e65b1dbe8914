/*
 * plan - the changes to an archive: its label, metrics, domains, texts and labels, each with the
 * effect of the rules.
 *
 * Rules are applied step by step to the contents of the archive. Then plan_check checks the whole
 * and derives further changes (metrics follow their domains; texts and labels follow both).
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

/*
 * plan - the changes to an archive: its label, metrics, domains, texts and labels, each with the
 * effect of the rules.
 *
 * Rules are applied step by step to the contents of the archive. Then plan_check checks the whole
 * and derives further changes (metrics follow their domains; texts and labels follow both).
 */

enum plan_global {
	PLAN_HOSTNAME = 1u << 0,
	PLAN_TIME = 1u << 1,
	PLAN_TIMEZONE = 1u << 2,
	PLAN_ZONEINFO = 1u << 3,
	PLAN_FEATURES = 1u << 4,
};

/* An instance. An instance number has an entry for each name that it ever had. */
struct plan_inst {
	struct wire_inst old;
	int id;           /* the new number */
	const char *name; /* the new name; NULL: unchanged */
	bool deleted, renumbered;
};

struct plan_domain {
	pmInDom old, now;
	bool moved;     /* `now` is a different domain */
	bool duplicate; /* the old domain is kept as well, without the changes of instances */
	bool changed;   /* some instance is changed */
	bool dropped;   /* all metrics that had it are gone */
	struct plan_inst *insts; /* ascending by id */
	size_t n;
	const struct archive_indom *const *seen; /* its observations */
	int nseen;
	int given; /* how many of them have been written */
};

enum plan_metric_flag {
	PLAN_DELETE = 1u << 0,
	PLAN_PMID = 1u << 1,
	PLAN_NAME = 1u << 2,
	PLAN_TYPE = 1u << 3,
	PLAN_SEM = 1u << 4,
	PLAN_UNITS = 1u << 5,
	PLAN_INDOM = 1u << 6, /* changed by its own clause */
	PLAN_RESCALE = 1u << 7,
	PLAN_FOLLOWS = 1u << 8, /* its domain is moved, and the metric follows */
	PLAN_INSTS = 1u << 9,   /* instances of its domain change */
	PLAN_OUTPUT = 1u << 10, /* one value is picked */
};

/* The flags that change values or their sets. */
#define PLAN_VALUES (PLAN_DELETE | PLAN_PMID | PLAN_TYPE | PLAN_RESCALE | PLAN_INSTS | PLAN_OUTPUT)

struct plan_metric {
	const struct archive_metric *old;
	pmDesc now;
	unsigned int flags;
	const char *old_name, *new_name; /* for PLAN_NAME */
	enum rule_pick pick;
	int inst;              /* for PICK_INST, or the instance of a single value */
	const char *inst_name; /* the name for PICK_INAME that was not found */
	struct plan_domain
	    *map; /* the domain whose changes of instances apply to its values; NULL: none */
};

struct plan_text {
	int type, now_type;
	uint32_t ident, now;
	const char *text, *now_text;
	bool deleted, moved, follows; /* follows: because its metric or domain moved */
	bool replaced;
	bool ruled; /* changed by a clause */
};

/* A rule for labels; rules for the same subject are applied in their order. */
struct plan_label {
	enum rule_kind kind;
	int type;
	uint32_t ident;
	bool any_inst;
	int inst;
	const char *name, *value; /* NULL: any */
	const char *new_name, *new_value;
	uint32_t now; /* for RULE_LABEL_MOVE */
	int new_inst;
};

/* A subject that has labels in the archive. */
struct plan_subject {
	int type;
	uint32_t ident;
};

struct plan {
	const struct recording *in;
	struct arena mem;

	const char *file; /* rules that are being applied */
	bool warn, rescale;

	struct log_label label; /* the new label */
	struct timespec delta;
	unsigned int global; /* PLAN_... flags */

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
	const char *about_name; /* the name of its metric in the rule */
	void **chosen;          /* its subjects: metrics, domains, texts or label subjects */
	size_t nchosen;
};

/* Loads the contents of the archive; version is that of the output. Returns 0 or an error. */
int plan_load(struct plan *p, const struct recording *in, int version);
void plan_done(struct plan *p);

/* Applies the rules of a file; false after reporting an error. */
bool plan_apply(struct plan *p, const char *file, const struct rules *rules);

/* Checks the whole plan; false after reporting an error. */
bool plan_check(struct plan *p);

/* True if anything is to be changed. */
bool plan_changes(const struct plan *p);

/* Prints all changes on standard output. */
void plan_summary(const struct plan *p);

/* Prints a record on standard error as the input has it. */
void plan_print_record(const struct plan *p, const pmHighResResult *result);

struct plan_metric *plan_metric(const struct plan *p, pmID pmid);
struct plan_domain *plan_domain(const struct plan *p, pmInDom indom);
/* The instance with this number, and with its name in `in` if it has several; or NULL. */
const struct plan_inst *plan_inst(const struct plan_domain *d, int inst,
				  const struct archive_indom *now);

const char *plan_metric_name(const struct plan_metric *m);

/* A time of the archive after the changes. */
struct timespec plan_time(const struct plan *p, const struct timespec *when);

/*
 * plan_inner - shared by the files of the plan: choosing the subjects of a rule, and messages.
 */

/* Applies a step of a rule. Returns false after reporting an error. */
typedef bool (*plan_step)(struct plan *p, const struct rule_step *s);

/* clang-format off */
bool plan_hostname(struct plan *p, const struct rule_step *s);
bool plan_shift(struct plan *p, const struct rule_step *s);
bool plan_timezone(struct plan *p, const struct rule_step *s);
bool plan_zoneinfo(struct plan *p, const struct rule_step *s);
bool plan_features(struct plan *p, const struct rule_step *s);
bool plan_indom(struct plan *p, const struct rule_step *s);
bool plan_indom_iname(struct plan *p, const struct rule_step *s);
bool plan_indom_inst(struct plan *p, const struct rule_step *s);
bool plan_indom_move(struct plan *p, const struct rule_step *s);
bool plan_metrics(struct plan *p, const struct rule_step *s);
bool plan_metric_delete(struct plan *p, const struct rule_step *s);
bool plan_metric_rename(struct plan *p, const struct rule_step *s);
bool plan_metric_pmid(struct plan *p, const struct rule_step *s);
bool plan_metric_sem(struct plan *p, const struct rule_step *s);
bool plan_metric_type(struct plan *p, const struct rule_step *s);
bool plan_metric_units(struct plan *p, const struct rule_step *s);
bool plan_metric_indom(struct plan *p, const struct rule_step *s);
bool plan_text(struct plan *p, const struct rule_step *s);
bool plan_text_delete(struct plan *p, const struct rule_step *s);
bool plan_text_move(struct plan *p, const struct rule_step *s);
bool plan_text_replace(struct plan *p, const struct rule_step *s);
bool plan_label(struct plan *p, const struct rule_step *s);
bool plan_label_new(struct plan *p, const struct rule_step *s);
bool plan_label_move(struct plan *p, const struct rule_step *s);
bool plan_label_change(struct plan *p, const struct rule_step *s);
/* clang-format on */

/* After a step: prints "Specification error", with its line. Returns false. */
bool plan_error(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* For the whole plan: prints "Semantic error". Returns false. */
bool plan_wrong(const struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints only with -w. Returns true. */
bool plan_warn(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a subject to the current rule. */
void plan_choose(struct plan *p, void *what);

/* True if the numbers or the name of a rule match; a name is looked up once, in *found. */
bool plan_is_pmid(const struct rule_id *id, pmID pmid);
bool plan_is_indom(const struct rule_id *id, pmInDom indom);
pmID plan_new_pmid(const struct rule_id *id, pmID old);
pmInDom plan_new_indom(const struct rule_id *id, pmInDom old);

/*
 * Replaces the name of a metric in a rule by its numbers. Returns false after a warning that it is
 * unknown.
 */
bool plan_find_name(struct plan *p, const struct rule_step *s, struct rule_id *id);

/* "29.2" or PM_INDOM_NULL. */
const char *plan_indom_text(pmInDom indom, char *buf, int len);

/* "Domain 29", "Indom 29.1", "PMID 29.0.14", ...: as in the summary. */
const char *plan_label_ident(int type, uint32_t ident, char *buf, int len);

enum { PLAN_IDENT_ROOM = 64 };

#endif
