/*
 * value - a value as text, directly from the bytes of a record; event records.
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/reader.h"
#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "libdisk/stamp.h"
#include "libvalue/value_block.h"

/*
 * The time of a record
 */

static void when_print_stamp(const struct dump *d, const struct timespec *when,
			     enum stamp_digits digits, int detail)
{
	struct timespec start = d->recording.label->start;
	char text[STAMP_ROOM];
	int len = detail == 0 ? stamp_time(text, when, digits) : stamp_date(text, when, digits);

	fwrite(text, 1, (size_t)len, stdout);
	if (digits == STAMP_MICRO)
		start.tv_nsec -= start.tv_nsec % 1000;
	if (detail > 1)
		printf(" (%.*f)", (int)digits, stamp_minus(when, &start));
	if (detail > 2)
		printf(" %lld", (long long)when->tv_sec);
}

void when_print(const struct dump *d, const struct timespec *when)
{
	when_print_stamp(d, when, heading_digits(d->recording.label), d->options->detail);
}

void when_print_event(const struct dump *d, const struct timespec *when, bool highres)
{
	int detail = d->options->detail;

	if (highres)
		when_print_stamp(d, when, STAMP_NANO, 0);
	else
		when_print_stamp(d, when, STAMP_MICRO, detail > 2 ? 2 : detail);
}

/*
 * Numbers and strings, which are nearly all values, are formatted here; other values are converted
 * to a host value that the library prints.
 */

enum { DIGITS_ROOM = 24 };

static void print_unsigned(uint64_t v, bool negative)
{
	char text[DIGITS_ROOM];
	char *p = text + sizeof(text);

	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	if (negative)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(text + sizeof(text) - p), stdout);
}

void value_print_int(int64_t v)
{
	print_unsigned(v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}

/* A whole number below 10^digits is printed without point and exponent by %.<digits>g. */
static void print_real(double v, int digits, double limit)
{
	if (fabs(v) < limit && v == trunc(v) && (v != 0 || !signbit(v)))
		value_print_int((int64_t)v);
	else
		printf("%.*g", digits, v);
}

static void print_atom(int type, const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
		value_print_int(atom->l);
		break;
	case PM_TYPE_U32:
		print_unsigned(atom->ul, false);
		break;
	case PM_TYPE_64:
		value_print_int(atom->ll);
		break;
	case PM_TYPE_U64:
		print_unsigned(atom->ull, false);
		break;
	case PM_TYPE_FLOAT:
		print_real((double)atom->f, 8, 1e8);
		break;
	case PM_TYPE_DOUBLE:
		print_real(atom->d, 16, 1e15);
		break;
	}
}

/* Values that the library prints: aggregates, blocks of another type, NaN and infinity. */
static void print_odd(int type, const struct wire_value *value)
{
	pmValue host = {.inst = value->inst};
	pmValueBlock *block;

	if (value->block_len == 0) {
		host.value.lval = (int)value->insitu;
		pmPrintValue(stdout, PM_VAL_INSITU, type, &host, 1);
		return;
	}
	block = malloc(value->block_len + sizeof(*block));
	if (block == NULL)
		pmNoMem("value", value->block_len, PM_FATAL_ERR);
	if (value_block_to_host(value->block, value->block_len, block) < 0) {
		block->vtype = value->block[0];
		block->vlen = value->block_len;
		memcpy(block->vbuf, value->block + VALUE_BLOCK_HEADER,
		       value->block_len - VALUE_BLOCK_HEADER);
	}
	host.value.pval = block;
	pmPrintValue(stdout, PM_VAL_DPTR, type, &host, 1);
	free(block);
}

static void print_string(const struct wire_value *value)
{
	const char *s = (const char *)value->block + VALUE_BLOCK_HEADER;

	putchar_unlocked('"');
	fwrite_unlocked(s, 1, strnlen(s, value->block_len - VALUE_BLOCK_HEADER), stdout);
	putchar_unlocked('"');
}

void value_print(int type, const struct wire_value *value)
{
	pmAtomValue atom;

	if (type == PM_TYPE_STRING && value->block_len != 0 && value->block[0] == PM_TYPE_STRING)
		print_string(value);
	else if (type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE &&
		 wire_value_number(value, type, &atom) == 0)
		print_atom(type, &atom);
	else
		print_odd(type, value);
}

/*
 * Event records
 */

struct event {
	struct timespec when;
	uint32_t flags;
	uint32_t n; /* number of parameters, or of missed events */
};

