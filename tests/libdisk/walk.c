/* walk - see walk.h. */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "libdisk/index_entry.h"
#include "libdisk/record.h"
#include "libdisk/result_record.h"
#include "libdisk/result_view.h"

void walk_done(struct walk *w)
{
	arena_done(&w->mem);
	buffer_done(&w->out);
}

static void fill_text(uint8_t *p, size_t width)
{
	size_t len = strnlen((char *)p, width);

	memset(p + len, 0, width - len);
}

/* Clears bytes of older writers after the NUL of a text. */
static void canonical_label(struct walk *w, uint8_t *p, size_t len)
{
	if (w->version == DISK_V2) {
		fill_text(p + 24, 64);
		fill_text(p + 88, 40);
		return;
	}
	fill_text(p + 36, 256);
	fill_text(p + 292, 256);
	fill_text(p + 548, 256);
}

/* They wrote PM_VAL_SPTR, and padded with anything. */
static void canonical_data(struct walk *w, uint8_t *record, size_t len)
{
	struct result_view view;
	struct result_walk walk;
	struct vset_view set;

	if (result_view_init(&view, w->version, record, len) < 0)
		abort();
	walk = result_walk_begin(&view);
	while (result_walk_next(&view, &walk, &set) > 0) {
		if (set.valfmt == PM_VAL_INSITU)
			continue;
		store_be32(record + (set.values - record) - 4, PM_VAL_DPTR);
		for (int32_t i = 0; i < set.numval; i++) {
			struct wire_value value;

			if (vset_view_value(&view, &set, i, &value) < 0)
				abort();
			memset(record + (value.block - record) + value.block_len, VALUE_PAD_BYTE,
			       -value.block_len & 3);
		}
	}
}

/* Compares what was written with what was read; at once, or made as a writer of today does it. */
static void compare(struct walk *w, const uint8_t *bytes, size_t len,
		    void (*make_canonical)(struct walk *w, uint8_t *copy, size_t len))
{
	bool same = w->out.len == len && memcmp(w->out.data, bytes, len) == 0;

	if (!same && w->out.len == len && make_canonical != NULL) {
		uint8_t *copy = malloc(len);

		memcpy(copy, bytes, len);
		make_canonical(w, copy, len);
		same = memcmp(w->out.data, copy, len) == 0;
		w->counts.older++;
		free(copy);
	}
	if (!same)
		w->counts.differ++;
	buffer_reset(&w->out);
}

static int walk_label(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at)
{
	int r = log_label_decode(bytes, len, &w->label);

	*ret_at = 0;
	if (r < 0)
		return r;
	w->version = w->label.version;
	r = log_label_encode(&w->out, &w->label);
	if (r < 0)
		return r;
	compare(w, bytes, log_label_len(w->version), canonical_label);
	*ret_at = log_label_len(w->version);
	return 0;
}

/* Passes each record after the label to step. */
static int walk_records(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at,
			int (*step)(struct walk *w, const uint8_t *record, size_t len))
{
	int r = walk_label(w, bytes, len, ret_at);

	while (r == 0 && *ret_at < len) {
		size_t record_len;

		r = record_frame(bytes + *ret_at, len - *ret_at, &record_len);
		if (r == 0)
			return PM_ERR_LOGREC; /* cut off */
		if (r > 0)
			r = step(w, bytes + *ret_at, record_len);
		if (r == 0)
			*ret_at += record_len;
	}
	return r;
}

int walk_meta_record(struct walk *w, const uint8_t *record, size_t len)
{
	enum meta_type type;
	union meta_body body;
	int r;

	arena_reset(&w->mem);
	w->mem.limit = META_GROWTH * len + 64;
	r = meta_decode(record, len, &w->mem, &type, &body);
	if (r < 0)
		return r;
	w->counts.meta[type]++;
	if (type == META_DESC)
		w->counts.names += body.desc.numnames;
	r = meta_encode(&w->out, type, &body);
	if (r < 0)
		return r;
	compare(w, record, len, NULL);
	return 0;
}

int walk_meta(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at)
{
	return walk_records(w, bytes, len, ret_at, walk_meta_record);
}

int walk_index(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at)
{
	int r = walk_label(w, bytes, len, ret_at);
	size_t entry_len = index_entry_len(w->version);

	for (; r == 0 && len - *ret_at >= entry_len; *ret_at += entry_len) {
		struct index_entry entry;

		index_entry_load(bytes + *ret_at, w->version, &entry);
		r = index_entry_encode(&w->out, w->version, &entry);
		if (r < 0)
			return r;
		compare(w, bytes + *ret_at, entry_len, NULL);
		w->counts.index_entries++;
	}
	return r;
}

/* All values by way of the view; how many, or an error. */
static int64_t view_values(const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct wire_value value;
	struct vset_view set;
	int64_t n = 0;
	int r;

	while ((r = result_walk_next(view, &walk, &set)) > 0) {
		for (int32_t i = 0; i < set.numval; i++, n++) {
			r = vset_view_value(view, &set, i, &value);
			if (r < 0)
				return r;
		}
	}
	return r < 0 ? r : n;
}

int walk_data_record(struct walk *w, const uint8_t *record, size_t len)
{
	pmHighResResult *result;
	struct result_view view;
	int64_t n;
	int r = result_view_init(&view, w->version, record, len);

	if (r < 0)
		return r;
	n = view_values(&view);
	if (n < 0)
		return (int)n;
	r = result_record_to_host(w->version, record, len, &result);
	if (r < 0)
		return r;
	r = result_record_put(&w->out, w->version, &result->timestamp, result->vset,
			      (uint32_t)result->numpmid);
	free(result);
	if (r < 0)
		return r;
	compare(w, record, len, canonical_data);
	r = result_record_copy(&w->out, w->version, &view.stamp, &view);
	if (r < 0)
		return r;
	compare(w, record, len, NULL);
	w->counts.results++;
	w->counts.marks += result_view_is_mark(&view);
	w->counts.sets += view.numpmid;
	w->counts.values += (size_t)n;
	return 0;
}

int walk_data(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at)
{
	return walk_records(w, bytes, len, ret_at, walk_data_record);
}
