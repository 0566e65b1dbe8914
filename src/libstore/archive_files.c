/*
 * archive_files - see archive_files.h.
 *
 * A member's name is BASE.TAIL, with or without a compression suffix, where TAIL is "index", "meta"
 * or a number. One pass over the directory puts every entry of the base in its place; if two files
 * are the same member, the one of lower rank is kept.
 */
#include "libstore/archive_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"

/* In the order in which they are looked for; the last one is not PCP's. */
static const char *const suffixes[] = {".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".z", ".zst"};

enum tail {
	TAIL_NONE, /* no member */
	TAIL_INDEX,
	TAIL_META,
	TAIL_VOLUME,
};

struct parsed {
	size_t base_len;
	enum tail tail;
	int volume;
	int rank; /* 0: plain */
};

/* Which suffix ends the name, counted from 1; 0: none. */
static int suffix_rank(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && memcmp(name + len - n, suffixes[i], n) == 0)
			return (int)i + 1;
	}
	return 0;
}

size_t archive_files_suffix(const char *name)
{
	int rank = suffix_rank(name, strlen(name));

	return rank > 0 ? strlen(suffixes[rank - 1]) : 0;
}

/* A number of a volume, or -1. Leading zeros are allowed, but make it a worse name. */
static int volume_parse(const char *s, size_t len, int *rank)
{
	long n = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		n = n * 10 + (s[i] - '0');
		if (n > INT_MAX)
			return -1;
	}
	if (len > 1 && s[0] == '0')
		*rank += (int)(ARRAY_SIZE(suffixes) + 1);
	return (int)n;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(s, word, len) == 0;
}

static struct parsed member_parse(const char *name)
{
	size_t len = strlen(name), dot;
	struct parsed p = {.rank = suffix_rank(name, len)};

	if (p.rank > 0)
		len -= strlen(suffixes[p.rank - 1]);
	for (dot = len; dot > 0 && name[dot - 1] != '.' && name[dot - 1] != '/';)
		dot--;
	if (dot < 2 || name[dot - 1] != '.' || name[dot - 2] == '/')
		return p;
	p.base_len = dot - 1;
	if (is_word(name + dot, len - dot, "index"))
		p.tail = TAIL_INDEX;
	else if (is_word(name + dot, len - dot, "meta"))
		p.tail = TAIL_META;
	else if ((p.volume = volume_parse(name + dot, len - dot, &p.rank)) >= 0)
		p.tail = TAIL_VOLUME;
	return p;
}

/* True if there is such a file, or a compressed one. */
static bool is_file(const char *name)
{
	char path[PATH_MAX];

	if (access(name, R_OK) == 0 && file_is_regular(name))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		int n = snprintf(path, sizeof(path), "%s%s", name, suffixes[i]);

		if (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0 &&
		    file_is_regular(path))
			return true;
	}
	return false;
}

int archive_files_base(const char *name, char **ret_base)
{
	size_t len = strlen(name);
	struct parsed p;

	if (is_file(name)) {
		p = member_parse(name);
		if (p.tail != TAIL_NONE)
			len = p.base_len;
		else
			len -= archive_files_suffix(name);
	}
	*ret_base = strndup(name, len);
	return *ret_base != NULL ? 0 : -ENOMEM;
}

/* The name of an entry: the part of base after the first dir_len bytes, its directory. */
static char *path_join(const char *base, size_t dir_len, const char *name)
{
	size_t len = strlen(name);
	char *path = malloc(dir_len + len + 1);

	if (path == NULL)
		return NULL;
	memcpy(path, base, dir_len);
	memcpy(path + dir_len, name, len + 1);
	return path;
}

/* How good a path is that was found before. */
static int path_rank(const char *path)
{
	return member_parse(path).rank;
}

/* Puts a path where there is none yet, or a worse one. Takes it. */
static void path_put(char **place, char *path, int rank)
{
	if (*place != NULL && path_rank(*place) <= rank) {
		free(path);
		return;
	}
	free(*place);
	*place = path;
}

/* Where the path of a volume belongs; a new one gets its place in order. NULL: out of memory. */
static char **volume_place(struct archive_files *files, int number)
{
	size_t at = files->nvolumes;
	struct archive_volume *v;

	while (at > 0 && files->volumes[at - 1].number >= number) {
		if (files->volumes[--at].number == number)
			return &files->volumes[at].path;
	}
	v = reallocarray(files->volumes, files->nvolumes + 1, sizeof(*v));
	if (v == NULL)
		return NULL;
	files->volumes = v;
	memmove(v + at + 1, v + at, (files->nvolumes - at) * sizeof(*v));
	v[at] = (struct archive_volume){number, NULL};
	files->nvolumes++;
	return &v[at].path;
}

