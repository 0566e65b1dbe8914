/* request_say - the log's lines about changes that were asked for (docs/spec/logger.md B3.1). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemons/pmlogger/logger_own.h"
#include "daemons/pmlogger/request.h"

void logger_say_request(const char *client, const struct logging_request *r)
{
	char when[32];
	time_t now = time(NULL);
	char delta[32] = "";

	if (r->wish == LOGGING_ON && r->delta_ms == 0)
		snprintf(delta, sizeof(delta), " once");
	else if (r->wish == LOGGING_ON)
		snprintf(delta, sizeof(delta), " %.1f sec", r->delta_ms / 1000.0);
	fprintf(stderr, "\n%spmlc request from %s: %s %s%s\n", ctime_r(&now, when), client,
		r->mandatory ? "mandatory" : "advisory",
		r->wish == LOGGING_ON      ? "on"
		: r->wish == LOGGING_MAYBE ? "maybe"
					   : "off",
		delta);
}

void logger_say_metric(const struct logging_metric *m)
{
	for (int i = 0; i < m->nnames; i++)
		fprintf(stderr, "%s%s", i == 0 ? "  metric: " : " or ", m->names[i]);
}

static int compare_inst(const void *key, const void *entry)
{
	int a = *(const int *)key, b = ((const struct wire_inst *)entry)->inst;

	return (a > b) - (a < b);
}

static void say_inst(struct request *q, const struct logging_metric *m, int inst)
{
	const struct wire_inst *known = NULL;
	struct timespec stamp;
	size_t n = 0;

	if (q->l->recorder.w != NULL)
		known = archive_writer_indom(q->l->recorder.w, m->desc.indom, &n, &stamp);
	if (known != NULL)
		known = bsearch(&inst, known, n, sizeof(*known), compare_inst);
	if (known != NULL)
		fprintf(stderr, "    instance: %.*s", (int)known->name.len, known->name.s);
	else
		fprintf(stderr, "    instance: #%d", inst);
}

static void say_failed(const struct logging_metric *m, int inst, const struct logging_request *r)
{
	fputs(logging_agrees(m, inst, r) ? "\n" : " [request failed]\n", stderr);
}

void request_say(struct request *q, const struct logging_metric *m, const struct request_set *s)
{
	bool whole = m->desc.indom == PM_INDOM_NULL || s->numval <= 0;

	logger_say_metric(m);
	if (whole) {
		say_failed(m, PM_IN_NULL, &q->change);
		return;
	}
	fputc('\n', stderr);
	for (int i = 0; i < s->numval; i++) {
		say_inst(q, m, s->insts[i]);
		say_failed(m, s->insts[i], &q->change);
	}
}
