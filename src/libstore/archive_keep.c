/* archive_keep - see archive_keep.h: caps, and what a killed compression left. */
#include "libstore/archive_keep.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/log_label.h"
#include "libstore/archive_compress.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "libstore/repair_inner.h"

/*
 * ---- remains of a compression ----
 *
 * A name is BASE.N.new.xz. Its owner is known from the .meta of BASE, which a compressor never
 * touches.
 */

static const char *const ends[] = {".new.xz", ".new.zst"};

/* The length of BASE.N in such a name; 0 for any other. */
static size_t volume_len(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]), digits = 0;

		if (len <= n || strcmp(name + len - n, ends[i]) != 0)
			continue;
		len -= n;
		while (digits < len && name[len - digits - 1] >= '0' &&
		       name[len - digits - 1] <= '9')
			digits++;
		return digits > 0 && len > digits + 1 && name[len - digits - 1] == '.' ? len : 0;
	}
	return 0;
}

/* 1: an archive of the host; 0: of another one; -ENOENT: there is none. */
static int remains_is_ours(const char *volume, const char *host)
{
	AUTO_FREE char *base = strndup(volume, (size_t)(strrchr(volume, '.') - volume));
	struct archive_files files;
	struct repair_scan scan;
	struct member *m;
	int r = base != NULL ? archive_files_members(base, &files) : -ENOMEM;

	if (r < 0)
		return r;
	r = files.meta != NULL ? member_open(files.meta, &m) : -ENOENT;
	archive_files_done(&files);
	if (r != 0)
		return r == -ENOENT ? r : 0;
	r = repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_META) == 0 &&
	    log_label_has_host(&scan.label, host);
	repair_scan_done(&scan);
	member_close(m);
	return r;
}

static bool is_old(const char *path, const struct timespec *now)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_mtime < now->tv_sec - ARCHIVE_REMAINS_AGE_S;
}

/* 1 if it was removed. */
static int look_at(const char *dir, const char *name, const char *host, const struct timespec *now)
{
	size_t len = volume_len(name);
	char volume[PATH_MAX], path[PATH_MAX];
	int whose;

	if (len == 0 || snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return 0;
	snprintf(volume, sizeof(volume), "%.*s", (int)(strlen(dir) + 1 + len), path);
	whose = remains_is_ours(volume, host);
	if (whose == 1 || (whose == -ENOENT && is_old(path, now)))
		archive_compress_clean(volume);
	return access(path, F_OK) != 0;
}

int archive_remains_remove(const char *dir, const char *host, const struct timespec *now)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int n = 0;

	if (d == NULL)
		return -errno;
	while ((e = readdir(d)) != NULL)
		n += look_at(dir, e->d_name, host, now);
	closedir(d);
	return n;
}

/* ---- caps ---- */

struct aged {
	struct archive_files files;
	struct timespec start;
	bool writing;
	size_t first; /* of the volumes that are left */
	uint64_t bytes;
};

struct keep {
	const struct archive_caps *caps;
	struct timespec now;
	struct aged *archives; /* owned; oldest first */
	size_t n;
	struct archive_kept kept;
	int err;
};

static uint64_t file_size(const char *path, time_t *ret_mtime)
{
	struct stat st;

	if (path == NULL || stat(path, &st) < 0)
		return 0;
	if (ret_mtime != NULL)
		*ret_mtime = st.st_mtime;
	return (uint64_t)st.st_size;
}

/* True if the first volume has a label of our host. */
static bool read_label(const struct archive_files *files, const char *host,
		       struct timespec *ret_start)
{
	const struct archive_volume *v = files->volumes;
	struct repair_scan scan;
	struct member *m;
	bool ours;

	if (files->nvolumes == 0 || member_open(v->path, &m) != 0)
		return false;
	ours = repair_scan_begin(&scan, m, SCAN_DATA, v->number) == 0 &&
	       log_label_has_host(&scan.label, host);
	*ret_start = scan.label.start;
	repair_scan_done(&scan);
	member_close(m);
	return ours;
}

static uint64_t archive_bytes(const struct archive_files *files)
{
	uint64_t bytes = file_size(files->meta, NULL) + file_size(files->index, NULL);

	for (size_t i = 0; i < files->nvolumes; i++)
		bytes += file_size(files->volumes[i].path, NULL);
	return bytes;
}

/* The same archive, whatever folder its name begins with. */
static bool is_writing(const struct archive_caps *caps, const char *base)
{
	const char *a, *b;

	if (caps->writing == NULL)
		return false;
	a = strrchr(caps->writing, '/');
	b = strrchr(base, '/');
	return strcmp(a != NULL ? a + 1 : caps->writing, b != NULL ? b + 1 : base) == 0;
}

static bool is_remains(const struct keep *k, const struct archive_files *files)
{
	time_t written = k->now.tv_sec;

	file_size(files->volumes[0].path, &written);
	return written < k->now.tv_sec - ARCHIVE_REMAINS_AGE_S;
}

static void remove_file(struct keep *k, const char *path)
{
	uint64_t bytes = file_size(path, NULL);

	if (path == NULL)
		return;
	if (unlink(path) == 0) {
		k->kept.removed_files++;
		k->kept.removed_bytes += bytes;
		k->kept.bytes -= bytes < k->kept.bytes ? bytes : k->kept.bytes;
	} else if (errno != ENOENT && k->err == 0) {
		k->err = -errno;
	}
}

