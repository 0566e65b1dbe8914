/* log_format - see log_format.h; docs/spec/trace-log.md has every field. */
#include "libtrace/log_format.h"

#include "libtrace/attr.h"
#include "libtrace/crc.h"

static const uint8_t head_magic[8] = {0x89, 'P', 'I', 'T', 'L', 'O', 'G', '\n'};
static const uint8_t tail_magic[8] = {0x89, 'P', 'I', 'T', 'E', 'N', 'D', '\n'};
#define BLOCK_MAGIC   0x42544950u /* "PITB" */
#define TRAILER_MAGIC 0x54544950u /* "PITT" */

/* Writes numbers in little-endian order; the caller provides the room. */
struct put {
	uint8_t *at;
};

static void put_u8(struct put *p, uint8_t v)
{
	*p->at++ = v;
}

static void put_u16(struct put *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p->at, &v, sizeof(v));
	p->at += sizeof(v);
}

static void put_u32(struct put *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p->at, &v, sizeof(v));
	p->at += sizeof(v);
}

static void put_u64(struct put *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p->at, &v, sizeof(v));
	p->at += sizeof(v);
}

static void put_bytes(struct put *p, const void *data, size_t len)
{
	memcpy(p->at, data, len);
	p->at += len;
}

/* Reads them; records an attempt to read past the end. */
struct get {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *get_bytes(struct get *g, size_t len)
{
	const uint8_t *at = g->at;

