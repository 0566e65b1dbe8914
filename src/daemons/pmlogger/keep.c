/* keep - see keep.h. */
#include "daemons/pmlogger/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/folder.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/timing.h"
#include "libstore/archive_files.h"
#include "libstore/archive_keep.h"
#include "libstore/archive_repair.h"

enum {
	REPAIR_NEWEST = 3,   /* archives of a folder that are looked at */
	KEEP_AUTO_PART = 20, /* of the disk */
};

static const uint64_t auto_min = 1ull << 20, auto_max = 2ull << 30;

struct candidate {
	char *base;
	struct timespec changed;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Keeps the newest, newest first. */
static void remember(struct candidate *list, char *base, const struct timespec *changed)
{
	for (int i = 0; i < REPAIR_NEWEST; i++) {
		if (list[i].base != NULL && !is_later(changed, &list[i].changed))
			continue;
		memmove(&list[i + 1], &list[i], (size_t)(REPAIR_NEWEST - 1 - i) * sizeof(*list));
		list[i] = (struct candidate){base, *changed};
		return;
	}
}

static void repair_one(const char *base)
{
	struct archive_repair done;
	int r = archive_repair(base, &done);

	if (r < 0)
		pmNotifyErr(LOG_WARNING, "Cannot repair archive: path=\"%s\", error=%s", base,
			    pmErrStr(r));
	else if (done.removed)
		pmNotifyErr(LOG_INFO, "Archive without a record removed: path=\"%s\"", base);
	else if (done.meta_cut + done.data_cut > 0 || done.index_written)
		pmNotifyErr(LOG_INFO, "Archive repaired: path=\"%s\", %llu bytes cut", base,
			    (unsigned long long)(done.meta_cut + done.data_cut));
}

/* An archive that a dead recorder of this host left. */
static void repair(const struct keep *k)
{
	struct candidate list[REPAIR_NEWEST + 1] = {0};
	char **bases;
	int n = archive_files_list(k->dir, &bases);

	for (int i = 0; i < n; i++) {
		struct timespec changed;

		if (strcmp(bases[i], k->base) != 0 && folder_is_left(bases[i], k->host, &changed))
			remember(list, bases[i], &changed);
	}
	for (int i = 0; i < REPAIR_NEWEST && list[i].base != NULL; i++)
		repair_one(list[i].base);
	for (int i = 0; i < n; i++)
		free(bases[i]);
	if (n >= 0)
		free(bases);
}

/* --keep-size=auto */
static uint64_t share_of_disk(const char *dir)
{
	uint64_t share = auto_max;
	struct statvfs fs;

	if (statvfs(dir, &fs) == 0)
		share = (uint64_t)fs.f_blocks * fs.f_frsize / KEEP_AUTO_PART;
	if (share < auto_min)
		return auto_min;
	return share < auto_max ? share : auto_max;
}

static void keep_on_work(uv_work_t *work)
{
	struct keep *k = work->data;
	struct archive_caps caps = {.bytes = k->bytes,
				    .age_s = k->age_s,
				    .host = k->host,
				    .writing = k->base,
				    .writing_volume = k->volume};
	struct timespec now = timing_now();
	struct archive_kept kept = {0};

	archive_remains_remove(k->dir, k->host,
			       &now); /* an archive without an owner takes room, too */
	if (k->repair)
		repair(k);
	if (k->of_disk)
		caps.bytes = share_of_disk(k->dir);
	k->err = 0;
	if (caps.bytes > 0 || k->age_s > 0)
		k->err = archive_keep(k->dir, &caps, &now, &kept);
	k->removed = kept.removed_files;
}

static void on_done(uv_work_t *work, int status)
{
	struct keep *k = work->data;
	static int said;

	(void)status;
	k->busy = k->repair = false;
	if (k->removed > 0)
		pmNotifyErr(LOG_INFO, "Over the caps: %llu old files removed",
			    (unsigned long long)k->removed);
	if (k->err < 0 && k->err != said)
		pmNotifyErr(LOG_WARNING, "Cannot keep the caps: path=\"%s\", error=%s", k->dir,
			    pmErrStr(k->err));
	said = k->err;
	compress_look(k->compress);
}

static bool has_caps(const struct keep *k)
{
	return k->bytes > 0 || k->age_s > 0 || k->of_disk;
}

void keep_look(struct keep *k)
{
	struct archive_writer_state s;

	if (!k->started || k->busy || (!has_caps(k) && !k->repair))
		return;
	s = recorder_state(k->recorder);
	k->volume = s.volume;
	snprintf(k->base, sizeof(k->base), "%s", k->recorder->base.name);
	folder_of(k->base, k->dir, sizeof(k->dir));
	k->work.data = k;
	k->busy = uv_queue_work(k->recorder->loop, &k->work, keep_on_work, on_done) == 0;
}

static void keep_on_timer(uv_timer_t *timer)
{
	keep_look(timer->data);
}

void keep_start(struct keep *k, const struct options *o, struct recorder *recorder,
		struct compress *compress)
{
	k->recorder = recorder;
	k->compress = compress;
	k->bytes = o->keep_bytes;
	k->of_disk = o->keep_auto;
	k->age_s = o->keep_s;
	k->repair = k->started = true;
	snprintf(k->host, sizeof(k->host), "%s", recorder->label.host);
	uv_timer_init(recorder->loop, &k->timer);
	k->timer.data = k;
	if (has_caps(k))
		timing_arm(&k->timer, keep_on_timer, KEEP_LOOK_MS, KEEP_LOOK_MS);
	keep_look(k);
}

void keep_stop(struct keep *k)
{
	if (!k->started)
		return;
	k->started = false;
	timing_close(&k->timer, NULL);
	while (k->busy)
		uv_run(k->recorder->loop, UV_RUN_ONCE);
}
