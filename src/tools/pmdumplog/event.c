#include "tools/pmdumplog/event.h"

#include <stdio.h>

#include <pcp/pmapi.h>

#include "libbase/reader.h"
#include "libdisk/result_view.h"
#include "libvalue/value_block.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/metrics.h"
#include "tools/pmdumplog/value.h"
#include "tools/pmdumplog/when.h"

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

static void print_parameter(const struct dump *d, pmID pmid, const struct wire_value *value)
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

static void print_record(const struct dump *d, struct reader *r, uint32_t number, bool highres)
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
			print_parameter(d, pmid, &value);
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
		print_record(d, &r, i, highres);
}
