/*
 * log_writer - see log_writer.h.
 * A log has one writer at a time, so there is no concurrent access. The order of stores matters for
 * a kill: the process that takes over sees each store that came before the kill in program order,
 * and no later one. The words of struct log_state that such an order is about are atomics, whose
 * stores the compiler does not move. The rules:
 *
 *     add      bytes into the ring after `end`; the other commit; `current` (release)
 *     block    `touched`; payload and head into the file; counts; `written`; first, tail_user
 *     flush    the new bytes; the head; `in_file`
 *     clear    `clearing`; file, salt, commit, offsets, head; `clearing` off
 * A step that was interrupted is done again with the same bytes at the same place, or is ignored
 * because nothing refers to it. tests: test_log_writer another_goes_on (continues from each point),
 * test_log_recover (each prefix), test_keeper killed_at_any_system_call.
 */
#include "libtrace/log_writer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libtrace/crc.h"
#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_state.h"
#include "libtrace/record_copy.h"

enum {
	STOP_BYTES = 64, /* a STOP event takes 48 */
};

static uint64_t log_round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* The state, the ring's blocks (one being written, one being filled, one spare), and the largest
 * event. */
uint64_t log_writer_memory(uint32_t data_max)
{
	return LOG_STATE_BYTES + (uint64_t)LOG_PAYLOAD_MAX * LOG_RING_BLOCKS +
	       log_round_up(data_max, LOG_PAYLOAD_MAX);
}

int log_writer_check(int fd, const trace_attr_t *attr)
{
	uint32_t payload, places;
	struct log_file file;
	int r = log_geometry(attr->__log_policy, attr->__log_size, attr->__data_size, &payload,
			     &places);

	if (r < 0)
		return r;
	r = log_file_open(fd, &file);
	if (r == 0)
		log_file_close(&file);
	return r;
}

/* Events of replaced blocks. */
static uint64_t replaced(const struct log_state *s)
{
	uint64_t accounted = s->accounted;

	return accounted == 0 ? 0 : s->replaced[(accounted - 1) % 2];
}

/* Publishes the number of lost events: those that were not added, and those in replaced blocks.
 * One store of a sum, so a reader of the counts never sees a part. */
static void publish_lost(struct log_writer *w)
{
	atomic_store(&w->ctl->lost_log, log_committed(w->state).lost + replaced(w->state));
}

/*
 * A LOOP log that wraps replaces its oldest block; the events that began in it are lost. Blocks are
 * replaced in order, so the new sum goes to the word that `accounted` does not refer to, and the
 * store of `accounted` makes it valid: a block counts once, wherever the process is killed. Test:
 * a_replaced_block_counts_once.
 */
static void note_wrap(struct log_writer *w)
{
	struct log_state *s = w->state;
	uint64_t number = log_block_number(s, s->written);

	if (s->places == 0 || number < s->places)
		return;
	w->ctl->log_full = 1;
	w->ctl->log_overrun = 1;
	if (s->places > LOG_PLACES_COUNTED || s->accounted > number)
		return; /* a log with so many places is counted when it is opened */
	s->replaced[number % 2] = replaced(s) + s->begun[number % s->places];
	s->accounted = number + 1;
	publish_lost(w);
}

/*
 * A full block is in the file: notes how many events it has, in case it must be given up. Comes
 * before `written` moves: after a kill the block is written and counted again, with the same
 * result, because the walk depends on the ring, `first` and `written` only.
 */
static void note_users(struct log_writer *w)
{
	struct log_state *s = w->state;
	uint64_t number = log_block_number(s, s->written);
	struct log_walk walk = log_walk(w, s->first, s->written + s->payload);

	s->recent[number % LOG_RECENT] = log_users(w, s->payload);
	if (s->places != 0 && s->places <= LOG_PLACES_COUNTED)
		s->begun[number % s->places] = walk.users + walk.last_user;
}

/* Keeps the first error for posix_trace_get_status(), which takes it with an exchange at any
 * time: hence the compare-and-swap from 0. */
