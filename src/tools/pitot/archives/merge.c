/*
 * merge - `pitot archives merge`: the complete archives of one host and day become one archive.
 *
 *     pmlogextract   check, sync   write the plan     move in   remove the originals
 *     DIR/.merge/NAME              DIR/.merge/plan    DIR/NAME
 *
 * Readers of the folder do not see .merge. The plan is the list of the originals; it gets its name
 * when the new archive is complete, checked and on the disk. A call that is killed before that
 * leaves the originals, and the next call removes .merge; one that is killed later is finished by
 * the next call. At every moment the records are in the originals, in the new archive, or in both.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/file.h"
#include "libbase/timespec.h"
#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"
#include "tools/pitot/up/up.h"

static const char plan_name[] = "plan";

enum { MERGE_DAY = 16, MERGE_NAMES = 100, MERGE_WAIT_NS = 10000000 };

/* The paths of a merge. */
struct merge {
	const char *dir;
	char work[PATH_MAX]; /* DIR/.merge */
	char plan[PATH_MAX];
	char base[PATH_MAX]; /* of the new archive, in the work folder */
	char name[NAME_MAX];
};

static int put_path(char *path, const char *dir, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int sync_path(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || (fsync(fd) < 0 && errno != EINVAL) ? -errno : 0;
}

/*
 * The end of a merge
 */

static int unlink_listed(const struct merge *m, FILE *plan)
{
	char line[NAME_MAX + 2], path[PATH_MAX];

	while (fgets(line, sizeof(line), plan) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strchr(line, '/') != NULL || put_path(path, m->dir, line) < 0)
			return -EINVAL;
		if (unlink(path) < 0 && errno != ENOENT)
			return -errno;
	}
	return ferror(plan) ? -EIO : 0;
}

/* True if both names are of one file. */
static bool is_one_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Moves a file of the new archive. */
static int move_in(const struct merge *m, const char *name)
{
	char from[PATH_MAX], to[PATH_MAX];
	int r = put_path(from, m->work, name);

	if (r == 0)
		r = put_path(to, m->dir, name);
	if (r == 0)
		r = store_rename_new(from, to);
	/* Some file systems move by a second name: a call that was killed may have left both. */
	return r == -EEXIST && is_one_file(from, to) ? 0 : r;
}

/* Moves the files whose names end like metadata, or the others. */
static int move_files(const struct merge *m, bool meta)
{
	DIR *d = opendir(m->work);
	const struct dirent *e;
	int r = 0;

	if (d == NULL)
		return -errno;
	while (r == 0 && (e = readdir(d)) != NULL) {
		const char *dot = strrchr(e->d_name, '.');

		if (e->d_name[0] != '.' && dot != NULL && (strcmp(dot, ".meta") == 0) == meta)
			r = move_in(m, e->d_name);
	}
	closedir(d);
	return r;
}

/* Finishes what has a plan, and removes what has none. Returns 0 or -errno. */
static int merge_finish(const struct merge *m)
{
	FILE *plan = fopen(m->plan, "re");
	int r;

	if (plan == NULL)
		return errno == ENOENT ? file_remove_tree(m->work) : -errno;
	r = move_files(m, false);
	if (r == 0)
		r = move_files(m, true); /* now readers see the archive */
	if (r == 0)
		r = sync_path(m->dir);
	if (r == 0)
		r = unlink_listed(m, plan);
	fclose(plan);
	if (r == 0)
		r = sync_path(m->dir);
	return r == 0 ? file_remove_tree(m->work) : r;
}

/*
 * The new archive
 */

/* Runs pmlogextract. Returns 0; -EIO if it failed, after its messages. */
static int extract(const struct merge *m, const struct stored *const *group, size_t n)
{
	static const struct timespec pause = {0, MERGE_WAIT_NS};
	char **argv = calloc(n + 3, sizeof(*argv));
	char program[PLACE_PATH + 32];
	struct child child = {0};
	struct place place;
	size_t at = 0;
	int r;

	if (argv == NULL)
		return -ENOMEM;
	r = place_find(&place) < 0 ? -EIO : 0;
	snprintf(program, sizeof(program), "%s/bin/pmlogextract", place.prefix);
	argv[at++] = program;
	for (size_t i = 0; i < n; i++)
		argv[at++] = group[i]->files.base;
	argv[at] = (char *)m->base;
	if (r == 0)
		r = child_start(&child, argv, NULL, (uid_t)-1, (gid_t)-1);
	while (r == 0 && !child_ended(&child))
		nanosleep(&pause, NULL);
	free(argv);
	return r == 0 && child.status != 0 ? -EIO : r;
}

/* Gives a file the time of the last change of the originals, from which ages count. */
static int settle(const char *path, const struct timespec *changed)
{
	const struct timespec times[2] = {*changed, *changed};

	if (path == NULL)
		return 0;
	return utimensat(AT_FDCWD, path, times, 0) < 0 ? -errno : sync_path(path);
}

static int settle_all(const struct archive_files *files, const struct timespec *changed)
{
	int r = settle(files->meta, changed);

	if (r == 0)
		r = settle(files->index, changed);
	for (size_t i = 0; i < files->nvolumes && r == 0; i++)
		r = settle(files->volumes[i].path, changed);
	return r;
}