static int entry_add(struct archive_files *files, size_t dir_len, const char *name)
{
	struct parsed p = member_parse(name);
	char **place = &files->index;
	char *path;

	if (p.tail == TAIL_NONE || strlen(files->base + dir_len) != p.base_len ||
	    memcmp(files->base + dir_len, name, p.base_len) != 0)
		return 0;
	path = path_join(files->base, dir_len, name);
	if (path == NULL)
		return -ENOMEM;
	if (p.tail == TAIL_META)
		place = &files->meta;
	else if (p.tail == TAIL_VOLUME)
		place = volume_place(files, p.volume);
	if (place == NULL) {
		free(path);
		return -ENOMEM;
	}
	path_put(place, path, p.rank);
	return 0;
}

static DIR *dir_open(const char *base, size_t dir_len)
{
	char *path = dir_len > 0 ? strndup(base, dir_len) : strdup(".");
	DIR *dir = path != NULL ? opendir(path) : NULL;
	int err = path != NULL ? errno : ENOMEM;

	free(path);
	errno = err;
	return dir;
}

static int files_scan(struct archive_files *files)
{
	const char *slash = strrchr(files->base, '/');
	size_t dir_len = slash != NULL ? (size_t)(slash - files->base) + 1 : 0;
	DIR *dir = dir_open(files->base, dir_len);
	struct dirent *e;
	int r = 0;

	if (dir == NULL)
		return -errno;
	while (r == 0 && (e = readdir(dir)) != NULL)
		r = entry_add(files, dir_len, e->d_name);
	closedir(dir);
	return r;
}

int archive_files_members(const char *base, struct archive_files *ret_files)
{
	struct archive_files files = {.base = strdup(base)};
	int r = files.base != NULL ? files_scan(&files) : -ENOMEM;

	if (r < 0) {
		archive_files_done(&files);
		return r;
	}
	*ret_files = files;
	return 0;
}

int archive_files_find(const char *name, struct archive_files *ret_files)
{
	struct archive_files files = {NULL};
	AUTO_FREE char *base = NULL;
	int r;

	if (name == NULL || name[0] == '\0')
		return PM_ERR_LOGFILE;
	r = archive_files_base(name, &base);
	if (r == 0)
		r = archive_files_members(base, &files);
	if (r == 0 && (files.meta == NULL || files.nvolumes == 0))
		r = files.meta != NULL || files.nvolumes > 0 || files.index != NULL ? PM_ERR_LOGFILE
										    : -ENOENT;
	if (r < 0) {
		archive_files_done(&files);
		return r;
	}
	*ret_files = files;
	return 0;
}

void archive_files_done(struct archive_files *files)
{
	for (size_t i = 0; i < files->nvolumes; i++)
		free(files->volumes[i].path);
	free(files->volumes);
	free(files->meta);
	free(files->index);
	free(files->base);
	*files = (struct archive_files){NULL};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts, and takes the second of equal ones out. How many are left. */
static size_t unique(char **names, size_t n)
{
	size_t kept = 0;

	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(names[kept - 1], names[i]) == 0)
			free(names[i]);
		else
			names[kept++] = names[i];
	}
	return kept;
}

struct bases {
	char **names;
	size_t n;
};

static int bases_add(struct bases *bases, const char *dir, const char *name)
{
	struct parsed p = member_parse(name);
	size_t len = strlen(dir);
	char **names;

	if (p.tail != TAIL_META)
		return 0;
	names = reallocarray(bases->names, bases->n + 1, sizeof(*names));
	if (names == NULL)
		return -ENOMEM;
	bases->names = names;
	if (asprintf(&names[bases->n], "%s%s%.*s", dir, len > 0 && dir[len - 1] == '/' ? "" : "/",
		     (int)p.base_len, name) < 0)
		return -ENOMEM;
	bases->n++;
	return 0;
}

int archive_files_list(const char *dir, char ***ret_bases)
{
	struct bases bases = {NULL, 0};
	struct dirent *e;
	DIR *d = opendir(dir);
	int r = 0;

	if (d == NULL)
		return -errno;
	while (r == 0 && (e = readdir(d)) != NULL)
		r = bases_add(&bases, dir, e->d_name);
	closedir(d);
	if (r == 0)
		r = (int)unique(bases.names, bases.n);
	if (r <= 0) {
		for (size_t i = 0; r < 0 && i < bases.n; i++)
			free(bases.names[i]);
		free(bases.names);
		bases.names = NULL;
	}
	if (r >= 0)
		*ret_bases = bases.names;
	return r;
}

/* ---- names of files that are written ---- */

int store_name(char *ret_path, const char *base, const char *suffix)
{
	int n = snprintf(ret_path, PATH_MAX, "%s%s", base, suffix);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int store_name_volume(char *ret_path, const char *base, int volume)
{
	int n = snprintf(ret_path, PATH_MAX, "%s.%d", base, volume);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int store_rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* A file system that can't: a second name, then without the first. */
	if (link(from, to) < 0)
		return -errno;
	return unlink(from) < 0 ? -errno : 0;
}

int store_open_dir(const char *path)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash != NULL ? (size_t)(slash - path) : 0;
	int fd;

	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	if (slash == NULL)
		memcpy(dir, ".", 2);
	else if (len == 0)
		memcpy(dir, "/", 2);
	else {
		memcpy(dir, path, len);
		dir[len] = '\0';
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
