/* scene - see scene.h. */
#include "scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

enum {
	MARK_EVERY = 25,
	WAVE_EVERY = 3,
	WORD_FROM = 21,
	WORD_EVERY = 7,
	BLOB_MAX = 15 << 20,
	BLOBS_MAX = 16,
};

struct log_label scene_label(int version)
{
	return (struct log_label){.version = version,
				  .pid = 4711,
				  .host = "scene.example",
				  .timezone = "UTC",
				  .zoneinfo = ":Etc/UTC"};
}

struct timespec scene_stamp(uint64_t k)
{
	return (struct timespec){SCENE_START + (time_t)k, (long)(k % 1000) * 1000000};
}

bool scene_is_mark(uint64_t k)
{
	return k % MARK_EVERY == MARK_EVERY - 1;
}

/* Instances that change slowly and quickly: some stay, one is added or removed at each step, and
 * sometimes all are replaced. */
size_t scene_instances(uint64_t k, int *ret_insts)
{
	uint64_t step = k / WAVE_EVERY;
	size_t n = 0;

	for (int i = 0; i < SCENE_INSTS_MAX; i++) {
		bool there =
		    i < 6 || (uint64_t)i % 5 == step % 5 || (step / 8 + (uint64_t)i) % 7 == 0;

		if (there)
			ret_insts[n++] = i + (step % 16 == 15 ? 100 : 0);
	}
	return n;
}

/* One instance is renamed now and then: that takes a full record. */
static size_t name_instances(uint64_t k, struct wire_inst *ret, char (*names)[32])
{
	int insts[SCENE_INSTS_MAX];
	size_t n = scene_instances(k, insts);

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "inst-%d%s", insts[i],
			 i == 0 && k / 40 % 2 == 1 ? " renamed" : "");
		ret[i] = (struct wire_inst){insts[i], {names[i], (uint32_t)strlen(names[i])}};
	}
	return n;
}

static int add_desc(struct archive_writer *w, const char *name, pmDesc desc)
{
	struct wire_str str = {name, (uint32_t)strlen(name)};
	union meta_body body = {.desc = {desc, 1, &str}};

	if (archive_writer_has_desc(w, desc.pmid))
		return 0;
	return archive_writer_meta(w, META_DESC, &body);
}

static int add_labels(struct archive_writer *w, int version, uint64_t k)
{
	static const char json[] = "{\"agent\":\"scene\"}";
	pmLabel label = {
	    .name = 2, .namelen = 5, .flags = PM_LABEL_DOMAIN, .value = 9, .valuelen = 7};
	struct wire_labelset set = {PM_IN_NULL, 1, {json, sizeof(json) - 1}, &label};
	union meta_body body = {.label = {scene_stamp(k), PM_LABEL_DOMAIN, 60, 1, &set}};

	if (archive_writer_has_labels(w, PM_LABEL_DOMAIN, 60))
		return 0;
	return archive_writer_meta(w, meta_type_label(version), &body);
}

static int add_text(struct archive_writer *w)
{
	static const char text[] = "Which record this is";
	union meta_body body = {
	    .text = {PM_TEXT_ONELINE | PM_TEXT_PMID, SCENE_COUNT, {text, sizeof(text) - 1}}};

	if (archive_writer_has_text(w, body.text.type, body.text.ident))
		return 0;
	return archive_writer_meta(w, META_TEXT, &body);
}

static int add_indom(struct archive_writer *w, int version, uint64_t k)
{
	struct wire_inst insts[SCENE_INSTS_MAX];
	char names[SCENE_INSTS_MAX][32];
	size_t n = name_instances(k, insts, names);
	union meta_body body = {.indom = {scene_stamp(k), SCENE_INDOM, (uint32_t)n, insts}};

	return archive_writer_meta(w, meta_type_indom(version), &body);
}

static const pmDesc count_desc = {SCENE_COUNT, PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_COUNTER, {0}};
static const pmDesc wave_desc = {SCENE_WAVE, PM_TYPE_U32, SCENE_INDOM, PM_SEM_INSTANT, {0}};
static const pmDesc word_desc = {SCENE_WORD, PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_DISCRETE, {0}};
static const pmDesc blob_desc = {
    SCENE_BLOB, PM_TYPE_AGGREGATE, PM_INDOM_NULL, PM_SEM_DISCRETE, {0}};

static bool has_wave(uint64_t k)
{
	return k % WAVE_EVERY == 0;
}

static bool has_word(uint64_t k)
{
	return k >= WORD_FROM && k % WORD_EVERY == 0;
}