/* Checks the new archive: whole, and as long as the originals. Then makes it durable. */
static int verify(const struct merge *m, const struct stored *const *group, size_t n)
{
	struct timespec end = {0}, changed = {0};
	struct stored_folder f;
	int r = stored_folder_read(m->work, &f);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (timespec_before(&end, &group[i]->end))
			end = group[i]->end;
		if (timespec_before(&changed, &group[i]->changed))
			changed = group[i]->changed;
	}
	if (f.n == 1) {
		f.at[0].state = f.at[0].state == STORED_WRITTEN ? STORED_COMPLETE : f.at[0].state;
		check_archive(&f.at[0]);
	}
	if (f.n != 1 || f.at[0].state != STORED_COMPLETE ||
	    timespec_compare(&f.at[0].end, &end) != 0)
		r = PM_ERR_LOGREC;
	if (r == 0)
		r = settle_all(&f.at[0].files, &changed);
	stored_folder_done(&f);
	return r;
}

static void list_file(FILE *plan, const char *path)
{
	if (path != NULL)
		fprintf(plan, "%s\n", strrchr(path, '/') + 1);
}

/* The plan: of each original .meta first. */
static int write_plan(const struct merge *m, const struct stored *const *group, size_t n)
{
	char next[PATH_MAX];
	FILE *plan;
	bool good;

	if (put_path(next, m->work, "plan.new") < 0)
		return -ENAMETOOLONG;
	plan = fopen(next, "we");
	if (plan == NULL)
		return -errno;
	for (size_t i = 0; i < n; i++) {
		list_file(plan, group[i]->files.meta);
		list_file(plan, group[i]->files.index);
		for (size_t v = 0; v < group[i]->files.nvolumes; v++)
			list_file(plan, group[i]->files.volumes[v].path);
	}
	good = fflush(plan) == 0 && fsync(fileno(plan)) == 0;
	good = fclose(plan) == 0 && good;
	if (!good || sync_path(m->work) < 0 || sync_path(m->dir) < 0)
		return -EIO;
	return rename(next, m->plan) < 0 ? -errno : sync_path(m->work);
}

/*
 * Groups
 */

static const char *day_of(time_t when, char *text)
{
	struct tm tm;

	if (localtime_r(&when, &tm) == NULL || strftime(text, MERGE_DAY, "%Y%m%d", &tm) == 0)
		text[0] = '\0';
	return text;
}

static bool same_group(const struct stored *a, const struct stored *b)
{
	char x[MERGE_DAY], y[MERGE_DAY];

	return a->labelled && b->labelled && strcmp(a->label.host, b->label.host) == 0 &&
	       strcmp(day_of(a->label.start.tv_sec, x), day_of(b->label.start.tv_sec, y)) == 0;
}

/* The archives of a group that begins with this one; 0 if they stay as they are. */
static size_t take_group(const struct stored_folder *f, size_t first, const struct stored **group)
{
	const struct stored *s = &f->at[first];
	char day[MERGE_DAY], today[MERGE_DAY];
	size_t n = 0;

	day_of(s->label.start.tv_sec, day);
	if (!s->labelled || strcmp(day, day_of(clock_now().tv_sec, today)) >= 0)
		return 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!same_group(s, &f->at[i]))
			continue;
		if (i < first || f->at[i].state != STORED_COMPLETE)
			return 0;
		group[n++] = &f->at[i];
	}
	return n > 1 ? n : 0;
}

/* A name that no archive of the folder has: the day, with a number if necessary. */
static bool choose_name(struct merge *m, const struct stored_folder *f, const struct stored *s)
{
	char day[MERGE_DAY];

	day_of(s->label.start.tv_sec, day);
	for (int number = 0; number < MERGE_NAMES; number++) {
		bool taken = false;

		if (number == 0)
			snprintf(m->name, sizeof(m->name), "%s", day);
		else
			snprintf(m->name, sizeof(m->name), "%s-%d", day, number);
		for (size_t i = 0; i < f->n && !taken; i++)
			taken = strcmp(f->at[i].name, m->name) == 0;
		if (!taken)
			return put_path(m->base, m->work, m->name) == 0;
	}
	return false;
}

static int merge_group(struct merge *m, const struct stored *const *group, size_t n)
{
	int r = mkdir(m->work, 0777) < 0 ? -errno : 0;

	if (r == 0)
		r = extract(m, group, n);
	if (r == 0)
		r = verify(m, group, n);
	if (r == 0)
		r = write_plan(m, group, n);
	if (r == 0)
		r = merge_finish(m);
	else if (access(m->plan, F_OK) < 0)
		file_remove_tree(m->work);
	if (r < 0) {
		pitot_complain("archives: the archives of %s remain unmerged", m->name);
		return stored_failed(m->dir, r);
	}
	printf("%s/%s: merged from %zu archives\n", m->dir, m->name, n);
	return PITOT_OK;
}

static int merge_archives(struct merge *m, const struct stored_folder *f)
{
	const struct stored **group = calloc(f->n + 1, sizeof(*group));
	int status = PITOT_OK;

	if (group == NULL)
		return stored_failed(m->dir, -ENOMEM);
	for (size_t i = 0; i < f->n; i++) {
		size_t n = take_group(f, i, group);

		if (n > 0 && choose_name(m, f, group[0]) && merge_group(m, group, n) != PITOT_OK)
			status = PITOT_FAILED;
	}
	free(group);
	return status;
}

int merge_folder(const struct archives_options *o, const char *dir)
{
	AUTO_FD int lock = stored_lock(dir);
	struct merge m = {.dir = dir};
	struct stored_folder f;
	int r;

	(void)o;
	if (lock < 0)
		return PITOT_FAILED;
	r = put_path(m.work, dir, ".merge");
	if (r == 0)
		r = put_path(m.plan, m.work, plan_name);
	if (r == 0)
		r = merge_finish(&m);
	if (r == 0)
		r = stored_folder_read(dir, &f);
	if (r < 0)
		return stored_failed(dir, r);
	r = merge_archives(&m, &f);
	stored_folder_done(&f);
	return r;
}
