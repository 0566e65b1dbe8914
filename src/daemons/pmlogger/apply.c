/* apply - see apply.h. */
#include "daemons/pmlogger/apply.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/name_query.h"
#include "daemons/pmlogger/request.h"
#include "daemons/pmlogger/turn.h"
#include "daemons/pmlogger/worker.h"
#include "libbase/cleanup.h"

/* A name of the configuration that is not a metric yet (A2.5). */
struct dynamic_root {
	struct dynamic_root *next;
	const char *name; /* in the configuration */
	struct logging_request request;
};

/* An instance domain that the configuration spoke of. */
struct known_indom {
	struct known_indom *next;
	pmInDom indom;
	int n;
	int *insts;
	char **names;
};

struct apply_job {
	struct worker_job job;
	struct apply *of;
	struct name_query leaves; /* what the configuration names that are metrics themselves */
	struct hash by_name;      /* of these */
	struct known_indom *indoms;
	const struct config_statement *statement;
	const struct config_metric *spec;
};

static void __attribute__((format(printf, 2, 3)))
warn(const struct apply_job *a, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "Warning [%s, line %u]\n", a->spec->file, a->spec->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static const struct known_indom *apply_indom_of(struct apply_job *a, pmInDom indom)
{
	struct known_indom *k;

	for (k = a->indoms; k != NULL; k = k->next) {
		if (k->indom == indom)
			return k;
	}
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return NULL;
	k->indom = indom;
	k->n = indom == PM_INDOM_NULL ? 0 : pmGetInDom(indom, &k->insts, &k->names);
	if (k->n <= 0) {
		k->n = 0;
		k->insts = NULL;
		k->names = NULL;
	}
	k->next = a->indoms;
	a->indoms = k;
	return k;
}

/* A name matches whole, or up to its first blank, as everywhere. */
static bool names_inst(const char *known, const char *asked)
{
	size_t len = strcspn(known, " ");

	return strcmp(known, asked) == 0 ||
	       (strlen(asked) == len && strncmp(known, asked, len) == 0);
}

static bool apply_find_inst(const struct known_indom *k, const struct config_inst *asked,
			    int *ret_inst)
{
	for (int i = 0; i < k->n; i++) {
		if (asked->name != NULL ? names_inst(k->names[i], asked->name)
					: k->insts[i] == asked->number) {
			*ret_inst = k->insts[i];
			return true;
		}
	}
	return false;
}

static void warn_inst(const struct apply_job *a, const struct config_inst *inst, const char *metric)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", inst->number);
	warn(a, "Instance \"%s\" is not defined for the metric \"%s\"",
	     inst->name != NULL ? inst->name : number, metric);
}

/* The numbers of the instances that are there. How many, or -ENOMEM. */
static int find_insts(struct apply_job *a, const struct queried_name *leaf, int **ret_insts)
{
	const struct known_indom *k = apply_indom_of(a, leaf->desc.indom);
	size_t n = 0;
	int *insts;

	for (const struct config_inst *i = a->spec->insts; i != NULL; i = i->next)
		n++;
	insts = calloc(n + 1, sizeof(*insts));
	if (insts == NULL || k == NULL) {
		free(insts);
		return -ENOMEM;
	}
	n = 0;
	for (const struct config_inst *i = a->spec->insts; i != NULL; i = i->next) {
		if (apply_find_inst(k, i, &insts[n]))
			n++;
		else
			warn_inst(a, i, leaf->name);
	}
	*ret_insts = insts;
	return (int)n;
}

static const char *class_name(bool mandatory)
{
	return mandatory ? "mandatory" : "advisory";
}

/* Instances that are logged together with all others, in another way. */
static void warn_insts(const struct apply_job *a, const struct queried_name *leaf,
		       const struct logging_metric *m, const struct logging_request *r)
{
	uint32_t bits = logging_bits(m, PM_IN_NULL);

	for (const struct config_inst *i = a->spec->insts; i != NULL; i = i->next) {
		warn(a, "Incompatible request for metric \"%s\" and instance \"%s\"", leaf->name,
		     i->name != NULL ? i->name : "?");
		fprintf(stderr, "Request for (%s) %s conflicts with current (%s) %s state\n",
			class_name(r->mandatory), r->wish == LOGGING_ON ? "ON" : "OFF",
			class_name((bits & LOGGING_BIT_MANDATORY) != 0),
			(bits & LOGGING_BIT_ON) != 0 ? "ON" : "OFF");
	}
}

