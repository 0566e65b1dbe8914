/*
 * recording - how metrics are recorded: the status word as text, and the commands that show and
 * change it (docs/spec/logger.md C3).
 */
#include "tools/pmlc/pmlc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "tools/common/cmdline.h"

/*
 * The status word
 */

enum { DECIMALS_MAX = 3, WIDTH = 7 };

/*
 * Each unit is this many of the one before. Days are printed in hours: 6.0.3 divides once more by
 * 24 and still prints "hour".
 */
static const struct {
	const char *name;
	int of;
} units[] = {{"msec", 1}, {"sec ", 1000}, {"min ", 60}, {"hour", 60}};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

static int decimals_of(double v)
{
	int n = 0;

	while (n < DECIMALS_MAX && fabs(v - round(v)) > 1e-6) {
		v *= 10;
		n++;
	}
	return n;
}

/* "     1.5 sec " for milliseconds from 1 up, "        once" for 0. */
static void state_interval(uint32_t delta_ms, char *buf, size_t size)
{
	double v = delta_ms;
	int unit = 0;
	int decimals;

	if (delta_ms == 0) {
		snprintf(buf, size, "%*s", STATE_INTERVAL_LEN, "once");
		return;
	}
	while (unit + 1 < UNITS && v >= units[unit + 1].of)
		v /= units[++unit].of;
	decimals = decimals_of(v);
	snprintf(buf, size, "%*.*f %s", WIDTH - decimals, decimals, v, units[unit].name);
}

void state_print(int word, FILE *f)
{
	char interval[32];

	if (PMLC_GET_ON(word))
		state_interval((uint32_t)PMLC_GET_DELTA(word), interval, sizeof(interval));
	else
		snprintf(interval, sizeof(interval), "%*s", STATE_INTERVAL_LEN, "");
	fprintf(f, "%s%s%s%s", PMLC_GET_MAND(word) ? "mand " : "adv  ",
		PMLC_GET_ON(word) ? "on  " : "off ",
		PMLC_GET_INLOG(word) ? (PMLC_GET_AVAIL(word) ? "   " : "na ") : "nl ", interval);
}

/*
 * The query command
 */

static void print_inst(struct metrics *m, const struct metric *metric, int inst)
{
	const char *name = metrics_inst_name(m, metric->desc.indom, inst);

	if (name == NULL)
		printf(" [%d or ???]", inst);
	else
		printf(" [%d or \"%s\"]", inst, name);
}

static void recording_print_value(struct metrics *m, const struct metric *metric,
				  const pmValue *value)
{
	printf("    ");
	state_print(value->value.lval, stdout);
	if (metric->desc.indom != PM_INDOM_NULL)
		print_inst(m, metric, value->inst);
	putchar('\n');
}

static bool is_answered(const pmValueSet *vset, int inst)
{
	for (int i = 0; i < vset->numval; i++) {
		if (vset->vlist[i].inst == inst)
			return true;
	}
	return false;
}

static void recording_print_metric(struct metrics *m, const struct metric *metric,
				   const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];

	printf("%s\n", metric->name);
	if (vset->numval < 0)
		printf("    %s\n", pmErrStr_r(vset->numval, text, sizeof(text)));
	else if (vset->numval == 0 && metric->ninst == 0)
		printf("    (no instances)\n");
	for (int i = 0; i < vset->numval; i++)
		recording_print_value(m, metric, &vset->vlist[i]);
	for (int i = 0; !metric->all && vset->numval >= 0 && i < metric->ninst; i++) {
		if (!is_answered(vset, metric->insts[i]))
			printf("%*s[%d] (not found)\n", 18, "", metric->insts[i]);
	}
	putchar('\n');
}

static void recording_ask(struct session *s, struct metrics *m)
{
	pmResult *request = metrics_request(m);
	pmResult *status;
	int r = __pmControlLog(s->fd, request, PM_LOG_ENQUIRE, 0, 0, &status);

	pmFreeResult(request);
	if (r < 0) {
		session_failed(s, "Error receiving response from pmlogger: ", r);
		return;
	}
	for (int i = 0; i < status->numpmid && i < m->n; i++)
		recording_print_metric(m, &m->list[i], status->vset[i]);
	pmFreeResult(status);
}

void query_run(struct session *s, const struct command *c)
{
	struct metrics m;

	if (metrics_find(&m, s, c->metrics) == 0)
		recording_ask(s, &m);
	metrics_done(&m);
}

/*
 * The command that changes
 */

/* Reports the changes that were not made under one heading. */
struct report {
	struct metrics *m;
	const struct command *c;
	bool headed;
};

/*
 * True if the recorder returned the requested state; "maybe" requests only that nothing is
 * mandatory, without an interval.
 */
static bool is_done(const struct command *c, int word)
{
	if (c->state == PM_LOG_MAYBE)
		return PMLC_GET_MAND(word) == 0 && PMLC_GET_DELTA(word) == 0;
	return PMLC_GET_ON(word) == (c->state == PM_LOG_ON) &&
	       PMLC_GET_MAND(word) == (c->control == PM_LOG_MANDATORY) &&
	       PMLC_GET_DELTA(word) == (int)c->delta_ms;
}

static void head(struct report *r)
{
	if (!r->headed)
		printf("Warning: unable to change logging state for:\n");
	r->headed = true;
}

static void report_insts(struct report *r, const struct metric *metric, const pmValueSet *vset)
{
	bool named = false;

	for (int i = 0; i < vset->numval; i++) {
		int inst = vset->vlist[i].inst;
		const char *name;

		if (is_done(r->c, vset->vlist[i].value.lval))
			continue;
		head(r);
		if (!named)
			printf("%s instance(s):\n", metric->name);
		named = true;
		name = metrics_inst_name(r->m, metric->desc.indom, inst);
		if (name == NULL)
			printf("    [%d or ???]\n", inst);
		else
			printf("    [%d or \"%s\"]\n", inst, name);
	}
	if (named)
		putchar('\n');
}

static void report_metric(struct report *r, const struct metric *metric, const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];

	if (vset->numval < 0) {
		head(r);
		printf("%s:%s\n\n", metric->name, pmErrStr_r(vset->numval, text, sizeof(text)));
	} else if (metric->desc.indom != PM_INDOM_NULL) {
		report_insts(r, metric, vset);
	} else if (vset->numval > 0 && !is_done(r->c, vset->vlist[0].value.lval)) {
		head(r);
		printf("%s\n\n", metric->name);
	}
}

static void change_ask(struct session *s, const struct command *c, struct metrics *m)
{
	struct report report = {.m = m, .c = c};
	pmResult *request = metrics_request(m);
	pmResult *status;
	int r = __pmControlLog(s->fd, request, c->control, c->state, (int)c->delta_ms, &status);

	pmFreeResult(request);
	if (r < 0) {
		session_failed(s, "Error receiving response from pmlogger: ", r);
		return;
	}
	for (int i = 0; i < status->numpmid && i < m->n; i++)
		report_metric(&report, &m->list[i], status->vset[i]);
	pmFreeResult(status);
}

void change_run(struct session *s, const struct command *c)
{
	struct metrics m;

	if (c->delta_ms > PMLC_MAX_DELTA) {
		fflush(stdout);
		fprintf(finding(),
			"Logging delta (%" PRIu64 " msec) cannot be bigger than %d msec\n",
			c->delta_ms, PMLC_MAX_DELTA);
		return;
	}
	if (metrics_find(&m, s, c->metrics) == 0)
		change_ask(s, c, &m);
	metrics_done(&m);
}
