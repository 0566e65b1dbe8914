/* desc - see desc.h. */
#include "libvalue/desc.h"

#include <errno.h>

#include "libbase/arena.h"
#include "libbase/endian_be.h"
#include "libbase/reader.h"

/* n bits of a word from bit low up; the second keeps the sign. */
static unsigned int bits(uint32_t word, unsigned int low, unsigned int n)
{
	return word >> low & ((1u << n) - 1);
}

static int signed_bits(uint32_t word, unsigned int low, unsigned int n)
{
	return (int32_t)(word << (32 - low - n)) >> (32 - n);
}

static pmUnits units_from_word(uint32_t word)
{
	return (pmUnits){
	    .dimSpace = signed_bits(word, 28, 4),
	    .dimTime = signed_bits(word, 24, 4),
	    .dimCount = signed_bits(word, 20, 4),
	    .scaleSpace = bits(word, 16, 4),
	    .scaleTime = bits(word, 12, 4),
	    .scaleCount = signed_bits(word, 8, 4),
	    .pad = bits(word, 0, 8),
	};
}

static uint32_t units_to_word(pmUnits units)
{
	return (uint32_t)(units.dimSpace & 0xf) << 28 | (uint32_t)(units.dimTime & 0xf) << 24 |
	       (uint32_t)(units.dimCount & 0xf) << 20 | (uint32_t)units.scaleSpace << 16 |
	       (uint32_t)units.scaleTime << 12 | (uint32_t)(units.scaleCount & 0xf) << 8 |
	       (uint32_t)units.pad;
}

pmDesc desc_load(const uint8_t *p)
{
	return (pmDesc){
	    .pmid = load_be32(p),
	    .type = (int32_t)load_be32(p + 4),
	    .indom = load_be32(p + 8),
	    .sem = (int32_t)load_be32(p + 12),
	    .units = units_from_word(load_be32(p + 16)),
	};
}

void desc_store(uint8_t *p, const pmDesc *desc)
{
	store_be32(p, desc->pmid);
	store_be32(p + 4, (uint32_t)desc->type);
	store_be32(p + 8, desc->indom);
	store_be32(p + 12, (uint32_t)desc->sem);
	store_be32(p + 16, units_to_word(desc->units));
}

/* ---- labels of a set ---- */

static bool label_inside(const pmLabel *label, uint32_t json_len)
{
	return label->name + label->namelen <= json_len &&
	       label->value + label->valuelen <= json_len;
}

const pmLabel *label_get(struct reader *r, struct arena *mem, int32_t n, uint32_t json_len)
{
	pmLabel *labels;

	if (n <= 0 || r->err != 0)
		return NULL;
	if ((size_t)n > reader_left(r) / LABEL_LEN) {
		reader_fail(r);
		return NULL;
	}
	labels = arena_alloc(mem, (size_t)n * sizeof(*labels));
	if (labels == NULL) {
		r->err = -ENOMEM;
		return NULL;
	}
	for (int32_t i = 0; i < n; i++) {
		labels[i].name = get_u16(r);
		labels[i].namelen = get_u8(r);
		labels[i].flags = get_u8(r);
		labels[i].value = get_u16(r);
		labels[i].valuelen = get_u16(r);
		if (!label_inside(&labels[i], json_len))
			reader_fail(r);
	}
	return labels;
}

bool label_fits(const struct wire_labelset *set)
{
	for (int32_t i = 0; i < set->nlabels; i++) {
		if (!label_inside(&set->labels[i], set->json.len))
			return false;
	}
	return true;
}

void label_put(uint8_t *p, const struct wire_labelset *set)
{
	for (int32_t i = 0; i < set->nlabels; i++, p += LABEL_LEN) {
		const pmLabel *label = &set->labels[i];

		store_be16(p, label->name);
		p[2] = label->namelen;
		p[3] = label->flags;
		store_be16(p + 4, label->value);
		store_be16(p + 6, label->valuelen);
	}
}
