/*
 * archive_make - writes the archive for the benchmarks of reading (docs/performance.md D).
 *
 *     bench-archive-make BASE VERSION RECORDS [RATE [EVERY]]
 *
 * A record has 1,000 singular 64-bit metrics; every EVERY-th record (2) instead has one metric with
 * 10,000 instances and 22 with 100. There are RATE (1) records per second. Metadata is about 367
 * KB. 4,000 records are about 550 MB; with EVERY 4, 6,400 are 590 MB.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive_writer.h"

enum {
	SINGULAR = 1000,
	WIDE = 10000,
	NARROW = 100,
	NARROWS = 22,
	METRICS = SINGULAR + 1 + NARROWS,
	BLOCK_WORDS = 3,
	DOMAIN = 300 << 22,
	START = 1700000000,
};

static pmValueSet *sets[METRICS];

static void stop(const char *what, int r)
{
	fprintf(stderr, "bench-archive-make: %s: %d\n", what, r);
	exit(1);
}

static int instances(int metric)
{
	return metric < SINGULAR ? 1 : metric == SINGULAR ? WIDE : NARROW;
}

static pmInDom indom(int metric)
{
	return metric < SINGULAR ? PM_INDOM_NULL : metric == SINGULAR ? DOMAIN | 1 : DOMAIN | 2;
}

static void build(int metric)
{
	int n = instances(metric);
	pmValueSet *set = calloc(1, sizeof(*set) + (size_t)n * sizeof(set->vlist[0]));
	uint32_t *blocks = calloc((size_t)n, 4 * BLOCK_WORDS);

	if (set == NULL || blocks == NULL)
		stop("memory", -1);
	set->pmid = (pmID)(DOMAIN | metric);
	set->numval = n;
	set->valfmt = PM_VAL_DPTR;
	for (int i = 0; i < n; i++, blocks += BLOCK_WORDS) {
		*blocks = (uint32_t)PM_TYPE_U64 << 24 | 12;
		set->vlist[i].inst = metric < SINGULAR ? -1 : i;
		set->vlist[i].value.pval = (pmValueBlock *)(void *)blocks;
	}
	sets[metric] = set;
}

/* Every value changes with each record. */
static void fill(pmValueSet *set, uint64_t k)
{
	for (int i = 0; i < set->numval; i++) {
		uint64_t value = k * 1000 + (uint64_t)i;

		memcpy(set->vlist[i].value.pval->vbuf, &value, sizeof(value));
	}
}

static void describe(struct archive_writer *w, int metric)
{
	pmDesc desc = {.pmid = (pmID)(DOMAIN | metric),
		       .type = PM_TYPE_U64,
		       .sem = PM_SEM_COUNTER,
		       .indom = indom(metric),
		       .units = {.dimCount = 1}};
	char name[40];
	int n = snprintf(name, sizeof(name), "bench.archive.metric%d", metric);
	struct wire_str names = {name, (uint32_t)n};
	union meta_body body = {.desc = {desc, 1, &names}};
	int r = archive_writer_meta(w, META_DESC, &body);

	if (r < 0)
		stop(name, r);
}

static void describe_indom(struct archive_writer *w, int metric, const struct timespec *stamp)
{
	uint32_t n = (uint32_t)instances(metric);
	struct wire_inst *insts = calloc(n, sizeof(*insts));
	char(*names)[16] = calloc(n, sizeof(*names));
	union meta_body body = {.indom = {*stamp, indom(metric), n, insts}};
	int r;

	if (insts == NULL || names == NULL)
		stop("memory", -1);
	for (uint32_t i = 0; i < n; i++) {
		int len = snprintf(names[i], sizeof(names[i]), "instance-%05u", i);

		insts[i] = (struct wire_inst){(int32_t)i, {names[i], (uint32_t)len}};
	}
	r = archive_writer_meta(w, META_INDOM, &body);
	if (r < 0)
		stop("indom", r);
	free(insts);
	free(names);
}

int main(int argc, char **argv)
{
	struct log_label label = {.pid = 1, .host = "bench", .timezone = "UTC"};
	struct archive_writer *w;
	struct timespec stamp = {START, 0};
	long n = argc > 3 ? atol(argv[3]) : 0, rate = argc > 4 ? atol(argv[4]) : 1;
	long every = argc > 5 ? atol(argv[5]) : 2;
	int r;

	if (n <= 0 || rate <= 0 || every <= 0)
		stop("usage: BASE VERSION RECORDS [RATE [EVERY]]", argc);
	label.version = atoi(argv[2]);
	r = archive_writer_new(argv[1], &label, &w);
	if (r < 0)
		stop(argv[1], r);
	for (int metric = 0; metric < METRICS; metric++) {
		build(metric);
		describe(w, metric);
	}
	describe_indom(w, SINGULAR, &stamp);
	describe_indom(w, SINGULAR + 1, &stamp);
	for (long k = 0; k < n && r >= 0; k++) {
		bool wide = k % every == every - 1;
		int from = wide ? SINGULAR : 0, to = wide ? METRICS : SINGULAR;

		for (int metric = from; metric < to; metric++)
			fill(sets[metric], (uint64_t)k);
		r = archive_writer_result(w, &stamp, sets + from, (uint32_t)(to - from));
		stamp = (struct timespec){START + (k + 1) / rate,
					  (k + 1) % rate * (1000000000L / rate)};
	}
	if (r >= 0) /* a short record, like the last one of a logger */
		r = archive_writer_result(w, &stamp, sets, 1);
	if (r >= 0)
		r = archive_writer_end(w);
	if (r < 0)
		stop("writing", r);
	return 0;
}
