/* event_store - see event_store.h. */
#include "libpcp_pmda/event_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RING_MIN = 64,
	RING_KEEP = 4096, /* headers that an empty store keeps room for */
	BLOCK_ROOM_MIN = 1024,
	BLOCK_ROOM_MAX = 64 * 1024,
	BLOCK_EVENTS = 4,    /* large events that share a block */
	BLOCK_SPARE_MAX = 4, /* empty blocks that are kept */
};

void event_store_init(struct event_store *s, size_t bytes_max)
{
	*s = (struct event_store){.block_room = BLOCK_ROOM_MIN};
	while (s->block_room < bytes_max && s->block_room < BLOCK_ROOM_MAX)
		s->block_room *= 2;
}

/* ---- room ----------------------------------------------------------------------------------- */

static int ring_grow(struct event_store *s)
{
	size_t cap = s->cap == 0 ? RING_MIN : s->cap * 2;
	struct event *ring = malloc(cap * sizeof(*ring));

	if (ring == NULL)
		return -ENOMEM;
	for (uint64_t n = s->first; n < s->next; n++)
		ring[n & (cap - 1)] = *event_store_at(s, n);
	free(s->ring);
	s->held += (cap - s->cap) * sizeof(*ring);
	s->ring = ring;
	s->cap = cap;
	return 0;
}

static struct event_block *block_new(struct event_store *s, size_t need)
{
	struct event_block *b = s->spare;
	size_t room = s->block_room;

	/* The end of a block may be too small for the next event: with four in one a quarter is
	 * lost. */
	if (need > room / BLOCK_EVENTS) {
		if (__builtin_mul_overflow(need, (size_t)BLOCK_EVENTS, &room) ||
		    room > SIZE_MAX - sizeof(*b))
			return NULL;
	} else if (b != NULL) {
		s->spare = b->next;
		s->nspare--;
		return b;
	}
	b = malloc(sizeof(*b) + room);
	if (b == NULL)
		return NULL;
	b->room = room;
	s->held += sizeof(*b) + room;
	return b;
}

/* Events go to the beginning of the newest block, which has none. */
static void block_rewind(struct event_store *s)
{
	s->free = s->newest == NULL ? NULL : s->newest->bytes;
	s->left = s->newest == NULL ? 0 : s->newest->room;
}

static void block_free(struct event_store *s, struct event_block *b)
{
	s->held -= sizeof(*b) + b->room;
	free(b);
}

static void block_release(struct event_store *s, struct event_block *b)
{
	if (b->room != s->block_room || s->nspare == BLOCK_SPARE_MAX) {
		block_free(s, b);
		return;
	}
	b->next = s->spare;
	s->spare = b;
	s->nspare++;
}

/* Releases blocks without events, except the newest one, which takes the next event. */
static void blocks_release(struct event_store *s)
{
	while (s->oldest != s->newest && s->oldest->end <= s->first) {
		struct event_block *b = s->oldest;

		s->oldest = b->next;
		block_release(s, b);
	}
	if (s->first == s->next)
		block_rewind(s);
}

static int block_add(struct event_store *s, size_t need)
{
	struct event_block *b = block_new(s, need);

	if (b == NULL)
		return -ENOMEM;
	b->next = NULL;
	if (s->newest == NULL) {
		s->oldest = b;
	} else {
		s->newest->next = b;
		s->newest->end = s->next;
	}
	s->newest = b;
	block_rewind(s);
	blocks_release(s); /* the one before may be empty, and too small */
	return 0;
}

int event_store_reserve(struct event_store *s, size_t size)
{
	if (size > SIZE_MAX - EVENT_STORE_ALIGN)
		return -ENOMEM;
	if (event_store_count(s) == s->cap && ring_grow(s) < 0)
		return -ENOMEM;
	if (s->newest != NULL && event_store_padded(size) <= s->left)
		return 0;
	return block_add(s, event_store_padded(size));
}

/* ---- coming and going ----------------------------------------------------------------------- */

void event_store_drop(struct event_store *s, uint64_t number)
{
	if (number == s->next) {
		s->bytes = 0;
		s->first = number;
	}
	for (; s->first < number; s->first++)
		s->bytes -= event_store_at(s, s->first)->size;
	blocks_release(s);
}

static void ring_free(struct event_store *s)
{
	s->held -= s->cap * sizeof(*s->ring);
	free(s->ring);
	s->ring = NULL;
	s->cap = 0;
}

/* Of an empty store: the one block that it has but for spare ones. */
static void newest_free(struct event_store *s)
{
	block_free(s, s->newest);
	s->oldest = NULL;
	s->newest = NULL;
	block_rewind(s);
}

void event_store_trim(struct event_store *s)
{
	if (s->first != s->next)
		return;
	if (s->cap > RING_KEEP)
		ring_free(s);
	if (s->newest != NULL && s->newest->room > s->block_room)
		newest_free(s);
}

