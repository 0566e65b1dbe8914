/* compress - see compress.h. */
#include "daemons/pmlogger/compress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemons/pmlogger/folder.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/reexec.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"
#include "libstore/archive_files.h"

enum { NICE = 19, IO_WHO_PROCESS = 1, IO_CLASS_IDLE = 3 << 13 };

/* How the child ends that did not compress: what may succeed later, and what never will. */
enum { EXIT_NOT_NOW = 2, EXIT_NO_LIBRARY };

static const char *const form_names[] = {[ARCHIVE_XZ] = "xz", [ARCHIVE_ZST] = "zst"};

/*
 * Looking, in a thread
 */

static bool has_failed(const struct compress *c, const char *path)
{
	for (size_t i = 0; i < c->nfailed; i++) {
		if (strcmp(c->failed[i].path, path) == 0)
			return true;
	}
	return false;
}

/* The first plain volume below a number that is worth a try. */
static bool find_volume(struct compress *c, const char *base, int below)
{
	struct archive_files files;
	bool found = false;

	if (archive_files_members(base, &files) < 0)
		return false;
	for (size_t i = 0; i < files.nvolumes && !found; i++) {
		const struct archive_volume *v = &files.volumes[i];

		found = v->number < below && archive_files_suffix(v->path) == 0 &&
			strlen(v->path) < sizeof(c->path) && !has_failed(c, v->path);
		if (found)
			strcpy(c->path, v->path);
	}
	archive_files_done(&files);
	return found;
}

static bool look_at(struct compress *c, const char *base)
{
	struct timespec changed;

	if (strcmp(base, c->base) == 0)
		return find_volume(c, base, c->volume);
	return !c->alone && folder_is_left(base, c->host, &changed) &&
	       find_volume(c, base, INT_MAX);
}

static void compress_on_work(uv_work_t *work)
{
	struct compress *c = work->data;
	char **bases;
	int n = archive_files_list(c->dir, &bases);
	bool found = false;

	c->path[0] = '\0';
	for (int i = 0; i < n; i++) {
		found = found || look_at(c, bases[i]);
		free(bases[i]);
	}
	if (n >= 0)
		free(bases);
}

/*
 * Packing, in a child
 */

static void remember_failed(struct compress *c, bool for_now)
{
	struct compress_failed *failed = reallocarray(c->failed, c->nfailed + 1, sizeof(*failed));
	char *path = failed != NULL ? strdup(c->path) : NULL;

	if (failed != NULL)
		c->failed = failed;
	if (path != NULL)
		failed[c->nfailed++] = (struct compress_failed){path, for_now};
}

/* Where there was no room there may be some now. */
static void forget_failed(struct compress *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nfailed; i++) {
		if (c->failed[i].for_now)
			free(c->failed[i].path);
		else
			c->failed[n++] = c->failed[i];
	}
	c->nfailed = n;
}

static void compress_give_up(struct compress *c)
{
	pmNotifyErr(LOG_WARNING,
		    "Volumes stay as they are: there is no library that compresses: form=\"%s\"",
		    form_names[c->form]);
	c->given_up = true;
}

static void compress_on_closed(uv_handle_t *handle)
{
	struct compress *c = handle->data;

	c->state = COMPRESS_IDLE;
	compress_look(c);
}

static void on_exit_of_child(uv_process_t *child, int64_t status, int sig)
{
	struct compress *c = child->data;

	if (sig == 0 && status == EXIT_SUCCESS) {
		forget_failed(c);
	} else {
		remember_failed(c, sig == 0 && status == EXIT_NOT_NOW);
		archive_compress_clean(c->path);
	}
	if (sig == 0 && status == EXIT_NO_LIBRARY)
		compress_give_up(c);
	if (sig != 0 && !c->over)
		pmNotifyErr(LOG_WARNING, "Compression was killed: path=\"%s\", signal=%d", c->path,
			    sig);
	uv_close((uv_handle_t *)child, compress_on_closed);
}

