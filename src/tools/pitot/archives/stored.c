/*
 * stored - the archives of a folder, and whether each is complete, being written, or damaged.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/hostid.h"
#include "libbase/timespec.h"
#include "libstore/archive.h"
#include "libstore/member.h"
#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"

enum { RECENT_S = 60 }; /* an archive of another host that changed in this time is being written */

void stored_damaged(struct stored *s, const char *fmt, ...)
{
	va_list ap;

	if (s->state == STORED_DAMAGED)
		return;
	s->state = STORED_DAMAGED;
	va_start(ap, fmt);
	vsnprintf(s->reason, sizeof(s->reason), fmt, ap);
	va_end(ap);
}

int stored_failed(const char *path, int sts)
{
	char text[PM_MAXERRMSGLEN];

	pitot_complain("archives: %s: %s", path, pmErrStr_r(sts, text, sizeof(text)));
	return PITOT_FAILED;
}

/*
 * One archive
 */

static void take_file(struct stored *s, const char *path)
{
	struct stat st;

	if (path == NULL || stat(path, &st) < 0)
		return;
	s->bytes += (uint64_t)st.st_size;
	if (timespec_before(&s->changed, &st.st_mtim))
		s->changed = st.st_mtim;
}

static void read_label(struct stored *s, const char *path)
{
	struct member *m;
	const uint8_t *head;
	size_t left = 0;

	if (path == NULL || member_open_lazy(path, &m) < 0)
		return;
	head = member_at(m, 0, LOG_LABEL_LEN_V2, &left);
	if (head != NULL && left < LOG_LABEL_LEN_V3 && member_size_to(m, LOG_LABEL_LEN_V3) > left)
		head = member_at(m, 0, LOG_LABEL_LEN_V3, &left);
	s->labelled = head != NULL && log_label_decode(head, left, &s->label) == 0;
	member_close(m);
}

static bool runs_since(pid_t pid, const struct timespec *changed)
{
	struct process p;
	int64_t age_ms;

	if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
		return false;
	if (!process_read(pid, &p) || p.start_ms < 0)
		return true;
	age_ms = (int64_t)clock_boot_ms() - p.start_ms;
	/* The start is known to a hundredth of a second: a second is added. */
	return clock_now().tv_sec - age_ms / 1000 <= changed->tv_sec + 1;
}

static bool is_written(const struct stored *s)
{
	char host[HOSTID_TEXT_MAX];

	if (!s->labelled)
		return false;
	if (runs_since(s->label.pid, &s->changed))
		return true;
	hostid_name(host, sizeof(host));
	return !log_label_has_host(&s->label, host) &&
	       s->changed.tv_sec > clock_now().tv_sec - RECENT_S;
}

/* Looks at the files, the label, and the end. */
static void stored_examine(struct stored *s)
{
	take_file(s, s->files.meta);
	take_file(s, s->files.index);
	for (size_t i = 0; i < s->files.nvolumes; i++) {
		take_file(s, s->files.volumes[i].path);
		s->packed += archive_files_suffix(s->files.volumes[i].path) > 0;
	}
	if (s->files.nvolumes > 0)
		read_label(s, s->files.volumes[0].path);
	if (!s->labelled)
		read_label(s, s->files.meta);
	if (is_written(s))
		s->state = STORED_WRITTEN;
}

/* True if the last volume goes on after the last whole record, and is not compressed. */
static bool is_torn(const struct stored *s, struct archive *a)
{
	const struct archive_volume *last = &s->files.volumes[s->files.nvolumes - 1];
	struct archive_head head, next;
	struct stat st;
	int sts = archive_head_seek(a, &s->end, &head);

	if (sts != 1 || archive_files_suffix(last->path) > 0 || stat(last->path, &st) < 0)
		return sts < 0;
	while ((sts = archive_head_next(a, &head, &next)) == 1)
		head = next;
	if (sts < 0)
		return true;
	return (uint64_t)st.st_size > (head.place.volume == last->number
					   ? head.place.end
					   : log_label_len(s->label.version));
}

