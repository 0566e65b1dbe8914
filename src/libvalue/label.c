/* label - see label.h. */
#include "libvalue/label.h"

#include <errno.h>

#include "libbase/arena.h"
#include "libbase/reader.h"

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
