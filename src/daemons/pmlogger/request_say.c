/* request_say - the log's lines about changes that were asked for (docs/spec/logger.md B3.1). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/request.h"
#include "daemons/pmlogger/timing.h"
#include "daemons/pmlogger/turn.h"

void request_say_change(const char *client, const struct logging_request *r)
{
	char when[32];
	time_t now = timing_now().tv_sec;
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

static void say_names(int n, char *const *names)
{
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s%s", i == 0 ? "  metric: " : " or ", names[i]);
}

void request_say_metric(const struct logging_metric *m)
{
	say_names(m->nnames, m->names);
}

static int say_compare_inst(const void *key, const void *entry)
{
	int a = *(const int *)key, b = ((const struct wire_inst *)entry)->inst;

	return (a > b) - (a < b);
}

const struct wire_str *request_inst_name(const struct request *q, pmInDom indom, int inst)
{
	const struct wire_inst *known = NULL;
	struct timespec stamp;
	size_t n = 0;

	if (q->turn->recorder->w != NULL)
		known = archive_writer_indom(q->turn->recorder->w, indom, &n, &stamp);
	if (known != NULL)
		known = bsearch(&inst, known, n, sizeof(*known), say_compare_inst);
	return known != NULL ? &known->name : NULL;
}

/* An instance in the collector's form. */
struct inst_name {
	int inst;
	const char *name;
};

static int compare_inst_names(const void *a, const void *b)
{
	const struct inst_name *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* The answer to a question by number; NULL when out of memory. */
static const struct inst_name *by_number(struct request *q, struct meta_query_item *item)
{
	struct inst_name *list;

	if (item->known != NULL)
		return item->known;
	list = arena_calloc(&q->mem, (size_t)item->n + 1, sizeof(*list));
	if (list == NULL)
		return NULL;
	for (int i = 0; i < item->n; i++)
		list[i] = (struct inst_name){item->insts[i], item->names[i]};
	qsort(list, (size_t)item->n, sizeof(*list), compare_inst_names);
	item->known = list;
	return list;
}

/* The collector's name, where it was asked. */
static const char *collector_name(struct request *q, const struct request_set *s, int inst)
{
	const struct inst_name key = {inst, NULL}, *list, *one = NULL;
	struct meta_query_item *item;

	if (s->indom_item == SIZE_MAX)
		return NULL;
	item = &q->indoms.items[s->indom_item];
	list = by_number(q, item);
	if (list != NULL)
		one = bsearch(&key, list, (size_t)item->n, sizeof(*list), compare_inst_names);
	return one != NULL ? one->name : NULL;
}

static void say_inst(struct request *q, const struct request_set *s, int inst)
{
	const struct wire_str *known = request_inst_name(q, s->desc.indom, inst);
	const char *name = collector_name(q, s, inst);

	if (known != NULL)
		fprintf(stderr, "    instance: %.*s", (int)known->len, known->s);
	else if (name != NULL)
		fprintf(stderr, "    instance: %s", name);
	else
		fprintf(stderr, "    instance: #%d", inst);
}

static void say_failed(const struct logging_metric *m, int inst, const struct logging_request *r)
{
	fputs(m == NULL || logging_agrees(m, inst, r) ? "\n" : " [request failed]\n", stderr);
}

/* The names of a metric that was never logged; false if they are not known either. */
static bool say_unknown(const struct request *q, const struct request_set *s)
{
	const struct meta_query_item *item;

	if (s->desc_item == SIZE_MAX || s->err < 0)
		return false;
	item = &q->descs.items[s->desc_item];
	say_names(item->n, item->names);
	return item->n > 0;
}

void request_say(struct request *q, const struct logging_metric *m, const struct request_set *s)
{
	const struct meta_query_item *now =
	    s->indom_item != SIZE_MAX ? &q->indoms.items[s->indom_item] : NULL;
	const int *insts = s->insts;
	int n = s->numval;

	if (n <= 0 && now != NULL) { /* all: those that the collector has now */
		insts = now->insts;
		n = now->n;
	}
	if (m != NULL)
		request_say_metric(m);
	else if (!say_unknown(q, s))
		return;
	if (s->desc.indom == PM_INDOM_NULL || n <= 0) {
		say_failed(m, PM_IN_NULL, &q->change);
		return;
	}
	fputc('\n', stderr);
	for (int i = 0; i < n; i++) {
		say_inst(q, s, insts[i]);
		say_failed(m, insts[i], &q->change);
	}
}
