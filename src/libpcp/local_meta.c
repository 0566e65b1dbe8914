/* local_meta - descriptors, instances, text and labels from the agents in this process. */
#include "libpcp/local.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libpcp/label.h"
#include "libpcp/local_agent.h"
#include "libpcp/name_list.h"
#include "libwire/host_agent.h"

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
static int copy_insts(const pmInResult *from, int inst, struct context_insts *ret_insts)
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
		r = copy_insts(result, inst, ret_insts);
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
static int stand_in(const struct local_agent *agent, int type, pmLabelSet **ret_sets)
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
		return stand_in(agent, type, ret_sets);
	if (type == PM_LABEL_INSTANCES)
		r = local_give_profile(ctx, agent);
	if (r >= 0)
		r = agent->dispatch.version.seven.label((int)ident, type, &sets,
							local_agent_ext(agent));
	if (r < 0)
		return r;
	if (sets == NULL)
		return stand_in(agent, type, ret_sets);
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
	int r = local_begin();

	*ret_sets = NULL;
	if (r == 0 && type == PM_LABEL_CONTEXT)
		return label_host_set(ret_sets);
	if (r == 0)
		r = local_agent_for(ctx, domain, &agent);
	return r < 0 ? r : agent_labels(ctx, agent, ident, type, ret_sets);
}
