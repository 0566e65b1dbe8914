/*
 * values - the values of the next record: found by name or by handle, converted from text.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp_import/import.h"

enum { BLOCK_LEN_MAX = (1 << 24) - 1 };

int import_find(const struct import *c, const char *name, const char *instance,
		struct import_handle *ret_handle)
{
	struct import_metric *m = name != NULL ? import_metric(c, name) : NULL;
	bool no_instance = instance == NULL || instance[0] == '\0';
	const struct import_indom *d;
	const struct import_inst *i;

	if (m == NULL)
		return PM_ERR_NAME;
	if (m->desc.indom == PM_INDOM_NULL) {
		if (!no_instance)
			return PMI_ERR_INSTNOTNULL;
		*ret_handle = (struct import_handle){m, (int)PM_IN_NULL};
		return 0;
	}
	if (no_instance)
		return PMI_ERR_INSTNULL;
	d = import_indom(c, m->desc.indom);
	if (d == NULL)
		return PM_ERR_INDOM;
	i = import_inst(d, instance);
	if (i == NULL)
		return PM_ERR_INST;
	*ret_handle = (struct import_handle){m, i->inst};
	return 0;
}

/* ---- conversion ---- */

static int put_block(struct import *c, int type, const void *bytes, size_t len,
		     struct import_value *ret_value)
{
	pmValueBlock *block;

	if (len > BLOCK_LEN_MAX - PM_VAL_HDR_SIZE)
		return PM_ERR_TOOBIG;
	block = arena_alloc(&c->record, PM_VAL_HDR_SIZE + len);
	if (block == NULL)
		return -ENOMEM;
	block->vtype = (unsigned int)type;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(block->vbuf, bytes, len);
	ret_value->u.block = block;
	return 0;
}

/* Numbers out of range are cut as strtol and its like do, and as a C assignment does. */
static int convert(struct import *c, int type, const char *text, struct import_value *ret_value)
{
	char *end = NULL;
	pmAtomValue atom;
	size_t len = sizeof(atom.ll);

	if (text == NULL)
		return PM_ERR_CONV;
	switch (type) {
	case PM_TYPE_32:
		ret_value->u.word = (int32_t)strtol(text, &end, 10);
		return *end == '\0' ? 0 : PM_ERR_CONV;
	case PM_TYPE_U32:
		ret_value->u.word = (int32_t)(uint32_t)strtoul(text, &end, 10);
		return *end == '\0' ? 0 : PM_ERR_CONV;
	case PM_TYPE_64:
		atom.ll = strtoll(text, &end, 10);
		break;
	case PM_TYPE_U64:
		atom.ull = strtoull(text, &end, 10);
		break;
	case PM_TYPE_FLOAT:
		atom.f = strtof(text, &end);
		len = sizeof(atom.f);
		break;
	case PM_TYPE_DOUBLE:
		atom.d = strtod(text, &end);
		break;
	default:
		return put_block(c, type, text, strlen(text) + 1, ret_value);
	}
	return *end == '\0' ? put_block(c, type, &atom, len, ret_value) : PM_ERR_CONV;
}

/* ---- the record ---- */

static bool has_value(const struct import_metric *m, int inst)
{
	if (m->nvalues == 0 || inst > m->inst_max)
		return false; /* instances mostly come in ascending order */
	for (size_t i = 0; i < m->nvalues; i++) {
		if (m->values[i].inst == inst)
			return true;
	}
	return false;
}

static int make_room(struct import_metric *m)
{
	size_t cap = m->cap == 0 ? 1 : 2 * m->cap;
	void *more;

	if (m->nvalues < m->cap)
		return 0;
	more = reallocarray(m->values, cap, sizeof(*m->values));
	if (more == NULL)
		return -ENOMEM;
	m->values = more;
	m->cap = cap;
	return 0;
}

static void begin_metric(struct import *c, struct import_metric *m)
{
	if (!m->pending)
		c->pending[c->npending++] = m;
	m->pending = true;
}

/* A text that is not a number is the error of its metric, unless the metric has values. */
int import_put(struct import *c, const struct import_handle *handle, const char *value)
{
	struct import_metric *m = handle->metric;
	struct import_value v = {.inst = handle->inst};
	int r;

	if (m->error < 0) /* of another instance, perhaps */
		return m->desc.indom == PM_INDOM_NULL ? PMI_ERR_DUPVALUE : m->error;
	if (has_value(m, handle->inst))
		return PMI_ERR_DUPVALUE;
	r = make_room(m);
	if (r != 0)
		return r;
	r = convert(c, m->desc.type, value, &v);
	if (r == PM_ERR_CONV && m->nvalues == 0) {
		m->error = r;
		begin_metric(c, m);
	}
	if (r != 0)
		return r;
	begin_metric(c, m);
	if (m->nvalues == 0 || v.inst > m->inst_max)
		m->inst_max = v.inst;
	m->values[m->nvalues++] = v;
	return 0;
}

void import_drop(struct import *c)
{
	for (size_t i = 0; i < c->npending; i++) {
		struct import_metric *m = c->pending[i];

		m->pending = false;
		m->error = 0;
		m->nvalues = 0;
	}
	c->npending = 0;
	arena_reset(&c->record);
}

/* ---- the public calls ---- */

int pmiPutValue(const char *name, const char *instance, const char *value)
{
	struct import *c = import_enter();
	struct import_handle handle;
	int r = c != NULL ? import_find(c, name, instance, &handle) : PM_ERR_NOCONTEXT;

	return import_leave(c, r == 0 ? import_put(c, &handle, value) : r);
}

static int add_handle(struct import *c, const char *name, const char *instance)
{
	struct import_handle handle;
	int r = import_find(c, name, instance, &handle);

	if (r == 0 && c->nhandles == INT_MAX)
		r = -ENOMEM;
	if (r == 0)
		r = import_grow(&c->handles, c->nhandles, sizeof(handle));
	if (r != 0)
		return r;
	c->handles[c->nhandles++] = handle;
	return (int)c->nhandles;
}

int pmiGetHandle(const char *name, const char *instance)
{
	struct import *c = import_enter();

	return import_leave(c, c != NULL ? add_handle(c, name, instance) : 0);
}

int pmiPutValueHandle(int handle, const char *value)
{
	struct import *c = import_enter();

	if (c == NULL || handle < 1 || (size_t)handle > c->nhandles)
		return import_leave(c, PMI_ERR_BADHANDLE);
	return import_leave(c, import_put(c, &c->handles[handle - 1], value));
}
