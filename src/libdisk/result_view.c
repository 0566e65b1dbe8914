/* result_view - see result_view.h. */
#include "libdisk/result_view.h"

#include <string.h>

#include "libdisk/record.h"
#include "libdisk/stamp.h"
#include "libvalue/host_result.h"

enum {
	AT_STAMP = 4,
	RECORD_SHIFT = 8, /* positions count from this many bytes before the record */
	WORD = 4,
};

int result_view_init(struct result_view *view, int version, const void *record, size_t len)
{
	const uint8_t *p = record;
	size_t head = AT_STAMP + stamp_len(version) + WORD;
	uint32_t numpmid;

	if (record_check(record, len) < 0 || len < head + WORD)
		return PM_ERR_LOGREC;
	numpmid = load_be32(p + head - WORD);
	if (numpmid > (len - head - WORD) / VSET_HEAD || (numpmid == 0 && len != head + WORD))
		return PM_ERR_LOGREC;
	view->stamp = stamp_load(p + AT_STAMP, version);
	view->numpmid = numpmid;
	view->at = (uint32_t)head + RECORD_SHIFT;
	view->sets = p + head;
	view->end = p + len - WORD;
	return 0;
}

int result_view_check(const struct result_view *view)
{
	struct host_result s = {
	    .sets = view->sets,
	    .len = (size_t)(view->end - view->sets),
	    .at = view->at,
	    .numpmid = view->numpmid,
	};

	return host_result_measure(&s) ? 0 : PM_ERR_LOGREC;
}

int result_view_find(const struct result_view *view, pmID pmid, struct vset_view *ret_set)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;
	int r;

	while ((r = result_walk_next(view, &walk, &set)) > 0) {
		if (set.pmid != pmid)
			continue;
		*ret_set = set;
		return 1;
	}
	return r;
}

static int word_number(uint32_t word, int type, pmAtomValue *ret_atom)
{
	if (type != PM_TYPE_32 && type != PM_TYPE_U32 && type != PM_TYPE_FLOAT)
		return PM_ERR_CONV;
	memcpy(ret_atom, &word, sizeof(word));
	return 0;
}

int wire_value_number(const struct wire_value *value, int type, pmAtomValue *ret_atom)
{
	const uint8_t *bytes;

	if (value->block_len == 0)
		return word_number(value->insitu, type, ret_atom);
	if (value->block[0] != type)
		return PM_ERR_CONV;
	bytes = value->block + VALUE_BLOCK_HEADER;
	if (value_type_is_64((uint32_t)type) && value->block_len >= VALUE_BLOCK_64) {
		ret_atom->ull = load_be64(bytes);
		return 0;
	}
	if (value->block_len < VALUE_BLOCK_HEADER + 4)
		return PM_ERR_CONV;
	return word_number(load_be32(bytes), type, ret_atom);
}
