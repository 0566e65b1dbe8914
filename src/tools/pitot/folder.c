/* folder - see folder.h. */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Another user's rights, by owner and mode; its groups are taken to be the right ones. */
static int write_error_of(const struct stat *st, const struct statvfs *fs, int64_t uid)
{
	mode_t want = S_IWOTH | S_IXOTH;

	if ((fs->f_flag & ST_RDONLY) != 0)
		return -EROFS;
	if (uid == 0)
		return 0;
	if ((int64_t)st->st_uid == uid)
		want = S_IWUSR | S_IXUSR;
	else if ((st->st_mode & (S_IWGRP | S_IXGRP)) == (S_IWGRP | S_IXGRP))
		want = 0;
	return (st->st_mode & want) == want ? 0 : -EACCES;
}

void folder_look(struct folder *f, const char *role, const char *path, int64_t uid)
{
	struct statvfs fs;
	struct stat st;

	*f = (struct folder){.role = role, .uid = -1, .free_part = 1, .inodes_part = 1};
	snprintf(f->path, sizeof(f->path), "%s", path);
	if (stat(path, &st) < 0 || statvfs(path, &fs) < 0) {
		f->error = -errno;
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		f->error = -ENOTDIR;
		return;
	}
	f->uid = st.st_uid;
	if (uid == (int64_t)geteuid())
		f->write_error =
		    faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
	else
		f->write_error = write_error_of(&st, &fs, uid);
	f->free_kb = (int64_t)(fs.f_bavail * (fs.f_frsize / 512) / 2);
	f->size_kb = (int64_t)(fs.f_blocks * (fs.f_frsize / 512) / 2);
	if (fs.f_blocks > 0)
		f->free_part = (double)fs.f_bavail / (double)fs.f_blocks;
	if (fs.f_files > 0)
		f->inodes_part = (double)fs.f_favail / (double)fs.f_files;
}