static int failure(struct log_writer *w, int r)
{
	int32_t none = 0;

	if (r < 0) {
		w->error = r;
		atomic_compare_exchange_strong(&w->ctl->flush_error, &none, -r);
	}
	return r;
}

/*
 * After each half of a LOOP log's places, forgets which types are in the stream, so that they are
 * put there again before the old copies are overwritten. A kill in between only makes a type appear
 * twice.
 */
static void forget_types(struct log_state *s)
{
	uint64_t half = s->places / 2;

	if (half == 0 || log_block_number(s, s->written) % half != 0)
		return;
	memset(s->known, 0, sizeof(s->known));
	s->names_bytes = 0;
}

/*
 * Writes all blocks that are full. `written` moves only after the block is in the file and counted;
 * until then the bytes stay in the ring, because make_room() keeps end - written within the ring.
 * log_settle() recomputes first and tail_user from `written`, and a process that takes over calls
 * it too.
 */
static int write_full_blocks(struct log_writer *w)
{
	struct log_state *s = w->state;

	while (log_committed(s).end - s->written >= s->payload) {
		int r = log_write_block(w, s->payload);

		if (r < 0)
			return failure(w, r);
		note_wrap(w);
		note_users(w);
		s->written += s->payload;
		log_settle(w);
		forget_types(s);
		w->error = 0;
	}
	return 0;
}

/*
 * Writes also the part of a block. in_file is stored after the head: a kill before it leaves a head
 * that covers the old bytes, or the new ones, both valid. The next write of the same block starts
 * at in_file. flushed: events before it are in the file, and log_writer_peek() skips them.
 */
int log_writer_flush(struct log_writer *w)
{
	struct log_state *s = w->state;
	uint64_t end = log_committed(s).end;
	int r = write_full_blocks(w);

	if (r == 0 && end > s->in_file) {
		r = failure(w, log_write_block(w, (uint32_t)(end - s->written)));
		if (r == 0) {
			note_wrap(w);
			s->in_file = end;
			w->error = 0;
		}
	}
	if (r == 0)
		s->flushed = end;
	return r;
}

/* ---- adding ---- */

/* Puts an event where it wraps at the end of the ring. */
static void put_in_parts(struct log_writer *w, uint64_t at, const struct event *event,
			 uint32_t flags)
{
	static const uint8_t zeros[8];
	uint8_t head[LOG_EVENT_HEAD];

	log_event_encode(event, flags, head);
	log_ring_put(w, at, head, sizeof(head));
	if (event->length > 0)
		log_ring_put(w, at + sizeof(head), event->data, event->length);
	log_ring_put(w, at + sizeof(head) + event->length, zeros, (8 - event->length % 8) % 8);
}

/*
 * Stores the bytes of an event after `end`, where nothing refers to them until the next commit; so
 * a kill in between leaves them unused. make_room() has made sure that they do not reach `written`
 * in the ring.
 */
static void put_event(struct log_writer *w, uint64_t at, const struct event *event, uint32_t flags)
{
	uint64_t size = log_event_size(event->length);
	uint8_t *to = log_ring_room(w, at, size);

	if (to == NULL) {
		put_in_parts(w, at, event, flags);
		return;
	}
	log_event_encode(event, flags, to);
	if (event->length == 0)
		return;
	memset(to + size - 8, 0, 8); /* zeros the padding after the data */
	if (event->length <= RECORD_COPY_MAX)
		record_copy(to + LOG_EVENT_HEAD, event->data, event->length);
	else
		memcpy(to + LOG_EVENT_HEAD, event->data, event->length);
}

/* Makes sure that so many bytes fit into the ring after `end`, writing full blocks if necessary.
 * If the file cannot take them, the bytes between written and end stay, and the caller keeps the
 * event. */
static int make_room(struct log_writer *w, uint64_t size)
{
	struct log_state *s = w->state;

	if (log_committed(s).end + size - s->written <= s->ring)
		return 0;
	write_full_blocks(w);
	if (log_committed(s).end + size - s->written <= s->ring)
		return 0;
	return w->error;
}

