/* event_image - see event_image.h. */
#include "libpcp_pmda/event_image.h"

#include <string.h>

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

/* Events that are gone need no room. The rest moves once half of the bytes are theirs. */
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
