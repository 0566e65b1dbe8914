/*
 * labels - the labels of the new archive.
 *
 * A label belongs to a subject (the context, a domain, a cluster, ...) and, of instances, to one of
 * them. What the rules take from one subject to another is put together there with what that one
 * has of its own, whenever one of them changes.
 */
#ifndef PMLOGREWRITE_LABELS_H
#define PMLOGREWRITE_LABELS_H

#include <time.h>

struct archive_writer;
struct labels;
struct meta_label;
struct plan;

/* Out of memory: exits. */
struct labels *labels_new(const struct plan *plan);
void labels_free(struct labels *l);

/* New labels, as they are from the beginning. 0; a negative error. */
int labels_begin(struct labels *l, struct archive_writer *w, const struct timespec *when);

/* What a record says, as it is to be. 0; a negative error. */
int labels_put(struct labels *l, struct archive_writer *w, const struct meta_label *body);

#endif
