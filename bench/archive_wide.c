/*
 * archive_wide - the archive that reading is measured with (docs/performance.md D).
 *
 *     archive_wide BASE RECORDS
 *
 * Version 2; 39 records a second: of four records three have 1,000 singular counters of 64 bits, and
 * one has a counter of 10,000 instances and 22 of 100. 6,400 records are 164 s and some 590 MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libstore/archive_writer.h"

enum {
	SINGULAR = 1000,
	WIDE = 10000,
	NARROW = 100,
	NNARROW = 22,
	RATE = 39,
	BLOCK_WORDS = 3,
	START = 1700000000,
};

static const pmInDom wide_indom = (pmInDom)(100u << 22 | 1), narrow_indom = (pmInDom)(100u << 22 | 2);

static void fail(const char *what, int r)
{
	if (r < 0) {
		fprintf(stderr, "archive_wide: %s: %d\n", what, r);
		exit(1);
	}
}

static pmID pmid_of(unsigned int cluster, unsigned int item)
{
	return 100u << 22 | cluster << 10 | item;
}

static void put_desc(struct archive_writer *w, pmID pmid, pmInDom indom, const char *name)
{
	const struct wire_str names = {name, (uint32_t)strlen(name)};
	const union meta_body body = {
	    .desc = {.desc = {.pmid = pmid, .type = PM_TYPE_U64, .indom = indom, .sem = PM_SEM_COUNTER},
		     .numnames = 1,
		     .names = &names}};

	fail("descriptor", archive_writer_meta(w, META_DESC, &body));
}

static void put_indom(struct archive_writer *w, pmInDom indom, uint32_t n, const struct timespec *stamp)
{
	struct wire_inst *insts = calloc(n, sizeof(insts[0]));
	char (*names)[16] = calloc(n, sizeof(names[0]));
	const union meta_body body = {
	    .indom = {.stamp = *stamp, .indom = indom, .numinst = n, .insts = insts}};

	for (uint32_t i = 0; i < n; i++) {
		int len = snprintf(names[i], sizeof(names[i]), "inst-%u", i);

		insts[i] = (struct wire_inst){(int32_t)i, {names[i], (uint32_t)len}};
	}
	fail("instances", archive_writer_meta(w, META_INDOM_V2, &body));
	free(insts);
	free(names);
}

static void put_meta(struct archive_writer *w, const struct timespec *stamp)
{
	char name[40];

	for (unsigned int i = 0; i < SINGULAR; i++) {
		snprintf(name, sizeof(name), "bench.one.m%u", i);
		put_desc(w, pmid_of(1, i), PM_INDOM_NULL, name);
	}
	put_desc(w, pmid_of(2, 0), wide_indom, "bench.wide");
	for (unsigned int i = 0; i < NNARROW; i++) {
		snprintf(name, sizeof(name), "bench.narrow.m%u", i);
		put_desc(w, pmid_of(3, i), narrow_indom, name);
	}
	put_indom(w, wide_indom, WIDE, stamp);
	put_indom(w, narrow_indom, NARROW, stamp);
}

static pmValueSet *make_set(pmID pmid, int n, bool singular)
{
	pmValueSet *set = calloc(1, sizeof(*set) + (size_t)n * sizeof(set->vlist[0]));
	uint32_t *block = calloc((size_t)n, 4 * BLOCK_WORDS);

	set->pmid = pmid;
	set->numval = n;
	set->valfmt = PM_VAL_DPTR;
	for (int i = 0; i < n; i++, block += BLOCK_WORDS) {
		*block = (uint32_t)PM_TYPE_U64 << 24 | 12;
		set->vlist[i].inst = singular ? -1 : i;
		set->vlist[i].value.pval = (pmValueBlock *)block;
	}
	return set;
}

static void set_values(pmValueSet **sets, int n, uint64_t value)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < sets[i]->numval; k++) {
			uint64_t v = value * (uint64_t)(k + 1);

			memcpy(sets[i]->vlist[k].value.pval->vbuf, &v, sizeof(v));
		}
	}
}

int main(int argc, char **argv)
{
	struct log_label label = {.version = 2, .pid = 1, .start = {START, 0}, .host = "bench", .timezone = "UTC"};
	pmValueSet *one[SINGULAR], *many[1 + NNARROW];
	struct archive_writer *w = NULL;
	int records = argc > 2 ? atoi(argv[2]) : 6400;

	fail("new", argc < 2 ? -1 : archive_writer_new(argv[1], &label, &w));
	put_meta(w, &label.start);
	for (unsigned int i = 0; i < SINGULAR; i++)
		one[i] = make_set(pmid_of(1, i), 1, true);
	many[0] = make_set(pmid_of(2, 0), WIDE, false);
	for (unsigned int i = 0; i < NNARROW; i++)
		many[1 + i] = make_set(pmid_of(3, i), NARROW, false);
	for (int i = 0; i < records; i++) {
		struct timespec stamp = {START + i / RATE, i % RATE * (1000000000L / RATE)};

		set_values(i % 4 == 0 ? many : one, i % 4 == 0 ? 1 + NNARROW : SINGULAR, (uint64_t)i);
		fail("record", archive_writer_result(w, &stamp, i % 4 == 0 ? many : one,
						     i % 4 == 0 ? 1 + NNARROW : SINGULAR));
	}
	fail("end", archive_writer_end(w));
	return 0;
}
