/*
 * optsource - hosts and archives of the standard options (docs/spec/pmapi.md 19.3); and the effect
 * of the options on a context: reporting zone and time window (19.4).
 *
 * Hosts are a list. Archives are a list with PM_OPTFLAG_MULTI, else one text with commas.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/options.h"

#define DEFAULT_ARCHIVE_DIR "/var/log/pcp/pmlogger"

/* ---- A pmOptions of either version ---------------------------------------------------------- */

/* Version 2 has struct timeval at start .. interval, version 3 struct timespec after the rest. */
_Static_assert(PMAPI_VERSION == PMAPI_VERSION_2 &&
		   sizeof(pmOptions) % _Alignof(struct timespec) == 0,
	       "the times of version 3 begin where a version 2 structure ends");

void options_set_time(pmOptions *opts, enum options_time which, const struct timespec *ts)
{
	struct timeval *low = &opts->start;
	struct timespec *high = (struct timespec *)(opts + 1);

	if (opts->version >= PMAPI_VERSION_3)
		high[which] = *ts;
	else
		low[which] = (struct timeval){.tv_sec = ts->tv_sec, .tv_usec = ts->tv_nsec / 1000};
}

static void say(pmOptions *opts, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	pmprintf("%s: %s\n", pmGetProgname(), text);
	opts->errors++;
}

void options_usage_error(pmOptions *opts, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(opts, fmt, ap);
	va_end(ap);
}

void options_runtime_error(pmOptions *opts, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(opts, fmt, ap);
	va_end(ap);
	opts->flags |= PM_OPTFLAG_RUNTIME_ERR;
}

/* ---- Hosts and archives --------------------------------------------------------------------- */

static bool append(char ***list, int *n, const char *text)
{
	char **bigger = realloc(*list, ((size_t)*n + 1) * sizeof(**list));
	char *copy = bigger != NULL ? strdup(text) : NULL;

	if (bigger != NULL)
		*list = bigger;
	if (copy == NULL)
		return false;
	bigger[(*n)++] = copy;
	return true;
}

static void no_memory(pmOptions *opts)
{
	options_runtime_error(opts, "%s", strerror(ENOMEM));
}

static bool host_allowed(pmOptions *opts)
{
	return opts->narchives == 0 || (opts->flags & PM_OPTFLAG_MIXED) != 0;
}

static bool archive_allowed(pmOptions *opts)
{
	return opts->nhosts == 0 || (opts->flags & PM_OPTFLAG_MIXED) != 0;
}

static bool multi(const pmOptions *opts)
{
	return (opts->flags & PM_OPTFLAG_MULTI) != 0;
}

static void add_host(pmOptions *opts, const char *host)
{
	if (!append(&opts->hosts, &opts->nhosts, host))
		no_memory(opts);
}

void __pmAddOptHost(pmOptions *opts, char *host)
{
	if (!multi(opts) && opts->nhosts > 0)
		options_usage_error(opts, "too many hosts requested: %s", host);
	else if (!host_allowed(opts))
		options_usage_error(opts, "only one host or archive allowed");
	else
		add_host(opts, host);
}

/* Calls add for each word between commas. */
static void for_each_word(pmOptions *opts, const char *list, void (*add)(pmOptions *, const char *))
{
	AUTO_FREE char *copy = strdup(list);
	char *rest = NULL;

	if (copy == NULL) {
		no_memory(opts);
		return;
	}
	for (char *word = strtok_r(copy, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest))
		add(opts, word);
}

void __pmAddOptHostList(pmOptions *opts, char *hosts)
{
	if (!host_allowed(opts)) {
		options_usage_error(opts, "only one of hosts or archives allowed");
		return;
	}
	for_each_word(opts, hosts, add_host);
	if (!multi(opts) && opts->nhosts > 1)
		options_usage_error(opts, "too many hosts requested: %s", hosts);
}

/* True if the comma-separated list has this word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; p != NULL; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, word, len) == 0 && (p[len] == '\0' || p[len] == ','))
			return true;
	}
	return false;
}

/* Without MULTI: at the end of the one text. */
static void join_archive(pmOptions *opts, const char *archive)
{
	char *joined;

	if (has_word(opts->archives[0], archive))
		return;
	if (asprintf(&joined, "%s,%s", opts->archives[0], archive) < 0) {
		no_memory(opts);
		return;
	}
	free(opts->archives[0]);
	opts->archives[0] = joined;
}

static void add_archive(pmOptions *opts, const char *archive)
{
	if (!multi(opts) && opts->narchives > 0) {
		join_archive(opts, archive);
		return;
	}
	for (int i = 0; i < opts->narchives; i++)
		if (strcmp(opts->archives[i], archive) == 0)
			return;
	if (!append(&opts->archives, &opts->narchives, archive))
		no_memory(opts);
}

void __pmAddOptArchive(pmOptions *opts, char *archive)
{
	if (!archive_allowed(opts))
		options_usage_error(opts, "only one host or archive allowed");
	else
		add_archive(opts, archive);
}

