/*
 * export_perfetto - an export for Perfetto (ui.perfetto.dev and its trace processor): a file of
 * protobuf packets.
 *
 *     clock snapshot      all times are of the wall clock
 *     track descriptors   before the first packet of the track: of processes, of their threads, of
 *                         the stream itself, of lost events, of metrics
 *     track events        events as instants with their fields as annotations; gaps as slices
 *                         "N events lost"; values of metrics as counters
 *
 * A file is the packets of one trusted sequence; nothing is interned, so each packet is complete.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfetto.pb-c.h"
#include "tools/common/utf8.h"
#include "tools/pitot/export/export.h"
#include "tools/pitot/pitot.h"

enum {
	CLOCK_WALL = 1, /* ids of the format's built-in clocks */
	CLOCK_BOOT = 6,
	SEQUENCE = 1,
	FLAG_CLEARED = 1, /* flag of a sequence: no state from before is used */
	NOTES_MAX = POSIX_TRACE_FIELDS_MAX_NP + 4,
};

/*
 * Tracks have numbers: that of a thread is made of process and thread, that of a process has thread
 * 0.
 */
#define TRACK_STREAM ((uint64_t)1 << 62)
#define TRACK_LOST   (TRACK_STREAM + 1)
#define TRACK_METRIC ((uint64_t)1 << 63)

struct perfetto {
	FILE *out;
	char *name;       /* of the stream */
	uint64_t *tracks; /* tracks that have been described: sorted */
	size_t ntrack;
	uint8_t *bytes; /* buffer for a packet */
	size_t room;
};

/* The annotations of an event, and their texts. */
struct notes {
	Perfetto__DebugAnnotation notes[NOTES_MAX], *list[NOTES_MAX];
	char *texts[NOTES_MAX];
	size_t n, ntext;
	bool failed;
};

static int put_packet(struct perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__TracePacket *packets[] = {packet};
	Perfetto__Trace trace = PERFETTO__TRACE__INIT; /* concatenated traces are one trace */
	size_t size;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.n_packet = 1;
	trace.packet = packets;
	size = perfetto__trace__get_packed_size(&trace);
	if (size > p->room) {
		uint8_t *bytes = realloc(p->bytes, 2 * size);

		if (bytes == NULL)
			return -ENOMEM;
		p->bytes = bytes;
		p->room = 2 * size;
	}
	perfetto__trace__pack(&trace, p->bytes);
	errno = EIO;
	return fwrite(p->bytes, 1, size, p->out) == size ? 0 : -errno;
}

static int put_clock(struct perfetto *p, int64_t ns)
{
	Perfetto__ClockSnapshot__Clock clocks[] = {PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT,
						   PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT};
	Perfetto__ClockSnapshot__Clock *list[] = {&clocks[0], &clocks[1]};
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	static const uint32_t ids[] = {CLOCK_WALL, CLOCK_BOOT};

	for (size_t i = 0; i < 2; i++) {
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = (uint64_t)ns;
	}
	snapshot.n_clocks = 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_WALL;
	packet.clock_snapshot = &snapshot;
	packet.has_sequence_flags = true;
	packet.sequence_flags = FLAG_CLEARED;
	return put_packet(p, &packet);
}

static int perfetto_open_file(void *state, const char *path, const struct export_about *about)
{
	struct perfetto *p = state;
	int r = export_file_open(&p->out, path);

	if (r < 0) {
		p->out = NULL;
		return r;
	}
	p->name = utf8_copy(about->name, strlen(about->name));
	return p->name != NULL ? put_clock(p, about->created_ns) : -ENOMEM;
}

/* Notes that a track has been described. Returns 1 if it was new, 0, -ENOMEM. */
static int note_track(struct perfetto *p, uint64_t uuid)
{
	size_t low = 0, high = p->ntrack;
	uint64_t *tracks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->tracks[middle] == uuid)
			return 0;
		if (p->tracks[middle] < uuid)
			low = middle + 1;
		else
			high = middle;
	}
	tracks = reallocarray(p->tracks, p->ntrack + 1, sizeof(tracks[0]));
	if (tracks == NULL)
		return -ENOMEM;
	memmove(tracks + low + 1, tracks + low, (p->ntrack - low) * sizeof(tracks[0]));
	tracks[low] = uuid;
	p->tracks = tracks;
	p->ntrack++;
	return 1;
}

static int put_track(struct perfetto *p, uint64_t uuid, Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = uuid;
	packet.track_descriptor = track;
	return put_packet(p, &packet);
}

