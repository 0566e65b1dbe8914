/* recorder - see recorder.h. */
#include "daemons/pmlogger/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"
#include "libstore/archive_files.h"
#include "libstore/archive_sync.h"

enum {
	MARK_NS = 1000000,
	NS_PER_S = 1000000000,
	SUFFIXES = 99, /* of names of archives that are taken */
};

/*
 * Names of archives
 */

int archive_base_init(struct archive_base *b, const char *given)
{
	*b = (struct archive_base){.given = given};
	if (given[0] == '/')
		return 0;
	return getcwd(b->dir, sizeof(b->dir)) == NULL ? -errno : 0;
}

int archive_base_name(struct archive_base *b, time_t when, int n)
{
	char text[PATH_MAX], suffix[8] = "";
	struct tm tm;
	int len;

	if (n > SUFFIXES)
		return -EEXIST;
	if (n > 0)
		snprintf(suffix, sizeof(suffix), "-%02d", n - 1);
	if (!archive_base_is_template(b)) {
		if (strlen(b->given) >= sizeof(text))
			return -ENAMETOOLONG;
		strcpy(text, b->given);
	} else if (strftime(text, sizeof(text), b->given, localtime_r(&when, &tm)) == 0) {
		return -EINVAL;
	}
	len = snprintf(b->name, sizeof(b->name), "%s%s%s%s", b->dir, b->dir[0] != '\0' ? "/" : "",
		       text, suffix);
	return len < 0 || (size_t)len >= sizeof(b->name) ? -ENAMETOOLONG : 0;
}

/*
 * Times
 */

static struct timespec plus_ns(struct timespec t, long ns)
{
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / NS_PER_S;
	t.tv_nsec %= NS_PER_S;
	return t;
}

static int64_t ms_between(const struct timespec *from, const struct timespec *to)
{
	return ((int64_t)to->tv_sec - from->tv_sec) * 1000 +
	       (to->tv_nsec - from->tv_nsec) / 1000000;
}

static int local_day(time_t t)
{
	struct tm tm;

	return localtime_r(&t, &tm)->tm_yday;
}

struct archive_writer_state recorder_state(const struct recorder *r)
{
	if (r->w == NULL)
		return (struct archive_writer_state){.base = r->base.name};
	return archive_writer_state(r->w);
}

/*
 * Sync
 */

static void on_sync_work(uv_work_t *work)
{
	struct recorder *r = work->data;

	archive_sync_run(r->sync);
}

static void say_sync_failed(struct recorder *r, int err)
{
	if (!r->sync_failed_said)
		pmNotifyErr(LOG_ERR, "Cannot sync archive: path=\"%s\", error=%s", r->base.name,
			    pmErrStr(err));
	r->sync_failed_said = true;
}

/* Of an archive that goes on, or of one that has ended. */
static void on_sync_done(uv_work_t *work, int status)
{
	struct recorder *r = work->data;
	struct archive_writer *w = r->sync_of;
	int err = archive_writer_sync_end(w, TAKE(r->sync));

	r->sync_of = NULL;
	if (err < 0 && err != -ECANCELED)
		say_sync_failed(r, err);
	if (w != r->w)
		archive_writer_abandon(w);
	else if (archive_writer_state(w).finished)
		r->roll_owed = true; /* its metadata was lost */
}

static int sync_begin(struct recorder *r, struct archive_writer *w)
{
	int err = archive_writer_sync_begin(w, &r->sync);

	if (err <= 0)
		return err;
	r->sync_of = w;
	r->sync_work.data = r;
	err = uv_queue_work(r->loop, &r->sync_work, on_sync_work, on_sync_done);
	if (err == 0)
		return 1;
	archive_writer_sync_end(w, TAKE(r->sync));
	r->sync_of = NULL;
	return err;
}

static void on_sync_timer(uv_timer_t *timer)
{
	struct recorder *r = timer->data;

	if (r->w == NULL || r->sync != NULL)
		return;
	if (sync_begin(r, r->w) < 0)
		say_sync_failed(r, -EIO);
}

/*
 * Pause
 */

static void pause_for(struct recorder *r, int err)
{
	struct timespec mark = plus_ns(r->last, MARK_NS);

	r->pause_error = err;
	if (r->paused)
		return;
	r->paused = true;
	pmNotifyErr(LOG_ERR, "Cannot write archive, recording pauses: path=\"%s\", error=%s",
		    r->base.name, pmErrStr(err));
	if (archive_writer_mark(r->w, &mark) == 0)
		r->last = mark;
	else
		r->mark_owed = true;
}

static void drop_pending(struct recorder *r)
{
	if (r->pending != NULL)
		pmFreeHighResResult(r->pending);
	r->pending = NULL;
}

