/* folder - see folder.h. */
#include "libpmns/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/cleanup.h"

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
