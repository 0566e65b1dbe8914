/*
 * archive_files - which files make an archive (docs/spec/archive.md 2).
 *
 * A name is a base ("DIR/20261122"), or one of its members ("DIR/20261122.0.xz"). Nothing is opened
 * but the directory.
 */
#ifndef LIBSTORE_ARCHIVE_FILES_H
#define LIBSTORE_ARCHIVE_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct archive_volume {
	int number;
	char *path; /* owned; as found, compression suffix included */
};

struct archive_files {
	char *base;  /* owned; with its directory, as it was given, without a member's suffix */
	char *index; /* owned; NULL: there is none */
	char *meta;  /* owned */
	struct archive_volume *volumes; /* owned; ascending by number, holes allowed */
	size_t nvolumes;                /* at least 1 */
};

/*
 * Finds the members of an archive. 0; PM_ERR_LOGFILE for an empty name, or where some member was
 * found but no .meta or no volume; -ENOENT where none was; -errno of the directory; -ENOMEM. A
 * plain file wins over a compressed one of the same member, which is there for a moment while it is
 * compressed.
 */
int archive_files_find(const char *name, struct archive_files *ret_files);

/*
 * The members of exactly this base, for callers that write or repair it: some or all may be missing
 * (NULL, no volumes). 0, -errno of the directory, -ENOMEM.
 */
int archive_files_members(const char *base, struct archive_files *ret_files);

/* The base that a name means: itself, or, if it is a member's, what is before the member's suffix.
 * malloc'd. 0; -ENOMEM. */
int archive_files_base(const char *name, char **ret_base);

void archive_files_done(struct archive_files *files);

/*
 * The bases in a directory that have a .meta, sorted, as malloc'd strings in a malloc'd array, each
 * with the directory in front. How many (0: none); -errno.
 */
int archive_files_list(const char *dir, char ***ret_bases);

/* The length of a compression suffix at the end of name (".xz": 3), 0 if it has none of ours. */
size_t archive_files_suffix(const char *name);

/* ---- names of an archive's files, and a new name for one of them ---- */

/* ret_path (PATH_MAX bytes) is base and suffix. 0, -ENAMETOOLONG. */
int store_name(char *ret_path, const char *base, const char *suffix);

/* The path of a data volume. 0, -ENAMETOOLONG. */
int store_name_volume(char *ret_path, const char *base, int volume);

/* Renames, unless to is there. 0, -EEXIST, -errno. */
int store_rename_new(const char *from, const char *to);

/* Opens the folder that path is in, for fsync. A descriptor, or -errno. */
int store_open_dir(const char *path);

#endif