/* The index before the volumes, which it would point to. */
static void remove_archive(struct keep *k, const struct archive_files *files, size_t first)
{
	remove_file(k, files->meta);
	remove_file(k, files->index);
	for (size_t i = first; i < files->nvolumes; i++)
		remove_file(k, files->volumes[i].path);
}

/* Takes the files of a base that is one of ours; what was an archive once is removed. */
static int add_base(struct keep *k, const char *base)
{
	struct aged a = {.writing = is_writing(k->caps, base)};
	struct aged *archives;
	int r = archive_files_members(base, &a.files);

	if (r != 0)
		return r;
	if (!read_label(&a.files, k->caps->host, &a.start)) {
		archive_files_done(&a.files);
		return 0;
	}
	if (a.files.meta == NULL) {
		if (!a.writing && is_remains(k, &a.files))
			remove_archive(k, &a.files, 0);
		archive_files_done(&a.files);
		return 0;
	}
	archives = reallocarray(k->archives, k->n + 1, sizeof(*archives));
	if (archives == NULL) {
		archive_files_done(&a.files);
		return -ENOMEM;
	}
	a.bytes = archive_bytes(&a.files);
	k->kept.bytes += a.bytes;
	k->archives = archives;
	archives[k->n++] = a;
	return 0;
}

/* True for ".meta" and for a number after a dot. */
static bool is_tail(const char *tail, size_t len)
{
	if (len == strlen(".meta") && memcmp(tail, ".meta", len) == 0)
		return true;
	for (size_t i = 1; i < len; i++) {
		if (tail[i] < '0' || tail[i] > '9')
			return false;
	}
	return len > 1;
}

/* The base of a volume or a .meta; NULL: it is neither. */
static char *base_of_member(const char *dir, const char *name)
{
	size_t len = strlen(name) - archive_files_suffix(name);
	const char *dot = memrchr(name, '.', len);
	char *base = NULL;

	if (dot == NULL || dot == name || !is_tail(dot, len - (size_t)(dot - name)))
		return NULL;
	if (asprintf(&base, "%s/%.*s", dir, (int)(dot - name), name) < 0)
		return NULL;
	return base;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **at;
	size_t n, cap;
};

static int names_add(struct names *names, char *name)
{
	if (names->n == names->cap) {
		size_t cap = names->cap == 0 ? 64 : names->cap * 2;
		char **at = reallocarray(names->at, cap, sizeof(*at));

		if (at == NULL) {
			free(name);
			return -ENOMEM;
		}
		names->at = at;
		names->cap = cap;
	}
	names->at[names->n++] = name;
	return 0;
}

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
}

/* All bases that have a member, .meta or not. */
static int list_bases(const char *dir, struct names *names)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = 0;

	if (d == NULL)
		return -errno;
	while (r == 0 && (e = readdir(d)) != NULL) {
		char *base = base_of_member(dir, e->d_name);

		if (base != NULL)
			r = names_add(names, base);
	}
	closedir(d);
	if (names->n > 0)
		qsort(names->at, names->n, sizeof(*names->at), by_text);
	return r;
}

static int by_start(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;

	if (timespec_before(&x->start, &y->start))
		return -1;
	return timespec_before(&y->start, &x->start);
}

static int keep_look(struct keep *k, const char *dir)
{
	struct names names = {NULL};
	int r = list_bases(dir, &names);

	for (size_t i = 0; i < names.n && r == 0; i++) {
		if (i == 0 || strcmp(names.at[i - 1], names.at[i]) != 0)
			r = add_base(k, names.at[i]);
	}
	names_done(&names);
	if (k->n > 0)
		qsort(k->archives, k->n, sizeof(*k->archives), by_start);
	return r;
}

/* The volume that would go next; NULL if the archive has to stay as it is. */
static const struct archive_volume *front(const struct keep *k, const struct aged *a)
{
	const struct archive_volume *v = &a->files.volumes[a->first];

	if (a->first == a->files.nvolumes)
		return NULL;
	if (a->writing && v->number >= k->caps->writing_volume)
		return NULL;
	return v;
}

static void remove_front(struct keep *k, struct aged *a)
{
	if (a->first + 1 == a->files.nvolumes && !a->writing)
		remove_archive(k, &a->files, a->first);
	else
		remove_file(k, a->files.volumes[a->first].path);
	a->first++;
}

static void apply_age(struct keep *k, struct aged *a)
{
	time_t oldest = k->now.tv_sec - (time_t)k->caps->age_s;
	const struct archive_volume *v;

	while ((v = front(k, a)) != NULL) {
		time_t written = k->now.tv_sec;

		file_size(v->path, &written);
		if (written >= oldest)
			return;
		remove_front(k, a);
	}
}

static void apply_bytes(struct keep *k, struct aged *a)
{
	while (k->kept.bytes > k->caps->bytes && front(k, a) != NULL)
		remove_front(k, a);
}

int archive_keep(const char *dir, const struct archive_caps *caps, const struct timespec *now,
		 struct archive_kept *ret_kept)
{
	struct keep k = {.caps = caps, .now = *now};
	int r = keep_look(&k, dir);

	for (size_t i = 0; i < k.n && r == 0 && caps->age_s != 0; i++)
		apply_age(&k, &k.archives[i]);
	for (size_t i = 0; i < k.n && r == 0 && caps->bytes != 0; i++)
		apply_bytes(&k, &k.archives[i]);
	for (size_t i = 0; i < k.n; i++)
		archive_files_done(&k.archives[i].files);
	free(k.archives);
	if (r == 0)
		r = k.err;
	if (r != -ENOMEM)
		*ret_kept = k.kept;
	return r;
}
