/*
 * labels - the labels of the new archive.
 *
 * A label belongs to a subject (the context, a domain, a cluster, ...) and, for instances, to one
 * of the subject's instances. Labels that the rules move to a subject are merged with the subject's
 * own, whenever one of them changes.
 */
#ifndef PMLOGREWRITE_LABELS_H
#define PMLOGREWRITE_LABELS_H

#include <time.h>

struct archive_writer;
struct labels;
struct meta_label;
struct plan;

/* Exits if out of memory. */
struct labels *labels_new(const struct plan *plan);
void labels_free(struct labels *l);

/* Writes new labels at the beginning of the archive. Returns 0 or an error. */
int labels_begin(struct labels *l, struct archive_writer *w, const struct timespec *when);

/* Writes the rewritten contents of a label record. Returns 0 or an error. */
int labels_put(struct labels *l, struct archive_writer *w, const struct meta_label *body);

#endif
