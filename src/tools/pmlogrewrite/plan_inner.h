/*
 * plan_inner - shared by the files of the plan: choosing the subjects of a rule, and messages.
 */
#ifndef PMLOGREWRITE_PLAN_INNER_H
#define PMLOGREWRITE_PLAN_INNER_H

#include "tools/pmlogrewrite/plan.h"

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
