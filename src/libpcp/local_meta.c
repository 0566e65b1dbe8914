/*
 * local_meta - names, descriptors, instances, text and labels for local contexts.
 *
 * Names are from the name space of the installation, or the one that the program has loaded, and
 * below its dynamic roots from the agents; all else is from the agents in this process.
 */
#include "libpcp/local.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libpcp/label.h"
#include "libpcp/local_agent.h"
#include "libpcp/name_list.h"
#include "libpcp/namespace.h"
#include "libwire/host_agent.h"

/* ---- Names ---------------------------------------------------------------------------------- */

/* The name space, with a root for each agent that it does not know. */
static int need_names(void)
{
	int r = local_agent_thread();

	if (r == 0)
		r = namespace_need();
	if (r < 0)
		return r;
	for (const struct local_agent *a = local_agent_first(); a != NULL; a = a->next) {
		if (a->up)
			namespace_give_root(a->label, (unsigned int)a->domain);
	}
	return 0;
}

int local_location(struct context *ctx)
{
	int r = need_names();

	return r < 0 ? r : PMNS_LOCAL;
}

/* An agent that can be asked for names. */
static int names_agent(struct context *ctx, unsigned int domain, struct local_agent **ret_agent)
{
	int r = local_agent_for(ctx, domain, ret_agent);

	if (r == 0 && !local_agent_has(*ret_agent, PMDA_INTERFACE_4))
		r = PM_ERR_NAME;
	return r;
}

static int local_lookup_one(struct context *ctx, const char *name, pmID *ret_pmid)
{
	struct local_agent *agent;
	unsigned int domain;
	int r = namespace_lookup(name, ret_pmid, &domain);

	if (r <= 0)
		return r;
	r = names_agent(ctx, domain, &agent);
	if (r == 0)
		r = agent->dispatch.version.four.pmid(name, ret_pmid, local_agent_ext(agent));
	return r < 0 ? r : 0;
}

int local_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids)
{
	int found = 0;
	int r = need_names();

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		r = local_lookup_one(ctx, names[i], &pmids[i]);
		if (r < 0)
			pmids[i] = PM_ID_NULL;
		else
			found++;
	}
	return n == 1 && r < 0 ? r : found;
}

int local_name_all(struct context *ctx, pmID pmid, char ***ret_names)
{
	struct local_agent *agent;
	char **names = NULL;
	int r = need_names();

	if (r < 0)
		return r;
	r = namespace_names(pmid, ret_names);
	if (r != PM_ERR_PMID)
		return r;
	r = names_agent(ctx, pmID_domain(pmid), &agent);
	if (r == 0)
		r = agent->dispatch.version.four.name(pmid, &names, local_agent_ext(agent));
	if (r >= 0 && !host_agent_names(names, r)) {
		free(names);
		return PM_ERR_GENERIC;
	}
	if (r >= 0)
		*ret_names = names;
	/* An agent without names does not know this one either. */
	return r == PM_ERR_NOAGENT || r == PM_ERR_NAME ? PM_ERR_PMID : r;
}

/* Both lists are malloc'd as callers expect them. */
static int ask_children(struct context *ctx, unsigned int domain, const char *name, int traverse,
			char ***ret_names, int **ret_status)
{
	AUTO_FREE int *status = NULL;
	struct local_agent *agent;
	char **names = NULL;
	int r = names_agent(ctx, domain, &agent);

	if (r == 0)
		r = agent->dispatch.version.four.children(name, traverse, &names, &status,
							  local_agent_ext(agent));
	if (r < 0)
		return r;
	if (!host_agent_names(names, r)) {
		free(names);
		return PM_ERR_GENERIC;
	}
	*ret_names = names;
	if (ret_status != NULL)
		*ret_status = TAKE(status);
	return r;
}

int local_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status)
{
	unsigned int domain;
	pmID pmid;
	int r = need_names();

	if (r < 0)
		return r;
	if (namespace_lookup(name, &pmid, &domain) == 1)
		return ask_children(ctx, domain, name, 0, ret_names, ret_status);
	return namespace_children(name, ret_names, ret_status);
}

