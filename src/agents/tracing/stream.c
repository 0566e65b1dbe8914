/* stream - see stream.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

enum {
	DEFAULT_SIZE = 256 * 1024,
	IDS = 66 * 64,   /* as many as an event set has */
	NAMES_MAX = 256, /* in a list of names */
	RECENT_BYTES = 8192,
	QUEUE_SHARE =
	    3, /* so many times as much an event may take in a queue, with what is noted of it */
};

/* ---- types ---- */

static struct type *type_new(struct stream *s, trace_event_id_t id, const char *name)
{
	struct type *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->stream = s;
	t->id = id;
	t->inst = -1;
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static int types_add(struct stream *s, struct type *t)
{
	if (t == NULL)
		return -ENOMEM;
	if (s->ntypes == s->types_room) {
		unsigned int room = s->types_room == 0 ? 16 : 2 * s->types_room;
		struct type **grown = realloc(s->types, room * sizeof(struct type *));

		if (grown == NULL) {
			free(t);
			return -ENOMEM;
		}
		s->types = grown;
		s->types_room = room;
	}
	s->types[s->ntypes++] = t;
	return 0;
}

static bool stream_has_room(const struct stream *s, const struct stream_budget *b)
{
	return b->types < TRACING_TYPES_MAX / 2 ||
	       (b->types < TRACING_TYPES_MAX && s->ntypes <= TRACING_TYPES_FAIR);
}

/* The description, from the process's own memory: it is believed when it is used, not here. */
static void read_fields(struct type *t)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	size_t n = 0;

	t->looked = t->count;
	memset(fields, 0, sizeof(fields));
	if (posix_trace_eventid_get_fields_np(t->stream->trid, t->id, fields,
					      POSIX_TRACE_FIELDS_MAX_NP, &n) != 0)
		return;
	if (n > POSIX_TRACE_FIELDS_MAX_NP)
		n = POSIX_TRACE_FIELDS_MAX_NP;
	if (n == t->nfields && (n == 0 || memcmp(fields, t->fields, n * sizeof(fields[0])) == 0))
		return;
	free(t->fields);
	free(t->params);
	t->resolved = false;
	t->fields = malloc(n * sizeof(fields[0]));
	t->params = malloc(n * sizeof(int));
	t->nfields = t->fields != NULL && t->params != NULL ? (unsigned int)n : 0;
	for (unsigned int i = 0; i < t->nfields; i++) {
		t->fields[i] = fields[i];
		t->params[i] = FIELD_UNKNOWN;
	}
}

static unsigned int stream_type_of(struct stream *s, trace_event_id_t id, struct stream_budget *b)
{
	char name[TRACE_EVENT_NAME_MAX + 1] = "";

	if (id >= IDS)
		return 0;
	if (s->by_id[id] != 0)
		return s->by_id[id];
	if (!stream_has_room(s, b)) {
		b->no_room_for_types = true;
		return 0;
	}
	if (posix_trace_eventid_get_name(s->trid, id, name) != 0 ||
	    types_add(s, type_new(s, id, name)) < 0)
		return 0;
	b->types++;
	s->by_id[id] = (uint16_t)(s->ntypes - 1);
	read_fields(s->types[s->ntypes - 1]);
	return s->ntypes - 1;
}

void stream_describe(struct stream *s)
{
	for (unsigned int i = 1; s->live && i < s->ntypes; i++)
		if (s->types[i]->looked != s->types[i]->count)
			read_fields(s->types[i]);
}

void stream_rates(struct stream *s, double seconds)
{
	for (unsigned int i = 1; i < s->ntypes; i++) {
		struct type *t = s->types[i];

		t->rate = (double)(t->count - t->before) / seconds;
		t->before = t->count;
	}
}

/* ---- filters ---- */

/* The ids of names: of new ones too, because they may come. */
static int set_of(struct stream *s, const char *names, trace_event_set_t *set)
{
	int n = 0;

	posix_trace_eventset_empty(set);
	while (*names != '\0') {
		char name[TRACE_EVENT_NAME_MAX + 1];
		size_t len = strcspn(names, ",");
		trace_event_id_t id;
		int r;

		if (len > TRACE_EVENT_NAME_MAX || ++n > NAMES_MAX)
			return -EINVAL;
		memcpy(name, names, len);
		name[len] = '\0';
		names += len + (names[len] == ',');
		r = len == 0 ? 0 : posix_trace_trid_eventid_open(s->trid, name, &id);
		if (r == 0 && len > 0)
			r = posix_trace_eventset_add(id, set);
		if (r != 0)
			return -r;
	}
	return 0;
}