static int compress_spawn(struct compress *c)
{
	char form[32], file[PATH_MAX + 32];
	char *args[] = {(char *)pmGetProgname(), form, file, NULL};
	uv_stdio_container_t io[] = {
	    {.flags = UV_IGNORE}, {.flags = UV_IGNORE}, {.flags = UV_INHERIT_FD, .data.fd = 2}};
	uv_process_options_t o = {.file = reexec_program(),
				  .args = args,
				  .stdio = io,
				  .stdio_count = 3,
				  .exit_cb = on_exit_of_child};

	snprintf(form, sizeof(form), "--compress=%s", form_names[c->form]);
	snprintf(file, sizeof(file), "--compress-file=%s", c->path);
	c->child.data = c;
	return uv_spawn(c->recorder->loop, &c->child, &o);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* An archive may have begun while the thread looked. */
static bool is_written(const struct compress *c)
{
	struct archive_writer_state s = recorder_state(c->recorder);
	const char *base = last_part(s.base), *path = last_part(c->path);
	size_t len = strlen(base);

	return c->recorder->w != NULL && strncmp(path, base, len) == 0 && path[len] == '.' &&
	       strtol(path + len + 1, NULL, 10) >= s.volume;
}

static void compress_on_looked(uv_work_t *work, int status)
{
	struct compress *c = work->data;
	int r;

	(void)status;
	c->state = COMPRESS_IDLE;
	if (c->over)
		return;
	if (c->path[0] == '\0' || is_written(c)) {
		if (c->again)
			compress_look(c);
		return;
	}
	c->state = COMPRESS_PACKS;
	r = compress_spawn(c);
	if (r < 0) {
		if (r != c->spawn_error)
			pmNotifyErr(LOG_WARNING, "Cannot start compression: path=\"%s\", error=%s",
				    c->path, uv_strerror(r));
		c->spawn_error = r;
		remember_failed(c, true);
		uv_close((uv_handle_t *)&c->child, compress_on_closed);
	}
}

/*
 * In the loop
 */

void compress_look(struct compress *c)
{
	if (!c->started || c->over || c->given_up)
		return;
	c->again = c->state != COMPRESS_IDLE;
	if (c->again)
		return;
	if (c->recorder->w != NULL) {
		c->volume = recorder_state(c->recorder).volume;
		snprintf(c->base, sizeof(c->base), "%s", c->recorder->base.name);
		folder_of(c->base, c->dir, sizeof(c->dir));
	}
	c->alone = c->keep->repair;
	c->work.data = c;
	if (uv_queue_work(c->recorder->loop, &c->work, compress_on_work, compress_on_looked) == 0)
		c->state = COMPRESS_LOOKS;
}

void compress_wrote(struct compress *c, int volume)
{
	if (volume == c->seen_volume)
		return;
	c->seen_volume = volume;
	compress_look(c);
}

void compress_start(struct compress *c, const struct options *o, struct recorder *recorder,
		    const struct keep *keep)
{
	c->recorder = recorder;
	c->keep = keep;
	c->form = o->form;
	c->started = o->compress;
	snprintf(c->host, sizeof(c->host), "%s", recorder->label.host);
	if (c->started)
		uv_timer_init(recorder->loop, &c->limit);
}

static void compress_on_limit(uv_timer_t *timer)
{
	struct compress *c = timer->data;

	c->over = true;
	pmNotifyErr(LOG_INFO, "Compression is left to the next recorder: path=\"%s\"", c->path);
	if (c->state == COMPRESS_PACKS)
		uv_process_kill(&c->child, SIGKILL);
}

void compress_stop(struct compress *c, bool hasty)
{
	if (!c->started)
		return;
	c->volume = INT_MAX;
	c->limit.data = c;
	compress_look(c);
	timing_arm(&c->limit, compress_on_limit, hasty ? 0 : COMPRESS_END_MS, 0);
	while (c->state != COMPRESS_IDLE)
		uv_run(c->recorder->loop, UV_RUN_ONCE);
	c->started = false;
	timing_close(&c->limit, NULL);
	for (size_t i = 0; i < c->nfailed; i++)
		free(c->failed[i].path);
	free(c->failed);
}

/*
 * The child
 */

static int compress_status_of(int err)
{
	static const int later[] = {-EBUSY, -ENOSPC, -EDQUOT, -ENOMEM, -EMFILE, -ENFILE};

	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		if (err == later[i])
			return EXIT_NOT_NOW;
	}
	return err == -ENOSYS ? EXIT_NO_LIBRARY : EXIT_FAILURE;
}

int compress_file(const char *path, enum archive_form form)
{
	struct stat before, after;
	char packed[PATH_MAX + 8];
	int r;

	setpriority(PRIO_PROCESS, 0, NICE);
	syscall(SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_CLASS_IDLE);
	if (stat(path, &before) < 0)
		before.st_size = 0;
	r = archive_compress(path, form);
	if (r < 0) {
		pmNotifyErr(LOG_WARNING, "Cannot compress: path=\"%s\", error=%s", path,
			    r == -ENOSYS ? "no library for that" : pmErrStr(r));
		return compress_status_of(r);
	}
	snprintf(packed, sizeof(packed), "%s.%s", path, form_names[form]);
	if (stat(packed, &after) == 0)
		pmNotifyErr(LOG_INFO, "Compressed: path=\"%s\", bytes=%lld, was=%lld", packed,
			    (long long)after.st_size, (long long)before.st_size);
	return EXIT_SUCCESS;
}
