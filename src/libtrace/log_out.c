/* log_out - see log_out.h. */
#include "libtrace/log_out.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libtrace/crc.h"
#include "libtrace/layout.h"
#include "libtrace/sys.h"

/* ---- trailer ---- */

/* A trailer under construction. */
struct build {
	uint8_t *base;
	size_t len, size;
};

static uint32_t put_names(struct build *b, const struct log_types *types)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t end = types->end(types->arg);
	uint32_t count = 0;

	for (trace_event_id_t id = LAYOUT_USER_FIRST; id < end; id++, count++) {
		bool known = types->name(types->arg, id, name) == 0;
		size_t len = known ? strnlen(name, TRACE_EVENT_NAME_MAX) : 0;

		b->base[b->len++] = known ? (uint8_t)len : LOG_NO_NAME;
		memcpy(b->base + b->len, name, len);
		b->len += len;
	}
	return count;
}

/* As many as fit below most, in order of id. */
static uint32_t put_descriptions(struct build *b, const struct log_types *types, uint64_t most)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	uint8_t out[LOG_TYPE_MAX];
	trace_event_id_t end = types->end(types->arg);
	uint32_t count = 0;

	for (trace_event_id_t id = LAYOUT_USER_FIRST; id < end; id++) {
		size_t n = types->fields(types->arg, id, fields), len;

		if (n == 0)
			continue;
		len = log_type_encode("", fields, n, out);
		if (b->len + 2 + len + LOG_TRAILER_TAIL > most)
			break;
		b->base[b->len++] = (uint8_t)id;
		b->base[b->len++] = (uint8_t)(id >> 8);
		memcpy(b->base + b->len, out, len);
		b->len += len;
		count++;
	}
	return count;
}

static void build_trailer(struct build *b, struct log_trailer *trailer, uint64_t most,
			  const struct log_types *types)
{
	b->len = LOG_TRAILER_HEAD;
	trailer->names = put_names(b, types);
	trailer->descriptions = put_descriptions(b, types, most < b->size ? most : b->size);
	trailer->bytes = (uint32_t)(b->len + LOG_TRAILER_TAIL);
	log_trailer_encode(trailer, b->base);
	log_tail_encode(trailer->bytes, crc32c(0, b->base, b->len), b->base + b->len);
}

int log_end_write(struct log_file *file, const struct log_head *head, struct log_trailer *trailer,
		  uint64_t at, uint64_t most, const struct log_types *types)
{
	struct build b = {.size = LOG_TRAILER_MAX};
	struct iovec part;
	int r;

	b.base = mmap(NULL, b.size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b.base == MAP_FAILED)
		return -ENOMEM;
	trailer->salt = head->salt;
	build_trailer(&b, trailer, most > at ? most - at : 0, types);
	part = (struct iovec){b.base, trailer->bytes};
	r = log_file_write(file, &part, 1, at);
	if (r == 0)
		r = log_file_cut(file, at + trailer->bytes);
	munmap(b.base, b.size);
	return r;
}

/* ---- logs ---- */

#define OUT_BYTES (LOG_BLOCK_HEAD + (size_t)LOG_PAYLOAD_MAX)

int log_out_open(int fd, const struct log_head *head, struct log_out *ret_log)
{
	struct log_out out = {.head = *head};
	uint8_t bytes[LOG_HEAD];
	struct iovec part = {bytes, sizeof(bytes)};
	int r = log_file_open(fd, &out.file);

	if (r < 0)
		return r;
	out.head.payload = LOG_PAYLOAD_MAX;
	out.head.places = 0;
	out.block.salt = head->salt;
	out.bytes = sys_map_anon(OUT_BYTES);
	r = out.bytes == NULL ? -ENOMEM : log_file_cut(&out.file, 0);
	if (r == 0) {
		log_head_encode(&out.head, bytes);
		r = log_file_write(&out.file, &part, 1, 0);
	}
	if (r < 0) {
		log_out_close(&out);
		return r;
	}
	*ret_log = out;
	return 0;
}

void log_out_close(struct log_out *out)
{
	log_file_close(&out->file);
	sys_unmap(out->bytes, OUT_BYTES);
	out->bytes = NULL;
}

/* Writes the current block and begins the next. */
static int write_out(struct log_out *out)
{
	struct log_block *block = &out->block;
	struct iovec part = {out->bytes, LOG_BLOCK_HEAD + (size_t)block->used};
	int r;

	if (block->events == 0)
		block->first = block->used;
	log_block_encode(block, crc32c(0, out->bytes + LOG_BLOCK_HEAD, block->used), out->bytes);
	r = log_file_write(&out->file, &part, 1, log_block_at(&out->head, block->number));
	if (r < 0)
		return r;
	block->number++;
	block->used = block->first = block->events = 0;
	return 0;
}

static int log_out_put(struct log_out *out, const void *data, size_t len)
{
	while (len > 0) {
		size_t n = LOG_PAYLOAD_MAX - out->block.used;
		int r;

		if (n > len)
			n = len;
		memcpy(out->bytes + LOG_BLOCK_HEAD + out->block.used, data, n);
		out->block.used += (uint32_t)n;
		data = (const uint8_t *)data + n;
		len -= n;
		if (out->block.used == LOG_PAYLOAD_MAX) {
			r = write_out(out);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int log_out_add(struct log_out *out, const struct event *event)
{
	static const uint8_t zeros[8];
	uint8_t head[LOG_EVENT_HEAD];
	int r;

	log_event_encode(event, 0, head);
	if (out->block.events++ == 0)
		out->block.first = out->block.used;
	r = log_out_put(out, head, sizeof(head));
	if (r == 0)
		r = log_out_put(out, event->data, event->length);
	if (r == 0)
		r = log_out_put(out, zeros, (8 - event->length % 8) % 8);
	out->users += event->id >= POSIX_TRACE_UNNAMED_USEREVENT;
	return r;
}

int log_out_end(struct log_out *out, struct log_trailer *trailer, const struct log_types *types)
{
	uint32_t used = out->block.used;
	uint64_t at = log_block_at(&out->head, out->block.number);
	int r = 0;

	trailer->first_block = 0;
	trailer->end = out->block.number * LOG_PAYLOAD_MAX + used;
	if (used > 0) {
		at += LOG_BLOCK_HEAD + used;
		r = write_out(out);
	}
	trailer->end_block = out->block.number;
	return r < 0 ? r : log_end_write(&out->file, &out->head, trailer, at, UINT64_MAX, types);
}
