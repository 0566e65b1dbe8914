/*
 * zone - the reporting time zone (docs/spec/pmapi.md 17), and the time of day in it (13.1).
 *
 * The C library converts in the zone of TZ alone, so a conversion sets TZ and puts it back, under
 * one lock. Handles are indexes of a table that only grows.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

#define ZONES_MAX    4096
#define NO_ZONE      -1
#define ZONEINFO_DIR "/zoneinfo/"

/* All guarded by zone_lock, as is TZ in the environment while we convert. */
static pthread_mutex_t zone_lock = PTHREAD_MUTEX_INITIALIZER;
static char **zones;
static int nzones;
static int current = NO_ZONE;

/* The value of TZ before a change, and whether it must be restored. */
struct saved_zone {
	char *entry; /* "TZ=" and the value; owned; NULL: it was not set */
	bool changed;
};

#define ENTRY_VALUE(entry) ((entry) + sizeof("TZ=") - 1)

/* Into the current zone. Called with the lock. */
static struct saved_zone zone_enter(void)
{
	const char *tz = getenv("TZ");
	struct saved_zone saved = {.entry = NULL};

	if (current == NO_ZONE)
		return saved;
	if (tz != NULL && strcmp(tz, zones[current]) == 0) {
		tzset(); /* localtime_r does not look at TZ by itself */
		return saved;
	}
	/* Without memory the conversion uses the wrong zone, but TZ is not lost. */
	if (tz != NULL && asprintf(&saved.entry, "TZ=%s", tz) < 0)
		return (struct saved_zone){.entry = NULL};
	saved.changed = setenv("TZ", zones[current], 1) == 0;
	tzset();
	return saved;
}

/* If setenv has no memory, the environment gets the entry itself, which needs none. The entry put
 * there before is no longer in use and is freed. */
static void zone_lend(char *entry)
{
	static char *lent;

	if (putenv(entry) == 0) {
		free(lent);
		lent = entry;
	}
}

static void zone_leave(struct saved_zone saved)
{
	if (saved.changed && saved.entry == NULL)
		unsetenv("TZ");
	else if (saved.changed && setenv("TZ", ENTRY_VALUE(saved.entry), 1) < 0)
		zone_lend(TAKE(saved.entry));
	if (saved.changed)
		tzset();
	free(saved.entry);
}

static int zone_find(const char *tz)
{
	for (int i = 0; i < nzones; i++)
		if (strcmp(zones[i], tz) == 0)
			return i;
	return -E2BIG;
}

/* Appends; the text is the table's then, and the caller's pointer is NULL. A full table, of a
 * client that reconnects for ever, still has the zones it knows. Called with the lock. */
static int zone_add(char **text)
{
	char **bigger;
	int known;

	if (nzones >= ZONES_MAX) {
		known = zone_find(*text);
		if (known >= 0)
			current = known;
		return known;
	}
	bigger = realloc(zones, (size_t)(nzones + 1) * sizeof(zones[0]));
	if (bigger == NULL)
		return -ENOMEM;
	zones = bigger;
	zones[nzones] = TAKE(*text);
	current = nzones++;
	return current;
}

int pmNewZone(const char *tz)
{
	size_t size = strlen(tz) + sizeof("+0");
	AUTO_FREE char *copy = malloc(size);
	int r;

	if (copy == NULL)
		return -ENOMEM;
	/* a bare abbreviation would be looked for among the zone files */
	pmsprintf(copy, size, "%s%s", tz, strlen(tz) == 3 ? "+0" : "");
	pthread_mutex_lock(&zone_lock);
	r = zone_add(&copy);
	pthread_mutex_unlock(&zone_lock);
	return r;
}

int pmUseZone(const int handle)
{
	int r = -1;

	pthread_mutex_lock(&zone_lock);
	if (handle >= 0 && handle < nzones) {
		current = handle;
		r = 0;
	}
	pthread_mutex_unlock(&zone_lock);
	return r;
}