/*
 * Traversing: the names of the name space, with an agent's names in place of its dynamic root.
 */

struct walk {
	struct wire_str *names;
	size_t n;
	char ***blocks; /* what the names point into */
	size_t nblock;
};

static int walk_add(struct walk *w, char **block, const char *const *names, size_t n)
{
	struct wire_str *more = realloc(w->names, (w->n + n + 1) * sizeof(more[0]));
	char ***blocks;

	if (more == NULL)
		return -ENOMEM;
	w->names = more;
	for (size_t i = 0; i < n; i++)
		w->names[w->n++] = (struct wire_str){names[i], (uint32_t)strlen(names[i])};
	if (block == NULL)
		return 0;
	blocks = realloc(w->blocks, (w->nblock + 1) * sizeof(blocks[0]));
	if (blocks == NULL)
		return -ENOMEM;
	w->blocks = blocks;
	w->blocks[w->nblock++] = block;
	return 0;
}

static void walk_done(struct walk *w)
{
	for (size_t i = 0; i < w->nblock; i++)
		free(w->blocks[i]);
	free(w->blocks);
	free(w->names);
}

/* An agent that fails to return its names counts as one without names. */
static int walk_agent(struct walk *w, struct context *ctx, unsigned int domain, const char *name)
{
	char **names = NULL;
	int n = ask_children(ctx, domain, name, 1, &names, NULL);
	int r = n <= 0 ? 0 : walk_add(w, names, (const char *const *)names, (size_t)n);

	if (n <= 0 || r < 0)
		free(names);
	return n == PM_ERR_THREAD ? n : r;
}

static int walk_leaves(struct walk *w, struct context *ctx, char **leaves, const pmID *pmids, int n)
{
	int r = 0;

	for (int i = 0; i < n && r >= 0; i++) {
		if (IS_DYNAMIC_ROOT(pmids[i]))
			r = walk_agent(w, ctx, pmID_cluster(pmids[i]), leaves[i]);
		else
			r = walk_add(w, NULL, (const char *const *)&leaves[i], 1);
	}
	return r;
}

int local_traverse(struct context *ctx, const char *name, char ***ret_names)
{
	AUTO_FREE char **leaves = NULL;
	AUTO_FREE pmID *pmids = NULL;
	struct walk w = {0};
	unsigned int domain;
	pmID pmid;
	int r = need_names();
	int n;

	if (r < 0)
		return r;
	n = namespace_leaves(name, &leaves, &pmids);
	if (n == PM_ERR_NAME && namespace_lookup(name, &pmid, &domain) == 1)
		r = walk_agent(&w, ctx, domain, name);
	else
		r = n < 0 ? n : walk_leaves(&w, ctx, leaves, pmids, n);
	if (r >= 0)
		r = str_block_new(w.names, w.n, ret_names);
	n = (int)w.n;
	walk_done(&w);
	return r < 0 ? r : n;
}

/* ---- Descriptors, instances, text and labels ------------------------------------------------ */

int local_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc)
{
	struct local_agent *agent;
	int r = local_agent_for(ctx, pmID_domain(pmid), &agent);

	if (r == 0)
		r = agent->dispatch.version.any.desc(pmid, ret_desc, local_agent_ext(agent));
	return r < 0 ? r : 0;
}

int local_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		int r = local_desc(ctx, pmids[i], &ret_descs[i]);

		if (r < 0 && (n == 1 || r == PM_ERR_THREAD))
			return r;
		if (r < 0)
			ret_descs[i] = (pmDesc){.pmid = PM_ID_NULL};
		else
			found++;
	}
	return found;
}

