/* log_reader - see log_reader.h. */
#include "libtrace/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrace/crc.h"
#include "libtrace/family.h"
#include "libtrace/log_format.h"
#include "libtrace/log_types.h"

struct log_reader {
	int fd;
	struct log_head head;
	struct log_trailer trailer;
	uint64_t trailer_at;
	struct log_names names;
	/* Position: the block in memory, the next byte of it, and the number of events seen in
	 * it. */
	struct log_block block;
	bool loaded;
	uint32_t offset, seen;
	uint64_t covered; /* bytes of the file that belong to the blocks up to here */
	uint8_t *payload; /* head and payload */
	uint8_t *data;    /* data of an event */
	size_t data_size;
};

static int read_at(int fd, void *data, size_t len, uint64_t at)
{
	while (len > 0) {
		ssize_t n = pread(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EINVAL;
		data = (uint8_t *)data + n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

static int check_zero(struct log_reader *log, uint64_t from, uint64_t to)
{
	uint8_t bytes[4096];

	while (from < to) {
		size_t n = to - from < sizeof(bytes) ? (size_t)(to - from) : sizeof(bytes);

		if (read_at(log->fd, bytes, n, from) < 0)
			return -EINVAL;
		for (size_t i = 0; i < n; i++)
			if (bytes[i] != 0)
				return -EINVAL;
		from += n;
	}
	return 0;
}

/* Only the last block may be short; the trailer follows it, or zeros to the end of its place. */
static int check_place(struct log_reader *log, const struct log_block *block, uint64_t at)
{
	uint64_t end = at + LOG_BLOCK_HEAD + block->used,
		 place = at + LOG_BLOCK_HEAD + log->head.payload;

	if (end > log->trailer_at)
		return -EINVAL;
	if (place > log->trailer_at)
		place = log->trailer_at;
	if (end < place &&
	    (block->number + 1 != log->trailer.end_block ||
	     ((log->trailer.flags & LOG_TRAILER_DEAD) == 0 && check_zero(log, end, place) < 0)))
		return -EINVAL;
	log->covered += place - at;
	return 0;
}

static int load_block(struct log_reader *log, uint64_t number)
{
	uint64_t at = log_block_at(&log->head, number);
	uint8_t *head = log->payload, *payload = log->payload + LOG_BLOCK_HEAD;
	struct log_block block;

	if (at + LOG_BLOCK_HEAD > log->trailer_at ||
	    read_at(log->fd, head, LOG_BLOCK_HEAD, at) < 0 || log_block_decode(head, &block) < 0)
		return -EINVAL;
	if (block.salt != log->head.salt || block.number != number || block.used == 0 ||
	    block.used > log->head.payload)
		return -EINVAL;
	if (block.used < log->head.payload && number + 1 != log->trailer.end_block)
		return -EINVAL;
	if (read_at(log->fd, payload, block.used, at + LOG_BLOCK_HEAD) < 0 ||
	    !log_block_verify(head, crc32c(0, payload, block.used)) ||
	    check_place(log, &block, at) < 0)
		return -EINVAL;
	log->block = block;
	log->offset = log->seen = 0;
	log->loaded = true;
	return 0;
}

/* Was the head of the finished block right about the events in it? */
static bool block_true(const struct log_reader *log)
{
	return log->seen == log->block.events &&
	       (log->seen > 0 || log->block.first == log->block.used);
}

/* Reads so many bytes of the stream of payloads; NULL: skips them. 1, 0: it ends before, -EINVAL.
 * */
static int log_reader_take(struct log_reader *log, uint8_t *to, uint64_t len)
{
	while (len > 0) {
		uint32_t left = log->block.used - log->offset,
			 n = left < len ? left : (uint32_t)len;

		if (left == 0) {
			if (!block_true(log))
				return -EINVAL;
			if (log->block.number + 1 == log->trailer.end_block)
				return 0;
			if (load_block(log, log->block.number + 1) < 0)
				return -EINVAL;
			continue;
		}
		if (to != NULL) {
			memcpy(to, log->payload + LOG_BLOCK_HEAD + log->offset, n);
			to += n;
		}
		log->offset += n;
		len -= n;
	}
	return 1;
}

/* Goes to the first block with the beginning of an event, and to that event. 1, 0: there is none,
 * -EINVAL. */
static int begin(struct log_reader *log)
{
	uint64_t number = log->trailer.first_block;

	if (log->loaded)
		return 1;
	for (log->covered = 0; number < log->trailer.end_block; number++) {
		if (load_block(log, number) < 0)
			return -EINVAL;
		log->offset = log->block.first;
		if (log->block.first < log->block.used)
			return 1;
	}
	return 0;
}

/* Goes to the next block if this one is used up; an event begins here. */
static int begin_event(struct log_reader *log)
{
	if (log->offset == log->block.used) {
		if (!block_true(log))
			return -EINVAL;
		if (log->block.number + 1 == log->trailer.end_block)
			return 0;
		if (load_block(log, log->block.number + 1) < 0)
			return -EINVAL;
	}
	if (log->seen++ == 0 && log->offset != log->block.first)
		return -EINVAL;
	return 1;
}

static int take_data(struct log_reader *log, uint32_t length)
{
	uint8_t padding[8];
	uint8_t *data;
	int r;

	if (length > log->data_size) {
		data = realloc(log->data, length);
		if (data == NULL)
			return -ENOMEM;
		log->data = data;
		log->data_size = length;
	}
	r = log_reader_take(log, log->data, length);
	return r <= 0 ? r : log_reader_take(log, padding, (8 - length % 8) % 8);
}

/* The next event or type. An event that the end of the log cuts off is ignored. */
static int next_item(struct log_reader *log, struct event *ret_event, uint32_t *ret_flags)
{
	uint8_t head[LOG_EVENT_HEAD];
	int r = begin(log);

	if (r > 0)
		r = begin_event(log);
	if (r > 0)
		r = log_reader_take(log, head, sizeof(head));
	if (r <= 0)
		return r;
	if (log_event_decode(head, ret_event, ret_flags) < 0)
		return -EINVAL;
	r = take_data(log, ret_event->length);
	ret_event->data = log->data;
	return r;
}

int log_reader_next(struct log_reader *log, struct event *ret_event)
{
	uint32_t flags;
	int r;

	do
		r = next_item(log, ret_event, &flags);
	while (r > 0 && (flags & LOG_EVENT_TYPE) != 0);
	return r == -ENOMEM ? r : r < 0 ? -EINVAL : r;
}

void log_reader_rewind(struct log_reader *log)
{
	log->loaded = false;
}

/* ---- opening ---- */

static int read_head(struct log_reader *log)
{
	uint8_t head[LOG_HEAD];
	int r = read_at(log->fd, head, sizeof(head), 0);

	return r < 0 ? r : log_head_decode(head, &log->head);
}

static int parse_types(struct log_reader *log, const uint8_t *in, size_t len)
{
	const uint8_t *end = in + len;

	for (uint32_t i = 0; i < log->trailer.names; i++) {
		char name[TRACE_EVENT_NAME_MAX + 1];
		size_t n;
		int r;

		if (in == end)
			return -EINVAL;
		n = *in++;
		if (n == LOG_NO_NAME)
			continue;
		if (n > TRACE_EVENT_NAME_MAX || n > (size_t)(end - in))
			return -EINVAL;
		memcpy(name, in, n);
		name[n] = '\0';
		in += n;
		r = log_names_set(&log->names, LAYOUT_USER_FIRST + i, name, NULL, 0);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; i < log->trailer.descriptions; i++) {
		int taken;

		if (end - in < 2)
			return -EINVAL;
		taken = log_names_add(&log->names, (trace_event_id_t)(in[0] | in[1] << 8), in + 2,
				      (size_t)(end - in - 2), true);
		if (taken < 0)
			return taken;
		in += 2 + taken;
	}
	return in == end ? 0 : -EINVAL;
}

static int parse_trailer(struct log_reader *log, const uint8_t *trailer, uint32_t bytes,
			 uint32_t crc)
{
	if (crc32c(0, trailer, bytes - LOG_TRAILER_TAIL) != crc ||
	    log_trailer_decode(trailer, &log->trailer) < 0)
		return -EINVAL;
	if (log->trailer.bytes != bytes || log->trailer.salt != log->head.salt)
		return -EINVAL;
	return parse_types(log, trailer + LOG_TRAILER_HEAD,
			   bytes - LOG_TRAILER_HEAD - LOG_TRAILER_TAIL);
}

static int read_trailer(struct log_reader *log, uint64_t size)
{
	uint8_t tail[LOG_TRAILER_TAIL], *trailer;
	uint32_t bytes, crc;
	int r;

	if (size < LOG_HEAD + LOG_TRAILER_HEAD + LOG_TRAILER_TAIL ||
	    read_at(log->fd, tail, sizeof(tail), size - sizeof(tail)) < 0 ||
	    log_tail_decode(tail, &bytes, &crc) < 0 || bytes > size - LOG_HEAD)
		return -EINVAL;
	trailer = malloc(bytes);
	if (trailer == NULL)
		return -ENOMEM;
	log->trailer_at = size - bytes;
	r = read_at(log->fd, trailer, bytes, log->trailer_at);
	if (r == 0)
		r = parse_trailer(log, trailer, bytes, crc);
	free(trailer);
	return r;
}

/* All places between head and trailer have blocks; at most one, the next to be written when a
 * write failed, may be empty. */
static int check_covered(struct log_reader *log)
{
	const uint64_t place = (uint64_t)LOG_BLOCK_HEAD + log->head.payload;
	uint64_t at;

	if (log->covered == log->trailer_at - LOG_HEAD)
		return 0;
	if (log->covered + place != log->trailer_at - LOG_HEAD || log->head.places == 0)
		return -EINVAL;
	at = log_block_at(&log->head, log->trailer.end_block);
	if ((log->trailer.flags & LOG_TRAILER_DEAD) != 0)
		return 0;
	return check_zero(log, at, at + place);
}

/* Events of replaced blocks are lost, whether the writer has counted them or not. */
static void count_replaced(struct posix_trace_counts_np *counts, uint64_t users)
{
	if (counts->reported <= users)
		return;
	counts->lost_log += counts->reported - users;
	counts->reported = users;
}

/* Reads the whole file once: checks every checksum, and every length against its limits. Names
 * that the trailer does not have come from the stream. */
static int verify(struct log_reader *log)
{
	uint64_t end = 0, users = 0, blocks = log->trailer.end_block - log->trailer.first_block;
	struct event event;
	uint32_t flags;
	int r;

	if (log->head.places != 0 && blocks > log->head.places)
		return -EINVAL;
	while ((r = next_item(log, &event, &flags)) > 0) {
		users += (flags & LOG_EVENT_TYPE) == 0 && event.id >= POSIX_TRACE_UNNAMED_USEREVENT;
		if ((flags & LOG_EVENT_TYPE) != 0 && !log_names_has(&log->names, event.id)) {
			r = log_names_add(&log->names, event.id, event.data, event.length, false);
			if (r < 0)
				return r;
		}
	}
	if (r < 0)
		return r;
	count_replaced(&log->trailer.counts, users);
	if (blocks > 0)
		end = (log->trailer.end_block - 1) * log->head.payload + log->block.used;
	if (end != log->trailer.end || check_covered(log) < 0)
		return -EINVAL;
	log_reader_rewind(log);
	return 0;
}

static int reader_load(struct log_reader *log, uint64_t size)
{
	int r = read_head(log);

	if (r == 0)
		r = read_trailer(log, size);
	if (r < 0)
		return r;
	log->payload = malloc(LOG_BLOCK_HEAD + (size_t)log->head.payload);
	if (log->payload == NULL)
		return -ENOMEM;
	return verify(log);
}

int log_reader_open(int fd, struct log_reader **ret_reader)
{
	int flags = fcntl(fd, F_GETFL), r;
	struct log_reader *log;
	struct stat st;

	if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY ||
	    fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
		return -EINVAL;
	log = calloc(1, sizeof(*log));
	if (log == NULL)
		return -ENOMEM;
	log->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	r = log->fd < 0 ? -ENOMEM : reader_load(log, (uint64_t)st.st_size);
	if (r < 0) {
		log_reader_close(log);
		return r == -ENOMEM ? r : -EINVAL;
	}
	*ret_reader = log;
	return 0;
}

void log_reader_close(struct log_reader *log)
{
	if (log == NULL)
		return;
	if (log->fd >= 0)
		close(log->fd);
	log_names_done(&log->names);
	free(log->payload);
	free(log->data);
	free(log);
}

/* ---- properties ---- */

const trace_attr_t *log_reader_attr(const struct log_reader *log)
{
	return &log->head.attr;
}

const struct posix_trace_status_info *log_reader_status(const struct log_reader *log)
{
	return &log->trailer.status;
}

const struct posix_trace_counts_np *log_reader_counts(const struct log_reader *log)
{
	return &log->trailer.counts;
}

static const char *log_reader_name(const struct log_reader *log, trace_event_id_t id)
{
	return id < LAYOUT_USER_FIRST ? event_predefined(id) : log_names_get(&log->names, id);
}

bool log_reader_type(const struct log_reader *log, trace_event_id_t after, trace_event_id_t *ret_id,
		     const char **ret_name)
{
	if (after >= LAYOUT_IDS)
		return false;
	for (trace_event_id_t id = after + 1; id < LAYOUT_IDS; id++) {
		const char *name = log_reader_name(log, id);

		if (name != NULL) {
			*ret_id = id;
			*ret_name = name;
			return true;
		}
	}
	return false;
}

int log_reader_fields(const struct log_reader *log, trace_event_id_t id,
		      struct posix_trace_field_np *fields, size_t max, size_t *ret_count)
{
	struct posix_trace_field_np own[POSIX_TRACE_FIELDS_MAX_NP];
	size_t count;

	if (id == 0 || id >= LAYOUT_IDS || log_reader_name(log, id) == NULL)
		return -EINVAL;
	count = log_names_fields(&log->names, id, own);
	if (max > 0 && count > 0)
		memcpy(fields, own, (count < max ? count : max) * sizeof(*own));
	*ret_count = count;
	return 0;
}
