/*
 * print - one value, for people: docs/spec/pmapi.md 12.
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>

#include <pcp/impl.h>
#include <pcp/pmapi.h>

#include "libpcp/event.h"

static void print_word(FILE *f, int lval, int width)
{
	float as_float;

	memcpy(&as_float, &lval, sizeof(as_float));
	fprintf(f, "%*u", width, (unsigned int)lval);
	if (!isnan(as_float))
		fprintf(f, " %*.8g", width, (double)as_float);
	fprintf(f, " 0x%*x", width > 2 ? width - 2 : 0, (unsigned int)lval);
}

/* The bytes as numbers of their size: true if something was printed. */
static bool print_as_number(FILE *f, const char *bytes, size_t n, int width)
{
	uint64_t word;
	double as_double;
	float as_float;

	if (n == sizeof(word)) {
		memcpy(&word, bytes, n);
		memcpy(&as_double, bytes, n);
		fprintf(f, "%*" PRIu64, width, word);
		if (!isnan(as_double))
			fprintf(f, " %*.16g", width, as_double);
		return true;
	}
	if (n == sizeof(as_float)) {
		memcpy(&as_float, bytes, n);
		if (!isnan(as_float)) {
			fprintf(f, "%*.8g", width, (double)as_float);
			return true;
		}
	}
	return false;
}

static bool all_printable(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint((unsigned char)bytes[i]))
			return false;
	return true;
}

static void pad(FILE *f, size_t used, int width)
{
	for (size_t i = used; width > 0 && i < (size_t)width; i++)
		putc(' ', f);
}

/* Bytes of unknown meaning: as a number, as text, in hexadecimal, as far as they fit each. */
static void print_bytes(FILE *f, const char *bytes, size_t n, int width)
{
	bool done = print_as_number(f, bytes, n, width);

	if (all_printable(bytes, n)) {
		if (done)
			putc(' ', f);
		pad(f, n + 2, width);
		fprintf(f, "\"%.*s\"", (int)n, bytes);
		done = true;
	}
	pad(f, 2 * n + 2, width);
	if (done)
		putc(' ', f);
	putc('[', f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%02x", (unsigned char)bytes[i]);
	putc(']', f);
}

static void print_unknown(FILE *f, int valfmt, const pmValue *value, int width)
{
	const pmValueBlock *block;

	if (valfmt == PM_VAL_INSITU) {
		print_word(f, value->value.lval, width);
	} else if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR) {
		block = value->value.pval;
		print_bytes(f, block->vbuf,
			    block->vlen > PM_VAL_HDR_SIZE ? block->vlen - PM_VAL_HDR_SIZE : 0,
			    width);
	} else {
		fprintf(f, "pmPrintValue: bad valfmt (%d)?\n", valfmt);
	}
}

static void print_stamp(FILE *f, const struct timespec *stamp, bool highres)
{
	struct timeval tv = {.tv_sec = stamp->tv_sec, .tv_usec = stamp->tv_nsec / 1000};

	if (highres)
		pmPrintHighResStamp(f, stamp);
	else
		pmPrintStamp(f, &tv);
}

/* Count, events missed, times of the first and the last record. */
static void print_events(FILE *f, const pmValueBlock *block, bool highres)
{
	struct event_walk w;
	struct event_record r;
	struct timespec first = {0}, last = {0};
	unsigned int missed = 0;
	int n = event_walk_begin(&w, block, highres);
	int seen = 0;

	while (n >= 0 && event_walk_next(&w, &r) > 0) {
		if (seen++ == 0)
			first = r.stamp;
		last = r.stamp;
		if (r.flags == PM_EVENT_FLAG_MISSED)
			missed += (unsigned int)r.nparams;
	}
	fprintf(f, "[%d event record%s", n > 0 ? n : 0, n == 1 ? "" : "s");
	if (missed > 0)
		fprintf(f, " (%u missed)", missed);
	if (seen > 0) {
		fprintf(f, " timestamp%s ", seen == 1 ? "" : "s");
		print_stamp(f, &first, highres);
	}
	if (seen > 1) {
		fprintf(f, "...");
		print_stamp(f, &last, highres);
	}
	putc(']', f);
}

/* pmlogger's control metrics come as events in place: the status word of the logger. */
static void print_control(FILE *f, int state)
{
	fprintf(f, "[pmlc control %s%s%s%d]", PMLC_GET_MAND(state) ? "mand " : "adv ",
		PMLC_GET_ON(state) ? "on " : "off ",
		PMLC_GET_INLOG(state) ? (PMLC_GET_AVAIL(state) ? " " : "na ") : "nl ",
		PMLC_GET_DELTA(state));
}

static void print_event_value(FILE *f, int valfmt, int type, const pmValue *value, int width)
{
	if (valfmt == PM_VAL_INSITU)
		print_control(f, value->value.lval);
	else if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR)
		print_events(f, value->value.pval, type == PM_TYPE_HIGHRES_EVENT);
	else
		print_unknown(f, valfmt, value, width);
}

/* Without a copy, unlike pmExtractValue: the text ends with the block, if not before. */
static void print_text(FILE *f, int valfmt, const pmValue *value, int width)
{
	const pmValueBlock *block = value->value.pval;
	size_t len;

	if ((valfmt != PM_VAL_DPTR && valfmt != PM_VAL_SPTR) || block->vlen < PM_VAL_HDR_SIZE ||
	    (block->vtype != 0 && block->vtype != PM_TYPE_STRING)) {
		print_unknown(f, valfmt, value, width);
		return;
	}
	len = strnlen(block->vbuf, block->vlen - PM_VAL_HDR_SIZE);
	pad(f, len + 2, width);
	fprintf(f, "\"%.*s\"", (int)len, block->vbuf);
}

static void print_number(FILE *f, int type, const pmAtomValue *atom, int width)
{
	switch (type) {
	case PM_TYPE_32:
		fprintf(f, "%*d", width, atom->l);
		break;
	case PM_TYPE_U32:
		fprintf(f, "%*u", width, atom->ul);
		break;
	case PM_TYPE_64:
		fprintf(f, "%*" PRIi64, width, (int64_t)atom->ll);
		break;
	case PM_TYPE_U64:
		fprintf(f, "%*" PRIu64, width, (uint64_t)atom->ull);
		break;
	case PM_TYPE_FLOAT:
		fprintf(f, "%*.8g", width, (double)atom->f);
		break;
	case PM_TYPE_DOUBLE:
		fprintf(f, "%*.16g", width, atom->d);
		break;
	}
}

void pmPrintValue(FILE *f, int valfmt, int type, const pmValue *value, int minwidth)
{
	pmAtomValue atom;

	if (type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT)
		print_event_value(f, valfmt, type, value, minwidth);
	else if (type == PM_TYPE_STRING)
		print_text(f, valfmt, value, minwidth);
	else if (type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE &&
		 pmExtractValue(valfmt, value, type, &atom, type) == 0)
		print_number(f, type, &atom, minwidth);
	else
		print_unknown(f, valfmt, value, minwidth);
}