static struct logging_request apply_request_of(const struct config_statement *s)
{
	static const enum logging_wish wishes[] = {
	    [CONFIG_OFF] = LOGGING_OFF, [CONFIG_MAYBE] = LOGGING_MAYBE, [CONFIG_ON] = LOGGING_ON};

	return (struct logging_request){
	    .mandatory = s->mandatory,
	    .wish = wishes[s->state],
	    .delta_ms = s->state == CONFIG_ON ? s->delta_ms : 0,
	    .configured = true,
	};
}

static int apply_change(struct apply_job *a, const struct queried_name *leaf, const int *insts,
			int n)
{
	struct logging_request r = apply_request_of(a->statement);
	char *one[] = {leaf->name};
	struct logging_metric *m =
	    logging_add(a->of->turn->logging, &leaf->desc, leaf->nall > 0 ? leaf->nall : 1,
			leaf->nall > 0 ? leaf->all : one);
	int err = 0;

	if (m == NULL || logging_add_name(m, leaf->name) < 0)
		return -ENOMEM;
	if (logging_change(a->of->turn->logging, m, &r, insts, (size_t)n, &err))
		return err;
	if (n > 0 && m->all != NULL && m->desc.indom != PM_INDOM_NULL)
		warn_insts(a, leaf, m, &r);
	else
		warn(a, "Incompatible request for metric \"%s\"", leaf->name);
	return err;
}

static int apply_leaf(struct apply_job *a, const struct queried_name *leaf)
{
	AUTO_FREE int *insts = NULL;
	int n = 0;

	if (leaf->pmid == PM_ID_NULL) {
		warn(a, "Metric \"%s\" is unknown ... not logged", leaf->name);
		return 0;
	}
	if (leaf->err < 0) {
		warn(a, "Description unavailable for metric \"%s\" ... not logged", leaf->name);
		fprintf(stderr, "Reason: %s\n", pmErrStr(leaf->err));
		return 0;
	}
	if (a->spec->insts != NULL) {
		n = find_insts(a, leaf, &insts);
		if (n <= 0)
			return n; /* the request goes with its last instance */
	}
	return apply_change(a, leaf, insts, n);
}

/* A name that is not a metric now may become one later. */
static int remember_root(struct apply_job *a)
{
	struct dynamic_root *root = arena_calloc(&a->of->config->mem, 1, sizeof(*root));

	if (root == NULL)
		return -ENOMEM;
	root->name = a->spec->name;
	root->request = apply_request_of(a->statement);
	if (root->request.wish == LOGGING_OFF)
		root->request.wish = LOGGING_MAYBE;
	root->next = a->of->roots;
	a->of->roots = root;
	return 0;
}

static bool name_eq(const void *entry, const void *key)
{
	return strcmp(((const struct queried_name *)entry)->name, key) == 0;
}