void __pmAddOptArchiveList(pmOptions *opts, char *archives)
{
	if (!archive_allowed(opts))
		options_usage_error(opts, "only one of hosts or archives allowed");
	else
		for_each_word(opts, archives, add_archive);
}

/* Where pmlogger of this host puts its archives. */
void __pmAddOptArchivePath(pmOptions *opts)
{
	char *dir = pmGetOptionalConfig("PCP_ARCHIVE_DIR");
	char host[MAXHOSTNAMELEN] = "", path[MAXPATHLEN];

	gethostname(host, sizeof(host) - 1);
	pmsprintf(path, sizeof(path), "%s/%s", dir != NULL ? dir : DEFAULT_ARCHIVE_DIR, host);
	__pmAddOptArchive(opts, path);
}

void __pmAddOptContainer(pmOptions *opts, char *container)
{
	(void)opts;
	setenv("PCP_CONTAINER", container, 1);
}

static char *trim_line(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* A file with a host a line and # comments. */
void options_add_hosts_file(pmOptions *opts, const char *path)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");
	char *host;

	if (f == NULL) {
		options_runtime_error(opts, "cannot open hosts file %s: %s", path, strerror(errno));
		return;
	}
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "#")] = '\0';
		host = trim_line(line);
		if (*host != '\0')
			__pmAddOptHost(opts, host);
	}
	fclose(f);
}

/* "Archive: host path", with a relative path seen from the folder of the folio. */
static bool add_folio_line(pmOptions *opts, const char *folio, char *line, int number)
{
	const char *slash = strrchr(folio, '/');
	int dir_len = slash != NULL ? (int)(slash - folio) : 1;
	char *host, *path, *rest = NULL, full[MAXPATHLEN];

	if (strncmp(line, "Archive:", 8) != 0)
		return true;
	host = strtok_r(line + 8, " \t\n", &rest);
	if (host == NULL) {
		options_runtime_error(opts, "missing host on archive folio line %d", number);
		return false;
	}
	path = strtok_r(NULL, " \t\n", &rest);
	if (path == NULL) {
		options_runtime_error(opts, "missing path on archive folio line %d", number);
		return false;
	}
	if (*path == '/')
		pmsprintf(full, sizeof(full), "%s", path);
	else
		pmsprintf(full, sizeof(full), "%.*s/%s", dir_len, slash != NULL ? folio : ".",
			  path);
	add_archive(opts, full);
	return true;
}

static void read_folio(pmOptions *opts, const char *folio, FILE *f)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	int number = 2;

	if (getline(&line, &size, f) <= 0)
		options_runtime_error(opts, "archive folio %s has no header", folio);
	else if (strncmp(line, "PCPFolio", 8) != 0)
		options_runtime_error(opts, "archive folio %s has bad magic", folio);
	else if (getline(&line, &size, f) <= 0)
		options_runtime_error(opts, "archive folio %s has no version", folio);
	else if (strcmp(trim_line(line), "Version: 1") != 0)
		options_runtime_error(opts, "unknown version archive folio %s", folio);
	else
		while (getline(&line, &size, f) > 0)
			if (!add_folio_line(opts, folio, line, ++number))
				break;
}

void __pmAddOptArchiveFolio(pmOptions *opts, char *folio)
{
	FILE *f;

	if (!archive_allowed(opts)) {
		options_usage_error(opts, "only one of hosts or archives allowed");
		return;
	}
	f = fopen(folio, "re");
	if (f == NULL) {
		options_runtime_error(opts, "cannot open archive folio %s: %s", folio,
				      strerror(errno));
		return;
	}
	read_folio(opts, folio, f);
	fclose(f);
}

void pmFreeOptions(pmOptions *opts)
{
	for (int i = 0; i < opts->nhosts; i++)
		free(opts->hosts[i]);
	for (int i = 0; i < opts->narchives; i++)
		free(opts->archives[i]);
	free(opts->hosts);
	free(opts->archives);
	opts->hosts = opts->archives = NULL;
	opts->nhosts = opts->narchives = 0;
}

/* ---- The context ---------------------------------------------------------------------------- */

static int context_failed(const char *what, const char *argument, int code)
{
	char text[PM_MAXERRMSGLEN];

	pmprintf("%s: Cannot set %s%s: %s\n", pmGetProgname(), what, argument,
		 pmErrStr_r(code, text, sizeof(text)));
	return PM_ERR_GENERIC;
}

static int use_source_zone(int handle, const pmOptions *opts)
{
	char host[MAXHOSTNAMELEN];
	int r = pmNewContextZone();

	if (r < 0)
		return context_failed("context timezone", "", r);
	if (opts->flags & PM_OPTFLAG_STDOUT_TZ)
		printf("Note: timezone set to local timezone of host \"%s\"%s\n\n",
		       pmGetContextHostName_r(handle, host, sizeof(host)),
		       opts->context == PM_CONTEXT_ARCHIVE ? " from archive" : "");
	return 0;
}