static void set_without(trace_event_set_t *from, const trace_event_set_t *set)
{
	for (size_t i = 0; i < IDS; i++) {
		int is = 0;

		if (posix_trace_eventset_ismember((trace_event_id_t)i, set, &is) == 0 && is)
			posix_trace_eventset_del((trace_event_id_t)i, from);
	}
}

/* The union of both lists: unwanted types, and types that are not among the only ones. */
static int apply(struct stream *s, const char *filter, const char *only)
{
	trace_event_set_t set, wanted, system;
	int r = set_of(s, filter, &set);

	if (r == 0 && only[0] != '\0') {
		trace_event_set_t not_wanted = set;

		r = set_of(s, only, &wanted);
		posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS);
		posix_trace_eventset_fill(&system, POSIX_TRACE_SYSTEM_EVENTS);
		set_without(&wanted, &not_wanted);
		set_without(&set, &wanted);
		set_without(&set, &system);
	}
	if (r == 0)
		r = -posix_trace_set_filter(s->trid, &set, POSIX_TRACE_SET_EVENTSET);
	return r;
}

static int change(struct stream *s, char *which, const char *names)
{
	const char *filter = which == s->filter ? names : s->filter;
	const char *only = which == s->only ? names : s->only;
	int r;

	if (strlen(names) >= TRACING_TEXT)
		return -EINVAL;
	r = apply(s, filter, only);
	if (r == 0)
		snprintf(which, TRACING_TEXT, "%s", names);
	return r;
}

int stream_filter(struct stream *s, const char *names)
{
	return change(s, s->filter, names);
}

int stream_only(struct stream *s, const char *names)
{
	return change(s, s->only, names);
}

int stream_run(struct stream *s, bool run)
{
	return -(run ? posix_trace_start(s->trid) : posix_trace_stop(s->trid));
}

/* It makes the filter empty: it is set again. */
int stream_clear(struct stream *s)
{
	int r = -posix_trace_clear(s->trid);

	return r < 0 ? r : apply(s, s->filter, s->only);
}

/* ---- life ---- */

static int create(struct stream *s, const struct stream_options *o)
{
	trace_attr_t attr;
	size_t size = o->size != 0 ? (size_t)o->size : DEFAULT_SIZE;
	int r;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setname(&attr, "pmdatracing");
	posix_trace_attr_setstreamsize(&attr, size);
	posix_trace_attr_setstreamfullpolicy(&attr, o->policy);
	r = -posix_trace_create(s->process.pid, &attr, &s->trid);
	if (r < 0)
		return r;
	s->values.size = posix_trace_get_attr(s->trid, &attr) == 0 &&
				 posix_trace_attr_getstreamsize(&attr, &size) == 0
			     ? size
			     : 0;
	return 0;
}

/* The process may have ended, and another one may have its number. */
static int check_process(const struct process *p)
{
	uint64_t start;
	int r = process_start(p->pid, &start);

	return r < 0 || start != p->start ? -ESRCH : 0;
}

static int stream_begin(struct stream *s, const struct stream_options *o)
{
	int r = create(s, o);

	if (r < 0)
		return r;
	r = check_process(&s->process);
	if (r == 0 && o->only[0] != '\0')
		r = stream_only(s, o->only);
	if (r == 0)
		r = stream_run(s, true);
	if (r < 0)
		posix_trace_shutdown(s->trid);
	return r;
}

int stream_attach(const struct process *process, const struct stream_options *o,
		  struct stream **ret)
{
	struct stream *s = calloc(1, sizeof(*s));
	int r = -ENOMEM;

	if (s == NULL)
		return r;
	s->process = *process;
	s->inst = s->queue = -1;
	snprintf(s->policy, sizeof(s->policy), "%s", o->why);
	s->by_id = calloc(IDS, sizeof(*s->by_id));
	if (s->by_id != NULL && types_add(s, type_new(s, 0, "(others)")) == 0)
		r = stream_begin(s, o);
	if (r < 0) {
		stream_free(s);
		return r;
	}
	s->live = true;
	*ret = s;
	return 0;
}

void stream_shutdown(struct stream *s)
{
	posix_trace_shutdown(s->trid);
}

