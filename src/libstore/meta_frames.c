/* meta_frames - lists of records that were indexed, in the order of their times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libstore/archive_meta_inner.h"

int meta_grow(void **array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap > 0 ? *cap * 2 : 2;
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*array, more, size);
	if (p == NULL)
		return -ENOMEM;
	*array = p;
	*cap = more;
	return 0;
}

int meta_frames_add(struct meta_frames *frames, const struct meta_frame *frame)
{
	void *array = frames->frames;
	int r = meta_grow(&array, frames->n, &frames->cap, sizeof(*frame));

	frames->frames = array;
	if (r == 0)
		frames->frames[frames->n++] = *frame;
	return r;
}

/* Merges two adjacent sorted halves, by way of spare. */
static void frames_merge(struct meta_frame *frames, size_t half, size_t n, struct meta_frame *spare)
{
	size_t i = 0, j = half, k = 0;

	memcpy(spare, frames, half * sizeof(*frames));
	while (i < half) {
		if (j < n && timespec_compare(&frames[j].stamp, &spare[i].stamp) < 0)
			frames[k++] = frames[j++];
		else
			frames[k++] = spare[i++];
	}
}

static void frames_sort(struct meta_frame *frames, size_t n, struct meta_frame *spare)
{
	size_t half = n / 2;

	if (n < 2)
		return;
	frames_sort(frames, half, spare);
	frames_sort(frames + half, n - half, spare);
	frames_merge(frames, half, n, spare);
}

int meta_frames_sort(struct meta_frames *frames)
{
	AUTO_FREE struct meta_frame *spare = NULL;
	size_t i = 1;

	while (i < frames->n &&
	       timespec_compare(&frames->frames[i - 1].stamp, &frames->frames[i].stamp) <= 0)
		i++;
	if (i >= frames->n)
		return 0;
	spare = reallocarray(NULL, frames->n, sizeof(*spare));
	if (spare == NULL)
		return -ENOMEM;
	frames_sort(frames->frames, frames->n, spare);
	return 0;
}
