/*
 * options_context - what the options mean for a context: reporting zone and time window:
 * docs/spec/pmapi.md 19.4.
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libpcp/options.h"

static int failed(const char *what, const char *argument, int code)
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
		return failed("context timezone", "", r);
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
		return failed("timezone", quoted, r);
	}
	if (opts->flags & PM_OPTFLAG_STDOUT_TZ)
		printf("Note: timezone set to \"TZ=%s\"\n\n", opts->timezone);
	return 0;
}

/* An archive whose end is not to be found is read as far as it goes. */
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

/* First and last time there is: of the archive, or from now on. */
static int find_bounds(const pmOptions *opts, struct timespec *start, struct timespec *end)
{
	pmHighResLogLabel label;
	char text[PM_MAXERRMSGLEN];
	int r;

	*end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
	if (opts->context != PM_CONTEXT_ARCHIVE) {
		pmtimespecNow(start);
		return 0;
	}
	r = pmGetHighResArchiveLabel(&label);
	if (r < 0) {
		pmprintf("%s: Cannot get archive %s label: %s\n", pmGetProgname(),
			 opts->narchives > 0 ? opts->archives[0] : "",
			 pmErrStr_r(r, text, sizeof(text)));
		return PM_ERR_GENERIC;
	}
	*start = label.start;
	r = pmGetHighResArchiveEnd(end);
	if (r < 0) {
		*end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
		warn_no_end(opts, r);
	}
	return 0;
}

static int find_window(pmOptions *opts)
{
	struct timespec start, end, window_start, window_end, origin;
	char *message = NULL;
	int r = find_bounds(opts, &start, &end);

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