void stream_free(struct stream *s)
{
	for (unsigned int i = 0; i < s->ntypes; i++) {
		free(s->types[i]->fields);
		free(s->types[i]->params);
		free(s->types[i]);
	}
	free(s->types);
	free(s->by_id);
	ring_clear(&s->ring);
	ring_clear(&s->recent);
	free(s);
}

/* ---- events ---- */

/* Into a ring that may have so many bytes, as far as memory goes. */
static void put(struct ring *ring, const struct ring_event *e, const void *data, uint64_t most,
		struct stream_budget *b)
{
	size_t held = ring->cap;
	uint64_t left = b->memory > b->used ? b->memory - b->used : 0;
	uint64_t room = held + left / QUEUE_SHARE;

	ring_put(ring, e, data, (size_t)(room < most ? room : most));
	b->used += ring->cap - held;
}

static void keep(struct stream *s, const struct posix_trace_event_info *info, unsigned int type,
		 bool system, const void *data, size_t len, struct stream_budget *b)
{
	struct ring_event e = {
	    .size = (uint32_t)len,
	    .type = type,
	    .stamp = info->posix_timestamp,
	    .address = (uintptr_t)info->posix_prog_address,
	    .pid = info->posix_pid,
	    .tid = posix_trace_event_tid_np(info),
	    .truncation = (uint32_t)info->posix_truncation_status,
	    .system = system,
	};

	if (s->interest)
		put(&s->ring, &e, data, b->queue, b);
	if (b->recent > 0) {
		put(&s->recent, &e, data, RECENT_BYTES, b);
		ring_trim(&s->recent, b->recent);
	}
}

static void take_one(struct stream *s, const struct posix_trace_event_info *info, const void *data,
		     size_t len, struct stream_budget *b)
{
	trace_event_id_t id = info->posix_event_id;
	bool system = id != POSIX_TRACE_UNNAMED_USEREVENT && id < POSIX_TRACE_UNNAMED_USEREVENT;
	unsigned int type;

	if (system && id != POSIX_TRACE_ERROR)
		return;
	type = stream_type_of(s, id, b);
	s->types[type]->count++;
	s->types[type]->bytes += len;
	if (!system) {
		s->taken++;
		s->bytes += len;
	}
	if (s->interest || b->recent > 0)
		keep(s, info, type, system, data, len, b);
}

unsigned int stream_take(struct stream *s, unsigned int most, struct stream_budget *b)
{
	static char data[TRACING_DATA_MAX]; /* under the lock, as all else */
	struct posix_trace_event_info info;
	unsigned int n = 0;
	int unavailable;
	size_t len;

	while (s->live && n < most) {
		if (posix_trace_trygetnext_event(s->trid, &info, data, sizeof(data), &len,
						 &unavailable) != 0 ||
		    unavailable)
			break;
		take_one(s, &info, data, len, b);
		n++;
	}
	return n;
}

static uint32_t status_of(const struct posix_trace_status_info *status)
{
	return status->posix_stream_status == POSIX_TRACE_RUNNING ? STREAM_RUNNING : STREAM_STOPPED;
}

void stream_look(struct stream *s)
{
	struct stream_values *v = &s->values;
	struct posix_trace_status_info status;
	struct posix_trace_counts_np c;

	v->bytes = s->bytes;
	v->pid = (uint32_t)s->process.pid;
	v->policy = s->policy;
	v->filter = s->filter;
	v->only = s->only;
	if (!s->live) {
		v->status = STREAM_ENDED;
		v->running = 0;
		return;
	}
	if (posix_trace_get_counts_np(s->trid, &c) == 0) {
		v->recorded = c.recorded;
		v->reported = c.reported;
		v->lost_full = c.lost_full;
		v->lost_overwritten = c.lost_overwritten;
		v->lost_attach = c.lost_attach;
		v->discarded = c.discarded;
		v->emitted = c.recorded + c.lost_full + c.lost_attach;
	}
	if (posix_trace_get_status(s->trid, &status) == 0) {
		v->status = status_of(&status);
		v->running = v->status == STREAM_RUNNING;
		v->full = status.posix_stream_full_status == POSIX_TRACE_FULL;
		v->flush_error = status.posix_stream_flush_error;
	}
}

uint64_t stream_unread(const struct stream *s)
{
	const struct stream_values *v = &s->values;

	return v->recorded - v->reported - v->lost_overwritten - v->discarded;
}