/* Missing ids are that of the question, missing names are "". */
static int local_copy_insts(const pmInResult *from, int inst, struct context_insts *ret_insts)
{
	size_t n = (size_t)from->numinst;
	AUTO_FREE struct wire_str *names = calloc(n + 1, sizeof(names[0]));
	AUTO_FREE int *ids = malloc((n + 1) * sizeof(ids[0]));
	char **block;

	if (names == NULL || ids == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *name = from->namelist == NULL ? NULL : from->namelist[i];

		ids[i] = from->instlist == NULL ? inst : from->instlist[i];
		names[i].s = name == NULL ? "" : name;
		names[i].len = (uint32_t)strlen(names[i].s);
	}
	if (str_block_new(names, n, &block) < 0)
		return -ENOMEM;
	*ret_insts = (struct context_insts){.n = (int)n, .names = block};
	if (n > 0)
		ret_insts->ids = TAKE(ids);
	return (int)n;
}

int local_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		    struct context_insts *ret_insts)
{
	struct local_agent *agent;
	pmInResult *result = NULL;
	int r = local_agent_for(ctx, pmInDom_domain(indom), &agent);

	if (r == PM_ERR_NOAGENT)
		return PM_ERR_NOAGENT;
	if (r == 0)
		r = agent->dispatch.version.any.instance(indom, inst, (char *)name, &result,
							 local_agent_ext(agent));
	if (r < 0)
		return r;
	if (!host_agent_insts(result))
		r = PM_ERR_INDOM;
	else if ((name != NULL || inst != (int)PM_IN_NULL) && result->numinst != 1)
		r = PM_ERR_INST;
	else
		r = local_copy_insts(result, inst, ret_insts);
	__pmFreeInResult(result);
	return r;
}

/* The agent keeps its text. */
int local_text(struct context *ctx, unsigned int ident, int type, char **ret_text)
{
	struct local_agent *agent;
	char *text = NULL;
	int r = local_agent_for(ctx, pmID_domain(ident), &agent);

	if (r == 0)
		r = agent->dispatch.version.any.text((int)ident, type, &text,
						     local_agent_ext(agent));
	if (r < 0)
		return r;
	text = strdup(text == NULL ? "" : text);
	if (text == NULL)
		return -ENOMEM;
	*ret_text = text;
	return 0;
}

/* An agent that knows no labels has its own name for one (docs/spec/pmcd.md 8.6). */
static int local_stand_in(const struct local_agent *agent, int type, pmLabelSet **ret_sets)
{
	pmLabelSet *set = NULL;
	int r;

	if (type != PM_LABEL_DOMAIN)
		return 0;
	r = __pmGetDomainLabels(agent->domain, agent->label, &set);
	if (r < 0)
		pmFreeLabelSets(set, 1);
	else
		*ret_sets = set;
	return r;
}

static int agent_labels(struct context *ctx, struct local_agent *agent, unsigned int ident,
			int type, pmLabelSet **ret_sets)
{
	pmLabelSet *sets = NULL;
	int r = 0;

	if (!local_agent_has(agent, PMDA_INTERFACE_7))
		return local_stand_in(agent, type, ret_sets);
	if (type == PM_LABEL_INSTANCES)
		r = local_agent_give_profile(ctx, agent);
	if (r >= 0)
		r = agent->dispatch.version.seven.label((int)ident, type, &sets,
							local_agent_ext(agent));
	if (r < 0)
		return r;
	if (sets == NULL)
		return local_stand_in(agent, type, ret_sets);
	if (!host_agent_labels(sets, r)) {
		pmFreeLabelSets(sets, r);
		return PM_ERR_GENERIC;
	}
	*ret_sets = sets;
	return r;
}

int local_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets)
{
	struct local_agent *agent;
	unsigned int domain = type == PM_LABEL_DOMAIN ? ident : pmID_domain(ident);
	int r = local_agent_thread();

	*ret_sets = NULL;
	if (r == 0 && type == PM_LABEL_CONTEXT)
		return label_host_set(ret_sets);
	if (r == 0)
		r = local_agent_for(ctx, domain, &agent);
	return r < 0 ? r : agent_labels(ctx, agent, ident, type, ret_sets);
}
