/* folder - see folder.h. */
#include "libpmns/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/cleanup.h"

/* ---- names ---- */

static const char *const leftovers[] = {
    "~", ".bak", ".orig", ".rpmnew", ".rpmsave", ".dpkg-new", ".dpkg-old", ".dpkg-dist",
};

static bool is_leftover(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++) {
		size_t n = strlen(leftovers[i]);

		if (len >= n && strcmp(name + len - n, leftovers[i]) == 0)
			return true;
	}
	return false;
}

static bool wanted(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 && name[n] != '\0' && !is_leftover(name);
}

static int folder_add(struct folder *f, const char *name)
{
	if (f->count == f->cap) {
		size_t cap = f->cap == 0 ? 16 : f->cap * 2;
		char **list;

		if (cap > FOLDER_NAMES_MAX)
			return -E2BIG;
		list = reallocarray(f->list, cap, sizeof(*list));
		if (list == NULL)
			return -ENOMEM;
		f->list = list;
		f->cap = cap;
	}
	f->list[f->count] = strdup(name);
	if (f->list[f->count] == NULL)
		return -ENOMEM;
	f->count++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int folder_list(const char *dir, const char *prefix, struct folder *ret_folder)
{
	struct folder f = {0};
	const struct dirent *e;
	DIR *d = opendir(dir);
	int r = 0;

	if (d == NULL)
		return -errno;
	while (r == 0 && (e = readdir(d)) != NULL) {
		if (wanted(e->d_name, prefix))
			r = folder_add(&f, e->d_name);
	}
	closedir(d);
	if (r < 0) {
		folder_done(&f);
		return r;
	}
	if (f.count > 0)
		qsort(f.list, f.count, sizeof(*f.list), by_name);
	*ret_folder = f;
	return 0;
}

void folder_done(struct folder *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->list[i]);
	free(f->list);
	memset(f, 0, sizeof(*f));
}

bool folder_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int folder_path(const char *dir, const char *name, char *path, size_t size)
{
	int n = snprintf(path, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* ---- the state of files; a missing file has the size -1 ---- */

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
