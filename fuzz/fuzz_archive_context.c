/*
 * fuzz_archive_context - any bytes as an archive that a program opens and fetches from.
 *
 * The input is that of fuzz_archive (members.h), and both use the same corpus. The target reads
 * names, descriptors, instances, labels and texts, and values of the first metrics: record by
 * record, and interpolated in both directions.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"
#include "libbase/cleanup.h"
#include "members.h"

enum {
	MOST = 16,
	STEPS = 6,
};

static struct {
	int n;
	pmID pmids[MOST];
} metrics;

static void see_name(const char *name, void *arg)
{
	pmID pmid;

	if (metrics.n < MOST && pmLookupName(1, &name, &pmid) == 1)
		metrics.pmids[metrics.n++] = pmid;
}

static void free_lists(int n, int *ids, char **names)
{
	if (n > 0) {
		free(ids);
		free(names);
	}
}

static void ask_about(pmID pmid)
{
	pmLabelSet *sets = NULL;
	char **names = NULL;
	char *text = NULL;
	int *ids = NULL;
	pmDesc desc;
	int n;

	FUZZ_REQUIRE(pmLookupDesc(pmid, &desc) == 0);
	n = pmGetInDomArchive(desc.indom, &ids, &names);
	if (n > 0)
		pmLookupInDomArchive(desc.indom, names[n - 1]);
	free_lists(n, ids, names);
	n = pmGetInDom(desc.indom, &ids, &names);
	free_lists(n, ids, names);
	n = pmLookupLabels(pmid, &sets);
	if (n > 0)
		pmFreeLabelSets(sets, n);
	if (pmLookupText(pmid, PM_TEXT_HELP, &text) == 0)
		free(text);
}

static void fetch(int mode, const struct timespec *when, const struct timespec *step)
{
	pmHighResResult *result;

	FUZZ_REQUIRE(pmSetModeHighRes(mode, when, step) == 0);
	for (int i = 0; i < STEPS; i++) {
		if (pmFetchHighRes(metrics.n, metrics.pmids, &result) < 0)
			continue;
		FUZZ_REQUIRE(result->numpmid == metrics.n);
		pmFreeHighResResult(result);
	}
}

static void use(void)
{
	static const struct timespec steps[] = {{0, 100000000}, {1, 0}, {-1, 0}, {1000000, 0}};
	struct timespec from = {0, 0}, end = {0, 0};

	metrics.n = 0;
	pmTraversePMNS_r("", see_name, NULL);
	pmGetHighResArchiveEnd(&end);
	for (int i = 0; i < metrics.n; i++)
		ask_about(metrics.pmids[i]);
	if (metrics.n == 0)
		return;
	fetch(PM_MODE_FORW, &from, NULL);
	fetch(PM_MODE_BACK, &end, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		fetch(PM_MODE_INTERP, steps[i].tv_sec < 0 ? &end : &from, &steps[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int flags;

	if (size < MEMBERS_HEAD)
		return 0;
	if (pmNewContext(PM_CONTEXT_ARCHIVE, members_write(data, size, &flags)) >= 0) {
		use();
		pmDestroyContext(pmWhichContext());
	}
	return 0;
}
