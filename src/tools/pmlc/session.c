/*
 * session - the connected recorder, and the commands about recorders.
 */
#include "tools/pmlc/pmlc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pcp/impl.h>

#include "tools/common/cmdline.h"

/*
 * Session
 */

void session_disconnect(struct session *s)
{
	if (s->fd >= 0)
		__pmCloseSocket(s->fd);
	s->fd = -1;
}

int session_connect(struct session *s, enum target target, uint32_t number, const char *host)
{
	session_disconnect(s);
	pmsprintf(s->host, sizeof(s->host), "%s", host == NULL ? s->default_host : host);
	s->target = target;
	s->pid = PM_LOG_NO_PID;
	s->port = PM_LOG_NO_PORT;
	if (target == TARGET_PRIMARY)
		s->pid = PM_LOG_PRIMARY_PID;
	else if (target == TARGET_PID)
		s->pid = (int)number;
	else if (target == TARGET_PORT)
		s->port = (int)number;
	s->fd = __pmConnectLogger(s->host, &s->pid, &s->port);
	return s->fd < 0 ? s->fd : 0;
}

void session_print_target(const struct session *s, bool first, FILE *f)
{
	if (s->target == TARGET_PRIMARY)
		fprintf(f, "primary pmlogger at %s", s->host);
	else if (s->target == TARGET_SOCKET)
		fprintf(f, "pmlogger via %slocal socket at %s", first ? "the " : "", s->host);
	else if (s->port != PM_LOG_NO_PORT)
		fprintf(f, "pmlogger on port %d at %s", s->port, s->host);
	else
		fprintf(f, "pmlogger pid %d at %s", s->pid, s->host);
}

void session_failed(struct session *s, const char *what, int error)
{
	char text[PM_MAXERRMSGLEN];
	bool lost = error == PM_ERR_IPC || error == -EPIPE;

	fflush(stdout);
	if (lost)
		fprintf(finding(), "%sLost connection to the pmlogger instance\n", what);
	else if (error == PM_ERR_TIMEOUT)
		fprintf(finding(), "%sTimeout, closed connection to the pmlogger instance\n", what);
	else
		fprintf(finding(), "%s%s\n", what, pmErrStr_r(error, text, sizeof(text)));
	if (lost || error == PM_ERR_TIMEOUT)
		session_disconnect(s);
}

int session_status(struct session *s, __pmLoggerStatus **ret_status)
{
	int r = pitot_logger_request(s->fd, LOG_REQUEST_STATUS, ret_status);

	if (r < 0)
		session_failed(s, "Error receiving response from pmlogger: ", r);
	return r < 0 ? -1 : 0;
}

/* Makes the requested zone the reporting zone; the result is its name for messages. */
static const char *session_use_zone(struct session *s, const __pmLoggerStatus *status)
{
	const char *tz = s->zone == ZONE_GIVEN    ? s->zone_text
			 : s->zone == ZONE_LOGGER ? status->pmlogger.timezone
						  : __pmTimezone();

	if (tz != NULL)
		pmNewZone(tz);
	return s->zone == ZONE_GIVEN ? s->zone_text : s->zone == ZONE_LOGGER ? "pmlogger" : "local";
}

/*
 * Recorders and their status
 */

/*
 * The entry that has the port of the primary recorder is the primary recorder, under its own
 * number.
 */
static const __pmLogPort *primary_of(const __pmLogPort *list, int n, const __pmLogPort **ret_link)
{
	const __pmLogPort *link = NULL;

	for (int i = 0; i < n; i++) {
		if (list[i].pid == PM_LOG_PRIMARY_PID)
			link = &list[i];
	}
	*ret_link = link;
	for (int i = 0; link != NULL && i < n; i++) {
		if (&list[i] != link && list[i].port == link->port)
			return &list[i];
	}
	return NULL;
}

static void print_list(const __pmLogPort *list, int n)
{
	const __pmLogPort *link;
	const __pmLogPort *primary = primary_of(list, n, &link);

	printf("    ");
	if (primary != NULL)
		printf("primary (%d)", primary->pid);
	else if (link != NULL)
		printf("primary");
	for (int i = 0; i < n; i++) {
		if (&list[i] != link && &list[i] != primary)
			printf(" %d", list[i].pid);
	}
	putchar('\n');
}

void show_loggers(const struct session *s, const char *host)
{
	char text[PM_MAXERRMSGLEN];
	__pmLogPort *list;
	int n;

	if (host == NULL)
		host = s->host[0] != '\0' ? s->host : s->default_host;
	n = __pmLogFindPort(host, PM_LOG_ALL_PIDS, &list);
	if (n < 0) {
		fflush(stdout);
		fprintf(finding(), "Error finding pmloggers on %s: %s\n", host,
			pmErrStr_r(n, text, sizeof(text)));
	} else if (n == 0) {
		printf("No pmloggers running on %s\n", host);
	} else {
		printf("The following pmloggers are running on %s:\n", host);
		print_list(list, n);
	}
}

/* "Fri Nov 20 15:27:55.608385784 2026" */
static void session_print_time(const char *label, const __pmTimestamp *stamp, const char *zone)
{
	const time_t sec = (time_t)stamp->sec;
	char date[32];

	pmCtime(&sec, date);
	printf("%-17s%.10s ", label, date);
	__pmPrintTimestamp(stdout, stamp);
	printf(" %.4s", date + 20);
	if (zone != NULL)
		printf(" (times in %s time)", zone);
	putchar('\n');
}

static const char *or_unknown(const char *text)
{
	return text == NULL ? "unknown" : text;
}

/*
 * The way in which the recorder reaches its collector, or, if that says nothing, the collector's
 * name.
 */
static const char *collector_name(const __pmLoggerStatus *status)
{
	const char *fqdn = status->pmcd.fqdn;

	if (fqdn == NULL || strcmp(fqdn, "localhost") == 0 || strcmp(fqdn, "local:") == 0 ||
	    strcmp(fqdn, "unix:") == 0)
		return or_unknown(status->pmcd.hostname);
	return fqdn;
}

static void print_progress(struct session *s, const __pmLoggerStatus *status)
{
	const char *zone = session_use_zone(s, status);

	session_print_time("log started", &status->start, zone);
	session_print_time("last log entry", &status->last, NULL);
	session_print_time("current time", &status->now, NULL);
	printf("log volume       %d\n", status->vol);
	printf("log size         %lld\n", (long long)status->size);
}

void show_status(struct session *s)
{
	__pmLoggerStatus *status;

	if (session_status(s, &status) < 0)
		return;
	if (s->target == TARGET_PRIMARY)
		printf("pmlogger [primary]");
	else
		printf("pmlogger [%d]", s->pid);
	printf(" on host %s is logging metrics from host %s\n", s->host,
	       or_unknown(status->pmcd.hostname));
	printf("PMCD host        %s\n", collector_name(status));
	if (status->state == PM_LOG_STATE_NEW)
		printf("logging hasn't started yet\n");
	else
		print_progress(s, status);
	__pmFreeLogStatus(status, 1);
}