static struct reader read_block(const struct wire_value *value)
{
	struct reader r;

	reader_init(&r, value->block + VALUE_BLOCK_HEADER, value->block_len - VALUE_BLOCK_HEADER,
		    PM_ERR_LOGREC);
	return r;
}

static struct event get_event(struct reader *r, bool highres)
{
	struct event e;

	if (highres) {
		e.when.tv_sec = get_i64(r);
		e.when.tv_nsec = get_i64(r);
	} else {
		e.when.tv_sec = get_i32(r);
		e.when.tv_nsec = (long)get_i32(r) * 1000;
	}
	e.flags = get_u32(r);
	e.n = get_u32(r);
	return e;
}

static bool is_missed(const struct event *e)
{
	return (e->flags & PM_EVENT_FLAG_MISSED) != 0;
}

/* Prints a parameter, which has the form of a value block. */
static pmID get_parameter(struct reader *r, struct wire_value *ret_value)
{
	pmID pmid = get_u32(r);
	const uint8_t *block = r->pos;
	uint32_t len = get_u32(r) & VALUE_BLOCK_MAX;

	if (len < VALUE_BLOCK_HEADER)
		reader_fail(r);
	else
		get_bytes(r, ((size_t)len + 3) / 4 * 4 - VALUE_BLOCK_HEADER);
	*ret_value = (struct wire_value){.inst = PM_IN_NULL, .block_len = len, .block = block};
	if (r->err == 0 && !value_block_fits(block[0], len))
		reader_fail(r);
	return pmid;
}

/* A 32-bit number is in a block here; in a record's value it would be stored in place. */
static struct wire_value in_place(int type, const struct wire_value *value)
{
	bool word = type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT;

	if (!word || value->block_len != VALUE_BLOCK_HEADER + 4)
		return *value;
	return (struct wire_value){.inst = value->inst,
				   .insitu = load_be32(value->block + VALUE_BLOCK_HEADER)};
}

static void value_print_parameter(const struct dump *d, pmID pmid, const struct wire_value *value)
{
	const struct metric *m = metrics_get(d->metrics, pmid);
	char text[PM_MAXERRMSGLEN];
	struct wire_value number;

	if (m->sts < 0) {
		printf("        PMID: %s: pmLookupDesc: %s\n", pmIDStr_r(pmid, text, sizeof(text)),
		       pmErrStr(m->sts));
		return;
	}
	number = in_place(m->desc.type, value);
	printf("        %s: value ", m->text);
	value_print(m->desc.type, &number);
	putchar('\n');
}

static void value_print_record(const struct dump *d, struct reader *r, uint32_t number,
			       bool highres)
{
	struct event e = get_event(r, highres);
	struct wire_value value;
	char text[64];
	pmID pmid;

	if (r->err != 0)
		return;
	printf("        --- event record [%u] timestamp ", number);
	when_print_event(d, &e.when, highres);
	if (e.flags != 0)
		printf(" flags 0x%x (%s)", e.flags,
		       pmEventFlagsStr_r((int)e.flags, text, sizeof(text)));
	puts(" ---");
	if (is_missed(&e)) {
		printf("        ==> %u missed event records\n", e.n);
		return;
	}
	if (e.n == 0 && e.flags == 0)
		puts("\t          No parameters");
	for (uint32_t i = 0; i < e.n && r->err == 0; i++) {
		pmid = get_parameter(r, &value);
		if (r->err == 0)
			value_print_parameter(d, pmid, &value);
	}
}

static uint32_t count_missed(struct reader r, uint32_t n, bool highres)
{
	uint32_t missed = 0;
	struct wire_value value;

	for (uint32_t i = 0; i < n && r.err == 0; i++) {
		struct event e = get_event(&r, highres);

		if (is_missed(&e))
			missed += e.n;
		for (uint32_t j = 0; j < e.n && !is_missed(&e) && r.err == 0; j++)
			get_parameter(&r, &value);
	}
	return missed;
}

void event_print(const struct dump *d, bool highres, const struct wire_value *value)
{
	struct reader r = read_block(value);
	uint32_t n = get_u32(&r), missed;

	if (r.err != 0 || n == 0) {
		puts(" No event records");
		return;
	}
	missed = count_missed(r, n, highres);
	printf(" %u", n);
	if (missed > 0)
		printf(" (and %u missed)", missed);
	printf(" event record%s\n", n == 1 ? "" : "s");
	for (uint32_t i = 0; i < n && r.err == 0; i++)
		value_print_record(d, &r, i, highres);
}
