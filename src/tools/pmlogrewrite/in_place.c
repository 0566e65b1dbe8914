/*
 * in_place - replaces an archive by the one that was made from it.
 *
 * The new archive is written and synced completely, next to the old one. Then the old one gets a
 * second name, and the new one takes over the first:
 *
 *     .NAME.rewrite-new.*    the new archive, until it has the name
 *     .NAME.rewrite-old.*    the old archive, from before the first file changes names until after
 *                            the last one has; its .meta is made last and removed first, so that
 *                            the old archive is complete if it exists
 *
 * The .meta is the first file to lose the name and the last to get it. Under the name there is the
 * old archive, or none, or the new one, never parts of both. After a kill, the next rewriting in
 * place of that archive restores the old one, or removes the remaining files.
 */
#include "tools/pmlogrewrite/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libstore/archive_files.h"

/* The part of a member's name that follows its base. */
static const char *suffix_of(const char *path, const char *base)
{
	return path + strlen(base);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return lstat(a, &x) == 0 && lstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int drop(const char *path)
{
	return path == NULL || unlink(path) == 0 || errno == ENOENT ? 0 : -errno;
}

typedef int (*member_step)(const char *path, const char *to);

/* Calls step for each member but the .meta, with the member's name under another base. */
static int each_member(const struct archive_files *files, const char *from, const char *to,
		       member_step step)
{
	char path[PATH_MAX];
	int sts = 0;

	if (files->index != NULL) {
		sts = store_name(path, to, suffix_of(files->index, from));
		if (sts == 0)
			sts = step(files->index, path);
	}
	for (size_t i = 0; i < files->nvolumes && sts == 0; i++) {
		const char *volume = files->volumes[i].path;

		sts = store_name(path, to, suffix_of(volume, from));
		if (sts == 0)
			sts = step(volume, path);
	}
	return sts;
}

static int meta_step(const struct archive_files *files, const char *from, const char *to,
		     member_step step)
{
	char path[PATH_MAX];
	int sts;

	if (files->meta == NULL)
		return 0;
	sts = store_name(path, to, suffix_of(files->meta, from));
	return sts == 0 ? step(files->meta, path) : sts;
}

static int step_link(const char *path, const char *to)
{
	int sts = same_file(path, to) ? 0 : drop(to);

	if (sts < 0 || same_file(path, to))
		return sts;
	return link(path, to) == 0 ? 0 : -errno;
}

static int step_rename(const char *path, const char *to)
{
	return rename(path, to) == 0 ? 0 : -errno;
}

static int step_drop(const char *path, const char *to)
{
	(void)to;
	return drop(path);
}

/* Removes a file that has no counterpart. */
static int step_drop_lone(const char *path, const char *to)
{
	return is_there(to) ? 0 : drop(path);
}

static int sync_dir(const struct in_place *p)
{
	return fsync(p->dir) == 0 ? 0 : -errno;
}

/* Removes all members of a base, its .meta first: without it the others are not an archive. */
static int remove_all(const struct in_place *p, const char *base)
{
	struct archive_files files;
	int sts = archive_files_members(base, &files);

	if (sts < 0)
		return sts;
	sts = drop(files.meta);
	if (sts == 0 && files.meta != NULL)
		sts = sync_dir(p);
	if (sts == 0)
		sts = each_member(&files, base, base, step_drop);
	archive_files_done(&files);
	return sts;
}

/*
 * Gives one archive the name of another. Files that only the other has are removed; the .meta comes
 * last.
 */
static int give_name(const struct in_place *p, const char *from, const char *to, member_step step)
{
	struct archive_files now, then;
	int sts = archive_files_members(from, &now);

	if (sts < 0)
		return sts;
	sts = archive_files_members(to, &then);
	if (sts < 0) {
		archive_files_done(&now);
		return sts;
	}
	sts = meta_step(&then, to, from, step_drop);
	if (sts == 0)
		sts = sync_dir(p);
	if (sts == 0)
		sts = each_member(&then, to, from, step_drop_lone);
	if (sts == 0)
		sts = each_member(&now, from, to, step);
	if (sts == 0)
		sts = sync_dir(p);
	if (sts == 0)
		sts = meta_step(&now, from, to, step);
	if (sts == 0)
		sts = sync_dir(p);
	archive_files_done(&now);
	archive_files_done(&then);
	return sts;
}

static bool has_meta(const char *base, char *ret_path)
{
	struct archive_files files;
	bool has = false;

	if (archive_files_members(base, &files) < 0)
		return false;
	if (files.meta != NULL) {
		has = true;
		snprintf(ret_path, PATH_MAX, "%s", files.meta);
	}
	archive_files_done(&files);
	return has;
}

/* True if all files of the new archive have the name. */
static bool is_finished(const struct in_place *p, const char *old_meta)
{
	char meta[PATH_MAX], fresh[PATH_MAX];

	return has_meta(p->base, meta) && !same_file(meta, old_meta) && !has_meta(p->fresh, fresh);
}

/* Returns 1 if the old archive was put back. */
static int clear_up(struct in_place *p)
{
	char old_meta[PATH_MAX];
	int sts = 0, back = 0;

	if (has_meta(p->old, old_meta) && !is_finished(p, old_meta)) {
		back = 1;
		sts = give_name(p, p->old, p->base, step_link);
	}
	if (sts == 0)
		sts = remove_all(p, p->fresh);
	if (sts == 0)
		sts = remove_all(p, p->old);
	return sts < 0 ? sts : back;
}

/* Gives a file the owner and permissions of the replaced one, as far as possible. */
static int step_adopt(const char *path, const char *to)
{
	struct stat st;

	if (stat(to, &st) < 0)
		return 0;
	if (chown(path, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return -errno;
	return chmod(path, st.st_mode & 07777) == 0 ? 0 : -errno;
}

static int adopt(const struct in_place *p)
{
	struct archive_files files;
	char meta[PATH_MAX];
	int sts = 0;

	if (!has_meta(p->base, meta))
		return -ENOENT;
	sts = archive_files_members(p->fresh, &files);
	if (sts < 0)
		return sts;
	if (files.index != NULL)
		sts = step_adopt(files.index, meta);
	for (size_t i = 0; i < files.nvolumes && sts == 0; i++)
		sts = step_adopt(files.volumes[i].path, meta);
	if (sts == 0 && files.meta != NULL)
		sts = step_adopt(files.meta, meta);
	archive_files_done(&files);
	return sts;
}

int in_place_swap(struct in_place *p)
{
	struct archive_files files;
	int sts = adopt(p), back;

	if (sts == 0)
		sts = archive_files_members(p->base, &files);
	if (sts < 0)
		return sts;
	sts = each_member(&files, p->base, p->old, step_link);
	if (sts == 0)
		sts = sync_dir(p);
	if (sts == 0)
		sts = meta_step(&files, p->base, p->old, step_link);
	if (sts == 0)
		sts = sync_dir(p);
	archive_files_done(&files);
	if (sts == 0)
		sts = give_name(p, p->fresh, p->base, step_rename);
	back = clear_up(p);
	return sts < 0 ? sts : back < 0 ? back : 0;
}

void in_place_drop(struct in_place *p)
{
	remove_all(p, p->fresh);
}

/* Makes ".NAME.rewrite-WORD" in the folder of the base. */
static char *in_place_beside(const char *base, const char *word)
{
	const char *slash = strrchr(base, '/');
	int folder = slash != NULL ? (int)(slash + 1 - base) : 0;
	char *name;

	if (asprintf(&name, "%.*s.%s.rewrite-%s", folder, base, base + folder, word) < 0)
		return NULL;
	return name;
}

int in_place_open(struct in_place *p, const char *name)
{
	int sts;

	*p = (struct in_place){.dir = -1};
	sts = archive_files_base(name, &p->base);
	if (sts < 0)
		return sts;
	p->fresh = in_place_beside(p->base, "new");
	p->old = in_place_beside(p->base, "old");
	sts = p->fresh == NULL || p->old == NULL ? -ENOMEM : store_open_dir(p->base);
	if (sts >= 0) {
		p->dir = sts;
		sts = flock(p->dir, LOCK_EX) == 0 ? clear_up(p) : -errno;
	}
	if (sts < 0)
		in_place_close(p);
	return sts;
}

void in_place_close(struct in_place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	free(p->base);
	free(p->fresh);
	free(p->old);
	*p = (struct in_place){.dir = -1};
}
