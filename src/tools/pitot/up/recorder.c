/*
 * recorder - the pmlogger of `pitot up`: its configuration and limits, and the check of files.
 */
#include "tools/pitot/up/up.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"

/*
 * Checking files
 */

int verify_config(const struct place *p, const char *config, char *text, size_t size)
{
	char program[PLACE_PATH + 16];
	char *argv[] = {program, "-v", "-c", (char *)config, NULL};

	snprintf(program, sizeof(program), "%s/bin/pmcd", p->prefix);
	return capture(argv, NULL, NULL, text, size);
}

int verify_record(const struct place *p, const char *config, char *text, size_t size,
		  int64_t *ret_interval_ms)
{
	static const char label[] = "shortest interval ";
	char program[PLACE_PATH + 16];
	char *argv[] = {program, "--check-syntax", "-t", RECORDER_INTERVAL_S,
			"-c",    (char *)config,   NULL};
	const char *number;
	int r;

	snprintf(program, sizeof(program), "%s/bin/pmlogger", p->prefix);
	r = capture(argv, NULL, NULL, text, size);
	number = strstr(text, label);
	if (r == 0 && number != NULL)
		*ret_interval_ms = strtoll(number + strlen(label), NULL, 10);
	return r;
}

static int load(const void *arg)
{
	int r = pmLoadASCIINameSpace(arg, 1);

	pmflush();
	if (r == PM_ERR_PMNS)
		return 1; /* the message names the place */
	if (r < 0)
		fprintf(stderr, "%s: %s\n", (const char *)arg, pmErrStr(r));
	return r < 0;
}

static bool is_good(const char *file, char *text, size_t size)
{
	return capture(NULL, load, file, text, size) == 0;
}

bool verify_names(const char *var_dir, char *file, size_t file_size, char *text, size_t size)
{
	char dir[PLACE_PATH];
	const struct dirent *e;
	bool good = true;
	DIR *d;

	file[0] = '\0';
	snprintf(dir, sizeof(dir), "%s/pmns", var_dir);
	d = opendir(dir);
	if (d == NULL)
		return true;
	while (good && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, "root") != 0 && strncmp(e->d_name, "root_", 5) != 0)
			continue;
		snprintf(file, file_size, "%s/%s", dir, e->d_name);
		good = is_good(file, text, size);
	}
	closedir(d);
	if (good) {
		file[0] = '\0';
		text[0] = '\0';
	}
	return good;
}

/*
 * The recorder
 */

enum { KEEP_SHARE = 20 }; /* the share of the disk: one part of this many */

/*
 * A volume is compressed when it is closed. Larger volumes keep more data uncompressed; smaller
 * ones compress less and make more files. The default metrics fill one volume in an hour.
 */
enum { VOLUME_MIN = 64 << 10, VOLUME_MAX = 8 << 20, VOLUME_SHARE = 16 };

static const uint64_t keep_max = 2ull << 30;
static const uint64_t keep_min = 1ull << 20; /* a smaller limit cannot hold a useful archive */

int recorder_take_keep(struct recorder *r, const char *text)
{
	static const char steps[] = "kmgt";
	uint64_t bytes;
	char *end;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && errno == 0) {
		const char *step =
		    *end != '\0' ? strchr(steps, tolower((unsigned char)*end)) : NULL;
		unsigned int shift = step != NULL ? 10 * (unsigned int)(step - steps + 1) : 0;

		if (step != NULL)
			end++;
		if (tolower((unsigned char)*end) == 'b')
			end++;
		if (*end == '\0' && bytes <= UINT64_MAX >> shift && bytes << shift >= keep_min) {
			r->keep = bytes << shift;
			return 0;
		}
	}
	pitot_complain("--keep: expected a size of at least 1m, such as 500m or 2g, not '%s'",
		       text);
	return -1;
}

/* 2 GB, or a twentieth of the disk under dir if that is less. */
static uint64_t recorder_default_keep(const char *dir)
{
	struct statvfs fs;
	uint64_t share;

	if (statvfs(dir, &fs) < 0)
		return keep_max;
	share = (uint64_t)fs.f_blocks * fs.f_frsize / KEEP_SHARE;
	if (share < keep_min)
		return keep_min;
	return share < keep_max ? share : keep_max;
}

/* The name of an archive is a format for times: each '%' in the folder's name is doubled. */
static void put_base(char *to, size_t size, const char *dir)
{
	static const char name[] = "/%Y%m%d.%H.%M";
	size_t n = 0;

	for (; *dir != '\0' && n + sizeof(name) + 2 < size; dir++) {
		if (*dir == '%')
			to[n++] = '%';
		to[n++] = *dir;
	}
	memcpy(to + n, name, sizeof(name));
}

/* Removes a link to a file that is named by the process. */
static void remove_link(const char *path, const char *name)
{
	char target[PLACE_PATH];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash;

	if (n <= 0)
		return;
	target[n] = '\0';
	slash = strrchr(target, '/');
	if (strcmp(slash != NULL ? slash + 1 : target, name) == 0)
		unlink(path);
}