/* Describes a track that has only a name. */
static int need_plain(struct perfetto *p, uint64_t uuid, const char *name)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	int r = note_track(p, uuid);

	track.name = (char *)name;
	return r <= 0 ? r : put_track(p, uuid, &track);
}

static int need_process(struct perfetto *p, uint64_t uuid, pid_t pid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	int r = note_track(p, uuid);

	process.has_pid = true;
	process.pid = pid;
	process.process_name = p->name;
	track.process = &process;
	return r <= 0 ? r : put_track(p, uuid, &track);
}

/* The track of an event, after describing it. Returns 0 or -errno. */
static int need_thread(struct perfetto *p, const struct trace_event *e, uint64_t *ret_uuid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	const pid_t pid = e->info.posix_pid, tid = posix_trace_event_tid_np(&e->info);
	const uint64_t process = (uint64_t)(uint32_t)pid << 32;
	int r;

	*ret_uuid = process | (uint32_t)tid;
	if (pid <= 0 || tid <= 0) {
		*ret_uuid = TRACK_STREAM;
		return need_plain(p, TRACK_STREAM, "trace stream");
	}
	r = need_process(p, process, pid);
	if (r == 0)
		r = note_track(p, *ret_uuid);
	if (r <= 0)
		return r;
	thread.has_pid = thread.has_tid = true;
	thread.pid = pid;
	thread.tid = tid;
	thread.thread_name =
	    pid == tid ? p->name : NULL; /* the other events have no known thread */
	track.thread = &thread;
	track.has_parent_uuid = true;
	track.parent_uuid = process;
	return put_track(p, *ret_uuid, &track);
}

static Perfetto__DebugAnnotation *add_note(struct notes *s, const char *name)
{
	Perfetto__DebugAnnotation *note = &s->notes[s->n];

	perfetto__debug_annotation__init(note);
	note->name = (char *)name;
	s->list[s->n++] = note;
	return note;
}

static void perfetto_add_text(struct notes *s, const char *name, const char *text, size_t length)
{
	char *copy = utf8_copy(text, length);

	s->failed |= copy == NULL;
	add_note(s, name)->string_value = copy;
	s->texts[s->ntext++] = copy;
}

static void add_bytes(struct notes *s, const char *name, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * length + 1), *at = text;

	for (size_t i = 0; text != NULL && i < length; i++) {
		*at++ = digits[bytes[i] >> 4];
		*at++ = digits[bytes[i] & 15];
	}
	if (text != NULL)
		*at = '\0';
	s->failed |= text == NULL;
	add_note(s, name)->string_value = text;
	s->texts[s->ntext++] = text;
}

static void add_unsigned(struct notes *s, const char *name, uint64_t value)
{
	Perfetto__DebugAnnotation *note = add_note(s, name);

	note->has_uint_value = true;
	note->uint_value = value;
}

static void add_signed(struct notes *s, const char *name, int64_t value)
{
	Perfetto__DebugAnnotation *note = add_note(s, name);

	note->has_int_value = true;
	note->int_value = value;
}

static void add_pointer(struct notes *s, const char *name, uint64_t value)
{
	Perfetto__DebugAnnotation *note = add_note(s, name);

	note->has_pointer_value = true;
	note->pointer_value = value;
}

static void add_double(struct notes *s, const char *name, double value)
{
	Perfetto__DebugAnnotation *note = add_note(s, name);

	note->has_double_value = true;
	note->double_value = value;
}

static void perfetto_add_field(struct notes *s, const struct trace_event *e,
			       const struct posix_trace_field_np *f)
{
	size_t n;
	const uint8_t *bytes = trace_field(e, f, &n);

	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
		add_signed(s, f->name, trace_signed(bytes, n));
		break;
	case POSIX_TRACE_FIELD_UINT_NP:
		add_unsigned(s, f->name, trace_unsigned(bytes, n));
		break;
	case POSIX_TRACE_FIELD_HEX_NP:
		add_pointer(s, f->name, trace_unsigned(bytes, n));
		break;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		add_double(s, f->name, trace_float(bytes, n));
		break;
	case POSIX_TRACE_FIELD_CHARS_NP:
		perfetto_add_text(s, f->name, (const char *)bytes, n);
		break;
	default:
		add_bytes(s, f->name, bytes, n);
		break;
	}
}

static void add_system(struct notes *s, const struct trace_event *e)
{
	int value;

	if (trace_system(e) == TRACE_SYSTEM_INT) {
		memcpy(&value, e->data, sizeof(value));
		add_signed(s, e->info.posix_event_id == POSIX_TRACE_STOP ? "auto" : "error", value);
	}
}

