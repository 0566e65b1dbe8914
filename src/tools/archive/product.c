/*
 * product - a new archive, and the progress of writing it.
 */
#include "tools/archive/product.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libstore/archive_files.h"
#include "libstore/archive_writer.h"
#include "tools/archive/window.h"

/*
 * Product
 */

void product_report(const char *what, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Error: %s: %s\n", pmGetProgname(), what,
		pmErrStr_r(code, text, sizeof(text)));
}

/* Reports the existing file. */
static void report_existing(const char *base)
{
	static const char *const suffixes[] = {".index", ".meta", ".0"};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		pmsprintf(path, sizeof(path), "%s%s", base, suffixes[i]);
		if (access(path, F_OK) == 0) {
			fprintf(stderr, "__pmLogNewFile: \"%s\" already exists, not over-written\n",
				path);
			return;
		}
	}
}

bool product_open(const char *base, const struct log_label *label,
		  struct archive_writer **ret_writer)
{
	return product_open_as("__pmLogCreate", base, label, ret_writer);
}

bool product_open_as(const char *what, const char *base, const struct log_label *label,
		     struct archive_writer **ret_writer)
{
	int sts = archive_writer_new(base, label, ret_writer);

	if (sts >= 0)
		return true;
	if (sts == -EEXIST)
		report_existing(base);
	else if (sts != -ENOMEM)
		fprintf(stderr, "__pmLogNewFile: failed to create \"%s.index\": %s\n", base,
			strerror(-sts));
	product_report(what, sts);
	return false;
}

int product_volume(struct archive_writer *w, const struct timespec *stamp)
{
	int number = archive_writer_volume(w);
	char when[STAMP_ROOM];

	if (number < 0)
		return number;
	stamp_time(when, stamp, STAMP_NANO);
	fprintf(stderr, "%s: New log volume %d, at %s\n", pmGetProgname(), number, when);
	return 0;
}

void product_remove(const char *base)
{
	struct archive_files files;

	if (archive_files_members(base, &files) < 0)
		return;
	if (files.index != NULL)
		unlink(files.index);
	if (files.meta != NULL)
		unlink(files.meta);
	for (size_t i = 0; i < files.nvolumes; i++)
		unlink(files.volumes[i].path);
	archive_files_done(&files);
}

/* Checks that no other process has created such an archive in the meantime. */
void product_drop(struct archive_writer *w)
{
	struct archive_writer_state state = archive_writer_state(w);
	AUTO_FREE char *base = state.records > 0 ? strdup(state.base) : NULL;

	archive_writer_abandon(w);
	if (base != NULL)
		product_remove(base);
}

/*
 * Progress
 */

enum {
	TICKS_A_LOOK = 4096, /* number of calls between two readings of the clock */
	FIRST_MS = 1000,
	AGAIN_MS = 200,
};

static struct {
	const char *name;
	bool on;
	bool shown;
	unsigned int ticks;
	int64_t due_ms;
} progress;

static int64_t product_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(const char *name, bool quiet)
{
	progress_clear();
	progress.name = name;
	progress.on = !quiet && isatty(STDERR_FILENO);
	progress.due_ms = product_now_ms() + FIRST_MS;
}

void progress_tick(uint64_t done, uint64_t total)
{
	int64_t now;

	if (!progress.on || progress.ticks++ % TICKS_A_LOOK != 0)
		return;
	now = product_now_ms();
	if (now < progress.due_ms || total == 0)
		return;
	fprintf(stderr, "\r%s: %3.0f%%", progress.name, 100.0 * (double)done / (double)total);
	progress.shown = true;
	progress.due_ms = now + AGAIN_MS;
}

void progress_clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}
