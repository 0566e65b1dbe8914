/*
 * metadata - what a new archive must know before a record of one input: descriptors, instance
 * domains, labels and texts, each just before the first record that needs it, with its time.
 */
#ifndef TOOLS_PMLOGEXTRACT_METADATA_H
#define TOOLS_PMLOGEXTRACT_METADATA_H

#include <pcp/pmapi.h>

struct archive_writer;
struct input;
struct metadata;

/* Of an input whose recording and catalog are there. 0, or an error. */
int metadata_new(struct input *input, struct metadata **ret_metadata);
void metadata_free(struct metadata *m);

/* The input lies elsewhere now. */
void metadata_settle(struct metadata *m, struct input *input);

/* Before the metrics of a record of this time: the labels of the context. 0, or an error. */
int metadata_begin(struct metadata *m, struct archive_writer *w, const struct timespec *when);

/* Before a value set of a metric in it. */
int metadata_metric(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		    pmID pmid);

#endif
