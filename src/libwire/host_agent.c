/* host_agent - see host_agent.h. */
#include "libwire/host_agent.h"

#include <stddef.h>

/* ---- methods ---- */

static int no_profile(pmProfile *profile, pmdaExt *ext)
{
	if (ext != NULL)
		ext->e_prof = profile;
	return 0;
}

static int no_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_desc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_text(int ident, int type, char **text, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_store(pmResult *result, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_name(pmID pmid, char ***names, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_children(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

static int no_attribute(int context, int attr, const char *value, int len, pmdaExt *ext)
{
	return 0;
}

static int no_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	return PM_ERR_NYI;
}

/* Fills a place that is empty, and counts it. */
#define COMPLETE(count, method, instead)                                                           \
	do {                                                                                       \
		if ((method) == NULL) {                                                            \
			(method) = (instead);                                                      \
			(count)++;                                                                 \
		}                                                                                  \
	} while (0)

int host_agent_complete(pmdaInterface *dispatch)
{
	unsigned int version = dispatch->comm.pmda_interface;
	int n = 0;

	COMPLETE(n, dispatch->version.any.profile, no_profile);
	COMPLETE(n, dispatch->version.any.fetch, no_fetch);
	COMPLETE(n, dispatch->version.any.desc, no_desc);
	COMPLETE(n, dispatch->version.any.instance, no_instance);
	COMPLETE(n, dispatch->version.any.text, no_text);
	COMPLETE(n, dispatch->version.any.store, no_store);
	if (version >= PMDA_INTERFACE_4) {
		COMPLETE(n, dispatch->version.four.pmid, no_pmid);
		COMPLETE(n, dispatch->version.four.name, no_name);
		COMPLETE(n, dispatch->version.four.children, no_children);
	}
	if (version >= PMDA_INTERFACE_6)
		COMPLETE(n, dispatch->version.six.attribute, no_attribute);
	if (version >= PMDA_INTERFACE_7)
		COMPLETE(n, dispatch->version.seven.label, no_label);
	return n;
}

/* ---- answers ---- */

bool host_agent_names(char *const *names, int n)
{
	if (n > 0 && names == NULL)
		return false;
	for (int i = 0; i < n; i++) {
		if (names[i] == NULL)
			return false;
	}
	return true;
}

bool host_agent_insts(const pmInResult *in)
{
	if (in == NULL || in->numinst < 0)
		return false;
	return in->namelist == NULL || host_agent_names(in->namelist, in->numinst);
}

static bool label_in_text(const pmLabelSet *set, const pmLabel *label)
{
	return (unsigned int)label->name + label->namelen <= set->jsonlen &&
	       (unsigned int)label->value + label->valuelen <= set->jsonlen;
}

bool host_agent_labels(const pmLabelSet *sets, int n)
{
	for (int i = 0; i < n; i++) {
		const pmLabelSet *set = &sets[i];

		if (set->nlabels > 0 && (set->labels == NULL || set->json == NULL))
			return false;
		for (int j = 0; j < set->nlabels; j++) {
			if (!label_in_text(set, &set->labels[j]))
				return false;
		}
	}
	return true;
}

bool host_agent_values(const pmValueSet *vset)
{
	if (vset == NULL)
		return false;
	if (vset->valfmt == PM_VAL_INSITU)
		return true;
	for (int i = 0; i < vset->numval; i++) {
		const pmValueBlock *block = vset->vlist[i].value.pval;

		if (block == NULL || block->vlen < PM_VAL_HDR_SIZE)
			return false;
	}
	return true;
}
