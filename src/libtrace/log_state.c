/* log_state - see log_state.h; log_writer.h has a picture of its offsets. */
#include "libtrace/log_state.h"

#include <string.h>

#include "libtrace/crc.h"

void log_ring_put(struct log_writer *w, uint64_t offset, const void *data, size_t len)
{
	uint64_t at = offset % w->state->ring;
	size_t part = w->state->ring - at < len ? (size_t)(w->state->ring - at) : len;

	memcpy(w->ring + at, data, part);
	memcpy(w->ring, (const uint8_t *)data + part, len - part);
}

void log_ring_get(const struct log_writer *w, uint64_t offset, void *data, size_t len)
{
	uint64_t at = offset % w->state->ring;
	size_t part = w->state->ring - at < len ? (size_t)(w->state->ring - at) : len;

	memcpy(data, w->ring + at, part);
	memcpy((uint8_t *)data + part, w->ring, len - part);
}

uint64_t log_ring_event(const struct log_writer *w, uint64_t offset, uint64_t end,
			struct event *ret_event, uint32_t *ret_flags)
{
	uint8_t head[LOG_EVENT_HEAD];
	uint64_t size;

	if (end < offset + LOG_EVENT_HEAD)
		return 0;
	log_ring_get(w, offset, head, sizeof(head));
	if (log_event_decode(head, ret_event, ret_flags) < 0)
		return 0;
	size = log_event_size(ret_event->length);
	return size <= end - offset ? size : 0;
}

static struct log_walk walk_ring(const struct log_writer *w, uint64_t from, uint64_t limit)
{
	struct log_walk walk = {.at = from};
	uint64_t end = log_committed(w->state).end, ring = w->state->ring, at = from % ring;

	while (walk.at < limit) {
		struct log_glance event;
		uint64_t size;
		bool user;

		/* Events begin at multiples of 8, and so does the ring. */
		if (log_event_glance(w->ring + at, &event) < 0)
			size = 0;
		else
			size = log_event_size(event.length);
		if (size == 0 || size > end - walk.at) { /* a damaged ring ends the walk */
			walk.at = end > limit ? end : limit;
			break;
		}
		user = (event.flags & LOG_EVENT_TYPE) == 0 && log_is_user(event.id);
		walk.begin++;
		walk.at += size;
		at += size;
		if (at >= ring) /* no event is longer than the ring */
			at -= ring;
		if (walk.at > limit)
			walk.last_user = user;
		else
			walk.users += user;
	}
	return walk;
}

struct log_walk log_walk(struct log_writer *w, uint64_t from, uint64_t limit)
{
	if (from == w->walk_from && limit == w->walk_limit && from < limit)
		return w->walk;
	/* The bytes after the end may still change. */
	if (limit > log_committed(w->state).end)
		return walk_ring(w, from, limit);
	w->walk = walk_ring(w, from, limit);
	w->walk_from = from;
	w->walk_limit = limit;
	return w->walk;
}

uint32_t log_users(struct log_writer *w, uint64_t used)
{
	const struct log_state *s = w->state;
	uint64_t first = s->first, limit = s->written + used;
	bool tail = s->tail_user != 0 && first > s->written && first <= limit;

	return tail + log_walk(w, first, limit).users;
}

void log_settle(struct log_writer *w)
{
	struct log_state *s = w->state;
	struct log_walk walk;

	if (s->in_file < s->written)
		s->in_file = s->written;
	if (s->first < s->written) {
		walk = log_walk(w, s->first, s->written);
		s->tail_user = walk.last_user;
		s->first = walk.at;
	}
}

bool log_state_valid(const struct log_state *s, uint64_t room)
{
	struct log_commit c = log_committed(s);
	uint64_t written = s->written, in_file = s->in_file;

	if (s->magic != LOG_STATE_MAGIC || s->payload < LOG_PAYLOAD_MIN ||
	    s->payload > LOG_PAYLOAD_MAX || (s->payload & (s->payload - 1)) != 0)
		return false;
	if (s->ring > room || s->ring < s->payload || s->ring % s->payload != 0)
		return false;
	if (s->base > written || written % s->payload != 0 || s->base % s->payload != 0)
		return false;
	return written <= c.end && c.end - written <= s->ring && c.end % 8 == 0 &&
	       in_file <= c.end && s->first <= c.end && s->first + s->ring >= c.end;
}

uint64_t log_trailer_room(const struct log_writer *w)
{
	uint64_t names = w->types.end(w->types.arg) - LAYOUT_USER_FIRST;

	return LOG_TRAILER_HEAD + LOG_TRAILER_TAIL + names * (TRACE_EVENT_NAME_MAX + 1);
}

/* Does not write again what is in the file. The head is written last, or in the same write if
 * nothing of the block was there. */
int log_write_block(struct log_writer *w, uint32_t used)
{
	struct log_state *s = w->state;
	uint64_t start = s->written, have = s->in_file - start, at;
	uint8_t *payload = w->ring + start % s->ring, head[LOG_BLOCK_HEAD];
	struct log_block block = {log_block_number(s, start), used, used, 0, s->salt};
	struct iovec parts[2];
	int r;

	at = log_block_at(&w->head, block.number);
	r = log_file_reserve(&w->file, at + LOG_BLOCK_HEAD + used + log_trailer_room(w));
	if (r < 0)
		return r;
	if (s->first < start + used) {
		block.first = (uint32_t)(s->first - start);
		block.events = log_walk(w, s->first, start + used).begin;
	}
	log_block_encode(&block, crc32c(0, payload, used), head);
	parts[0] = (struct iovec){head, sizeof(head)};
	parts[1] = (struct iovec){payload + have, used > have ? (size_t)(used - have) : 0};
	s->touched = start + 1;
	if (have == 0)
		return log_file_write(&w->file, parts, 2, at);
	r = log_file_write(&w->file, &parts[1], 1, at + LOG_BLOCK_HEAD + have);
	return r < 0 ? r : log_file_write(&w->file, parts, 1, at);
}
