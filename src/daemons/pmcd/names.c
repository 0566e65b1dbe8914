/* names - see names.h. */
#include "daemons/pmcd/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/builtin.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpmns/pmns.h"

enum {
	NAMES_PATH_MAX = 4096 - 8,
};

/* The input of a load. It is a copy, because a thread may do the load. */
struct names_agent {
	char *label;
	unsigned int domain;
	bool builtin;
};

struct names_plan {
	struct arena mem;
	const char *file; /* of -n, -N or PMNS_DEFAULT; NULL: the default one, and fragments */
	bool preprocess, unique;
	struct names_agent *agents;
	unsigned int nagent;
};

static void names_log(void *arg, const char *text)
{
	log_error("%s", text);
}

/* The first failure of a file that is there; what could be loaded is loaded. */
static int load_default(struct names *n)
{
	struct pmns_options opt = {.message = names_log};
	char dir[NAMES_PATH_MAX];
	int r;

	snprintf(dir, sizeof(dir), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	r = pmns_load_system(dir, &opt, &n->ns, &n->fragments);
	if (n->ns == NULL) {
		log_error("No name space: neither %s/root nor fragments beside it", dir);
		n->ns = pmns_new();
	}
	if (n->ns == NULL)
		return -ENOMEM;
	return r == -ENOENT ? 0 : r;
}

static int load_named(struct names *n, const struct names_plan *plan)
{
	struct pmns_options opt = {.message = names_log};
	int r;

	if (plan->preprocess)
		opt.flags |= PMNS_PREPROCESS;
	if (plan->unique)
		opt.flags |= PMNS_UNIQUE_PMIDS;
	r = pmns_load_file(plan->file, &opt, &n->ns);
	if (r < 0)
		log_error("Cannot load the name space %s: %s", plan->file, pmErrStr(r));
	return r;
}

static int mark_domain(void *arg, const struct pmns_entry *e)
{
	bool *has = arg;

	if (e->kind == PMNS_DYNAMIC)
		has[pmns_dynamic_domain(e->pmid) % AGENTS_DOMAINS] = true;
	else
		has[e->pmid >> 22 & 0x1ff] = true;
	return 0;
}

/* Its label is the name of the subtree; the agent knows what is below. */
static int give_dynamic_root(struct pmns *ns, const struct names_agent *a)
{
	int r = pmns_add(ns, a->label, strlen(a->label), pmns_dynamic_pmid(a->domain));

	if (r < 0 && r != -ENOMEM)
		log_error("Name space: no dynamic root \"%s\" for domain %u: the name is taken",
			  a->label, a->domain);
	return r == -ENOMEM ? r : 0;
}

/* 0 or -ENOMEM. */
static int add_agents(const struct names_plan *plan, struct pmns *ns)
{
	bool has[AGENTS_DOMAINS] = {false};
	int r = 0;

	for (unsigned int i = 0; r == 0 && i < plan->nagent; i++) {
		if (plan->agents[i].builtin)
			r = builtin_add_names(ns);
	}
	pmns_traverse(ns, "", 0, mark_domain, has);
	for (unsigned int i = 0; r == 0 && i < plan->nagent; i++) {
		const struct names_agent *a = &plan->agents[i];

		if (!has[a->domain] && a->domain != 0)
			r = give_dynamic_root(ns, a);
	}
	return r;
}

static int plan_init(struct names_plan *plan, const struct server *server)
{
	const struct options *o = server->options;

	*plan = (struct names_plan){.file = o->namespace_file,
				    .preprocess = o->namespace_file != NULL,
				    .unique = o->unique_names};
	if (plan->file == NULL)
		plan->file = getenv("PMNS_DEFAULT");
	plan->agents = arena_calloc(&plan->mem, server->agents.count, sizeof(*plan->agents));
	for (unsigned int i = 0; plan->agents != NULL && i < server->agents.count; i++) {
		const struct agent *a = server->agents.all[i];
		struct names_agent *to = &plan->agents[plan->nagent++];

		to->domain = a->config->domain;
		to->builtin = a->ops->own;
		to->label = arena_strndup(&plan->mem, a->config->label, strlen(a->config->label));
		if (to->label == NULL)
			plan->agents = NULL;
	}
	if (plan->agents != NULL)
		return 0;
	arena_done(&plan->mem);
	return -ENOMEM;
}

/* Half a name space comes with an error; without memory there is none. */
static int names_load_plan(const struct names_plan *plan, struct names **ret_names)
{
	struct names *n = calloc(1, sizeof(*n));
	int r;

	if (n == NULL)
		return -ENOMEM;
	n->refs = 1;
	r = plan->file != NULL ? load_named(n, plan) : load_default(n);
	if (n->ns == NULL || (r != -ENOMEM && add_agents(plan, n->ns) < 0))
		r = r < 0 ? r : -ENOMEM;
	if (r == -ENOMEM || n->ns == NULL) {
		names_put(n);
		return r;
	}
	*ret_names = n;
	return r;
}

int names_load(struct server *server)
{
	struct names_plan plan;
	struct names *n = NULL;
	int r = plan_init(&plan, server);

	if (r < 0)
		return r;
	r = names_load_plan(&plan, &n);
	arena_done(&plan.mem);
	if (n == NULL)
		return r;
	names_put(server->names);
	server->names = n;
	return 0;
}

/*
 * Once more: a thread reads, the loop takes over
 */

struct names_job {
	uv_work_t work;
	struct server *server;
	struct names_plan plan;
	enum names_reload how;
	struct names *old; /* held */
	struct names *fresh;
	bool changed;
	int status;
};

static bool is_changed(const struct names *n)
{
	return n == NULL || pmns_changed(n->ns) ||
	       (n->fragments != NULL && pmns_changed(n->fragments));
}

static void reload_in_thread(uv_work_t *work)
{
	struct names_job *job = work->data;
	const char *name = job->plan.file != NULL ? job->plan.file : "DEFAULT";

	job->changed = is_changed(job->old);
	if (job->changed)
		log_info("Reloading PMNS \"%s\"", name);
	else if ((job->how & NAMES_LOG) != 0)
		log_info("PMNS file \"%s\" is unchanged", name);
	if (job->changed || (job->how & NAMES_FORCE) != 0)
		job->status = names_load_plan(&job->plan, &job->fresh);
}

/* A broken file does not take the names away that everybody is using. */
static void use_names(struct server *server, struct names_job *job)
{
	/* Agents wait for their names: the next time, whatever that was for, sees to it. */
	server->names_pending = job->status == -ENOMEM && (job->how & NAMES_FORCE) != 0;
	if (job->status < 0 && job->old != NULL) {
		log_error("The name space stays as it was");
		return;
	}
	if (job->fresh == NULL)
		return;
	names_put(server->names);
	server->names = TAKE(job->fresh);
}

static void job_free(struct names_job *job)
{
	names_put(job->old);
	names_put(job->fresh);
	arena_done(&job->plan.mem);
	free(job);
}

static void have_reloaded(uv_work_t *work, int status)
{
	struct names_job *job = work->data;
	struct server *server = job->server;
	enum names_reload again = server->names_again;

	server->names_busy = false;
	server->names_again = 0;
	if (!server->stopping)
		use_names(server, job);
	if ((job->how & NAMES_REPORT) != 0)
		server->names_over(server);
	job_free(job);
	if (again != 0 && !server->stopping)
		names_reload(server, again);
}

static struct names_job *job_new(struct server *server, enum names_reload how)
{
	struct names_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	if (plan_init(&job->plan, server) < 0) {
		free(job);
		return NULL;
	}
	job->server = server;
	job->how = server->names_pending ? how | NAMES_FORCE : how;
	job->old = names_hold(server->names);
	job->work.data = job;
	return job;
}

void names_reload(struct server *server, enum names_reload how)
{
	struct names_job *job;

	if (server->names_busy) {
		server->names_again |= how;
		return;
	}
	job = job_new(server, how);
	if (job != NULL &&
	    uv_queue_work(&server->loop.uv, &job->work, reload_in_thread, have_reloaded) == 0) {
		server->names_busy = true;
		return;
	}
	if (job != NULL)
		job_free(job);
	log_often("No memory to look at the name space: it stays as it was");
	if ((how & NAMES_REPORT) != 0)
		server->names_over(server);
}

struct names *names_hold(struct names *names)
{
	if (names != NULL)
		names->refs++;
	return names;
}

void names_put(struct names *names)
{
	if (names == NULL || --names->refs > 0)
		return;
	pmns_free(names->ns);
	pmns_free(names->fragments);
	free(names);
}
