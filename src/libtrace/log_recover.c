/* log_recover - see log_reader.h; posix_trace_log_recover_np() is described in <trace_np.h>. */
#include "libtrace/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrace/crc.h"
#include "libtrace/log_types.h"
#include "libtrace/log_out.h"

struct recovery {
	int fd;
	uint64_t size;
	struct log_head head;
	struct log_names names;
	struct log_out out;
	uint8_t *block; /* head and payload */
	uint8_t *event; /* the current event, as far as read: head and data */
	uint64_t have;  /* bytes of it */
	uint64_t want;  /* its size; 0: no current event */
	uint64_t kept, dropped;
};

static uint64_t place_bytes(const struct recovery *rec)
{
	return LOG_BLOCK_HEAD + (uint64_t)rec->head.payload;
}

/* Reads until the buffer is full or the file ends: bytes, or -EINVAL. */
static ssize_t read_some(int fd, void *data, size_t len, uint64_t at)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (uint8_t *)data + have, len - have, (off_t)(at + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -EINVAL;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* Loads the block of a place: false if it is not intact. */
static bool load(struct recovery *rec, uint64_t place, struct log_block *ret_block)
{
	uint8_t *payload = rec->block + LOG_BLOCK_HEAD;
	ssize_t n = read_some(rec->fd, rec->block, (size_t)place_bytes(rec),
			      LOG_HEAD + place * place_bytes(rec));

	if (n < LOG_BLOCK_HEAD || log_block_decode(rec->block, ret_block) < 0 ||
	    ret_block->salt != rec->head.salt || ret_block->used > rec->head.payload ||
	    LOG_BLOCK_HEAD + (ssize_t)ret_block->used > n)
		return false;
	if (place !=
	    (rec->head.places == 0 ? ret_block->number : ret_block->number % rec->head.places))
		return false;
	return log_block_verify(rec->block, crc32c(0, payload, ret_block->used));
}

/* Number of places in the file; the last may be partial. */
static uint64_t places_of(const struct recovery *rec)
{
	uint64_t n = (rec->size - LOG_HEAD + place_bytes(rec) - 1) / place_bytes(rec);

	return rec->head.places != 0 && n > rec->head.places ? rec->head.places : n;
}

/* Number of the newest intact block + 1; 0: there is none. */
static uint64_t newest(struct recovery *rec)
{
	uint64_t end = 0, places = places_of(rec);
	struct log_block block;

	for (uint64_t place = 0; place < places; place++)
		if (load(rec, place, &block) && block.number >= end)
			end = block.number + 1;
	return end;
}

static void drop_event(struct recovery *rec)
{
	rec->dropped += rec->have;
	rec->have = rec->want = 0;
}

/* The current event is complete: remembers a type, keeps an event. */
static int finish_event(struct recovery *rec)
{
	struct event event;
	uint32_t flags;
	int r;

	if (log_event_decode(rec->event, &event, &flags) < 0)
		return 0;
	event.data = rec->event + LOG_EVENT_HEAD;
	rec->have = rec->want = 0;
	if ((flags & LOG_EVENT_TYPE) != 0) {
		r = log_names_add(&rec->names, event.id, event.data, event.length, false);
		return r == -ENOMEM ? r : 0;
	}
	rec->kept++;
	return log_out_add(&rec->out, &event);
}

/* Takes as many bytes as the current event still needs: the number of bytes taken, or -errno. An
 * invalid head (in a block with a correct checksum: it was written on purpose) ends the use of
 * the block. */
static ssize_t feed(struct recovery *rec, const uint8_t *in, size_t len)
{
	uint64_t need = (rec->want == 0 ? LOG_EVENT_HEAD : rec->want) - rec->have;
	size_t n = need < len ? (size_t)need : len;
	struct event event;
	uint32_t flags;
	int r = 0;

	memcpy(rec->event + rec->have, in, n);
	rec->have += n;
	if (rec->want == 0 && rec->have == LOG_EVENT_HEAD) {
		if (log_event_decode(rec->event, &event, &flags) < 0) {
			drop_event(rec);
			rec->dropped += len - n;
			return (ssize_t)len;
		}
		rec->want = log_event_size(event.length);
	}
	if (rec->want != 0 && rec->have == rec->want)
		r = finish_event(rec);
	return r < 0 ? r : (ssize_t)n;
}

/* Takes the events of a block. follows: the previous block was intact too, so the current event
 * continues; else the bytes before the first event belong to a lost one. */
static int take_block(struct recovery *rec, const struct log_block *block, bool follows)
{
	const uint8_t *payload = rec->block + LOG_BLOCK_HEAD;
	size_t at = 0;

	if (!follows) {
		drop_event(rec);
		at = block->first;
		rec->dropped += at;
	}
	while (at < block->used) {
		ssize_t n = feed(rec, payload + at, block->used - at);

		if (n < 0)
			return (int)n;
		at += (size_t)n;
	}
	return 0;
}

static int take_blocks(struct recovery *rec, uint64_t *ret_end)
{
	uint64_t end = newest(rec), places = places_of(rec);
	uint64_t first = end > places ? end - places : 0;
	struct log_block block;
	bool follows = false;

	if (rec->head.places == 0)
		first = 0;
	for (uint64_t number = first; number < end; number++) {
		uint64_t place = rec->head.places == 0 ? number : number % rec->head.places;
		int r;

		if (!load(rec, place, &block) || block.number != number) {
			rec->dropped += place_bytes(rec);
			follows = false;
			continue;
		}
		r = take_block(rec, &block, follows);
		if (r < 0)
			return r;
		follows = block.used == rec->head.payload;
	}
	drop_event(rec);
	*ret_end = end;
	return 0;
}

/* Bytes after the last intact block: torn, or never written. */
static void count_rest(struct recovery *rec, uint64_t end)
{
	uint64_t at = LOG_HEAD + end * place_bytes(rec);

	if (end < places_of(rec) && at < rec->size)
		rec->dropped += rec->size - at;
}

/* A complete log has its names and status at its end. */
static int take_end(struct recovery *rec, struct log_trailer *trailer)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	trace_event_id_t id = LAYOUT_USER_FIRST - 1;
	struct log_reader *log;
	const char *name;
	int r = log_reader_open(rec->fd, &log);

	if (r < 0)
		return r == -ENOMEM ? r : 1;
	trailer->status = *log_reader_status(log);
	trailer->counts = *log_reader_counts(log);
	while (r == 0 && log_reader_type(log, id, &id, &name)) {
		size_t count = 0;

		log_reader_fields(log, id, fields, POSIX_TRACE_FIELDS_MAX_NP, &count);
		r = log_names_set(&rec->names, id, name, fields, count);
	}
	log_reader_close(log);
	return r;
}