void recorder_clean(const struct place *p, pid_t pid)
{
	char path[2 * PLACE_PATH], name[48];

	if (pid <= 0)
		return;
	snprintf(name, sizeof(name), "pmlogger.%d.socket", (int)pid);
	snprintf(path, sizeof(path), "%s/pmlogger.primary.socket", p->run_dir);
	remove_link(path, name);
	snprintf(path, sizeof(path), "%s/%s", p->run_dir, name);
	unlink(path);
	snprintf(name, sizeof(name), "%d", (int)pid);
	snprintf(path, sizeof(path), "%s/primary", p->port_dir);
	remove_link(path, name);
	snprintf(path, sizeof(path), "%s/%s", p->port_dir, name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s.new", p->port_dir, name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/pmlogger.pid", p->run_dir);
	unlink(path);
}

static uint64_t volume_size(uint64_t keep)
{
	uint64_t share = keep / VOLUME_SHARE;

	if (share < VOLUME_MIN)
		return VOLUME_MIN;
	return share < VOLUME_MAX ? share : VOLUME_MAX;
}

/* An unexpected end by a signal that requests it is not counted as a failure. */
static bool has_failed(const struct child *c)
{
	return !WIFEXITED(c->status) || WEXITSTATUS(c->status) != 0;
}

static void note_change(struct daemon *d)
{
	struct recorder *r = (struct recorder *)((char *)d - offsetof(struct recorder, daemon));
	struct timespec now;

	if (d->child.pid == 0 && d->start_at_ms != 0 && has_failed(&d->child)) {
		clock_gettime(CLOCK_REALTIME, &now);
		r->state.ends++;
		r->state.last_end = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
		child_status_text(&d->child, r->state.why, sizeof(r->state.why));
	}
	r->state.pid = d->child.pid;
	recorder_state_write(r->place, &r->state);
}

/* The parser's messages, one a line, are printed unchanged. */
static int check_config(struct recorder *r, const struct place *p)
{
	char text[CAPTURE_TEXT_MAX];
	int status = verify_record(p, r->config_path, text, sizeof(text), &r->state.interval_ms);

	if (status == 0)
		return 0;
	if (status < 0 || status >= CAPTURE_NOT_RUN) {
		pitot_complain("cannot run %s to check %s", r->program, r->config_path);
		return -1;
	}
	pitot_complain("the configuration of the recorder, %s, has a mistake:", r->config_path);
	fputs(text, stderr);
	return -1;
}

static void init_state(struct recorder *r, const struct place *p)
{
	r->place = p;
	snprintf(r->state.folder, sizeof(r->state.folder), "%s", p->archive_dir);
	if (r->config_path[0] == '/' || realpath(r->config_path, r->state.config) == NULL)
		snprintf(r->state.config, sizeof(r->state.config), "%s", r->config_path);
	r->daemon.changed = note_change;
}

int recorder_describe(struct recorder *r, const struct place *p)
{
	struct daemon *d = &r->daemon;
	int n = 0;

	snprintf(r->program, sizeof(r->program), "%s/bin/pmlogger", p->prefix);
	if (r->config != NULL)
		snprintf(r->config_path, sizeof(r->config_path), "%s", r->config);
	else
		snprintf(r->config_path, sizeof(r->config_path),
			 "%s/etc/pcp/pmlogger/config.default", p->prefix);
	if (access(r->config_path, R_OK) < 0) {
		pitot_complain("cannot read the configuration %s: %s", r->config_path,
			       strerror(errno));
		return -1;
	}
	if (check_config(r, p) < 0)
		return -1;
	init_state(r, p);
	if (r->keep == 0)
		r->keep = recorder_default_keep(p->archive_dir);
	snprintf(r->keep_text, sizeof(r->keep_text), "--keep-size=%" PRIu64 "b", r->keep);
	snprintf(r->volume_text, sizeof(r->volume_text), "%" PRIu64 "b", volume_size(r->keep));
	put_base(r->base, sizeof(r->base), p->archive_dir);
	d->what = "the recorder";
	d->log = p->pmlogger_log;
	d->argv[n++] = r->program;
	d->argv[n++] = "-N";
	d->argv[n++] = "-P";
	d->argv[n++] = r->keep_text;
	d->argv[n++] = "--compress=xz";
	d->argv[n++] = "-v";
	d->argv[n++] = r->volume_text;
	d->argv[n++] = "-m";
	d->argv[n++] = archives_note(r->keep, r->note);
	d->argv[n++] = "-t";
	d->argv[n++] = RECORDER_INTERVAL_S;
	d->argv[n++] = "-c";
	d->argv[n++] = r->config_path;
	d->argv[n++] = "-l";
	d->argv[n++] = p->pmlogger_log;
	d->argv[n++] = r->base;
	return 0;
}
