/*
 * commands - helpers of the commands below `pitot trace`: errors, sizes, time zones, logs.
 */
#include "tools/pitot/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"

int trace_failed(const char *command, const char *subject, int error)
{
	pitot_complain("trace %s: %s: %s", command, subject, strerror(error));
	return PITOT_FAILED;
}

/* True for a zone such as "CET-1CEST", "<+05>-5:30": a name and a difference. */
static bool is_rule(const char *zone)
{
	const char *end;

	if (zone[0] == '<') {
		end = strchr(zone, '>');
		end = end != NULL ? end + 1 : zone;
	} else {
		end = zone + strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
	}
	if (end - zone < 3)
		return false;
	end += *end == '+' || *end == '-';
	return *end >= '0' && *end <= '9';
}

/* The C library treats any unknown name as UTC. */
static bool is_zone(const char *zone)
{
	const char *dir = getenv("TZDIR");
	char path[PATH_MAX];

	zone += zone[0] == ':';
	if (strcmp(zone, "UTC") == 0 || strcmp(zone, "GMT") == 0 || is_rule(zone))
		return true;
	snprintf(path, sizeof(path), "%s/%s",
		 zone[0] == '/' ? ""
		 : dir != NULL  ? dir
				: "/usr/share/zoneinfo",
		 zone);
	return zone[0] != '\0' && access(path, R_OK) == 0;
}

void trace_set_zone(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	*(const char **)target = opts->optarg;
	if (is_zone(opts->optarg))
		return;
	pitot_complain("--%s: '%s' is no time zone: expected a name such as Europe/Berlin, or UTC",
		       row->option.long_opt, opts->optarg);
	opts->errors++;
}

void trace_zone(const char *zone)
{
	if (zone == NULL)
		return;
	setenv("TZ", zone, 1);
	tzset();
}

/* posix_trace_open() returns EINVAL for all of these. */
static void complain_no_log(const char *command, const char *path, int fd)
{
	struct stat st;
	char head[8];

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		pitot_complain("trace %s: %s: not a regular file", command, path);
	else if (pread(fd, head, sizeof(head), 0) != sizeof(head))
		pitot_complain("trace %s: %s: too short for a trace log", command, path);
	else
		pitot_complain("trace %s: %s: not a complete trace log; if it was cut short, try "
			       "pitot trace recover",
			       command, path);
}

int trace_open_log(const char *command, const char *path, trace_id_t *ret_trid)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0) {
		trace_failed(command, path, errno);
		return -1;
	}
	error = posix_trace_open(fd, ret_trid);
	if (error == EINVAL)
		complain_no_log(command, path, fd);
	else if (error != 0)
		trace_failed(command, path, error);
	close(fd);
	return error == 0 ? 0 : -1;
}
