/*
 * metrics - metrics as the sections print them: description and names, made ready once.
 */
#ifndef PMDUMPLOG_METRICS_H
#define PMDUMPLOG_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct archive_meta;

struct metric {
	pmID pmid;
	int sts; /* 0, or why there is no description */
	pmDesc desc; /* of type UNKNOWN without instances, if there is none */
	char *text; /* owned: "29.0.6 (sample.dupnames.bin or sample.bin)" */
	size_t text_len;
	size_t names_at; /* in text: where the names begin, without the bracket; they end before the
			    last byte */
};

struct metrics;

/*
 * From what the archive says; with use_namespace the names are those of the loaded name space.
 * Out of memory: exits.
 */
struct metrics *metrics_new(const struct archive_meta *meta, bool use_namespace);
void metrics_free(struct metrics *m);

/* Never NULL: a metric that the archive does not know is <noname>. Constant time. */
const struct metric *metrics_get(struct metrics *m, pmID pmid);

#endif
