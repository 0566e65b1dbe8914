/* calls - see calls.h. */
#include "calls.h"

#include <stdlib.h>

#include <pcp/pmapi.h>

#include "fake.h"
#include "libbase/cleanup.h"

int call_fetch(void)
{
	pmID pmids[3] = {FAKE_COUNT, FAKE_NAME, FAKE_LOAD};
	pmResult *result;
	int r = pmFetch(3, pmids, &result);

	if (r >= 0)
		pmFreeResult(result);
	return r;
}

static int call_lookup(void)
{
	const char *names[2] = {"fake.count", "fake.load"};
	pmID pmids[2];

	return pmLookupName(2, names, pmids);
}

static int call_name(void)
{
	char *name;
	int r = pmNameID(FAKE_COUNT, &name);

	if (r >= 0)
		free(name);
	return r;
}

static int call_children(void)
{
	char **names;
	int *status;
	int r = pmGetChildrenStatus("fake", &names, &status);

	if (r >= 0) {
		free(names);
		free(status);
	}
	return r;
}

static void ignore(const char *name, void *closure)
{
}

int call_traverse(void)
{
	return pmTraversePMNS_r("fake", ignore, NULL);
}

int call_desc(void)
{
	pmDesc desc;

	return pmLookupDesc(FAKE_COUNT, &desc);
}

static int call_descs(void)
{
	pmID pmids[2] = {FAKE_COUNT, FAKE_LOAD};
	pmDesc descs[2];

	return pmLookupDescs(2, pmids, descs);
}

static int call_indom(void)
{
	int *ids;
	char **names;
	int r = pmGetInDom(FAKE_INDOM, &ids, &names);

	if (r >= 0) {
		free(ids);
		free(names);
	}
	return r;
}

int call_text(void)
{
	char *text;
	int r = pmLookupText(FAKE_COUNT, PM_TEXT_ONELINE, &text);

	if (r >= 0)
		free(text);
	return r;
}

static int call_labels(void)
{
	pmLabelSet *sets;
	int r = pmGetInstancesLabels(FAKE_INDOM, &sets);

	if (r >= 0)
		pmFreeLabelSets(sets, r);
	return r;
}

static int call_store(void)
{
	pmValueSet set = {.pmid = FAKE_COUNT, .numval = 1, .vlist = {{.inst = -1}}};
	pmResult result = {.numpmid = 1, .vset = {&set}};

	return pmStore(&result);
}

/* clang-format off */
const struct call calls[] = {
	{ "fetch",    call_fetch,    PDU_HIGHRES_RESULT },
	{ "lookup",   call_lookup,   PDU_PMNS_IDS },
	{ "name",     call_name,     PDU_PMNS_NAMES },
	{ "children", call_children, PDU_PMNS_NAMES },
	{ "traverse", call_traverse, PDU_PMNS_NAMES },
	{ "desc",     call_desc,     PDU_DESC },
	{ "descs",    call_descs,    PDU_DESCS },
	{ "indom",    call_indom,    PDU_INSTANCE },
	{ "text",     call_text,     PDU_TEXT },
	{ "labels",   call_labels,   PDU_LABEL },
	{ "store",    call_store,    PDU_ERROR },
};
/* clang-format on */

const size_t ncalls = ARRAY_SIZE(calls);
