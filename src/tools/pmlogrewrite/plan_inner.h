/*
 * plan_inner - what the files of the plan share: choosing what a rule is about, and telling.
 */
#ifndef PMLOGREWRITE_PLAN_INNER_H
#define PMLOGREWRITE_PLAN_INNER_H

#include "tools/pmlogrewrite/plan.h"

/* A step of a rule: false after an error was told. */
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

/* After a step: "Specification error", with its line; false. */
bool plan_error(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Of the whole: "Semantic error"; false. */
bool plan_wrong(const struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* With -w alone; true. */
bool plan_warn(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds to what the rule is about. */
void plan_choose(struct plan *p, void *what);

/* True if numbers or a name of a rule mean this; a name is looked up once, in *found. */
bool plan_is_pmid(const struct rule_id *id, pmID pmid);
bool plan_is_indom(const struct rule_id *id, pmInDom indom);
pmID plan_new_pmid(const struct rule_id *id, pmID old);
pmInDom plan_new_indom(const struct rule_id *id, pmInDom old);

/* A metric that a rule names is turned into its numbers; false: it is not there, and that was told. */
bool plan_find_name(struct plan *p, const struct rule_step *s, struct rule_id *id);

/* "29.2" or PM_INDOM_NULL. */
const char *plan_indom_text(pmInDom indom, char *buf, int len);

/* "Domain 29", "Indom 29.1", "PMID 29.0.14", ...: as in the summary. */
const char *plan_label_ident(int type, uint32_t ident, char *buf, int len);

enum { PLAN_IDENT_ROOM = 64 };

#endif
