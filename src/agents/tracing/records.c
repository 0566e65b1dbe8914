/* records - see queues.h. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "fields.h"
#include "queues.h"
#include "stream.h"

/* Items of the parameters that every record has. */
enum { EVENT, PID, TID, ADDRESS, TRUNCATION, DATA, TYPE };

static int agent_domain = TRACING_DOMAIN;

void records_set_domain(int domain)
{
	agent_domain = domain;
}

static int add(int array, unsigned int item, int type, pmAtomValue *atom)
{
	pmID pmid = pmID_build((unsigned int)agent_domain, TRACING_PARAM, item);

	return pmdaEventAddHighResParam(array, pmid, type, atom);
}

static int add_u32(int array, unsigned int item, uint32_t value)
{
	pmAtomValue atom = {.ul = value};

	return add(array, item, PM_TYPE_U32, &atom);
}

/* ---- values ---- */

static int64_t signed_of(const uint8_t *data, size_t size)
{
	int8_t i1;
	int16_t i2;
	int32_t i4;
	int64_t i8;

	if (size == 1)
		return memcpy(&i1, data, 1), i1;
	if (size == 2)
		return memcpy(&i2, data, 2), i2;
	if (size == 4)
		return memcpy(&i4, data, 4), i4;
	return memcpy(&i8, data, 8), i8;
}

static uint64_t unsigned_of(const uint8_t *data, size_t size)
{
	uint64_t mask = size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;

	return (uint64_t)signed_of(data, size) & mask;
}

static int add_number(int array, pmID pmid, int type, const uint8_t *data, size_t size)
{
	pmAtomValue atom = {.ull = 0};

	switch (type) {
	case PM_TYPE_32:
		atom.l = (int32_t)signed_of(data, size);
		break;
	case PM_TYPE_64:
		atom.ll = signed_of(data, size);
		break;
	case PM_TYPE_U32:
		atom.ul = (uint32_t)unsigned_of(data, size);
		break;
	case PM_TYPE_U64:
		atom.ull = unsigned_of(data, size);
		break;
	case PM_TYPE_FLOAT:
		memcpy(&atom.f, data, sizeof(atom.f));
		break;
	default:
		memcpy(&atom.d, data, sizeof(atom.d));
	}
	return pmdaEventAddHighResParam(array, pmid, type, &atom);
}

static int add_text(int array, pmID pmid, const uint8_t *data, size_t size)
{
	static char text[TRACING_DATA_MAX + 1];
	pmAtomValue atom = {.cp = text};

	size = strnlen((const char *)data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	return pmdaEventAddHighResParam(array, pmid, PM_TYPE_STRING, &atom);
}

static int add_bytes(int array, pmID pmid, const uint8_t *data, size_t size)
{
	static union {
		pmValueBlock block;
		char room[TRACING_DATA_MAX + sizeof(pmValueBlock)];
	} value;
	pmAtomValue atom = {.vbp = &value.block};

	value.block.vtype = PM_TYPE_AGGREGATE;
	value.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + size) & 0xffffff;
	memcpy(value.block.vbuf, data, size);
	return pmdaEventAddHighResParam(array, pmid, PM_TYPE_AGGREGATE, &atom);
}

/* One field, if the data holds it. */
static int add_field(int array, int number, const struct posix_trace_field_np *f,
		     const uint8_t *data, size_t len)
{
	size_t size = f->size;
	pmID pmid;

	if (number < 0 || (unsigned int)number >= nfields || f->offset > len)
		return 0;
	if (size == 0)
		size = len - f->offset;
	if (size > len - f->offset)
		return 0;
	pmid = fields_pmid(agent_domain, number);
	if (fields[number].type == PM_TYPE_STRING)
		return add_text(array, pmid, data + f->offset, size);
	if (fields[number].type == PM_TYPE_AGGREGATE)
		return add_bytes(array, pmid, data + f->offset, size);
	return add_number(array, pmid, fields[number].type, data + f->offset, size);
}

/* ---- the record ---- */

/* All fields have metrics, or the bytes are shown as they are. */
static bool is_described(const struct type *t)
{
	for (unsigned int i = 0; i < t->nfields; i++)
		if (t->params[i] == FIELD_UNKNOWN || t->params[i] == FIELD_NONE)
			return false;
	return t->nfields > 0;
}

static int add_payload(int array, const struct type *t, const uint8_t *data, size_t len)
{
	int r = 0;

	if (!is_described(t) && len > 0)
		r = add_bytes(array, pmID_build((unsigned int)agent_domain, TRACING_PARAM, DATA),
			      data, len);
	for (unsigned int i = 0; r >= 0 && i < t->nfields; i++)
		r = add_field(array, t->params[i], &t->fields[i], data, len);
	return r;
}

static int add_head(int array, const struct ring_event *e, const struct type *t,
		    struct timespec *stamp)
{
	pmAtomValue address = {.ull = e->address}, name = {.cp = (char *)(uintptr_t)t->name};
	int r = pmdaEventAddHighResRecord(array, stamp, PM_EVENT_FLAG_POINT);

	if (r >= 0)
		r = add(array, EVENT, PM_TYPE_STRING, &name);
	if (r >= 0)
		r = add_u32(array, PID, (uint32_t)e->pid);
	if (r >= 0)
		r = add_u32(array, TID, (uint32_t)e->tid);
	if (r >= 0)
		r = add(array, ADDRESS, PM_TYPE_U64, &address);
	if (r >= 0 && e->truncation != 0)
		r = add_u32(array, TRUNCATION, e->truncation);
	if (r >= 0)
		r = add_u32(array, TYPE, e->system);
	return r;
}

int records_decode(int array, void *event, size_t size, struct timespec *stamp, void *arg)
{
	const struct stream *s = arg;
	const struct type *t;
	struct ring_event e;
	int r;

	if (size < sizeof(e))
		return -EINVAL;
	memcpy(&e, event, sizeof(e));
	if (size != ring_size(&e) || e.type >= s->ntypes || e.size > TRACING_DATA_MAX)
		return -EINVAL;
	t = s->types[e.type];
	r = add_head(array, &e, t, stamp);
	if (r >= 0)
		r = add_payload(array, t, (const uint8_t *)event + sizeof(e), e.size);
	return r < 0 ? r : 1;
}
