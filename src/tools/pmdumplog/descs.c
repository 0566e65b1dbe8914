#include "tools/pmdumplog/descs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libstore/archive_meta.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/metrics.h"

static int by_pmid(const void *a, const void *b)
{
	pmID x = (*(const struct archive_metric *const *)a)->desc.pmid;
	pmID y = (*(const struct archive_metric *const *)b)->desc.pmid;

	return (x > y) - (x < y);
}

void descs_print(const struct dump *d)
{
	size_t n;
	const struct archive_metric *const *list = archive_meta_metrics(d->recording.meta, &n);
	AUTO_FREE const struct archive_metric **sorted = calloc(n + 1, sizeof(sorted[0]));

	if (sorted == NULL)
		pmNoMem("descriptions", n * sizeof(sorted[0]), PM_FATAL_ERR);
	if (n > 0)
		memcpy(sorted, list, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), by_pmid);
	puts("\nDescriptions for Metrics in the Log ...");
	for (size_t i = 0; i < n; i++) {
		printf("PMID: %s\n", metrics_get(d->metrics, sorted[i]->desc.pmid)->text);
		pmPrintDesc(stdout, &sorted[i]->desc);
	}
}
