/* change - see change.h. */
#include "tools/pmlc/change.h"

#include <inttypes.h>
#include <stdio.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "tools/common/finding.h"
#include "tools/pmlc/metrics.h"
#include "tools/pmlc/session.h"

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

static void ask(struct session *s, const struct command *c, struct metrics *m)
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
		fprintf(finding(), "Logging delta (%" PRIu64 " msec) cannot be bigger than %d msec\n",
			c->delta_ms, PMLC_MAX_DELTA);
		return;
	}
	if (metrics_find(&m, s, c->metrics) == 0)
		ask(s, c, &m);
	metrics_done(&m);
}