static int add_meta(struct archive_writer *w, int version, uint64_t k)
{
	int r = add_desc(w, "scene.count", count_desc);

	if (r >= 0)
		r = add_labels(w, version, k);
	if (r >= 0)
		r = add_text(w);
	if (r >= 0 && has_wave(k))
		r = add_desc(w, "scene.wave", wave_desc);
	if (r >= 0 && has_wave(k))
		r = add_indom(w, version, k);
	if (r >= 0 && has_word(k))
		r = add_desc(w, "scene.word", word_desc);
	return r < 0 ? r : 0;
}

/* A value block with these bytes; the caller frees. NULL without memory. */
static pmValueBlock *block_new(int type, const void *bytes, size_t len)
{
	pmValueBlock *b = calloc(1, sizeof(*b) + len);

	if (b == NULL)
		return NULL;
	b->vtype = (unsigned char)type;
	b->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0xffffff;
	if (bytes != NULL)
		memcpy(b->vbuf, bytes, len);
	return b;
}

static void set_one(pmValueSet *set, pmID pmid, pmValueBlock *b)
{
	*set = (pmValueSet){.pmid = pmid, .numval = 1, .valfmt = PM_VAL_DPTR};
	set->vlist[0] = (pmValue){.inst = PM_IN_NULL, .value = {.pval = b}};
}

static pmValueSet *wave_new(uint64_t k)
{
	int insts[SCENE_INSTS_MAX];
	size_t n = scene_instances(k, insts);
	pmValueSet *set = calloc(1, sizeof(*set) + n * sizeof(pmValue));

	if (set == NULL)
		return NULL;
	*set = (pmValueSet){.pmid = SCENE_WAVE, .numval = (int)n, .valfmt = PM_VAL_INSITU};
	for (size_t i = 0; i < n; i++)
		set->vlist[i] =
		    (pmValue){.inst = insts[i], .value = {.lval = (int)(k * 100) + insts[i]}};
	return set;
}

static int write_result(struct archive_writer *w, uint64_t k)
{
	struct timespec stamp = scene_stamp(k);
	AUTO_FREE pmValueBlock *count = block_new(PM_TYPE_U64, &k, sizeof(k));
	AUTO_FREE pmValueBlock *word = NULL;
	AUTO_FREE pmValueSet *wave = NULL;
	pmValueSet singular[2], *sets[3];
	char text[64];
	uint32_t n = 0;

	if (count == NULL)
		return -ENOMEM;
	set_one(&singular[0], SCENE_COUNT, count);
	sets[n++] = &singular[0];
	if (has_wave(k)) {
		sets[n++] = wave = wave_new(k);
		if (wave == NULL)
			return -ENOMEM;
	}
	if (has_word(k)) {
		int len = snprintf(text, sizeof(text), "record %llu", (unsigned long long)k);

		word = block_new(PM_TYPE_STRING, text, (size_t)len + 1);
		if (word == NULL)
			return -ENOMEM;
		set_one(&singular[1], SCENE_WORD, word);
		sets[n++] = &singular[1];
	}
	return archive_writer_result(w, &stamp, sets, n);
}

int scene_write(struct archive_writer *w, int version, uint64_t k)
{
	struct timespec stamp = scene_stamp(k);
	int r;

	if (scene_is_mark(k))
		return archive_writer_mark(w, &stamp);
	r = add_meta(w, version, k);
	return r != 0 ? r : write_result(w, k);
}

int scene_write_large(struct archive_writer *w, int version, uint64_t k, size_t n)
{
	struct timespec stamp = scene_stamp(k);
	AUTO_FREE pmValueBlock *blob = block_new(PM_TYPE_AGGREGATE, NULL, BLOB_MAX);
	AUTO_FREE pmValueSet *set = calloc(1, sizeof(*set) + BLOBS_MAX * sizeof(pmValue));
	int r = add_meta(w, version, 1);

	if (r == 0)
		r = add_desc(w, "scene.blob", blob_desc);
	if (r < 0)
		return r;
	if (blob == NULL || set == NULL)
		return -ENOMEM;
	*set = (pmValueSet){.pmid = SCENE_BLOB, .valfmt = PM_VAL_DPTR};
	for (size_t done = 0; done < n && set->numval < BLOBS_MAX; done += BLOB_MAX)
		set->vlist[set->numval++] = (pmValue){.inst = set->numval, .value = {.pval = blob}};
	return archive_writer_result(w, &stamp, &set, 1);
}
