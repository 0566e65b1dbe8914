/* labels - of the agent, its cluster, some domains, metrics and instances. */
#include "labels.h"
#include "sample.h"
#include "series.h"
#include "stored.h"

static void add_item_labels(pmID pmid, pmLabelSet **sets)
{
	const struct sample_metric *row = sample_find(pmid & 0x3fffff);
	int changed = row != NULL ? stored_is_changed(row) : -1;

	if (changed >= 0)
		pmdaAddLabels(sets, "{\"changed\":%s}", changed ? "true" : "false");
	if ((pmid & 0x3fffff) == RAPID_ITEM)
		pmdaAddLabels(sets, "{\"measure\":\"speed\",\"units\":\"metres per second\","
				    "\"unitsystem\":\"SI\"}");
}

static void add_indom_labels(pmInDom indom, pmLabelSet **sets)
{
	if (pmInDom_serial(indom) == COLOURS)
		pmdaAddLabels(sets, "{\"model\":\"RGB\"}");
	if (pmInDom_serial(indom) == FAMILY)
		pmdaAddLabels(sets, "{\"clan\":\"mcdonell\"}");
}

int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"agent\":\"sample\",\"role\":\"testing\"}");
	if (type == PM_LABEL_CLUSTER && pmID_cluster((pmID)ident) == 0)
		pmdaAddLabels(sets, "{\"cluster\":\"zero\"}");
	if (type == PM_LABEL_INDOM)
		add_indom_labels((pmInDom)ident, sets);
	if (type == PM_LABEL_ITEM)
		add_item_labels((pmID)ident, sets);
	return pmdaLabel(ident, type, sets, ext);
}

int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	switch (indom == PM_INDOM_NULL ? ONE_VALUE : pmInDom_serial(indom)) {
	case BINS:
	case SCRAMBLED:
		return pmdaAddLabels(set, "{\"bin\":%u}", inst);
	case MIRAGE:
		return pmdaAddLabels(set, "{\"transient\":%s}", inst == 0 ? "false" : "true");
	default:
		return 0;
	}
}
