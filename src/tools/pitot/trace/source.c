/*
 * source - events out of a stream or a log, their counts, and the gaps between them.
 */
#include "tools/pitot/trace/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"

/*
 * Events
 */

enum {
	TYPES_MAX = POSIX_TRACE_UNNAMED_USEREVENT + TRACE_USER_EVENT_MAX +
		    64,                            /* one more than the last id */
	SETS_SIZE = 2 * sizeof(trace_event_set_t), /* the largest data of a system event */
};

int trace_source_init(struct trace_source *s, trace_id_t trid, bool live)
{
	trace_attr_t attr;
	size_t max = 0;
	int error = posix_trace_get_attr(trid, &attr);

	*s = (struct trace_source){.trid = trid, .live = live};
	if (error == 0)
		error = posix_trace_attr_getmaxdatasize(&attr, &max);
	if (error != 0)
		return error;
	s->room = max > SETS_SIZE ? max : SETS_SIZE;
	s->buffer = malloc(s->room);
	s->ntypes = TYPES_MAX;
	s->types = calloc(s->ntypes, sizeof(s->types[0]));
	if (s->buffer != NULL && s->types != NULL)
		return 0;
	trace_source_done(s);
	return ENOMEM;
}

void trace_source_done(struct trace_source *s)
{
	for (size_t i = 0; s->types != NULL && i < s->ntypes; i++)
		free(s->types[i]);
	free(s->types);
	free(s->buffer);
	*s = (struct trace_source){0};
}

/* A log may come from an untrusted source: if one field is not valid, the type has none. */
static bool is_field(const struct posix_trace_field_np *f)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	const size_t n = strnlen(f->name, sizeof(f->name));

	if (n == 0 || n == sizeof(f->name) || strspn(f->name, letters) != n ||
	    (f->name[0] >= '0' && f->name[0] <= '9'))
		return false;
	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
	case POSIX_TRACE_FIELD_UINT_NP:
	case POSIX_TRACE_FIELD_HEX_NP:
		return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		return f->size == sizeof(float) || f->size == sizeof(double);
	default:
		return f->type == POSIX_TRACE_FIELD_CHARS_NP ||
		       f->type == POSIX_TRACE_FIELD_BYTES_NP;
	}
}

/* Copies the fields of the library; computes the size of the data that holds them all. */
static void describe(trace_id_t trid, struct trace_type *type)
{
	size_t n = 0;

	if (posix_trace_eventid_get_fields_np(trid, type->id, type->fields,
					      POSIX_TRACE_FIELDS_MAX_NP, &n) != 0 ||
	    n > POSIX_TRACE_FIELDS_MAX_NP)
		n = 0;
	type->nfield = n;
	for (size_t i = 0; i < n; i++) {
		size_t end = (size_t)type->fields[i].offset + type->fields[i].size;

		if (!is_field(&type->fields[i])) {
			type->nfield = 0;
			return;
		}
		if (end > type->covered)
			type->covered = end;
		if (type->fields[i].size == 0)
			type->open = true;
	}
}

const struct trace_type *trace_source_type(struct trace_source *s, trace_event_id_t id)
{
	struct trace_type *type = id < s->ntypes ? s->types[id] : NULL;

	if (type == NULL) {
		if (id < s->ntypes)
			type = s->types[id] = calloc(1, sizeof(*type));
		if (type == NULL)
			type = &s->unknown;
		type->id = id;
		if (posix_trace_eventid_get_name(s->trid, id, type->name) != 0)
			type->name[0] = '\0';
		describe(s->trid, type);
	} else if (s->live && type->nfield == 0) {
		describe(s->trid, type);
	}
	return type;
}

int trace_source_next(struct trace_source *s, const struct timespec *abstime,
		      struct trace_event *ret_event)
{
	int unavailable = 0, error;

	if (!s->live)
		error = posix_trace_getnext_event(s->trid, &ret_event->info, s->buffer, s->room,
						  &ret_event->length, &unavailable);
	else if (abstime == NULL)
		error = posix_trace_trygetnext_event(s->trid, &ret_event->info, s->buffer, s->room,
						     &ret_event->length, &unavailable);
	else
		error =
		    posix_trace_timedgetnext_event(s->trid, &ret_event->info, s->buffer, s->room,
						   &ret_event->length, &unavailable, abstime);
	if (error == ETIMEDOUT || error == EINTR)
		return 0;
	if (error != 0)
		return -error;
	if (unavailable)
		return 0;
	ret_event->data = s->buffer;
	ret_event->type = trace_source_type(s, ret_event->info.posix_event_id);
	return 1;
}

