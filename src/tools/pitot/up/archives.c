/*
 * archives - the folder of the recorder: the archives in it, and the state that doctor reads.
 */
#include "tools/pitot/up/up.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

/*
 * Archives
 */

static const double overlap_min_s =
    1; /* less is only the end of one archive meeting the start of the next */
static const char note_word[] = "pitot up keeps ";

const char *archives_note(uint64_t cap, char *text)
{
	snprintf(text, 48, "%s%" PRIu64, note_word, cap);
	return text;
}

/*
 * Shortens the name of a member ("20261122.10.58.0.xz") to that of its archive; false for any other
 * file. The volume is -1 for the index and the metadata.
 */
static bool to_base(char *name, long *ret_volume)
{
	static const char *const packed[] = {".xz", ".zst", ".gz", ".bz2"};
	char *dot = strrchr(name, '.');

	for (size_t i = 0; dot != NULL && i < sizeof(packed) / sizeof(packed[0]); i++) {
		if (strcmp(dot, packed[i]) == 0) {
			*dot = '\0';
			dot = strrchr(name, '.');
			break;
		}
	}
	if (dot == NULL || dot == name)
		return false;
	if (strcmp(dot, ".meta") != 0 && strcmp(dot, ".index") != 0 &&
	    (dot[1] == '\0' || dot[1 + strspn(dot + 1, "0123456789")] != '\0'))
		return false;
	*ret_volume = dot[1] >= '0' && dot[1] <= '9' ? strtol(dot + 1, NULL, 10) : -1;
	*dot = '\0';
	return true;
}

/* Names of archives are times, so their order is the order of time. */
struct scan {
	char newest[ARCHIVES_NAME];
	int fd;
	/* The volumes of the oldest archive. */
	long first, last;
	char first_name[ARCHIVES_NAME];
	uint64_t first_bytes;
};

static void take_volume(struct scan *s, const char *file, long volume, uint64_t bytes)
{
	if (volume < 0)
		return;
	if (s->first < 0 || volume < s->first) {
		s->first = volume;
		strcpy(s->first_name, file);
		s->first_bytes = bytes;
	}
	if (volume > s->last)
		s->last = volume;
}

static void take_member(struct archives *a, struct scan *s, const char *file, bool meta)
{
	char base[ARCHIVES_NAME];
	struct stat st;
	long volume;

	if (strlen(file) >= sizeof(base) || fstatat(s->fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode))
		return;
	strcpy(base, file);
	if (!to_base(base, &volume))
		return;
	a->bytes += (uint64_t)st.st_size;
	a->count += meta;
	if (a->oldest[0] == '\0' || strcmp(base, a->oldest) < 0) {
		strcpy(a->oldest, base);
		a->oldest_bytes = 0;
		s->first = s->last = -1;
	}
	if (strcmp(base, a->oldest) == 0) {
		a->oldest_bytes += (uint64_t)st.st_size;
		take_volume(s, file, volume, (uint64_t)st.st_size);
	}
	if (strcmp(base, s->newest) > 0)
		strcpy(s->newest, base);
}

static double archives_seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

/* The first and last time of an archive, NAN if it cannot be read. */
static void look_at_times(const char *dir, const char *base, double *ret_first, double *ret_last)
{
	char path[2 * PLACE_PATH];
	pmHighResLogLabel label;
	struct timespec end;
	int context;

	*ret_first = *ret_last = NAN;
	snprintf(path, sizeof(path), "%s/%s", dir, base);
	context = pmNewContext(PM_CONTEXT_ARCHIVE, path);
	if (context < 0)
		return;
	if (pmGetHighResArchiveLabel(&label) >= 0)
		*ret_first = archives_seconds(&label.start);
	if (pmGetHighResArchiveEnd(&end) >= 0)
		*ret_last = archives_seconds(&end);
	pmDestroyContext(context);
}

/*
 * Finds overlaps among the newest archives: readers ask for these, and each check opens an archive.
 * Names are times, and the second recorder's archive begins later, so the order is by name.
 */