static int recover(struct recovery *rec, int to)
{
	struct log_trailer trailer = {.status.posix_stream_status = POSIX_TRACE_SUSPENDED};
	struct log_types types = log_names_types(&rec->names);
	int complete = take_end(rec, &trailer), r;
	uint64_t end = 0;

	if (complete < 0)
		return complete;
	r = log_out_open(to, &rec->head, &rec->out);
	if (r < 0)
		return r;
	r = take_blocks(rec, &end);
	if (complete > 0) {
		count_rest(rec, end);
		trailer.counts.recorded = trailer.counts.reported = rec->out.users;
		if (rec->head.places != 0 && end > rec->head.places)
			trailer.status.posix_log_full_status = POSIX_TRACE_FULL;
		if (rec->dropped > 0)
			trailer.status.posix_log_overrun_status = POSIX_TRACE_OVERRUN;
	}
	if (r == 0)
		r = log_out_end(&rec->out, &trailer, &types);
	log_out_close(&rec->out);
	return r;
}

/* Are both the same file? Then it would be truncated before it is read. */
static bool one_file(const struct stat *a, int fd)
{
	struct stat b;

	return fstat(fd, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

int log_recover(int from, int to, uint64_t *ret_kept, uint64_t *ret_dropped)
{
	struct recovery rec = {.fd = from};
	uint8_t head[LOG_HEAD];
	struct stat st;
	int r;

	if (fstat(from, &st) != 0 || !S_ISREG(st.st_mode) || one_file(&st, to) ||
	    read_some(from, head, sizeof(head), 0) != sizeof(head) ||
	    log_head_decode(head, &rec.head) < 0)
		return -EINVAL;
	rec.size = (uint64_t)st.st_size;
	rec.block = malloc((size_t)place_bytes(&rec));
	rec.event = malloc((size_t)log_event_size(1 << 20));
	r = rec.block == NULL || rec.event == NULL ? -ENOMEM : recover(&rec, to);
	free(rec.block);
	free(rec.event);
	log_names_done(&rec.names);
	if (r < 0)
		return r;
	*ret_kept = rec.kept;
	*ret_dropped = rec.dropped;
	return 0;
}

int posix_trace_log_recover_np(int from, int to, uint64_t *kept, uint64_t *dropped)
{
	uint64_t own_kept, own_dropped;
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = log_recover(from, to, &own_kept, &own_dropped);
	pthread_setcancelstate(cancel, NULL);
	if (r < 0)
		return -r;
	if (kept != NULL)
		*kept = own_kept;
	if (dropped != NULL)
		*dropped = own_dropped;
	return 0;
}