	if (g->bad || (size_t)(g->end - g->at) < len) {
		g->bad = true;
		return NULL;
	}
	g->at += len;
	return at;
}

static uint8_t get_u8(struct get *g)
{
	const uint8_t *p = get_bytes(g, 1);

	return p == NULL ? 0 : *p;
}

static uint16_t get_u16(struct get *g)
{
	const uint8_t *p = get_bytes(g, 2);
	uint16_t v = 0;

	if (p != NULL)
		memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static uint32_t get_u32(struct get *g)
{
	const uint8_t *p = get_bytes(g, 4);
	uint32_t v = 0;

	if (p != NULL)
		memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t get_u64(struct get *g)
{
	const uint8_t *p = get_bytes(g, 8);
	uint64_t v = 0;

	if (p != NULL)
		memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static struct get get_of(const uint8_t *in, size_t len)
{
	return (struct get){in, in + len, false};
}

/* Applications put numbers in native byte order into payloads. */
static uint8_t byte_order(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 1 ? 1 : 2;
}

static void put_time(struct put *p, const struct timespec *ts)
{
	put_u64(p, (uint64_t)ts->tv_sec);
	put_u32(p, (uint32_t)ts->tv_nsec);
}

/* Limit for a time in a log: in nanoseconds it fits 64 bits, with room for the arithmetic of
 * readers. */
#define SECONDS_MAX 9000000000

static struct timespec get_time(struct get *g)
{
	struct timespec ts;

	ts.tv_sec = (time_t)get_u64(g);
	ts.tv_nsec = (long)get_u32(g);
	/* Readers compute with 64-bit nanoseconds. */
	if (ts.tv_nsec > 999999999 || ts.tv_sec < 0 || ts.tv_sec > SECONDS_MAX)
		g->bad = true;
	return ts;
}

static void put_attr(struct put *p, const trace_attr_t *attr)
{
	put_u32(p, (uint32_t)attr->__stream_policy);
	put_u32(p, (uint32_t)attr->__log_policy);
	put_u32(p, (uint32_t)attr->__inherited);
	put_u32(p, (uint32_t)attr->__clock);
	put_u32(p, (uint32_t)attr->__flags);
	put_u64(p, attr->__stream_size);
	put_u64(p, attr->__log_size);
	put_u64(p, attr->__data_size);
	put_time(p, &attr->__creation_time);
	put_time(p, &attr->__clock_resolution);
	put_bytes(p, attr->__name, TRACE_NAME_MAX);
	put_bytes(p, attr->__version, TRACE_NAME_MAX);
}

static void get_name(struct get *g, char *name)
{
	const uint8_t *p = get_bytes(g, TRACE_NAME_MAX);

	if (p != NULL)
		memcpy(name, p, TRACE_NAME_MAX);
	if (p == NULL || name[TRACE_NAME_MAX - 1] != '\0')
		g->bad = true;
}

static void get_attr(struct get *g, trace_attr_t *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->__magic = ATTR_MAGIC;
	attr->__stream_policy = (int)get_u32(g);
	attr->__log_policy = (int)get_u32(g);
	attr->__inherited = (int)get_u32(g);
	attr->__clock = (int)get_u32(g);
	attr->__flags = (int)get_u32(g);
	attr->__stream_size = get_u64(g);
	attr->__log_size = get_u64(g);
	attr->__data_size = get_u64(g);
	attr->__creation_time = get_time(g);
	attr->__clock_resolution = get_time(g);
	get_name(g, attr->__name);
	get_name(g, attr->__version);
}

static void put_crc(uint8_t *out, size_t len)
{
	struct put p = {out + len};

	put_u32(&p, crc32c(0, out, len));
}

static bool crc_right(const uint8_t *in, size_t len)
{
	struct get g = get_of(in + len, 4);

	return get_u32(&g) == crc32c(0, in, len);
}

void log_head_encode(const struct log_head *head, uint8_t out[LOG_HEAD])
{
	struct put p = {out};

	memset(out, 0, LOG_HEAD);
	put_bytes(&p, head_magic, sizeof(head_magic));
	put_u16(&p, LOG_VERSION);
	put_u8(&p, byte_order());
	put_u8(&p, sizeof(void *));
	put_u32(&p, head->salt);
	put_u64(&p, head->id);
	put_u32(&p, head->payload);
	put_u32(&p, head->places);
	put_u32(&p, (uint32_t)head->target);
	put_u32(&p, (uint32_t)head->controller);
	put_attr(&p, &head->attr);
	put_crc(out, LOG_HEAD - 4);
}

static bool power_of_two(uint32_t v, uint32_t least, uint32_t most)
{
	return v >= least && v <= most && (v & (v - 1)) == 0;
}

int log_head_decode(const uint8_t in[LOG_HEAD], struct log_head *ret_head)
{
	struct get g = get_of(in, LOG_HEAD - 4);
	struct log_head head;

	if (memcmp(get_bytes(&g, 8), head_magic, 8) != 0 || !crc_right(in, LOG_HEAD - 4))
		return -EINVAL;
	if (get_u16(&g) != LOG_VERSION || get_u8(&g) != byte_order() ||
	    get_u8(&g) != sizeof(void *))
		return -EINVAL;
	head.salt = get_u32(&g);
	head.id = get_u64(&g);
	head.payload = get_u32(&g);
	head.places = get_u32(&g);
	head.target = (int32_t)get_u32(&g);
	head.controller = (int32_t)get_u32(&g);
	get_attr(&g, &head.attr);
	/* Streams have no larger data: readers allocate that much. */
	if (g.bad || head.attr.__data_size > GEOMETRY_DATA_MAX ||
	    !power_of_two(head.payload, LOG_PAYLOAD_MIN, LOG_PAYLOAD_MAX))
		return -EINVAL;
	*ret_head = head;
	return 0;
}

void log_block_encode(const struct log_block *block, uint32_t crc, uint8_t out[LOG_BLOCK_HEAD])
{
	struct put p = {out};

	put_u32(&p, BLOCK_MAGIC);
	put_u32(&p, block->salt);
	put_u64(&p, block->number);
	put_u32(&p, block->used);
	put_u32(&p, block->first);
	put_u32(&p, block->events);
	put_u32(&p, crc32c(crc, out, LOG_BLOCK_HEAD - 4));
}

int log_block_decode(const uint8_t in[LOG_BLOCK_HEAD], struct log_block *ret_block)
{
	struct get g = get_of(in, LOG_BLOCK_HEAD);

	if (get_u32(&g) != BLOCK_MAGIC)
		return -EINVAL;
	ret_block->salt = get_u32(&g);
	ret_block->number = get_u64(&g);
	ret_block->used = get_u32(&g);
	ret_block->first = get_u32(&g);
	ret_block->events = get_u32(&g);
	if (ret_block->used > LOG_PAYLOAD_MAX || ret_block->used % 8 != 0 ||
	    ret_block->first > ret_block->used || ret_block->first % 8 != 0)
		return -EINVAL;
	return 0;
}

bool log_block_verify(const uint8_t in[LOG_BLOCK_HEAD], uint32_t crc)
{
	struct get g = get_of(in + LOG_BLOCK_HEAD - 4, 4);

	return get_u32(&g) == crc32c(crc, in, LOG_BLOCK_HEAD - 4);
}

void log_event_encode(const struct event *event, uint32_t flags, uint8_t out[LOG_EVENT_HEAD])
{
	struct put p = {out};

	if (event->truncated == POSIX_TRACE_TRUNCATED_RECORD)
		flags |= LOG_EVENT_TRUNCATED;
	put_u32(&p, event->length);
	put_u16(&p, (uint16_t)event->id);
	put_u16(&p, (uint16_t)flags);
	put_u64(&p, (uint64_t)event->real_ns);
	put_u64(&p, event->address);
	put_u64(&p, event->thread);
	put_u32(&p, (uint32_t)event->pid);
	put_u32(&p, (uint32_t)event->tid);
}

int log_event_decode(const uint8_t in[LOG_EVENT_HEAD], struct event *ret_event, uint32_t *ret_flags)
{
	struct get g = get_of(in, LOG_EVENT_HEAD);
	struct event event = {.length = get_u32(&g)};
	uint32_t flags;

	event.id = get_u16(&g);
	flags = get_u16(&g);
	event.real_ns = (int64_t)get_u64(&g);
	event.address = get_u64(&g);
	event.thread = get_u64(&g);
	event.pid = (int32_t)get_u32(&g);
	event.tid = (int32_t)get_u32(&g);
	if (!log_event_plausible(event.length, event.id, flags))
		return -EINVAL;
	if (flags & LOG_EVENT_TRUNCATED)
		event.truncated = POSIX_TRACE_TRUNCATED_RECORD;
	*ret_event = event;
	*ret_flags = flags;
	return 0;
}

size_t log_type_encode(const char *name, const struct posix_trace_field_np *fields, size_t count,
		       uint8_t out[LOG_TYPE_MAX])
{
	struct put p = {out};
	size_t len = strnlen(name, TRACE_EVENT_NAME_MAX);

	put_u8(&p, (uint8_t)len);
	put_bytes(&p, name, len);
	put_u8(&p, (uint8_t)count);
	for (size_t i = 0; i < count; i++) {
		len = strnlen(fields[i].name, POSIX_TRACE_FIELD_NAME_MAX_NP);
		put_u8(&p, (uint8_t)len);
		put_bytes(&p, fields[i].name, len);
		put_u8(&p, (uint8_t)fields[i].type);
		put_u16(&p, fields[i].offset);
		put_u16(&p, fields[i].size);
	}
	return (size_t)(p.at - out);
}

/* A length and that many bytes, as a string. */
static void get_text(struct get *g, char *text, size_t max)
{
	size_t len = get_u8(g);
	const uint8_t *p = len <= max ? get_bytes(g, len) : NULL;

	if (p == NULL) {
		g->bad = true;
		len = 0;
	} else {
		memcpy(text, p, len);
	}
	text[len] = '\0';
}

static void get_field(struct get *g, struct posix_trace_field_np *field)
{
	memset(field, 0, sizeof(*field));
	get_text(g, field->name, POSIX_TRACE_FIELD_NAME_MAX_NP);
	field->type = get_u8(g);
	field->offset = get_u16(g);
	field->size = get_u16(g);
	if (field->type < POSIX_TRACE_FIELD_INT_NP || field->type > POSIX_TRACE_FIELD_BYTES_NP)
		g->bad = true;
}

int log_type_decode(const uint8_t *in, size_t len, char *name, struct posix_trace_field_np *fields,
		    size_t *ret_count)
{
	struct get g = get_of(in, len);
	size_t count;

	get_text(&g, name, TRACE_EVENT_NAME_MAX);
	count = get_u8(&g);
	if (count > POSIX_TRACE_FIELDS_MAX_NP)
		return -EINVAL;
	for (size_t i = 0; i < count && !g.bad; i++)
		get_field(&g, &fields[i]);
	if (g.bad)
		return -EINVAL;
	*ret_count = count;
	return (int)(g.at - in);
}

static void put_status(struct put *p, const struct posix_trace_status_info *s)
{
	put_u32(p, (uint32_t)s->posix_stream_full_status);
	put_u32(p, (uint32_t)s->posix_stream_overrun_status);
	put_u32(p, (uint32_t)s->posix_stream_status);
	put_u32(p, (uint32_t)s->posix_log_full_status);
	put_u32(p, (uint32_t)s->posix_log_overrun_status);
	put_u32(p, (uint32_t)s->posix_stream_flush_error);
	put_u32(p, (uint32_t)s->posix_stream_flush_status);
	put_u32(p, 0);
}

static void get_status(struct get *g, struct posix_trace_status_info *s)
{
	s->posix_stream_full_status = (int)get_u32(g);
	s->posix_stream_overrun_status = (int)get_u32(g);
	s->posix_stream_status = (int)get_u32(g);
	s->posix_log_full_status = (int)get_u32(g);
	s->posix_log_overrun_status = (int)get_u32(g);
	s->posix_stream_flush_error = (int)get_u32(g);
	s->posix_stream_flush_status = (int)get_u32(g);
	get_u32(g);
}

static void put_counts(struct put *p, const struct posix_trace_counts_np *c)
{
	put_u64(p, c->recorded);
	put_u64(p, c->reported);
	put_u64(p, c->lost_full);
	put_u64(p, c->lost_overwritten);
	put_u64(p, c->lost_attach);
	put_u64(p, c->lost_log);
	put_u64(p, c->discarded);
}

static void get_counts(struct get *g, struct posix_trace_counts_np *c)
{
	c->recorded = get_u64(g);
	c->reported = get_u64(g);
	c->lost_full = get_u64(g);
	c->lost_overwritten = get_u64(g);
	c->lost_attach = get_u64(g);
	c->lost_log = get_u64(g);
	c->discarded = get_u64(g);
}

void log_trailer_encode(const struct log_trailer *t, uint8_t out[LOG_TRAILER_HEAD])
{
	struct put p = {out};

	memset(out, 0, LOG_TRAILER_HEAD);
	put_u32(&p, TRAILER_MAGIC);
	put_u32(&p, t->bytes);
	put_u32(&p, t->salt);
	put_u32(&p, t->flags);
	put_u64(&p, t->first_block);
	put_u64(&p, t->end_block);
	put_u64(&p, t->end);
	put_status(&p, &t->status);
	put_counts(&p, &t->counts);
	put_u32(&p, t->names);
	put_u32(&p, t->descriptions);
}

int log_trailer_decode(const uint8_t in[LOG_TRAILER_HEAD], struct log_trailer *ret_trailer)
{
	struct get g = get_of(in, LOG_TRAILER_HEAD);

	if (get_u32(&g) != TRAILER_MAGIC)
		return -EINVAL;
	ret_trailer->bytes = get_u32(&g);
	ret_trailer->salt = get_u32(&g);
	ret_trailer->flags = get_u32(&g);
	ret_trailer->first_block = get_u64(&g);
	ret_trailer->end_block = get_u64(&g);
	ret_trailer->end = get_u64(&g);
	get_status(&g, &ret_trailer->status);
	get_counts(&g, &ret_trailer->counts);
	ret_trailer->names = get_u32(&g);
	ret_trailer->descriptions = get_u32(&g);
	if (ret_trailer->flags > LOG_TRAILER_DEAD ||
	    ret_trailer->first_block > ret_trailer->end_block ||
	    ret_trailer->names > TRACE_USER_EVENT_MAX ||
	    ret_trailer->descriptions > TRACE_USER_EVENT_MAX)
		return -EINVAL;
	return 0;
}

void log_tail_encode(uint32_t bytes, uint32_t crc, uint8_t out[LOG_TRAILER_TAIL])
{
	struct put p = {out};

	put_u32(&p, crc);
	put_u32(&p, bytes);
	put_bytes(&p, tail_magic, sizeof(tail_magic));
}

int log_tail_decode(const uint8_t in[LOG_TRAILER_TAIL], uint32_t *ret_bytes, uint32_t *ret_crc)
{
	struct get g = get_of(in, LOG_TRAILER_TAIL);
	uint32_t crc = get_u32(&g), bytes = get_u32(&g);

	if (memcmp(get_bytes(&g, 8), tail_magic, 8) != 0)
		return -EINVAL;
	if (bytes < LOG_TRAILER_HEAD + LOG_TRAILER_TAIL || bytes > LOG_TRAILER_MAX)
		return -EINVAL;
	*ret_bytes = bytes;
	*ret_crc = crc;
	return 0;
}

/* The file may exceed log-max-size by this much, all names included. */
#define ROOM_BESIDE (256 * 1024)
#define FIXED       (LOG_HEAD + LOG_TRAILER_HEAD + LOG_TRAILER_TAIL + LOG_NAMES_MAX)

int log_geometry(int policy, uint64_t max_size, uint64_t data_max, uint32_t *ret_payload,
		 uint32_t *ret_places)
{
	uint64_t least =
	    4 * geometry_system_event_max() + geometry_user_event_max(data_max, data_max);
	uint64_t places, payload = LOG_PAYLOAD_MAX;

	if (policy == POSIX_TRACE_APPEND) {
		*ret_payload = LOG_PAYLOAD_MAX;
		*ret_places = 0;
		return 0;
	}
	if (max_size < least)
		return -EINVAL;
	if (max_size > INT64_MAX / 2)
		max_size = INT64_MAX / 2;
	/* Sixteen places at least, so that most blocks stay when the newest replaces the oldest. */
	for (;; payload /= 2) {
		places = (max_size + ROOM_BESIDE - FIXED) / (payload + LOG_BLOCK_HEAD);
		if (places >= 16 || payload == LOG_PAYLOAD_MIN)
			break;
	}
	*ret_payload = (uint32_t)payload;
	*ret_places = places > UINT32_MAX ? UINT32_MAX : (uint32_t)places;
	return 0;
}
