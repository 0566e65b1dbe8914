/*
 * notify - lines of a daemon's log: docs/spec/pmapi.md 22 (pmNotifyErr, pmSyslog, pmNoMem).
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

/* "Fri Nov 20 15:36:08", out of what ctime gives. */
#define STAMP_LEN 19

static const char *const level_names[] = {
    [LOG_EMERG] = "Emergency", [LOG_ALERT] = "Alert",     [LOG_CRIT] = "Critical",
    [LOG_ERR] = "Error",       [LOG_WARNING] = "Warning", [LOG_NOTICE] = "Notice",
    [LOG_INFO] = "Info",       [LOG_DEBUG] = "Debug",
};

static atomic_bool to_syslog;

void pmSyslog(int on)
{
	to_syslog = on != 0;
	if (on)
		openlog("pcp", LOG_PID, LOG_DAEMON);
	else
		closelog();
}

/* One line, not torn apart by other threads. */
static void write_line(int level, const char *fmt, va_list ap)
{
	bool known = level >= 0 && level < (int)ARRAY_SIZE(level_names);
	size_t len = strlen(fmt);
	time_t now = time(NULL);
	char stamp[32];

	flockfile(stderr);
	fprintf(stderr, "[%.*s] %s(%d) %s: ", STAMP_LEN, ctime_r(&now, stamp), pmGetProgname(),
		(int)getpid(), known ? level_names[level] : "???");
	vfprintf(stderr, fmt, ap);
	if (len == 0 || fmt[len - 1] != '\n')
		putc('\n', stderr);
	fflush(stderr);
	funlockfile(stderr);
}

void pmNotifyErr(int level, const char *fmt, ...)
{
	va_list ap;

	if (to_syslog) {
		va_start(ap, fmt);
		vsyslog(level, fmt, ap);
		va_end(ap);
	}
	va_start(ap, fmt);
	write_line(level, fmt, ap);
	va_end(ap);
}

void pmNoMem(const char *where, size_t size, int fatal)
{
	char text[PM_MAXERRMSGLEN];

	pmErrStr_r(-errno, text, sizeof(text));
	pmNotifyErr(fatal == PM_FATAL_ERR ? LOG_ERR : LOG_WARNING, "%s: malloc(%zu) failed: %s",
		    where, size, text);
	if (fatal == PM_FATAL_ERR)
		exit(1);
}