static void add_payload(struct notes *s, const struct trace_event *e)
{
	const struct trace_type *type = e->type;
	const enum trace_form form = trace_form(e);

	for (size_t i = 0; form != TRACE_BYTES && i < type->nfield; i++)
		perfetto_add_field(s, e, &type->fields[i]);
	if (form == TRACE_BYTES)
		add_bytes(s, "data", e->data, e->length);
	else if (form == TRACE_REST)
		add_bytes(s, "rest", e->data + type->covered, e->length - type->covered);
}

static void annotate(struct notes *s, const struct trace_event *e)
{
	if (e->info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT)
		add_system(s, e);
	else
		add_payload(s, e);
	add_pointer(s, "address", (uintptr_t)e->info.posix_prog_address);
	if (e->info.posix_truncation_status != POSIX_TRACE_NOT_TRUNCATED) {
		Perfetto__DebugAnnotation *note = add_note(s, "truncated");

		note->has_bool_value = note->bool_value = true;
	}
}

static int put_track_event(struct perfetto *p, int64_t ns, Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	event->has_type = event->has_track_uuid = true;
	packet.has_timestamp = packet.has_timestamp_clock_id = true;
	packet.timestamp = (uint64_t)ns;
	packet.timestamp_clock_id = CLOCK_WALL;
	packet.track_event = event;
	return put_packet(p, &packet);
}

static int perfetto_put_event(void *state, struct trace_source *source, const struct trace_event *e)
{
	static char *const user[] = {"event"}, *const system[] = {"trace"};
	const bool is_user = e->info.posix_event_id >= POSIX_TRACE_UNNAMED_USEREVENT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *p = state;
	struct notes notes = {.n = 0};
	int r = need_thread(p, e, &event.track_uuid);

	(void)source;
	if (r < 0)
		return r;
	perfetto_add_text(&notes, "name", e->type->name, strlen(e->type->name));
	event.name = notes.texts[0]; /* converted to UTF-8; not an annotation */
	notes.n = 0;
	annotate(&notes, e);
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.n_categories = 1;
	event.categories = (char **)(is_user ? user : system);
	event.n_debug_annotations = notes.n;
	event.debug_annotations = notes.list;
	r = notes.failed ? -ENOMEM : put_track_event(p, trace_event_ns(e), &event);
	for (size_t i = 0; i < notes.ntext; i++)
		free(notes.texts[i]);
	return r;
}

static int perfetto_put_gap(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost)
{
	Perfetto__TrackEvent begin = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *p = state;
	char text[64];
	int r;

	if (lost == 0)
		return 0;
	r = need_plain(p, TRACK_LOST, "lost events");
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", lost);
	begin.name = text;
	begin.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
	end.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	begin.track_uuid = end.track_uuid = TRACK_LOST;
	if (r == 0)
		r = put_track_event(p, from_ns, &begin);
	return r == 0 ? put_track_event(p, to_ns, &end) : r;
}

static int need_counter(struct perfetto *p, uint64_t uuid, const struct metric_track *t)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	char *name;
	int r = note_track(p, uuid);

	if (r <= 0)
		return r;
	if (asprintf(&name, t->instance != NULL ? "%s[%s]" : "%s", t->metric, t->instance) < 0)
		return -ENOMEM;
	counter.unit_name = t->units[0] != '\0' ? (char *)t->units : NULL;
	track.name = name;
	track.counter = &counter;
	r = put_track(p, uuid, &track);
	free(name);
	return r;
}

static int perfetto_put_sample(void *state, const struct metric_sample *s)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *p = state;
	int r;

	event.track_uuid = TRACK_METRIC + s->track->id;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
	if (s->track->whole) {
		event.has_counter_value = true;
		event.counter_value = s->integer;
	} else {
		event.has_double_counter_value = true;
		event.double_counter_value = s->value;
	}
	r = need_counter(p, event.track_uuid, s->track);
	return r == 0 ? put_track_event(p, s->ns, &event) : r;
}

static int perfetto_finish(void *state, struct trace_source *source,
			   const struct posix_trace_counts_np *counts)
{
	struct perfetto *p = state;

	(void)source;
	(void)counts;
	return export_file_flush(p->out);
}

static void close_file(void *state)
{
	struct perfetto *p = state;

	export_file_close(p->out);
	free(p->name);
	free(p->tracks);
	free(p->bytes);
}

const struct export_sink perfetto_sink = {
    .option = "perfetto",
    .size = sizeof(struct perfetto),
    .open = perfetto_open_file,
    .event = perfetto_put_event,
    .gap = perfetto_put_gap,
    .sample = perfetto_put_sample,
    .finish = perfetto_finish,
    .close = close_file,
};