/* Bytes that the log can still take by its policy; reserves room for a STOP. Computed from the
 * commit, so a process that takes over gets the same answer. */
static uint64_t capacity_left(const struct log_writer *w)
{
	const struct log_state *s = w->state;
	uint64_t most, used;

	if (w->head.attr.__log_policy != POSIX_TRACE_UNTIL_FULL)
		return UINT64_MAX;
	most = (uint64_t)s->places * s->payload;
	used = log_committed(s).end - s->base;
	return most < used + STOP_BYTES ? 0 : most - used - STOP_BYTES;
}

/*
 * Puts a type's name into the stream before the first event of that type, so that a log without
 * trailer has names too; limited to an eighth of the log. A commit of its own, without a token:
 * after a kill between it and the event's commit the name is there and the event is added again.
 * `known` is set first: a kill right after it loses the name in the stream, and the trailer still
 * has it.
 */
static void put_type(struct log_writer *w, trace_event_id_t id)
{
	struct log_state *s = w->state;
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	char name[TRACE_EVENT_NAME_MAX + 1];
	uint8_t out[LOG_TYPE_MAX];
	struct event type = {.id = id, .data = out};
	uint64_t most = s->places == 0 ? UINT64_MAX : (uint64_t)s->places * s->payload / 8;
	struct log_commit next = log_committed(s);
	size_t count;

	s->known[id / 64] |= (uint64_t)1 << id % 64;
	if (w->types.name(w->types.arg, id, name) < 0)
		return;
	count = w->types.fields(w->types.arg, id, fields);
	type.length = (uint32_t)log_type_encode(name, fields, count, out);
	if (s->names_bytes + log_event_size(type.length) > most ||
	    log_event_size(type.length) > capacity_left(w) ||
	    make_room(w, log_event_size(type.length)) < 0)
		return;
	put_event(w, next.end, &type, LOG_EVENT_TYPE);
	next.end += log_event_size(type.length);
	s->names_bytes += log_event_size(type.length);
	log_commit(s, &next);
}

static bool wants_type(const struct log_writer *w, trace_event_id_t id)
{
	return id >= LAYOUT_USER_FIRST && id < LAYOUT_IDS &&
	       (w->state->known[id / 64] >> id % 64 & 1) == 0;
}

/* Count and token change in one commit: an event that is offered again after a kill is not
 * counted twice. */
int log_writer_lose(struct log_writer *w, const struct event *event, uint64_t token)
{
	struct log_commit next = log_committed(w->state);

	if (token != 0 && token == next.token)
		return 1;
	next.token = token;
	next.lost += log_is_user(event->id);
	log_commit(w->state, &next);
	publish_lost(w);
	w->ctl->log_overrun = 1;
	return 1;
}

/*
 * The log ends with STOP (docs/spec/posix-trace.md 9.4), at the time of the event that is lost.
 * STOP, token, lost and full become valid in one commit: after a kill before it the same event
 * closes the log again; after it log_writer_add() returns 1 for the event because of `full` or its
 * token.
 */
static int close_full(struct log_writer *w, const struct event *event, uint64_t token)
{
	const int automatic = 1;
	struct event stop = {
	    .id = POSIX_TRACE_STOP,
	    .pid = w->head.target,
	    .real_ns = event->real_ns,
	    .length = sizeof(automatic),
	    .data = &automatic,
	};
	struct log_commit next = log_committed(w->state);
	int r = w->no_stop ? 0 : make_room(w, log_event_size(stop.length));

	if (r < 0)
		return r;
	if (!w->no_stop) {
		put_event(w, next.end, &stop, 0);
		next.end += log_event_size(stop.length);
	}
	next.token = token;
	next.lost += log_is_user(event->id);
	next.full = 1;
	log_commit(w->state, &next);
	w->ctl->log_full = 1;
	w->ctl->log_overrun = 1;
	publish_lost(w);
	write_full_blocks(w);
	return 1;
}

/*
 * The token makes a repetition harmless: the caller consumes an event only after this returns, and
 * a process that takes over offers the last event again. `end`, token and lost change in one store
 * (log_commit). Ring full and file full: returns the error, nothing has changed.
 */
