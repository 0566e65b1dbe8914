/*
 * drain - see drain.h; and the completion of a log: write pending events and the trailer, and give
 * up events if there is no room for it (log_writer.h describes log_writer_complete).
 */
#include "libtrace/drain.h"

#include <errno.h>
#include <string.h>

#include "libtrace/log_out.h"
#include "libtrace/log_state.h"
#include "libtrace/log_writer.h"
#include "libtrace/run.h"
#include "libtrace/status.h"

/* ---- completing a log ---- */

#define ROOM_BESIDE (256 * 1024)

/* The contents of the complete log; reduced until its trailer fits. */
struct shape {
	uint64_t first, end; /* numbers of blocks */
	uint32_t last_used;  /* payload of the last block */
	bool in_ring;        /* the last block is still in memory: it can be cut */
	bool wrapped;        /* the trailer follows all places */
	uint64_t lost;       /* user events that were given up */
};

/* User events that end after the first `used` bytes of the current block. */
static uint64_t users_after(struct log_writer *w, uint64_t used)
{
	const struct log_state *s = w->state;

	return log_users(w, log_committed(s).end - s->written) - log_users(w, used);
}

static struct shape shape_of(struct log_writer *w)
{
	const struct log_state *s = w->state;
	uint64_t full = log_block_number(s, s->written), places = s->places;
	struct shape shape = {.end = full, .last_used = s->payload};
	bool dirty = s->in_file == s->written && s->touched == s->written + 1;

	if (s->in_file > s->written) {
		shape.end++;
		shape.last_used = (uint32_t)(s->in_file - s->written);
		shape.in_ring = true;
	}
	shape.lost = users_after(w, s->in_file - s->written);
	if (places != 0 && (shape.end > places || (dirty && full >= places))) {
		shape.wrapped = true;
		shape.first = shape.end - places + (dirty && !shape.in_ring);
	}
	return shape;
}

static uint64_t shape_at(const struct log_writer *w, const struct shape *shape)
{
	const uint64_t block = (uint64_t)LOG_BLOCK_HEAD + w->head.payload;

	if (shape->wrapped)
		return LOG_HEAD + w->head.places * block;
	if (shape->end == shape->first)
		return LOG_HEAD;
	return log_block_at(&w->head, shape->end - 1) + LOG_BLOCK_HEAD + shape->last_used;
}

static int zero_fill(struct log_writer *w, uint64_t from, uint64_t to)
{
	static const uint8_t zeros[4096];

	while (from < to) {
		struct iovec part = {(void *)(uintptr_t)zeros, sizeof(zeros)};
		int r;

		if (to - from < part.iov_len)
			part.iov_len = (size_t)(to - from);
		r = log_file_write(&w->file, &part, 1, from);
		if (r < 0)
			return r;
		from += part.iov_len;
	}
	return 0;
}

/* In a log that has wrapped, the rest of the newest block's place still has bytes of an old
 * block. */
static uint32_t clean_place(struct log_writer *w, const struct shape *shape)
{
	const struct log_state *s = w->state;
	uint64_t number = log_block_number(s, s->written), used = s->in_file - s->written, at;

	if (!shape->wrapped || (used == 0 && s->touched != s->written + 1))
		return 0;
	at = log_block_at(&w->head, number);
	if (used > 0)
		at += LOG_BLOCK_HEAD + used;
	return zero_fill(w, at, log_block_at(&w->head, number) + LOG_BLOCK_HEAD + s->payload) < 0
		   ? LOG_TRAILER_DEAD
		   : 0;
}

/* Gives something up: old rounds, half of the block in memory, or the last block. */
static bool shrink(struct log_writer *w, struct shape *shape)
{
	struct log_state *s = w->state;
	uint64_t round;

	if (shape->end == shape->first)
		return false;
	if (shape->wrapped) {
		round = (shape->end - 1) / s->places * s->places;
		shape->first = round > shape->first ? round : shape->first;
		shape->wrapped = false;
		return true;
	}
	if (shape->in_ring && shape->last_used >= 512) {
		shape->last_used = shape->last_used / 2 & ~7u;
		shape->lost = users_after(w, shape->last_used);
		return log_write_block(w, shape->last_used) == 0;
	}
	shape->end--;
	if (shape->in_ring)
		shape->lost = users_after(w, 0);
	else
		shape->lost += s->recent[shape->end % LOG_RECENT];
	shape->in_ring = false;
	shape->last_used = s->payload;
	return true;
}

