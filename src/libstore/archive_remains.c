/*
 * archive_remains - see archive_remains.h.
 *
 * A name is BASE.N.new.xz. Its owner is known from the .meta of BASE, which a compressor never
 * touches.
 */
#include "libstore/archive_remains.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libstore/archive_compress.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "libstore/repair_scan.h"

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
		while (digits < len && name[len - digits - 1] >= '0' && name[len - digits - 1] <= '9')
			digits++;
		return digits > 0 && len > digits + 1 && name[len - digits - 1] == '.' ? len : 0;
	}
	return 0;
}

/* 1: an archive of the host; 0: of another one; -ENOENT: there is none. */
static int is_ours(const char *volume, const char *host)
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
	whose = is_ours(volume, host);
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
