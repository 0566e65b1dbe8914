/*
 * metrics - metrics as the sections print them: description and names, formatted once.
 */
#ifndef PMDUMPLOG_METRICS_H
#define PMDUMPLOG_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct archive_meta;

struct metric {
	pmID pmid;
	int sts; /* 0, or the error why there is no description */
	pmDesc desc; /* a description of type UNKNOWN without instances, if there is none */
	char *text; /* owned: "29.0.6 (sample.dupnames.bin or sample.bin)" */
	size_t text_len;
	size_t names_at; /* in text: offset of the names, without the bracket and the last byte */
};

struct metrics;

/*
 * Uses the metadata of the archive; with use_namespace, the names of the loaded name space. Exits
 * if out of memory.
 */
struct metrics *metrics_new(const struct archive_meta *meta, bool use_namespace);
void metrics_free(struct metrics *m);

/* Never NULL: a metric that the archive does not have is <noname>. Takes constant time. */
const struct metric *metrics_get(struct metrics *m, pmID pmid);

#endif