enum { OVERLAP_LOOK = 24 };

struct span {
	char name[ARCHIVES_NAME];
	double first, last;
};

static int by_name_down(const void *a, const void *b)
{
	return strcmp(((const struct span *)b)->name, ((const struct span *)a)->name);
}

static double overlap_of(const struct span *a, const struct span *b)
{
	double s = fmin(a->last, b->last) - fmax(a->first, b->first);

	return isnan(s) || s < 0 ? 0 : s;
}

/* Only the shorter one can be moved away, and never one that is being written. */
static void take_overlap(struct archives *a, const struct span *x, const struct span *y)
{
	const double s = overlap_of(x, y);
	bool first = x->last - x->first < y->last - y->first;

	if (s <= overlap_min_s || s <= a->overlap_s)
		return;
	if (strcmp(x->name, a->writing) == 0)
		first = false;
	else if (strcmp(y->name, a->writing) == 0)
		first = true;
	a->overlap_s = s;
	strcpy(a->covered, first ? x->name : y->name);
	strcpy(a->covering, first ? y->name : x->name);
}

static void compare_spans(struct archives *a, const char *path, struct span *spans, int n)
{
	qsort(spans, (size_t)n, sizeof(*spans), by_name_down);
	if (n > OVERLAP_LOOK)
		n = OVERLAP_LOOK;
	for (int i = 0; i < n; i++) {
		look_at_times(path, spans[i].name, &spans[i].first, &spans[i].last);
		for (int j = 0; j < i; j++)
			take_overlap(a, &spans[i], &spans[j]);
	}
}

static void look_at_overlaps(struct archives *a, const char *path)
{
	struct span *spans = a->count > 1 ? calloc((size_t)a->count, sizeof(*spans)) : NULL;
	DIR *dir = spans != NULL ? opendir(path) : NULL;
	const struct dirent *e;
	long volume;
	int n = 0;

	while (dir != NULL && n < a->count && (e = readdir(dir)) != NULL) {
		if (strstr(e->d_name, ".meta") == NULL || strlen(e->d_name) >= ARCHIVES_NAME)
			continue;
		strcpy(spans[n].name, e->d_name);
		n += to_base(spans[n].name, &volume);
	}
	if (dir != NULL)
		closedir(dir);
	if (n > 1)
		compare_spans(a, path, spans, n);
	free(spans);
}

/*
 * The same choice as archive_keep makes: volumes from the oldest on, and with the last one the
 * archive.
 */
static void find_next(struct archives *a, const struct scan *s)
{
	if (s->first < s->last) {
		strcpy(a->next, s->first_name);
		a->next_bytes = s->first_bytes;
	} else if (a->count > 1) {
		strcpy(a->next, a->oldest);
		a->next_bytes = a->oldest_bytes;
	}
}

static void look_at_files(struct archives *a, const char *path)
{
	struct scan s = {.first = -1, .last = -1};
	DIR *dir = opendir(path);
	const struct dirent *e;
	double unused;

	if (dir == NULL)
		return;
	s.fd = dirfd(dir);
	while ((e = readdir(dir)) != NULL)
		take_member(a, &s, e->d_name, strstr(e->d_name, ".meta") != NULL);
	closedir(dir);
	find_next(a, &s);
	if (a->oldest[0] != '\0')
		look_at_times(path, a->oldest, &a->since, &unused);
	if (s.newest[0] != '\0')
		look_at_times(path, s.newest, &unused, &a->until);
}

/* The name of an archive without its folder, and whether it exists. */
static void take_writing(struct archives *a, const char *folder, char *base)
{
	const char *name;
	char file[2 * PLACE_PATH];
	struct stat st;

	base[strcspn(base, "\n")] = '\0';
	name = strrchr(base, '/') != NULL ? strrchr(base, '/') + 1 : base;
	if (name[0] == '\0' || strlen(name) >= sizeof(a->writing))
		return;
	strcpy(a->writing, name);
	snprintf(file, sizeof(file), "%s/%s.meta", folder, name);
	a->writing_gone = stat(file, &st) < 0 && errno == ENOENT;
}