static void resume(struct recorder *r)
{
	if (r->paused)
		pmNotifyErr(LOG_INFO, "Recording goes on: path=\"%s\"", r->base.name);
	r->paused = false;
	drop_pending(r);
}

/* A mark and the result, where one is owed. */
static int recorder_put(struct recorder *r, const struct timespec *stamp,
			const pmHighResResult *result)
{
	struct timespec mark = plus_ns(r->last, MARK_NS);
	int err = 0;

	if (r->mark_owed && r->last.tv_sec != 0 && ms_between(&mark, stamp) >= 0) {
		err = archive_writer_mark(r->w, &mark);
		if (err == 0)
			r->last = mark;
	}
	if (err == 0)
		err = archive_writer_result(r->w, stamp, result->vset, (uint32_t)result->numpmid);
	if (err < 0)
		return err;
	r->mark_owed = false;
	r->last = *stamp;
	r->last_mono_ms = timing_boot_ms();
	return 0;
}

static void on_retry_timer(uv_timer_t *timer)
{
	struct recorder *r = timer->data;
	struct timespec stamp;

	if (!r->paused || r->pending == NULL)
		return;
	stamp = r->pending->timestamp;
	if (ms_between(&r->last, &stamp) < 0)
		stamp = r->last;
	if (recorder_put(r, &stamp, r->pending) == 0)
		resume(r);
}

/*
 * Archives
 */

int recorder_init(struct recorder *r, uv_loop_t *loop, const char *base,
		  const struct log_label *label)
{
	int err;

	r->loop = loop;
	r->label = *label;
	metadata_init(&r->metadata);
	err = archive_base_init(&r->base, base);
	if (err < 0)
		return err;
	uv_timer_init(loop, &r->sync_timer);
	uv_timer_init(loop, &r->retry_timer);
	r->sync_timer.data = r->retry_timer.data = r;
	timing_arm(&r->sync_timer, on_sync_timer, RECORDER_SYNC_MS, RECORDER_SYNC_MS);
	timing_arm(&r->retry_timer, on_retry_timer, RECORDER_RETRY_MS, RECORDER_RETRY_MS);
	return 0;
}

/* A name that no archive has; n is where to begin. */
static int new_writer(struct recorder *r, time_t when, int n, bool more)
{
	int err;

	do {
		err = archive_base_name(&r->base, when, n++);
		if (err == 0)
			err = archive_writer_new(r->base.name, &r->label, &r->w);
	} while (err == -EEXIST && more && n < 100);
	return err;
}

/* Reports which file is in the way. */
static void report_existing(const char *base)
{
	struct archive_files files;
	const char *path = NULL;

	if (archive_files_members(base, &files) < 0)
		return;
	if (files.index != NULL)
		path = files.index;
	else if (files.meta != NULL)
		path = files.meta;
	else if (files.nvolumes > 0)
		path = files.volumes[0].path;
	if (path != NULL)
		fprintf(stderr, "__pmLogNewFile: \"%s\" already exists, not over-written\n", path);
	archive_files_done(&files);
}

static int recorder_begin_next(struct recorder *r, const struct timespec *stamp, bool again)
{
	bool more = archive_base_is_template(&r->base) || again;
	int err = new_writer(r, stamp->tv_sec, 0, more);

	if (err == -EEXIST)
		report_existing(r->base.given);
	if (err < 0) {
		fprintf(stderr, "__pmLogCreate(%s, %s, ...): %s\n", r->label.host, r->base.given,
			err == -EEXIST ? "File exists" : pmErrStr(err));
		return err;
	}
	drop_pending(r); /* its metadata is in another one */
	metadata_restart(&r->metadata);
	r->began_day = local_day(stamp->tv_sec);
	r->mark_owed = r->roll_owed = false;
	r->next_volume = 0;
	err = prologue_write(r->w, &r->who, r->base.name, stamp);
	if (err < 0) {
		pmNotifyErr(LOG_ERR, "Cannot write archive: path=\"%s\", error=%s", r->base.name,
			    pmErrStr(err));
		return err;
	}
	r->last = *stamp;
	r->last_mono_ms = timing_boot_ms();
	if (r->begun != NULL)
		r->begun(r->arg);
	return 0;
}

int recorder_begin(struct recorder *r, const struct timespec *stamp)
{
	return recorder_begin_next(r, stamp, false);
}

/* The archive ends, and its sync is not waited for. */
static void recorder_let_go(struct recorder *r)
{
	struct archive_writer *w = TAKE(r->w);

	archive_writer_finish(w);
	if (r->sync != NULL)
		return; /* what is under way abandons it; the rest the system writes when it likes
			 */
	if (sync_begin(r, w) <= 0)
		archive_writer_abandon(w);
}

