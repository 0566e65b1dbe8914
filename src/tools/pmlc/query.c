/* query - see query.h. */
#include "tools/pmlc/query.h"

#include <stdio.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "tools/pmlc/metrics.h"
#include "tools/pmlc/session.h"
#include "tools/pmlc/state.h"

static void print_inst(struct metrics *m, const struct metric *metric, int inst)
{
	const char *name = metrics_inst_name(m, metric->desc.indom, inst);

	if (name == NULL)
		printf(" [%d or ???]", inst);
	else
		printf(" [%d or \"%s\"]", inst, name);
}

static void print_value(struct metrics *m, const struct metric *metric, const pmValue *value)
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

static void print_metric(struct metrics *m, const struct metric *metric, const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];

	printf("%s\n", metric->name);
	if (vset->numval < 0)
		printf("    %s\n", pmErrStr_r(vset->numval, text, sizeof(text)));
	else if (vset->numval == 0 && metric->ninst == 0)
		printf("    (no instances)\n");
	for (int i = 0; i < vset->numval; i++)
		print_value(m, metric, &vset->vlist[i]);
	for (int i = 0; !metric->all && vset->numval >= 0 && i < metric->ninst; i++) {
		if (!is_answered(vset, metric->insts[i]))
			printf("%*s[%d] (not found)\n", 18, "", metric->insts[i]);
	}
	putchar('\n');
}

static void ask(struct session *s, struct metrics *m)
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
		print_metric(m, &m->list[i], status->vset[i]);
	pmFreeResult(status);
}

void query_run(struct session *s, const struct command *c)
{
	struct metrics m;

	if (metrics_find(&m, s, c->metrics) == 0)
		ask(s, &m);
	metrics_done(&m);
}