/*
 * Reads the port map file of the primary recorder: its name is the process id, its third line the
 * archive, its fourth line the note of `pitot up`.
 */
static void look_at_recorder(struct archives *a, const char *port_dir, const char *folder)
{
	char link[2 * PLACE_PATH], file[PLACE_PATH], line[PLACE_PATH] = "";
	const char *name;
	FILE *f;

	snprintf(link, sizeof(link), "%s/primary", port_dir);
	if (realpath(link, file) == NULL)
		return;
	name = strrchr(file, '/') + 1;
	a->recorder = (pid_t)strtol(name, NULL, 10);
	if (a->recorder <= 0 || (kill(a->recorder, 0) < 0 && errno == ESRCH)) {
		a->recorder = 0;
		return;
	}
	f = fopen(file, "re");
	if (f == NULL)
		return;
	for (int n = 0; n < 4 && fgets(line, sizeof(line), f) != NULL; n++) {
		if (n == 2)
			take_writing(a, folder, line);
	}
	if (strncmp(line, note_word, sizeof(note_word) - 1) == 0)
		a->cap = strtoull(line + sizeof(note_word) - 1, NULL, 10);
	fclose(f);
}

void archives_look(struct archives *a, const struct place *p, const char *folder)
{
	*a = (struct archives){.since = NAN, .until = NAN};
	look_at_recorder(a, p->port_dir, folder);
	look_at_files(a, folder);
	look_at_overlaps(a, folder);
}

/* One line a member: its name, a blank, its value. */

static void path_of(const struct place *p, const char *suffix, char *path, size_t size)
{
	snprintf(path, size, "%s/pitot.recorder%s", p->run_dir, suffix);
}

/* Another user may own the run folder: symbolic links in it are not followed. */
void recorder_state_write(const struct place *p, const struct recorder_state *s)
{
	char path[PLACE_PATH + 32], next[PLACE_PATH + 32];
	FILE *f;
	int fd;

	path_of(p, "", path, sizeof(path));
	path_of(p, ".new", next, sizeof(next));
	unlink(next);
	fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	fprintf(f,
		"folder %s\nconfig %s\ninterval_ms %lld\npid %d\nends %d\nlast_end %.3f\nwhy %s\n",
		s->folder, s->config, (long long)s->interval_ms, (int)s->pid, s->ends, s->last_end,
		s->why);
	if (fclose(f) == 0)
		rename(next, path);
}

static void take_line(struct recorder_state *s, const char *key, const char *value)
{
	if (strcmp(key, "folder") == 0)
		snprintf(s->folder, sizeof(s->folder), "%s", value);
	else if (strcmp(key, "config") == 0)
		snprintf(s->config, sizeof(s->config), "%s", value);
	else if (strcmp(key, "interval_ms") == 0)
		s->interval_ms = strtoll(value, NULL, 10);
	else if (strcmp(key, "pid") == 0)
		s->pid = (pid_t)strtol(value, NULL, 10);
	else if (strcmp(key, "ends") == 0)
		s->ends = (int)strtol(value, NULL, 10);
	else if (strcmp(key, "last_end") == 0)
		s->last_end = strtod(value, NULL);
	else if (strcmp(key, "why") == 0)
		snprintf(s->why, sizeof(s->why), "%s", value);
}

bool recorder_state_read(const struct place *p, struct recorder_state *s)
{
	char path[PLACE_PATH + 32], line[PLACE_PATH + 128];
	FILE *f;

	memset(s, 0, sizeof(*s));
	path_of(p, "", path, sizeof(path));
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *value = strchr(line, ' ');

		if (value == NULL)
			continue;
		*value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		take_line(s, line, value);
	}
	fclose(f);
	return s->folder[0] != '\0';
}

void recorder_state_remove(const struct place *p)
{
	char path[PLACE_PATH + 32];

	path_of(p, "", path, sizeof(path));
	unlink(path);
}
