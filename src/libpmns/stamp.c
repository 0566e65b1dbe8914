/* stamp - see stamp.h. A missing file has the size -1. */
#include "libpmns/stamp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void stamp_take(struct stamp *s)
{
	struct stat st;

	if (stat(s->path, &st) < 0) {
		memset(&st, 0, sizeof(st));
		st.st_size = -1;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	s->size = st.st_size;
	s->mtime = st.st_mtim;
}

static bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime.tv_sec == b->mtime.tv_sec && a->mtime.tv_nsec == b->mtime.tv_nsec;
}

void stamps_done(struct stamps *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].path);
	free(s->list);
	memset(s, 0, sizeof(*s));
}

static int stamps_reserve(struct stamps *s, size_t count)
{
	size_t cap = s->cap == 0 ? 4 : s->cap;
	struct stamp *list;

	while (cap < count)
		cap *= 2;
	if (cap == s->cap)
		return 0;
	list = reallocarray(s->list, cap, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	s->list = list;
	s->cap = cap;
	return 0;
}

int stamps_add(struct stamps *s, const char *path)
{
	struct stamp *st;

	if (stamps_reserve(s, s->count + 1) < 0)
		return -ENOMEM;
	st = &s->list[s->count];
	st->path = strdup(path);
	if (st->path == NULL)
		return -ENOMEM;
	stamp_take(st);
	s->count++;
	return 0;
}

int stamps_move(struct stamps *to, struct stamps *from)
{
	if (from->count == 0)
		return 0;
	if (stamps_reserve(to, to->count + from->count) < 0)
		return -ENOMEM;
	memcpy(to->list + to->count, from->list, from->count * sizeof(*from->list));
	to->count += from->count;
	from->count = 0;
	stamps_done(from);
	return 0;
}

bool stamps_changed(const struct stamps *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct stamp now = {.path = s->list[i].path};

		stamp_take(&now);
		if (!stamp_equal(&now, &s->list[i]))
			return true;
	}
	return false;
}
