/* show - see show.h. */
#include "tools/pmlc/show.h"

#include <stdio.h>
#include <string.h>

#include <pcp/impl.h>

#include "tools/common/finding.h"
#include "tools/pmlc/session.h"

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
static void print_time(const char *label, const __pmTimestamp *stamp, const char *zone)
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

	print_time("log started", &status->start, zone);
	print_time("last log entry", &status->last, NULL);
	print_time("current time", &status->now, NULL);
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