/* Finds the end; an archive that cannot be opened is damaged. */
static void stored_open(struct stored *s)
{
	char text[PM_MAXERRMSGLEN];
	const struct archive_volume *last;
	struct archive *a;
	int sts;

	if (s->files.meta == NULL || s->files.nvolumes == 0) {
		if (s->state != STORED_WRITTEN)
			stored_damaged(s, s->files.meta == NULL ? "the metadata is missing"
								: "there is no volume");
		return;
	}
	last = &s->files.volumes[s->files.nvolumes - 1];
	sts = archive_open(s->files.base, 0, &a);
	if (sts == 0) {
		sts = archive_end(a, &s->end);
		if (sts == 0 && s->state != STORED_WRITTEN &&
		    (archive_end_is_torn(a) || is_torn(s, a)))
			stored_damaged(s, "%s: it ends in the middle of a record", last->path);
		archive_close(a);
	}
	if (sts < 0 && s->state != STORED_WRITTEN)
		stored_damaged(s, "%s", pmErrStr_r(sts, text, sizeof(text)));
}

/*
 * The folder
 */

/* Returns 0, -ENOMEM, -errno. */
static int add_base(struct stored_folder *f, const char *base)
{
	struct stored s = {.state = STORED_COMPLETE}, *at;
	int r = archive_files_members(base, &s.files);

	if (r < 0)
		return r;
	stored_examine(&s);
	at = s.files.meta != NULL || s.labelled ? reallocarray(f->at, f->n + 1, sizeof(*at)) : NULL;
	if (at == NULL) {
		r = s.files.meta != NULL || s.labelled ? -ENOMEM : 0;
		archive_files_done(&s.files);
		return r;
	}
	f->at = at;
	s.name = strrchr(s.files.base, '/') + 1;
	at[f->n++] = s;
	return 0;
}

/* Adds the archive that a file is a member of, unless it is known. */
static int add_member(struct stored_folder *f, const char *dir, const char *file)
{
	AUTO_FREE char *path = NULL;
	AUTO_FREE char *base = NULL;
	int r;

	if (asprintf(&path, "%s/%s", dir, file) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	r = archive_files_base(path, &base);
	if (r < 0)
		return r;
	r = strcmp(base, path) == 0;
	for (size_t i = 0; i < f->n && r == 0; i++)
		r = strcmp(f->at[i].files.base, base) == 0;
	return r == 0 ? add_base(f, base) : 0;
}

/* A recorder writes one archive at a time. */
static void keep_last_written(struct stored_folder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct stored *s = &f->at[i];

		for (size_t j = 0; j < f->n && s->state == STORED_WRITTEN; j++) {
			const struct stored *other = &f->at[j];

			if (other->labelled && other->label.pid == s->label.pid &&
			    strcmp(other->label.host, s->label.host) == 0 &&
			    timespec_before(&s->changed, &other->changed))
				s->state = STORED_COMPLETE;
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct stored *x = a, *y = b;

	if (timespec_before(&x->label.start, &y->label.start))
		return -1;
	if (timespec_before(&y->label.start, &x->label.start))
		return 1;
	return strcmp(x->files.base, y->files.base);
}

int stored_folder_read(const char *dir, struct stored_folder *ret_folder)
{
	struct stored_folder f = {NULL};
	DIR *d = opendir(dir);
	const struct dirent *e;
	int r = 0;

	if (d == NULL)
		return -errno;
	while (r == 0 && (e = readdir(d)) != NULL)
		r = e->d_name[0] != '.' ? add_member(&f, dir, e->d_name) : 0;
	closedir(d);
	if (r < 0) {
		stored_folder_done(&f);
		return r;
	}
	keep_last_written(&f);
	for (size_t i = 0; i < f.n; i++)
		stored_open(&f.at[i]);
	if (f.n > 0)
		qsort(f.at, f.n, sizeof(*f.at), by_start);
	*ret_folder = f;
	return 0;
}

void stored_folder_done(struct stored_folder *f)
{
	for (size_t i = 0; i < f->n; i++)
		archive_files_done(&f->at[i].files);
	free(f->at);
	*f = (struct stored_folder){NULL};
}

int stored_lock(const char *dir)
{
	AUTO_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		stored_failed(dir, -errno);
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		pitot_complain("archives: %s: another pitot archives is at work on this folder",
			       dir);
		return -1;
	}
	return TAKE_FD(fd);
}
