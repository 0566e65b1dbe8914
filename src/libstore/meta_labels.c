/* meta_labels - labels over time, and texts: found by their key, decoded when they are asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libstore/archive_meta_inner.h"

static int dated_add(struct hash *table, uint64_t key, const struct meta_frame *frame)
{
	struct meta_dated *dated = hash_find(table, key, NULL, NULL);

	if (dated == NULL) {
		dated = calloc(1, sizeof(*dated));
		if (dated == NULL || hash_add(table, key, dated) < 0) {
			free(dated);
			return -ENOMEM;
		}
	}
	return meta_frames_add(&dated->frames, frame);
}

static void dated_done(struct hash *table)
{
	struct meta_dated *dated;
	size_t pos = 0;

	while ((dated = hash_next(table, &pos)) != NULL) {
		free(dated->frames.frames);
		free(dated);
	}
	hash_done(table);
}

void meta_labels_done(struct archive_meta *meta)
{
	dated_done(&meta->labels);
	dated_done(&meta->texts);
}

int meta_labels_add(struct archive_meta *meta, uint32_t type, uint32_t ident,
		    const struct meta_frame *frame)
{
	return dated_add(&meta->labels, meta_key(type, ident), frame);
}

/* One of each pair of bits, as docs/spec/archive.md 7.4 has it. */
static bool text_type_is_valid(uint32_t type)
{
	return (type & (PM_TEXT_ONELINE | PM_TEXT_HELP)) != 0 &&
	       (type & (PM_TEXT_PMID | PM_TEXT_INDOM)) != 0 && type < PM_TEXT_DIRECT;
}

int meta_texts_add(struct archive_meta *meta, uint32_t type, uint32_t ident,
		   const struct meta_frame *frame)
{
	struct meta_dated *dated;

	if (!text_type_is_valid(type))
		return PM_ERR_LOGREC;
	meta->text_types |= 1u << type;
	dated = hash_find(&meta->texts, meta_key(type, ident), NULL, NULL);
	if (dated == NULL)
		return dated_add(&meta->texts, meta_key(type, ident), frame);
	dated->frames.frames[0] = *frame; /* a later text replaces it */
	return 0;
}

/* The newest frame that is not after a time; NULL if all are. */
static const struct meta_frame *frame_at(const struct meta_frames *frames,
					 const struct timespec *when)
{
	size_t low = 0, high = frames->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (timespec_compare(&frames->frames[mid].stamp, when) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? &frames->frames[low - 1] : NULL;
}

static int set_make(const struct wire_labelset *from, pmLabelSet *to)
{
	size_t n = from->nlabels > 0 ? (size_t)from->nlabels : 0;

	to->inst = (unsigned int)from->inst;
	to->nlabels = from->nlabels;
	to->jsonlen = from->json.len & 0xffff;
	if (from->json.len > 0) {
		to->json = strndup(from->json.s, from->json.len);
		if (to->json == NULL)
			return -ENOMEM;
	}
	if (n > 0) {
		to->labels = reallocarray(NULL, n, sizeof(*to->labels));
		if (to->labels == NULL)
			return -ENOMEM;
		memcpy(to->labels, from->labels, n * sizeof(*to->labels));
	}
	return 0;
}

static int sets_make(const struct meta_label *label, pmLabelSet **ret_sets)
{
	int n = (int)label->numset;
	pmLabelSet *sets;

	if (n == 0)
		return 0;
	sets = calloc((size_t)n, sizeof(*sets));
	if (sets == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		int r = set_make(&label->sets[i], &sets[i]);

		if (r < 0) {
			for (int j = 0; j <= i; j++) {
				free(sets[j].json);
				free(sets[j].labels);
			}
			free(sets);
			return r;
		}
	}
	*ret_sets = sets;
	return n;
}

int archive_meta_labels(struct archive_meta *meta, int type, uint32_t ident,
			const struct timespec *when, pmLabelSet **ret_sets)
{
	struct meta_dated *dated =
	    hash_find(&meta->labels, meta_key((uint32_t)type, ident), NULL, NULL);
	const struct meta_frame *frame;
	union meta_body body;
	enum meta_type kind;
	int r;

	if (dated == NULL)
		return PM_ERR_NOLABELS;
	r = meta_frames_sort(&dated->frames);
	if (r < 0)
		return r;
	frame = frame_at(&dated->frames, when);
	if (frame == NULL)
		return 0;
	arena_reset(&meta->scratch);
	r = meta_decode(frame->bytes, frame->len, &meta->scratch, &kind, &body);
	return r < 0 ? r : sets_make(&body.label, ret_sets);
}

const char *archive_meta_text(struct archive_meta *meta, int type, uint32_t ident, int *ret_err)
{
	const struct meta_dated *dated =
	    hash_find(&meta->texts, meta_key((uint32_t)type, ident), NULL, NULL);
	const struct meta_frame *frame;
	union meta_body body;
	enum meta_type kind;
	int r;

	if (dated == NULL) {
		*ret_err =
		    (meta->text_types & 1u << (type & 31)) != 0 ? PM_ERR_TEXT : PM_ERR_NOTHOST;
		return NULL;
	}
	frame = &dated->frames.frames[0];
	arena_reset(&meta->scratch);
	r = meta_decode(frame->bytes, frame->len, &meta->scratch, &kind, &body);
	if (r < 0) {
		*ret_err = r;
		return NULL;
	}
	return body.text.text.s;
}