enum trace_form trace_form(const struct trace_event *e)
{
	const struct trace_type *type = e->type;

	if (type->nfield == 0 || e->length < type->covered)
		return TRACE_BYTES;
	return type->open || e->length == type->covered ? TRACE_FIELDS : TRACE_REST;
}

const uint8_t *trace_field(const struct trace_event *e, const struct posix_trace_field_np *f,
			   size_t *ret_length)
{
	const uint8_t *p = e->data + f->offset, *null;
	size_t len = f->size;

	if (f->size == 0)
		len = e->length > f->offset ? e->length - f->offset : 0;
	if (f->type == POSIX_TRACE_FIELD_CHARS_NP) {
		null = memchr(p, '\0', len);
		len = null != NULL ? (size_t)(null - p) : len;
	}
	*ret_length = len;
	return p;
}

uint64_t trace_unsigned(const uint8_t *p, size_t size)
{
	uint64_t v8 = 0;
	uint32_t v4 = 0;
	uint16_t v2 = 0;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v2, p, sizeof(v2));
		return v2;
	case 4:
		memcpy(&v4, p, sizeof(v4));
		return v4;
	default:
		memcpy(&v8, p, sizeof(v8));
		return v8;
	}
}

int64_t trace_signed(const uint8_t *p, size_t size)
{
	uint64_t v = trace_unsigned(p, size);

	switch (size) {
	case 1:
		return (int8_t)v;
	case 2:
		return (int16_t)v;
	case 4:
		return (int32_t)v;
	default:
		return (int64_t)v;
	}
}

double trace_float(const uint8_t *p, size_t size)
{
	double v8;
	float v4;

	if (size == sizeof(v4)) {
		memcpy(&v4, p, sizeof(v4));
		return (double)v4;
	}
	memcpy(&v8, p, sizeof(v8));
	return v8;
}

int64_t trace_event_ns(const struct trace_event *e)
{
	const struct timespec *t = &e->info.posix_timestamp;

	if (t->tv_sec < 0)
		return 0;
	if (t->tv_sec >= TRACE_SECONDS_MAX)
		return TRACE_SECONDS_MAX * 1000000000;
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

enum trace_system trace_system(const struct trace_event *e)
{
	switch (e->info.posix_event_id) {
	case POSIX_TRACE_STOP:
	case POSIX_TRACE_ERROR:
		return e->length == sizeof(int) ? TRACE_SYSTEM_INT : TRACE_SYSTEM_NONE;
	case POSIX_TRACE_START:
	case POSIX_TRACE_FILTER:
		return e->length >= sizeof(trace_event_set_t) ? TRACE_SYSTEM_SETS
							      : TRACE_SYSTEM_NONE;
	default:
		return TRACE_SYSTEM_NONE;
	}
}

int trace_system_set(const struct trace_event *e, size_t i, trace_event_set_t *ret_set)
{
	if (e->length < (i + 1) * sizeof(*ret_set))
		return -1;
	memcpy(ret_set, e->data + i * sizeof(*ret_set), sizeof(*ret_set));
	return 0;
}

void trace_set_walk(const trace_event_set_t *set, void (*each)(void *arg, trace_event_id_t id),
		    void *arg)
{
	for (trace_event_id_t id = 0; id < TYPES_MAX; id++) {
		int member = 0;

		if (posix_trace_eventset_ismember(id, set, &member) == 0 && member)
			each(arg, id);
	}
}

/*
 * Counts
 */

enum { OVERWRITTEN_PARTS = 2 }; /* the first of them */

static uint64_t unread(const struct posix_trace_counts_np *n)
{
	uint64_t gone = n->reported + n->lost_overwritten + n->lost_log + n->discarded;

	return n->recorded > gone ? n->recorded - gone : 0;
}

struct trace_account trace_account(const struct posix_trace_counts_np *n, int log_policy)
{
	const bool loops = log_policy == POSIX_TRACE_LOOP;
	struct trace_account a = {
	    .kept = n->reported,
	    .unread = unread(n),
	    .where = log_policy != 0 ? "kept" : "read",
	    .parts = {{"overwritten in memory", n->lost_overwritten},
		      {"overwritten in the log", loops ? n->lost_log : 0},
		      {"not kept in the log", loops ? 0 : n->lost_log},
		      {"memory full", n->lost_full},
		      {"not attached", n->lost_attach},
		      {"at a stop", n->discarded}},
	};

	for (size_t i = 0; i < sizeof(a.parts) / sizeof(a.parts[0]); i++)
		*(i < OVERWRITTEN_PARTS ? &a.overwritten : &a.lost) += a.parts[i].count;
	a.emitted = a.kept + a.overwritten + a.lost + a.unread;
	return a;
}

int trace_account_get(trace_id_t trid, int log_policy, struct trace_account *ret)
{
	struct posix_trace_counts_np counts = {0};
	int error = posix_trace_get_counts_np(trid, &counts);

	if (error == 0)
		*ret = trace_account(&counts, log_policy);
	return error;
}

const char *trace_account_text(const struct trace_account *a, char *text, size_t size)
{
	const char *separator = " (";
	int len =
	    snprintf(text, size,
		     "emitted %" PRIu64 ": %s %" PRIu64 ", overwritten %" PRIu64 ", lost %" PRIu64,
		     a->emitted, a->where, a->kept, a->overwritten, a->lost);

	for (size_t i = 0; i < sizeof(a->parts) / sizeof(a->parts[0]); i++) {
		if (a->parts[i].count == 0)
			continue;
		len += snprintf(text + len, size - (size_t)len, "%s%s %" PRIu64, separator,
				a->parts[i].reason, a->parts[i].count);
		separator = ", ";
	}
	if (separator[0] == ',')
		len += snprintf(text + len, size - (size_t)len, ")");
	if (a->unread != 0)
		snprintf(text + len, size - (size_t)len, ", unread %" PRIu64, a->unread);
	return text;
}

/*
 * Gaps
 */

static bool source_begins(const struct gap *g, const struct trace_event *e)
{
	int automatic = 0;

	if (e->info.posix_event_id != g->begin)
		return false;
	if (g->begin == POSIX_TRACE_STOP && e->length == sizeof(automatic))
		memcpy(&automatic, e->data, sizeof(automatic));
	return g->begin != POSIX_TRACE_STOP || automatic != 0;
}

void trace_gaps_init(struct trace_gaps *gaps, const struct posix_trace_counts_np *counts)
{
	*gaps = (struct trace_gaps){
	    .kinds = {
		{.begin = POSIX_TRACE_OVERFLOW,
		 .end = POSIX_TRACE_RESUME,
		 .lost = counts->lost_overwritten},
		{.begin = POSIX_TRACE_STOP, .end = POSIX_TRACE_START, .lost = counts->lost_full}}};
}

void trace_gaps_count(struct trace_gaps *gaps, const struct trace_event *e)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++) {
		struct gap *g = &gaps->kinds[i];

		if (g->open && e->info.posix_event_id == g->end) {
			g->n++;
			g->open = false;
		} else if (source_begins(g, e)) {
			g->open = true;
		}
	}
}

