/* session - see session.h. */
#include "tools/pmlc/session.h"

#include <errno.h>
#include <string.h>

#include <pcp/impl.h>

#include "tools/common/finding.h"

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

const char *session_use_zone(struct session *s, const __pmLoggerStatus *status)
{
	const char *tz = s->zone == ZONE_GIVEN    ? s->zone_text
			 : s->zone == ZONE_LOGGER ? status->pmlogger.timezone
						  : __pmTimezone();

	if (tz != NULL)
		pmNewZone(tz);
	return s->zone == ZONE_GIVEN ? s->zone_text : s->zone == ZONE_LOGGER ? "pmlogger" : "local";
}
