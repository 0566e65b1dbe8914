/* log_end - see log_end.h. */
#include "libtrace/log_end.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "libtrace/crc.h"
#include "libtrace/layout.h"

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
	struct build b = { .size = LOG_TRAILER_MAX };
	struct iovec part;
	int r;

	b.base = mmap(NULL, b.size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b.base == MAP_FAILED)
		return -ENOMEM;
	trailer->salt = head->salt;
	build_trailer(&b, trailer, most > at ? most - at : 0, types);
	part = (struct iovec){ b.base, trailer->bytes };
	r = log_file_write(file, &part, 1, at);
	if (r == 0)
		r = log_file_cut(file, at + trailer->bytes);
	munmap(b.base, b.size);
	return r;
}