void trace_gaps_rewind(struct trace_gaps *gaps)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++)
		gaps->kinds[i].open = false;
}

bool trace_gaps_ends(struct trace_gaps *gaps, const struct trace_event *e, int64_t *ret_from_ns,
		     uint64_t *ret_lost)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++) {
		struct gap *g = &gaps->kinds[i];

		if (g->open && e->info.posix_event_id == g->end) {
			*ret_lost = g->lost >= g->n ? 1 : 0;
			if (++g->seen == g->n)
				*ret_lost = g->lost - (g->seen - 1) * *ret_lost;
			*ret_from_ns = g->from_ns;
			g->open = false;
			return true;
		}
		if (source_begins(g, e)) {
			g->open = true;
			g->from_ns = trace_event_ns(e);
		}
	}
	return false;
}

uint64_t trace_gaps_unmarked(const struct trace_gaps *gaps)
{
	uint64_t lost = 0;

	for (int i = 0; i < TRACE_GAP_KINDS; i++)
		lost += gaps->kinds[i].n == 0 ? gaps->kinds[i].lost : 0;
	return lost;
}

/*
 * Processes that can be traced
 */

/* This program itself could be traced, like any other that has the library: it is not listed. */
static size_t leave_out_ourselves(struct posix_trace_process_np *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].pid != getpid())
			list[kept++] = list[i];
	}
	return kept;
}

int trace_processes_get(struct posix_trace_process_np **ret_list, size_t *ret_n)
{
	size_t n = 0, room;
	int error = posix_trace_processes_np(NULL, 0, &n);

	room = n + TRACE_SPARE;
	*ret_list = calloc(room, sizeof(**ret_list));
	if (error == 0 || error == EOVERFLOW)
		error = *ret_list != NULL ? posix_trace_processes_np(*ret_list, room, &n) : ENOMEM;
	*ret_n = n < room ? n : room;
	if (error == EOVERFLOW) {
		pitot_complain(
		    "trace: a user has more than can be looked at: some processes may be missing");
		error = 0;
	}
	if (error == 0)
		*ret_n = leave_out_ourselves(*ret_list, *ret_n);
	return error;
}