int log_writer_add(struct log_writer *w, const struct event *event, uint64_t token)
{
	struct log_state *s = w->state;
	uint64_t size = log_event_size(event->length);
	struct log_commit next = log_committed(s);
	int r;

	if (token != 0 && token == next.token)
		return 0;
	if (next.full != 0 || size > s->ring - s->payload)
		return log_writer_lose(w, event, token);
	if (wants_type(w, event->id))
		put_type(w, event->id);
	if (size > capacity_left(w))
		return close_full(w, event, token);
	if (log_committed(s).end + size - s->written > s->ring) {
		r = make_room(w, size);
		if (r < 0)
			return r;
	}
	next = log_committed(s); /* a type may have been added */
	put_event(w, next.end, event, 0);
	next.end += size;
	next.token = token;
	log_commit(s, &next);
	if (w->error == 0 && next.end - s->written >= s->payload)
		write_full_blocks(w);
	return 0;
}

void log_writer_set_stop(struct log_writer *w, bool wanted)
{
	w->no_stop = !wanted;
}

bool log_writer_full(const struct log_writer *w)
{
	return log_committed(w->state).full != 0;
}

int log_writer_fd(const struct log_writer *w)
{
	return w->file.fd;
}

/* Reads committed bytes only: those between first (or flushed) and end. Both only grow, except in
 * a clear, whose caller resets the position. */
int log_writer_peek(struct log_writer *w, uint64_t *position, struct event *ret_event)
{
	struct log_state *s = w->state;
	uint64_t end = log_committed(s).end, at = *position, size;
	uint32_t flags = 0;

	if (at < s->first)
		at = s->first;
	if (at < s->flushed)
		at = s->flushed;
	do {
		*position = at;
		if (at >= end)
			return 0;
		size = log_ring_event(w, at, end, ret_event, &flags);
		if (size == 0 || ret_event->length > w->scratch_bytes)
			return 0;
		at += size;
	} while ((flags & LOG_EVENT_TYPE) != 0);
	log_ring_get(w, at - size + LOG_EVENT_HEAD, w->scratch, ret_event->length);
	ret_event->data = w->scratch;
	*position = at;
	return 1;
}

/* ---- making ---- */

/* Differs after each clear, so that blocks of before, still in the file after a kill, do not
 * count. */
static uint32_t make_salt(const struct control *ctl, uint32_t generation)
{
	const uint64_t words[4] = {ctl->id.stream_id, (uint64_t)ctl->attr.__creation_time.tv_sec,
				   (uint64_t)ctl->attr.__creation_time.tv_nsec, generation};

	return crc32c(0, words, sizeof(words));
}

static void log_writer_describe(struct log_writer *w)
{
	const struct log_state *s = w->state;

	w->head = (struct log_head){
	    .id = w->ctl->id.stream_id,
	    .salt = s->salt,
	    .payload = s->payload,
	    .places = s->places,
	    .target = w->ctl->id.target.pid,
	    .controller = w->ctl->id.controller.pid,
	    .attr = w->ctl->attr,
	};
}

static int write_head(struct log_writer *w)
{
	uint8_t out[LOG_HEAD];
	struct iovec part = {out, sizeof(out)};

	log_writer_describe(w);
	log_head_encode(&w->head, out);
	return log_file_write(&w->file, &part, 1, 0);
}

/* The writer's own memory: an anonymous mapping, with room for the largest event after it. A
 * process that takes over makes its own; everything that must survive is in `block`. */