void event_store_trim_all(struct event_store *s)
{
	while (s->spare != NULL) {
		struct event_block *b = s->spare;

		s->spare = b->next;
		block_free(s, b);
	}
	s->nspare = 0;
	if (s->first != s->next)
		return;
	ring_free(s);
	if (s->newest != NULL)
		newest_free(s);
}

static void blocks_free(struct event_block *b)
{
	while (b != NULL) {
		struct event_block *next = b->next;

		free(b);
		b = next;
	}
}

void event_store_done(struct event_store *s)
{
	free(s->ring);
	blocks_free(s->oldest);
	blocks_free(s->spare);
	*s = (struct event_store){0};
}

/* ---- The image ------------------------------------------------------------------------------ */

void event_image_init(struct event_image *img)
{
	*img = (struct event_image){.array = -1};
}

void event_image_reset(struct event_image *img, uint64_t number)
{
	struct event_array *a = event_array_of(img->array);

	event_array_reset(a);
	a->used = EVENT_IMAGE_GAP;
	img->first = number;
	img->next = number;
	img->removed = 0;
	img->covered = 0;
}

/* Where the records of an event begin. */
static size_t offset_of(const struct event_image *img, const struct event_store *s, uint64_t number)
{
	if (number == img->next)
		return event_array_of(img->array)->used;
	return event_store_at(s, number)->image_at - img->removed;
}

static void uncover(struct event_image *img)
{
	memcpy(event_array_of(img->array)->bytes + img->covered_at, img->under, img->covered);
	img->covered = 0;
}

/* Removes freed events from the image. The rest is moved once half of the bytes are theirs. */
static void remove_gone(struct event_image *img, const struct event_store *s)
{
	struct event_array *a = event_array_of(img->array);
	size_t keep;

	if (img->first >= s->first)
		return;
	if (img->next <= s->first) {
		event_image_reset(img, s->first);
		return;
	}
	img->first = s->first;
	keep = offset_of(img, s, s->first);
	if (keep < a->used / 2)
		return;
	memmove(a->bytes + EVENT_IMAGE_GAP, a->bytes + keep, a->used - keep);
	a->used -= keep - EVENT_IMAGE_GAP;
	a->nparams = a->nparams > keep ? a->nparams - (keep - EVENT_IMAGE_GAP) : 0;
	img->removed += (uint32_t)keep - EVENT_IMAGE_GAP;
}

void event_image_begin(struct event_image *img, const struct event_store *s, uint64_t number)
{
	uncover(img);
	event_array_of(img->array)->err = 0;
	remove_gone(img, s);
	if (number < img->first || number > img->next)
		event_image_reset(img, number);
}

void event_image_add(struct event_image *img, struct event *e, const struct event_mark *before)
{
	e->image_at = (uint32_t)before->used + img->removed;
	e->image_records = before->nrecords;
	img->next++;
}

/* A record for missed events, as pmdaEventAddMissedRecord makes it: its bytes. */
static size_t put_missed(char *p, bool highres, int missed, const union event_stamp *stamp)
{
	pmEventRecord normal;
	pmHighResEventRecord high;

	if (highres) {
		high.er_timestamp.tv_sec = stamp->ts.tv_sec;
		high.er_timestamp.tv_nsec = stamp->ts.tv_nsec;
		high.er_flags = PM_EVENT_FLAG_MISSED;
		high.er_nparams = missed;
		memcpy(p, &high, offsetof(pmHighResEventRecord, er_param));
		return offsetof(pmHighResEventRecord, er_param);
	}
	normal.er_timestamp.tv_sec = (int32_t)stamp->tv.tv_sec;
	normal.er_timestamp.tv_usec = (int32_t)stamp->tv.tv_usec;
	normal.er_flags = PM_EVENT_FLAG_MISSED;
	normal.er_nparams = missed;
	memcpy(p, &normal, offsetof(pmEventRecord, er_param));
	return offsetof(pmEventRecord, er_param);
}

pmValueBlock *event_image_array(struct event_image *img, const struct event_store *s,
				uint64_t number, bool highres, int missed,
				const union event_stamp *stamp)
{
	const struct event_array *a = event_array_of(img->array);
	size_t from = offset_of(img, s, number), len = offsetof(pmEventArray, ea_record);
	uint32_t before =
	    number == img->next ? a->nrecords : event_store_at(s, number)->image_records;
	char cover[EVENT_IMAGE_GAP];
	pmEventArray header;

	header.ea_nrecords = (int)(a->nrecords - before) + (missed > 0);
	if (header.ea_nrecords == 0)
		return NULL;
	if (missed > 0)
		len += put_missed(cover + len, highres, missed, stamp);
	header.ea_type = highres ? PM_TYPE_HIGHRES_EVENT : PM_TYPE_EVENT;
	header.ea_len = (unsigned int)(len + a->used - from) & 0x00ffffff;
	memcpy(cover, &header, offsetof(pmEventArray, ea_record));
	img->covered_at = from - len;
	img->covered = len;
	memcpy(img->under, a->bytes + img->covered_at, len);
	memcpy(a->bytes + img->covered_at, cover, len);
	return (pmValueBlock *)(a->bytes + img->covered_at);
}