static int use_given_zone(const pmOptions *opts)
{
	char quoted[512];
	int r = pmNewZone(opts->timezone);

	if (r < 0) {
		pmsprintf(quoted, sizeof(quoted), " to \"%s\"", opts->timezone);
		return context_failed("timezone", quoted, r);
	}
	if (opts->flags & PM_OPTFLAG_STDOUT_TZ)
		printf("Note: timezone set to \"TZ=%s\"\n\n", opts->timezone);
	return 0;
}

/* An archive whose end cannot be found is read as far as possible. */
static void warn_no_end(const pmOptions *opts, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr,
		"%s: Cannot locate end of archive %s: %s\n\n"
		"WARNING: This archive is sufficiently damaged that it may not be possible to\n"
		"         produce complete information.  Continuing and hoping for the best.\n\n",
		pmGetProgname(), opts->narchives > 0 ? opts->archives[0] : "",
		pmErrStr_r(code, text, sizeof(text)));
}

static bool end_is_torn(void)
{
	struct context *ctx = context_hold_current();
	bool torn;

	if (ctx == NULL)
		return false;
	torn = archive_end_of_is_torn(ctx);
	context_release(ctx);
	return torn;
}

/* The first and the last time of the archive of the current context. */
static int find_bounds_of(const pmOptions *opts, const char *name, struct timespec *start,
			  struct timespec *end)
{
	pmHighResLogLabel label;
	char text[PM_MAXERRMSGLEN];
	int r = pmGetHighResArchiveLabel(&label);

	if (r < 0) {
		pmprintf("%s: Cannot get archive %s label: %s\n", pmGetProgname(), name,
			 pmErrStr_r(r, text, sizeof(text)));
		return PM_ERR_GENERIC;
	}
	*start = label.start;
	r = pmGetHighResArchiveEnd(end);
	if (r < 0) {
		*end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
		warn_no_end(opts, r);
	} else if (end_is_torn()) {
		warn_no_end(opts, PM_ERR_LOGREC);
	}
	return 0;
}

static bool is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Extends the bounds to those of another archive. */
static int add_bounds_of(const pmOptions *opts, const char *name, struct timespec *start,
			 struct timespec *end)
{
	struct timespec other_start, other_end;
	char text[PM_MAXERRMSGLEN];
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, name), r;

	if (handle < 0) {
		pmprintf("%s: Cannot open archive %s: %s\n", pmGetProgname(), name,
			 pmErrStr_r(handle, text, sizeof(text)));
		return PM_ERR_GENERIC;
	}
	r = find_bounds_of(opts, name, &other_start, &other_end);
	pmDestroyContext(handle);
	if (r < 0)
		return r;
	if (is_earlier(&other_start, start))
		*start = other_start;
	if (is_earlier(end, &other_end))
		*end = other_end;
	return 0;
}

/* The first and the last time: of all archives, or from now on. */
static int find_archive_bounds(const pmOptions *opts, struct timespec *start, struct timespec *end)
{
	int handle = pmWhichContext(), r;

	*end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
	if (opts->context != PM_CONTEXT_ARCHIVE) {
		pmtimespecNow(start);
		return 0;
	}
	r = find_bounds_of(opts, opts->narchives > 0 ? opts->archives[0] : "", start, end);
	if (r < 0 || opts->narchives < 2)
		return r;
	for (int i = 0; i < opts->narchives && r >= 0; i++)
		r = add_bounds_of(opts, opts->archives[i], start, end);
	pmUseContext(handle);
	return r;
}

static int find_window(pmOptions *opts)
{
	struct timespec start, end, window_start, window_end, origin;
	char *message = NULL;
	int r = find_archive_bounds(opts, &start, &end);

	if (r < 0)
		return r;
	r = pmParseHighResTimeWindow(opts->start_optarg, opts->finish_optarg, opts->align_optarg,
				     opts->origin_optarg, &start, &end, &window_start, &window_end,
				     &origin, &message);
	if (r < 0) {
		pmprintf("%s: invalid time window.\n%s\n", pmGetProgname(), message);
		free(message);
		return PM_ERR_GENERIC;
	}
	free(message);
	options_set_time(opts, OPTIONS_START, &window_start);
	options_set_time(opts, OPTIONS_FINISH, &window_end);
	options_set_time(opts, OPTIONS_ORIGIN, &origin);
	return 0;
}

int pmGetContextOptions(int handle, pmOptions *opts)
{
	bool windowed = opts->start_optarg != NULL || opts->finish_optarg != NULL ||
			opts->align_optarg != NULL || opts->origin_optarg != NULL ||
			(opts->flags & PM_OPTFLAG_BOUNDARIES) != 0;
	int r = 0;

	if (opts->tzflag)
		r = use_source_zone(handle, opts);
	else if (opts->timezone != NULL)
		r = use_given_zone(opts);
	if (r == 0 && windowed)
		r = find_window(opts);
	return r;
}