int pmWhichZone(char **tz)
{
	int r;

	pthread_mutex_lock(&zone_lock);
	r = current;
	if (r != NO_ZONE)
		*tz = zones[r];
	pthread_mutex_unlock(&zone_lock);
	return r;
}

char *pmCtime(const time_t *clock, char *buf)
{
	struct saved_zone saved;

	pthread_mutex_lock(&zone_lock);
	saved = zone_enter();
	ctime_r(clock, buf);
	zone_leave(saved);
	pthread_mutex_unlock(&zone_lock);
	return buf;
}

struct tm *pmLocaltime(const time_t *clock, struct tm *result)
{
	struct saved_zone saved;

	pthread_mutex_lock(&zone_lock);
	saved = zone_enter();
	localtime_r(clock, result);
	zone_leave(saved);
	pthread_mutex_unlock(&zone_lock);
	return result;
}

time_t __pmMktime(struct tm *tm)
{
	struct saved_zone saved;
	time_t t;

	pthread_mutex_lock(&zone_lock);
	saved = zone_enter();
	t = mktime(tm);
	zone_leave(saved);
	pthread_mutex_unlock(&zone_lock);
	return t;
}

/* Name and offset of now, as for TZ: "CET-1", "NST+3:30", "<+11>-11". */
static void zone_of_now(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	long west;
	bool plain;

	localtime_r(&now, &tm);
	west = -tm.tm_gmtoff / 60;
	plain = strpbrk(tm.tm_zone, "+-0123456789") == NULL;
	pmsprintf(buf, size, "%s%s%s", plain ? "" : "<", tm.tm_zone, plain ? "" : ">");
	if (west != 0)
		pmstrncat(buf, size, west > 0 ? "+" : "-");
	west = labs(west);
	size -= strlen(buf);
	buf += strlen(buf);
	if (west % 60 != 0)
		pmsprintf(buf, size, "%ld:%02ld", west / 60, west % 60);
	else if (west != 0)
		pmsprintf(buf, size, "%ld", west / 60);
}

char *__pmTimezone_r(char *buf, int buflen)
{
	const char *tz = getenv("TZ");

	if (tz != NULL && *tz != ':') {
		pmstrncpy(buf, (size_t)buflen, tz);
		return buf;
	}
	pthread_mutex_lock(&zone_lock);
	tzset();
	zone_of_now(buf, (size_t)buflen);
	pthread_mutex_unlock(&zone_lock);
	return buf;
}

char *__pmTimezone(void)
{
	static char buf[PM_MAX_TIMEZONELEN];

	return __pmTimezone_r(buf, sizeof(buf));
}

char *__pmZoneinfo(void)
{
	char path[PATH_MAX], text[PATH_MAX];
	char *name;

	if (realpath("/etc/localtime", path) != NULL) {
		name = strstr(path, ZONEINFO_DIR);
		if (name != NULL) {
			pmsprintf(text, sizeof(text), ":%s", name + sizeof(ZONEINFO_DIR) - 1);
			return strdup(text);
		}
	}
	return strdup(__pmTimezone_r(text, PM_MAX_TIMEZONELEN));
}

/* ---- Time of day ---------------------------------------------------------------------------- */

void pmPrintStamp(FILE *f, const struct timeval *tv)
{
	struct tm tm;

	pmLocaltime(&tv->tv_sec, &tm);
	fprintf(f, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)(tv->tv_usec / 1000));
}

void pmPrintHighResStamp(FILE *f, const struct timespec *ts)
{
	struct tm tm;

	pmLocaltime(&ts->tv_sec, &tm);
	fprintf(f, "%02d:%02d:%02d.%09d", tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ts->tv_nsec);
}

void __pmPrintTimestamp(FILE *f, const __pmTimestamp *stamp)
{
	const struct timespec ts = {(time_t)stamp->sec, stamp->nsec};

	pmPrintHighResStamp(f, &ts);
}
