/*
 * label_print - label sets for people: docs/spec/pmapi.md 20.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"

/* clang-format off */
static const struct {
	int type;
	const char *name;
} levels[] = {
	{ PM_LABEL_CONTEXT,   "context" },
	{ PM_LABEL_DOMAIN,    "domain" },
	{ PM_LABEL_INDOM,     "indom" },
	{ PM_LABEL_CLUSTER,   "cluster" },
	{ PM_LABEL_ITEM,      "pmid" },
	{ PM_LABEL_INSTANCES, "instances" },
};
/* clang-format on */

const char *__pmLabelTypeString(int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (type & levels[i].type)
			return levels[i].name;
	return "unknown";
}

char *__pmLabelIdentString(int ident, int type, char *buf, size_t buflen)
{
	char id[32];

	switch (type & ~(PM_LABEL_COMPOUND | PM_LABEL_OPTIONAL)) {
	case PM_LABEL_DOMAIN:
		pmsprintf(buf, buflen, "Domain %d", ident);
		break;
	case PM_LABEL_INDOM:
	case PM_LABEL_INSTANCES:
		pmsprintf(buf, buflen, "InDom %s", pmInDomStr_r((pmInDom)ident, id, sizeof(id)));
		break;
	case PM_LABEL_CLUSTER:
		pmsprintf(buf, buflen, "Cluster %u.%u", pmID_domain((pmID)ident),
			  pmID_cluster((pmID)ident));
		break;
	case PM_LABEL_ITEM:
		pmsprintf(buf, buflen, "PMID %s", pmIDStr_r((pmID)ident, id, sizeof(id)));
		break;
	default:
		pmsprintf(buf, buflen, "Context");
	}
	return buf;
}

/* "indom,optional": all that is set. */
static const char *flags_text(unsigned int flags, char *buf, size_t size)
{
	struct text t = text_in(buf, size);

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (flags & (unsigned int)levels[i].type)
			text_add(&t, levels[i].name);
	if (t.len == 0)
		text_add(&t, "?");
	if (flags & PM_LABEL_COMPOUND)
		text_add(&t, ",compound");
	if (flags & PM_LABEL_OPTIONAL)
		text_add(&t, ",optional");
	return buf;
}

static void print_set(FILE *f, int ident, int type, const pmLabelSet *set)
{
	char name[64], flags[96];

	fprintf(f, "    %s", __pmLabelIdentString(ident, type, name, sizeof(name)));
	if (type & PM_LABEL_INSTANCES)
		fprintf(f, "[%u]", set->inst);
	if (set->nlabels < 0) {
		fprintf(f, " labels %s\n", pmErrStr_r(set->nlabels, flags, sizeof(flags)));
		return;
	}
	fprintf(f, " labels (%u bytes): %.*s\n", set->jsonlen, (int)set->jsonlen,
		set->json != NULL ? set->json : "");
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = &set->labels[i];

		fprintf(f, "        [%d] name(%u,%u) : value(%u,%u) [%s]\n", i, l->name, l->namelen,
			l->value, l->valuelen, flags_text(l->flags, flags, sizeof(flags)));
	}
}

void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int n)
{
	for (int i = 0; i < n; i++)
		print_set(f, ident, type, &sets[i]);
}