static bool is_over(const struct recorder *r, const struct timespec *stamp)
{
	if (r->roll_owed || ms_between(stamp, &r->last) > RECORDER_JUMP_MS)
		return true;
	if (!archive_base_is_template(&r->base))
		return false;
	return local_day(stamp->tv_sec) != r->began_day ||
	       archive_writer_state(r->w).meta_size > RECORDER_META_MAX;
}

/* The clock was set ahead: the time in between did not exist. */
static bool has_jumped(const struct recorder *r, const struct timespec *stamp)
{
	int64_t wall = ms_between(&r->last, stamp);
	int64_t real = (int64_t)(timing_boot_ms() - r->last_mono_ms);

	return wall - real > RECORDER_JUMP_MS;
}

bool recorder_turn_over(struct recorder *r, const struct timespec *stamp)
{
	struct timespec epilogue = plus_ns(r->last, MARK_NS);

	if (r->w == NULL)
		return recorder_begin_next(r, stamp, true) == 0;
	if (!is_over(r, stamp)) {
		r->mark_owed |= has_jumped(r, stamp);
		return false;
	}
	if (!r->paused)
		prologue_write(r->w, &r->who, r->base.name, &epilogue);
	recorder_let_go(r);
	return recorder_begin_next(r, stamp, true) == 0;
}

/* The metrics of the archive itself. */
static void rename_derived(pmHighResResult *result)
{
	for (int i = 0; i < result->numpmid; i++)
		result->vset[i]->pmid = metadata_pmid(result->vset[i]->pmid);
}

int recorder_write(struct recorder *r, struct fetch_group *g, const struct logging_task *task,
		   pmHighResResult *result, const struct meta_query *answers)
{
	struct timespec stamp = result->timestamp;
	int err;

	if (r->w == NULL) {
		pmFreeHighResResult(result);
		return -ENOSPC;
	}
	if (ms_between(&r->last, &stamp) < 0 ||
	    (stamp.tv_sec == r->last.tv_sec && stamp.tv_nsec < r->last.tv_nsec))
		stamp = r->last; /* a clock set back by less than a second */
	err = metadata_write(&r->metadata, r->w, answers, &stamp);
	if (err == 0)
		err = metadata_remember(&r->metadata, g, task, result);
	rename_derived(result);
	if (err == 0)
		err = recorder_put(r, &stamp, result);
	if (err == 0) {
		resume(r);
		pmFreeHighResResult(result);
		return 0;
	}
	if (err == -EEXIST || err == -ESTALE)
		r->roll_owed = true;
	pause_for(r, err);
	drop_pending(r);
	r->pending = result;
	return err;
}

int recorder_describe(struct recorder *r, const struct meta_query *answers)
{
	int err = r->w == NULL ? -ENOSPC : metadata_write(&r->metadata, r->w, answers, &r->last);

	if (err == 0)
		metadata_known(&r->metadata, answers);
	else
		metadata_forget(&r->metadata, answers);
	return err;
}

void recorder_mark(struct recorder *r)
{
	r->mark_owed = true;
}

int recorder_volume(struct recorder *r, const char *cause)
{
	char when[32];
	time_t now = timing_now().tv_sec;
	int n = r->w != NULL ? archive_writer_volume(r->w) : -ENOSPC;

	if (n < 0)
		pmNotifyErr(LOG_ERR, "Cannot begin a volume: path=\"%s\", error=%s", r->base.name,
			    pmErrStr(n));
	else
		r->next_volume = n;
	if (n >= 0)
		fprintf(stderr, "New log volume %d, via %s at %s", n, cause, ctime_r(&now, when));
	return n;
}

static void close_timers(struct recorder *r)
{
	timing_close(&r->sync_timer, NULL);
	timing_close(&r->retry_timer, NULL);
}

void recorder_end(struct recorder *r, const struct timespec *stamp)
{
	struct timespec last = plus_ns(r->last, MARK_NS);
	int err = 0;

	close_timers(r);
	while (r->sync != NULL)
		uv_run(r->loop, UV_RUN_ONCE);
	if (stamp != NULL && ms_between(&r->last, stamp) > 0)
		last = *stamp;
	if (r->w != NULL) {
		prologue_write(r->w, &r->who, r->base.name, &last);
		err = archive_writer_end(TAKE(r->w));
	}
	if (err < 0)
		pmNotifyErr(LOG_ERR, "Cannot end archive: path=\"%s\", error=%s", r->base.name,
			    pmErrStr(err));
	drop_pending(r);
	metadata_done(&r->metadata);
}