/* The current block did not get into the file: writes as much of it as fits. */
static void save_part(struct log_writer *w)
{
	struct log_state *s = w->state;
	uint64_t used = log_committed(s).end - s->written;

	if (used > s->payload)
		used = s->payload;
	if (s->in_file > s->written)
		return;
	for (; used >= 64; used = used / 2 & ~(uint64_t)7)
		if (log_write_block(w, (uint32_t)used) == 0) {
			s->in_file = s->written + used;
			return;
		}
}

static int write_end(struct log_writer *w, const struct shape *shape,
		     const struct posix_trace_status_info *status,
		     const struct posix_trace_counts_np *counts)
{
	const trace_attr_t *attr = &w->head.attr;
	struct log_trailer trailer = {
	    .flags = clean_place(w, shape),
	    .first_block = shape->first,
	    .end_block = shape->end,
	    .status = *status,
	    .counts = *counts,
	};
	uint64_t most =
	    attr->__log_policy == POSIX_TRACE_APPEND ? UINT64_MAX : attr->__log_size + ROOM_BESIDE;

	if (shape->end > shape->first)
		trailer.end = (shape->end - 1) * w->head.payload + shape->last_used;
	trailer.counts.lost_log += shape->lost;
	trailer.counts.reported -= shape->lost;
	if (shape->lost > 0)
		trailer.status.posix_log_overrun_status = POSIX_TRACE_OVERRUN;
	return log_end_write(&w->file, &w->head, &trailer, shape_at(w, shape), most, &w->types);
}

int log_writer_complete(struct log_writer *w, const struct posix_trace_status_info *status,
			struct posix_trace_counts_np *counts)
{
	struct posix_trace_status_info own = *status;
	uint64_t lost = atomic_load(&w->ctl->lost_log);
	int r = log_writer_flush(w), failed;
	struct shape shape;

	if (r < 0)
		save_part(w);
	lost = atomic_load(&w->ctl->lost_log) - lost; /* replaced just now */
	counts->lost_log += lost;
	counts->reported -= lost;
	if (own.posix_stream_flush_error == 0)
		own.posix_stream_flush_error = -r;
	shape = shape_of(w);
	while ((failed = write_end(w, &shape, &own, counts)) < 0) {
		if (r == 0)
			r = failed;
		if (!shrink(w, &shape))
			break;
		log_file_cut(&w->file, shape_at(w, &shape)); /* frees space */
	}
	counts->lost_log += shape.lost;
	counts->reported -= shape.lost;
	return r;
}

/* ---- draining a stream ---- */

enum {
	/* The second round takes all events that were recorded before the drain began. A few more
	 * rounds serve handlers' events that waited, and runs that end and begin. Beyond that a
	 * writer is forging old ticks. */
	DRAIN_ROUNDS = 64,
};

/* The event is in the log, or counted, before it is consumed. After a kill between the two the
 * reader reports it again, and its token shows that the log has it. */
int drain(struct reader *reader, struct log_writer *writer, uint64_t tick)
{
	uint64_t end = reader->ctl->round + DRAIN_ROUNDS;
	const struct event *event;
	int r;

	log_writer_set_stop(writer, !control_filtered(reader->ctl, POSIX_TRACE_STOP));
	while (reader->ctl->round <= end && (event = reader_oldest(reader)) != NULL &&
	       reader->tick <= tick) {
		r = log_writer_add(writer, event, event->token);
		if (r < 0)
			return r;
		reader_consume(reader);
		if (r > 0)
			run_log_full(reader->seg, reader->ctl); /* */
	}
	return 0;
}

int drain_end(struct reader *reader, struct log_writer *writer)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	struct event event;
	uint64_t last;
	int r, end;

	reader_finish(reader);
	r = drain(reader, writer, UINT64_MAX);
	last = reader->ctl->round + DRAIN_ROUNDS;
	while (r < 0 && reader->ctl->round <= last && reader_peek(reader, &event) == 1) {
		log_writer_lose(writer, &event, event.token);
		reader_consume(reader);
	}
	status_read(reader, false, &status);
	status.posix_stream_flush_status = POSIX_TRACE_NOT_FLUSHING;
	status_counts(reader, &counts);
	end = log_writer_complete(writer, &status, &counts);
	return r < 0 ? r : end;
}
