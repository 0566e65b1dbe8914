/* values - see values.h. */
#include "libpcp/derive/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/derive/rules.h"

enum { ALIGN = 8, FIRST_CAP = 4 };

static size_t aligned(size_t len)
{
	return (len + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void values_done(struct values *vals)
{
	free(vals->v);
	*vals = (struct values){0};
}

int values_reserve(struct values *vals, int n)
{
	struct value *v;
	int cap = vals->cap < FIRST_CAP ? FIRST_CAP : vals->cap;

	if (n <= vals->cap)
		return 0;
	while (cap < n)
		cap = cap > n / 2 ? n : cap * 2;
	v = reallocarray(NULL, (size_t)cap, sizeof(v[0]));
	if (v == NULL)
		return -ENOMEM;
	free(vals->v);
	vals->v = v;
	vals->cap = cap;
	return 0;
}

int values_copy(const struct values *from, struct values *to)
{
	if (values_reserve(to, from->n) < 0)
		return -ENOMEM;
	to->n = from->n;
	if (from->n > 0)
		memcpy(to->v, from->v, (size_t)from->n * sizeof(to->v[0]));
	return 0;
}

/* ---- Value sets ----------------------------------------------------------------------------- */

static size_t size_of_number(int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT ? 4 : 8;
}

static bool in_situ(int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32;
}

static int read_one(struct value *to, const pmValueSet *vset, const pmValue *from, int type)
{
	const pmValueBlock *block;

	to->inst = from->inst;
	if (vset->valfmt == PM_VAL_INSITU) {
		to->atom.l = from->value.lval;
		return in_situ(type) || type == PM_TYPE_FLOAT ? 0 : PM_ERR_TYPE;
	}
	block = from->value.pval;
	if (!rules_is_number(type)) {
		to->atom.vbp = from->value.pval;
		return 0;
	}
	if (block->vlen < PM_VAL_HDR_SIZE + size_of_number(type))
		return PM_ERR_CONV;
	memcpy(&to->atom, block->vbuf, size_of_number(type));
	return 0;
}

int values_read(struct values *vals, const pmValueSet *vset, int type)
{
	int r;

	vals->n = vset->numval;
	if (vset->numval <= 0)
		return 0;
	if (values_reserve(vals, vset->numval) < 0)
		return -ENOMEM;
	for (int i = 0; i < vset->numval; i++) {
		r = read_one(&vals->v[i], vset, &vset->vlist[i], type);
		if (r < 0) {
			vals->n = r;
			return 0;
		}
	}
	return 0;
}

static size_t block_size(pmAtomValue atom, int type)
{
	if (rules_is_number(type))
		return PM_VAL_HDR_SIZE + size_of_number(type);
	return atom.vbp->vlen;
}

size_t values_size(const struct values *vals, int type)
{
	size_t size = aligned(sizeof(pmValueSet));

	if (vals->n <= 0)
		return size;
	size += aligned((size_t)vals->n * sizeof(pmValue));
	for (int i = 0; !in_situ(type) && i < vals->n; i++)
		size += aligned(block_size(vals->v[i].atom, type));
	return size;
}

static void write_block(pmValueBlock *to, pmAtomValue atom, int type)
{
	size_t size = block_size(atom, type);

	if (!rules_is_number(type)) {
		memcpy(to, atom.vbp, size);
		return;
	}
	to->vtype = (unsigned int)type & 255;
	to->vlen = (unsigned int)size & 0xffffff;
	memcpy(to->vbuf, &atom, size - PM_VAL_HDR_SIZE);
}

pmValueSet *values_write(const struct values *vals, int type, pmID pmid, char **at)
{
	pmValueSet *set = (pmValueSet *)*at;

	set->pmid = pmid;
	set->numval = vals->n;
	set->valfmt = in_situ(type) || vals->n <= 0 ? PM_VAL_INSITU : PM_VAL_DPTR;
	*at += aligned(sizeof(pmValueSet));
	if (vals->n <= 0)
		return set;
	*at += aligned((size_t)vals->n * sizeof(pmValue));
	for (int i = 0; i < vals->n; i++) {
		const struct value *from = &vals->v[i];
		pmValue *to = &set->vlist[i];

		to->inst = from->inst;
		if (in_situ(type)) {
			to->value.lval = from->atom.l;
			continue;
		}
		to->value.pval = (pmValueBlock *)*at;
		write_block(to->value.pval, from->atom, type);
		*at += aligned(block_size(from->atom, type));
	}
	return set;
}

size_t values_set_size(const pmValueSet *vset)
{
	size_t size = aligned(sizeof(pmValueSet));

	if (vset->numval <= 0)
		return size;
	size += aligned((size_t)vset->numval * sizeof(pmValue));
	for (int i = 0; vset->valfmt != PM_VAL_INSITU && i < vset->numval; i++)
		size += aligned(vset->vlist[i].value.pval->vlen);
	return size;
}

pmValueSet *values_set_copy(const pmValueSet *from, char **at)
{
	pmValueSet *to = (pmValueSet *)*at;

	to->pmid = from->pmid;
	to->numval = from->numval;
	to->valfmt = from->valfmt == PM_VAL_INSITU ? PM_VAL_INSITU : PM_VAL_DPTR;
	*at += aligned(sizeof(pmValueSet));
	if (from->numval <= 0)
		return to;
	*at += aligned((size_t)from->numval * sizeof(pmValue));
	memcpy(to->vlist, from->vlist, (size_t)from->numval * sizeof(pmValue));
	for (int i = 0; from->valfmt != PM_VAL_INSITU && i < from->numval; i++) {
		const pmValueBlock *block = from->vlist[i].value.pval;

		to->vlist[i].value.pval = (pmValueBlock *)*at;
		memcpy(*at, block, block->vlen);
		*at += aligned(block->vlen);
	}
	return to;
}

/* ---- Values --------------------------------------------------------------------------------- */

int values_find(const struct values *vals, int inst, int *hint)
{
	for (int k = 0; k < vals->n; k++) {
		int i = *hint + k;

		if (i >= vals->n)
			i -= vals->n;
		if (vals->v[i].inst == inst) {
			*hint = i + 1 == vals->n ? 0 : i + 1;
			return i;
		}
	}
	return -1;
}

double values_double(pmAtomValue atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return atom.l;
	case PM_TYPE_U32:
		return atom.ul;
	case PM_TYPE_64:
		return (double)atom.ll;
	case PM_TYPE_U64:
		return (double)atom.ull;
	case PM_TYPE_FLOAT:
		return (double)atom.f;
	default:
		return atom.d;
	}
}

static int64_t to_int64(pmAtomValue atom, int type)
{
	if (type == PM_TYPE_32)
		return atom.l;
	return type == PM_TYPE_U32 ? (int64_t)atom.ul : atom.ll;
}

static float to_float(pmAtomValue atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return (float)atom.l;
	case PM_TYPE_U32:
		return (float)atom.ul;
	case PM_TYPE_64:
		return (float)atom.ll;
	case PM_TYPE_U64:
		return (float)atom.ull;
	default:
		return atom.f;
	}
}

pmAtomValue values_convert(pmAtomValue atom, int from, int to)
{
	if (from == to)
		return atom;
	switch (to) {
	case PM_TYPE_DOUBLE:
		return (pmAtomValue){.d = values_double(atom, from)};
	case PM_TYPE_FLOAT:
		return (pmAtomValue){.f = to_float(atom, from)};
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return (pmAtomValue){.ll = to_int64(atom, from)};
	default: /* the same bits */
		return atom;
	}
}
