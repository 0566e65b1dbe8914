/*
 * metadata - what a new archive must know before a record of one input: descriptors, instance
 * domains, labels and texts, each just before the first record that needs it, with its time.
 */
#ifndef TOOLS_ARCHIVE_METADATA_H
#define TOOLS_ARCHIVE_METADATA_H

#include <pcp/pmapi.h>

struct archive_writer;
struct metadata;
struct recording;

/* Of a recording that stays open longer; its .meta is read once. 0, or an error. */
int metadata_new(const struct recording *r, struct metadata **ret_metadata);
void metadata_free(struct metadata *m);

/* Before the metrics of a record of this time: the labels of the context. 0, or an error. */
int metadata_begin(struct metadata *m, struct archive_writer *w, const struct timespec *when);

/* Before a value set of a metric in it. */
int metadata_metric(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		    pmID pmid);

/* The same for a caller that writes descriptors and observations itself: only labels and texts. */
int metadata_about(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		   pmID pmid);

#endif