static uint64_t hash_name(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static int apply_spec(struct apply_job *a)
{
	const struct queried_name *leaf =
	    hash_find(&a->by_name, hash_name(a->spec->name), name_eq, a->spec->name);
	struct name_query leaves = {0};
	int r, err = 0;

	if (leaf != NULL)
		return apply_leaf(a, leaf);
	r = name_query_traverse(&leaves, a->spec->name);
	if (r < 0 && r != -ENOMEM) {
		warn(a, "Problem with lookup for metric \"%s\" ... logging not activated",
		     a->spec->name);
		fprintf(stderr, "Reason: %s\n", pmErrStr(r));
	}
	if (r != 1 || strcmp(leaves.names[0].name, a->spec->name) != 0)
		err = remember_root(a);
	for (size_t i = 0; i < leaves.n && err == 0; i++)
		err = apply_leaf(a, &leaves.names[i]);
	name_query_done(&leaves);
	return r == -ENOMEM ? r : err;
}

static void forget_indoms(struct apply_job *a)
{
	struct known_indom *next;

	for (struct known_indom *k = a->indoms; k != NULL; k = next) {
		next = k->next;
		free(k->insts);
		free(k->names);
		free(k);
	}
}

static int gather_names(struct apply_job *a)
{
	int r = 0;

	for (const struct config_statement *s = a->of->config->statements; s != NULL; s = s->next) {
		for (const struct config_metric *m = s->metrics; m != NULL && r == 0; m = m->next)
			r = name_query_add(&a->leaves, m->name);
	}
	return r;
}

/* Names that are metrics themselves are looked up all together; the others one by one, later. */
static int find_leaves(struct apply_job *a)
{
	int r = gather_names(a);

	if (r < 0)
		return r;
	if (name_query_look_up(&a->leaves) < 0)
		return 0; /* the look-up of each says why */
	for (size_t i = 0; i < a->leaves.n && r == 0; i++) {
		struct queried_name *one = &a->leaves.names[i];

		if (one->err == 0)
			r = hash_add(&a->by_name, hash_name(one->name), one);
	}
	return r;
}

static int apply_run(struct worker_job *job, struct worker *worker)
{
	struct apply_job *a = CONTAINER_OF(job, struct apply_job, job);
	int r = find_leaves(a);

	(void)worker;
	for (a->statement = a->of->config->statements; a->statement != NULL && r == 0;
	     a->statement = a->statement->next) {
		for (a->spec = a->statement->metrics; a->spec != NULL && r == 0;
		     a->spec = a->spec->next)
			r = apply_spec(a);
	}
	forget_indoms(a);
	return r;
}

void apply_init(struct apply *a, struct config *config, struct turn *turn)
{
	*a = (struct apply){.config = config, .turn = turn};
	list_init(&a->looks);
}

int apply_config(struct apply *a, struct worker *worker)
{
	struct apply_job job = {.job = {.run = apply_run}, .of = a};
	int r;

	a->worker = worker;
	r = worker_call(worker, &job.job, 0);
	hash_done(&job.by_name);
	name_query_done(&job.leaves);
	return r;
}

/*
 * Later
 */

struct look {
	struct list in_list;
	struct name_query names;
	struct apply *of;
	struct logging_request request;
};

static void add_found(struct look *k, const struct queried_name *leaf)
{
	struct logging *state = k->of->turn->logging;
	char *one[] = {leaf->name};
	struct logging_metric *m;
	int err;

	if (leaf->err < 0 || logging_find(state, leaf->pmid) != NULL)
		return;
	m = logging_add(state, &leaf->desc, leaf->nall > 0 ? leaf->nall : 1,
			leaf->nall > 0 ? leaf->all : one);
	if (m == NULL || logging_add_name(m, leaf->name) < 0)
		return;
	logging_change(state, m, &k->request, NULL, 0, &err);
	if (k->request.wish != LOGGING_ON)
		return;
	request_say_change("pmlogger", &k->request);
	request_say_metric(m);
	fputc('\n', stderr);
}

static void look_free(struct look *k)
{
	list_del(&k->in_list);
	name_query_done(&k->names);
	free(k);
}

static void apply_on_looked(struct worker_job *job)
{
	struct look *k =
	    CONTAINER_OF(CONTAINER_OF(job, struct name_query, job), struct look, names);

	for (size_t i = 0; i < k->names.n && !k->of->turn->bounds->ending; i++)
		add_found(k, &k->names.names[i]);
	if (!k->of->turn->bounds->ending)
		turn_sync(k->of->turn, false);
	look_free(k);
}

void apply_drop(struct apply *a)
{
	LIST_FOR_EACH (node, &a->looks) {
		look_free(LIST_ENTRY(node, struct look, in_list));
	}
}

void apply_look(struct apply *a)
{
	for (const struct dynamic_root *root = a->roots; root != NULL; root = root->next) {
		struct look *k = calloc(1, sizeof(*k));

		if (k == NULL || name_query_add(&k->names, root->name) < 0) {
			free(k);
			return;
		}
		list_add_tail(&a->looks, &k->in_list);
		k->of = a;
		k->request = root->request;
		k->request.configured = true; /* it joins the task of its statement */
		k->names.job = (struct worker_job){.run = name_query_run, .done = apply_on_looked};
		worker_post(a->worker, &k->names.job);
	}
}