static int writer_new(struct control *ctl, uint8_t *block, const struct log_types *types,
		      struct log_writer **ret_writer)
{
	uint64_t data_max = ctl->attr.__data_size, sets = 2 * sizeof(trace_event_set_t);
	size_t scratch = (size_t)(data_max > sets ? data_max : sets);
	struct log_writer *w = mmap(NULL, sizeof(*w) + scratch, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (w == MAP_FAILED)
		return -ENOMEM;
	w->ctl = ctl;
	w->state = (struct log_state *)block;
	w->ring = block + LOG_STATE_BYTES;
	w->types = *types;
	w->file.fd = -1;
	w->scratch = (uint8_t *)(w + 1);
	w->scratch_bytes = scratch;
	*ret_writer = w;
	return 0;
}

void log_writer_close(struct log_writer *w)
{
	if (w == NULL)
		return;
	log_file_close(&w->file);
	munmap(w, sizeof(*w) + w->scratch_bytes);
}

/* `magic` comes last: without it a process that takes over finds no log to continue. */
static int state_make(struct log_writer *w)
{
	struct log_state *s = w->state;
	const trace_attr_t *attr = &w->ctl->attr;
	uint64_t room = log_writer_memory((uint32_t)attr->__data_size) - LOG_STATE_BYTES;
	int r = log_geometry(attr->__log_policy, attr->__log_size, attr->__data_size, &s->payload,
			     &s->places);

	if (r < 0)
		return r;
	s->ring = room / s->payload * s->payload;
	s->salt = make_salt(w->ctl, 0);
	s->magic = LOG_STATE_MAGIC;
	return 0;
}

int log_writer_open(int fd, struct control *ctl, uint8_t *block, const struct log_types *types,
		    struct log_writer **ret_writer)
{
	struct log_writer *w;
	int r = writer_new(ctl, block, types, &w);

	if (r < 0)
		return r;
	r = log_file_open(fd, &w->file);
	if (r == 0)
		r = state_make(w);
	if (r == 0)
		r = log_file_cut(&w->file, 0);
	if (r == 0)
		r = log_file_reserve(&w->file, LOG_HEAD + log_trailer_room(w));
	if (r == 0)
		r = write_head(w);
	if (r < 0) {
		log_writer_close(w);
		return r;
	}
	*ret_writer = w;
	return 0;
}

/*
 * Takes over from a killed controller, at any point. The state is checked before it is used; an
 * interrupted clear is done again; log_settle() repeats the stores that depend on `written`; the
 * published number of lost events is computed again.
 */
int log_writer_resume(int fd, struct control *ctl, uint8_t *block, const struct log_types *types,
		      struct log_writer **ret_writer)
{
	uint64_t room = log_writer_memory((uint32_t)ctl->attr.__data_size) - LOG_STATE_BYTES;
	struct log_writer *w;
	int r = writer_new(ctl, block, types, &w);

	if (r < 0)
		return r;
	r = log_state_valid(w->state, room) ? log_file_adopt(fd, &w->file) : -EINVAL;
	if (r < 0) {
		log_writer_close(w);
		return r;
	}
	if (w->state->clearing != 0) /* killed in the middle of a clear */
		log_writer_clear(w);
	log_settle(w);
	log_writer_describe(w);
	publish_lost(w);
	*ret_writer = w;
	return 0;
}

/*
 * `clearing` is set from the first change until all offsets agree and the head is written; a
 * process that takes over then clears again, from the start. The commit comes before the offsets:
 * in between end is at the next block boundary, which only `clearing` makes consistent. A kill
 * between the cut and the head leaves a file without head, which is not a log: the process that
 * takes over writes it. Test: killed_while_it_clears.
 */
int log_writer_clear(struct log_writer *w)
{
	struct log_state *s = w->state;
	struct log_commit next = log_committed(s);
	int r;

	s->clearing = 1;
	r = log_file_cut(&w->file, 0);
	s->salt = make_salt(w->ctl, s->salt + 1);
	memset(s->known, 0, sizeof(s->known));
	s->names_bytes = 0;
	next.end = log_round_up(next.end, s->payload);
	next.lost = next.full = 0;
	log_commit(s, &next);
	s->base = next.end;
	s->written = next.end;
	s->in_file = next.end;
	s->first = next.end;
	s->flushed = next.end;
	s->touched = 0;
	s->tail_user = 0;
	s->accounted = 0;
	w->error = 0;
	r = failure(w, r < 0 ? r : write_head(w));
	s->clearing = 0;
	return r;
}
