/* archive_value - see archive_value.h. */
#include "libpcp/archive_value.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libvalue/host_form.h"

#define RANGE_32 4294967296.0
#define RANGE_64 18446744073709551616.0

/* How far a counter went: down if it fell, else up, modulo its width if it wrapped. Differences are
 * exact before they are rounded. */
static double distance(uint64_t from, uint64_t to, bool fell, uint64_t mask)
{
	if (fell)
		return -(double)(from - to);
	return (double)((to - from) & mask);
}

/* A whole number, within the range of its type; modulo its width where it wrapped. */
static uint64_t whole(double v, double range)
{
	if (v >= range)
		v -= range;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* In this order: the last bit is that of 6.0.3. */
static double between(double from, double distance, double done, double all)
{
	return from + done * distance / all;
}

/* Whole numbers are rounded to the nearest. */
static double signed_between(const struct interp_way *w, int64_t from, int64_t to, uint64_t mask)
{
	double by = distance((uint64_t)from, (uint64_t)to, to < from && !w->wrap, mask);

	return between(0.5 + (double)from, by, w->done, w->all);
}

static double unsigned_between(const struct interp_way *w, uint64_t from, uint64_t to,
			       uint64_t mask)
{
	double by = distance(from, to, to < from && !w->wrap, mask);

	return between(0.5 + (double)from, by, w->done, w->all);
}

pmAtomValue interpolate(int type, const struct interp_way *w, const pmAtomValue *from,
			const pmAtomValue *to)
{
	pmAtomValue out;
	double v;

	memset(&out, 0, sizeof(out));
	switch (type) {
	case PM_TYPE_32:
		v = signed_between(w, from->l, to->l, UINT32_MAX);
		out.l = (int32_t)whole(v, RANGE_32);
		break;
	case PM_TYPE_U32:
		v = unsigned_between(w, from->ul, to->ul, UINT32_MAX);
		out.ul = (uint32_t)whole(v, RANGE_32);
		break;
	case PM_TYPE_64:
		v = signed_between(w, from->ll, to->ll, UINT64_MAX);
		out.ll = (int64_t)whole(v, RANGE_64);
		break;
	case PM_TYPE_U64:
		v = unsigned_between(w, from->ull, to->ull, UINT64_MAX);
		out.ull = whole(v, RANGE_64);
		break;
	case PM_TYPE_FLOAT:
		out.f = (float)between(from->f, to->f - from->f, w->done, w->all);
		break;
	default:
		out.d = between(from->d, to->d - from->d, w->done, w->all);
	}
	return out;
}

/* ---- Results -------------------------------------------------------------------------------- */

static bool is_word(const struct archive_track *m)
{
	return m->desc.type == PM_TYPE_32 || m->desc.type == PM_TYPE_U32 ||
	       (m->desc.type == PM_TYPE_FLOAT && m->in_place);
}

static size_t number_len(const struct archive_track *m)
{
	return m->desc.type == PM_TYPE_FLOAT ? sizeof(float) : sizeof(uint64_t);
}

static size_t blocks_len(const struct interp_part *part)
{
	size_t len = 0;

	if (part->n <= 0 || is_word(part->m))
		return 0;
	if (part->m->numeric)
		return (size_t)part->n * (PM_VAL_HDR_SIZE + number_len(part->m));
	for (int i = 0; i < part->n; i++) {
		const struct held_block *block = part->values[i].block;

		len += host_block_len(block->bytes[0], block->len);
	}
	return len;
}

static size_t put_block(const struct archive_track *m, const struct interp_value *value,
			pmValueBlock *block)
{
	size_t len = number_len(m);

	if (!m->numeric)
		return host_block_put(block, value->block->bytes, value->block->len);
	block->vtype = (unsigned int)m->desc.type & 0xff;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & VALUE_BLOCK_MAX;
	memcpy(block->vbuf, &value->number, len);
	return PM_VAL_HDR_SIZE + len;
}

static void put_set(const struct interp_part *part, pmValueSet *vset, uint8_t **at_block)
{
	vset->pmid = part->pmid;
	vset->numval = part->n;
	vset->valfmt = part->n > 0 && !is_word(part->m) ? PM_VAL_DPTR : PM_VAL_INSITU;
	for (int i = 0; i < part->n; i++) {
		const struct interp_value *value = &part->values[i];

		vset->vlist[i].inst = value->inst;
		if (vset->valfmt == PM_VAL_INSITU) {
			vset->vlist[i].value.lval = value->number.l;
			continue;
		}
		vset->vlist[i].value.pval = (pmValueBlock *)*at_block;
		*at_block += put_block(part->m, value, (pmValueBlock *)*at_block);
	}
}

int archive_interp_result(const struct timespec *stamp, const struct interp_part *parts, size_t n,
			  pmHighResResult **ret_result)
{
	size_t head = host_head_len((uint32_t)n);
	size_t sets = 0;
	size_t blocks = 0;
	pmHighResResult *result;
	uint8_t *at_set, *at_block;

	for (size_t i = 0; i < n; i++) {
		sets += host_set_len(parts[i].n);
		blocks += blocks_len(&parts[i]);
	}
	result = malloc(head + sets + blocks);
	if (result == NULL)
		return -ENOMEM;
	result->timestamp = *stamp;
	result->numpmid = (int)n;
	at_set = (uint8_t *)result + head;
	at_block = at_set + sets;
	for (size_t i = 0; i < n; i++) {
		result->vset[i] = (pmValueSet *)at_set;
		put_set(&parts[i], result->vset[i], &at_block);
		at_set += host_set_len(parts[i].n);
	}
	*ret_result = result;
	return 0;
}
