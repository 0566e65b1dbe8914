/*
 * plan_global - the clauses of global rules.
 */
#include <string.h>

#include "libdisk/limits.h"
#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan_inner.h"

enum { MINUTES_MAX = 59, SECONDS_MAX = 59 };

/* A clause may be given once, and only in a version that has the field. */
static bool begin(struct plan *p, const struct rule_step *s, unsigned int what, const char *word,
		  int version)
{
	if (p->label.version < version)
		return plan_error(
		    p, s, "Global %s clause requires output archive version of %d or greater", word,
		    version);
	if (p->global & what)
		return plan_error(p, s, "Duplicate global %s clause", word);
	return true;
}

static bool set_text(struct plan *p, const struct rule_step *s, unsigned int what,
		     const char *word, char *field, const char *old)
{
	if (!begin(p, s, what, word, what == PLAN_ZONEINFO ? DISK_V3 : DISK_V2))
		return false;
	if (strcmp(old, s->text) == 0)
		return plan_warn(p, s, "Global %s (%s): No change", word, old);
	if (strlen(s->text) >= LOG_LABEL_TEXT)
		return plan_error(p, s, "Global %s is too long", word);
	strcpy(field, s->text);
	p->global |= what;
	return true;
}

bool plan_hostname(struct plan *p, const struct rule_step *s)
{
	return set_text(p, s, PLAN_HOSTNAME, "hostname", p->label.host, p->in->label->host);
}

bool plan_timezone(struct plan *p, const struct rule_step *s)
{
	return set_text(p, s, PLAN_TIMEZONE, "timezone", p->label.timezone,
			p->in->label->timezone);
}

bool plan_zoneinfo(struct plan *p, const struct rule_step *s)
{
	return set_text(p, s, PLAN_ZONEINFO, "zoneinfo", p->label.zoneinfo,
			p->in->label->zoneinfo);
}

bool plan_features(struct plan *p, const struct rule_step *s)
{
	if (!begin(p, s, PLAN_FEATURES, "features", DISK_V3))
		return false;
	if (p->in->label->features == s->features)
		return plan_warn(p, s, "Global features (%u): No change", s->features);
	p->label.features = s->features;
	p->global |= PLAN_FEATURES;
	return true;
}

bool plan_shift(struct plan *p, const struct rule_step *s)
{
	if (!begin(p, s, PLAN_TIME, "time", DISK_V2))
		return false;
	if (s->minutes > MINUTES_MAX)
		plan_warn(p, s, "Minutes (%d) in time clause more than 59", s->minutes);
	if (s->seconds > SECONDS_MAX)
		plan_warn(p, s, "Seconds (%s) in time clause more than 59", s->text);
	if (s->delta.tv_sec == 0 && s->delta.tv_nsec == 0)
		return plan_warn(p, s, "Global time: No change");
	p->delta = s->delta;
	if (s->flags & RULE_TO_NULL) {
		p->delta.tv_sec = -s->delta.tv_sec;
		p->delta.tv_nsec = -s->delta.tv_nsec;
	}
	p->global |= PLAN_TIME;
	return true;
}
