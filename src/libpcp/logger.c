/*
 * logger - the control port of a recorder: connecting, requests and their answers
 * (docs/spec/logger.md B2 to B6). The layouts of the PDUs are in logger_pdu.c.
 *
 * A recorder's address is a path that was given, the socket named after the process id, or the port
 * that the recorder's host reports. "local:" tries the sockets first and then the ports of this
 * host.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/defaults.h"
#include "libpcp/dial.h"
#include "libpcp/logger_pdu.h"
#include "libpcp/pdu_io.h"
#include "libpcp/results.h"
#include "libwire/pdu.h"
#include "libwire/result.h"

enum { VERSION_OLDEST = 2, VERSION_NEWEST = 3, MS_PER_SEC = 1000, NSEC_PER_USEC = 1000 };

int __pmLoggerTimeout(void)
{
	const char *text = getenv("PMLOGGER_REQUEST_TIMEOUT");
	char *end;
	long sec;

	if (text == NULL || *text == '\0')
		return 0;
	errno = 0;
	sec = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || sec < 0 || sec > INT_MAX) {
		pmNotifyErr(LOG_WARNING, "ignored bad PMLOGGER_REQUEST_TIMEOUT = '%s'\n", text);
		return 0;
	}
	return (int)sec;
}

/* Milliseconds to wait for an answer, 0: without limit. */
static int logger_timeout_ms(void)
{
	int sec = __pmLoggerTimeout();

	return sec > INT_MAX / MS_PER_SEC ? INT_MAX : sec * MS_PER_SEC;
}

/*
 * Receives the answer into pdu, which is empty: its type. A refusal (an ERROR with a code below 0)
 * is that code; the end of the stream is PM_ERR_IPC; else as pdu_io_receive.
 */
static int logger_answer(int fd, struct buffer *pdu)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int type = pdu_io_receive(fd, PDU_PEER_MAX, logger_timeout_ms(), pdu);
	int r = type == 0 ? PM_ERR_IPC : type;

	if (type == PDU_ERROR) {
		r = pdu_decode(buffer_head(pdu), buffer_pending(pdu), &mem, &body);
		if (r == 0)
			r = body.error.code < 0 ? body.error.code : type;
	}
	arena_done(&mem);
	return r;
}

/* The answer to a LOG_REQUEST: a number, or a status. */
static int read_answer(int type, int request, const struct buffer *pdu,
		       __pmLoggerStatus **ret_status)
{
	bool is_status = type == PDU_LOG_STATUS || type == PDU_LOG_STATUS_V2;
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r;

	if (request == LOG_REQUEST_STATUS ? !is_status : type != PDU_ERROR)
		return PM_ERR_IPC;
	r = pdu_decode(buffer_head(pdu), buffer_pending(pdu), &mem, &body);
	if (r == 0)
		r = is_status ? logger_pdu_status(&body.log_status, ret_status) : body.error.code;
	arena_done(&mem);
	return r;
}

int pitot_logger_request(int fd, int request, __pmLoggerStatus **status)
{
	const union pdu_body body = {.log_request = {request}};
	struct buffer pdu = BUFFER_INIT;
	int r = pdu_encode(&pdu, PDU_LOG_REQUEST, 0, &body);

	if (r == 0)
		r = pdu_io_send(fd, &pdu, logger_timeout_ms());
	buffer_reset(&pdu);
	if (r > 0)
		r = logger_answer(fd, &pdu);
	if (r > 0)
		r = read_answer(r, request, &pdu, status);
	buffer_done(&pdu);
	return r;
}

/* A result made of the bytes of a PDU; pmFreeResult frees it. */
static int take_result(const struct buffer *pdu, pmResult **ret_result)
{
	pmHighResResult *highres;
	long nsec;
	int r = result_decode(buffer_head(pdu), buffer_pending(pdu), &highres);

	if (r < 0)
		return r;
	r = results_add(highres);
	if (r < 0) {
		free(highres);
		return r;
	}
	nsec = highres->timestamp.tv_nsec;
	*ret_result = (pmResult *)highres;
	(*ret_result)->timestamp.tv_usec = nsec / NSEC_PER_USEC;
	return 0;
}

/* A request that no recorder could answer is not sent. */
static int check_request(const pmResult *request, int control, int state, int delta)
{
	if (request->numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (delta < 0 || (control == PM_LOG_ADVISORY && state == PM_LOG_MAYBE))
		return -EINVAL;
	for (int i = 0; i < request->numpmid; i++) {
		if (request->vset[i]->numval < 0)
			return PM_ERR_VALUE;
	}
	return 0;
}

int __pmControlLog(int fd, const pmResult *request, int control, int state, int delta,
		   pmResult **status)
{
	struct buffer pdu = BUFFER_INIT;
	int r = check_request(request, control, state, delta);

	if (r == 0)
		r = logger_pdu_control(&pdu, request, control, state, delta);
	if (r == 0)
		r = pdu_io_send(fd, &pdu, logger_timeout_ms());
	buffer_reset(&pdu);
	if (r > 0)
		r = logger_answer(fd, &pdu);
	if (r > 0)
		r = r == PDU_RESULT ? take_result(&pdu, status) : PM_ERR_IPC;
	buffer_done(&pdu);
	return r;
}

/* ---- Connecting ----------------------------------------------------------------------------- */

/* The text after "unix:" or "local:", NULL for another specification. */
static const char *after_prefix(const char *spec, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(spec, prefix, len) == 0 ? spec + len : NULL;
}

/* The path of a specification, with one slash in front; false if it names none. */
static bool path_of(const char *rest, char *path, size_t size)
{
	rest += strspn(rest, "/");
	return *rest != '\0' && snprintf(path, size, "/%s", rest) < (int)size;
}

static int dial_named(const char *folder, const char *below, int pid, int *ret_fd)
{
	char name[24] = "primary";
	char path[MAXPATHLEN];

	if (folder == NULL || *folder == '\0')
		return -ENOENT;
	if (pid != PM_LOG_PRIMARY_PID)
		snprintf(name, sizeof(name), "%d", pid);
	if (snprintf(path, sizeof(path), "%s%s/pmlogger.%s.socket", folder, below, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	return dial_unix(path, timeouts_connect_ms(), ret_fd);
}

/* The socket that a recorder made: this user's `pitot up`, then where root and where a user makes
 * one. */
static int dial_pid(int pid, int *ret_fd)
{
	const char *folder;
	size_t pos = 0;
	int r = -ENOENT;

	while (r != 0 && (folder = defaults_own_folder(&pos)) != NULL)
		r = dial_named(folder, "", pid, ret_fd);
	if (r != 0)
		r = dial_named(pmGetOptionalConfig("PCP_RUN_DIR"), "", pid, ret_fd);
	return r == 0 ? 0 : dial_named(getenv("HOME"), "/.pcp/run", pid, ret_fd);
}

static int dial_socket(const char *rest, int pid, int *ret_fd)
{
	char path[MAXPATHLEN];
	int r = -ECONNREFUSED;

	if (path_of(rest, path, sizeof(path)))
		return dial_unix(path, timeouts_connect_ms(), ret_fd);
	if (pid != PM_LOG_NO_PID && pid != PM_LOG_ALL_PIDS)
		r = dial_pid(pid, ret_fd);
	/* A recorder that has ended has left no socket, or one that refuses connections. */
	return r == -ENOENT ? -ECONNREFUSED : r;
}

/* port is looked up where it was not given. */
static int dial_host(const char *host, int pid, int *port, int *ret_fd)
{
	__pmLogPort *list;
	int n;

	if (*port == PM_LOG_NO_PORT) {
		if (pid == PM_LOG_ALL_PIDS)
			return -ECONNREFUSED;
		n = __pmLogFindPort(host, pid, &list);
		if (n != 1)
			return n < 0 ? n : -ECONNREFUSED;
		*port = list[0].port;
	}
	return dial_tcp(host, port, 1, timeouts_connect_ms(), ret_fd);
}

/* Reads the recorder's process id and protocol version. */
static int read_ack(int fd, int pid, int *ret_pid, int *ret_version)
{
	struct buffer pdu = BUFFER_INIT;
	struct arena mem = ARENA_INIT;
	struct pdu_header header;
	union pdu_body body;
	int r = logger_answer(fd, &pdu);

	if (r > 0 && r != PDU_ERROR)
		r = PM_ERR_IPC;
	if (r > 0)
		r = pdu_header_get(buffer_head(&pdu), &header);
	if (r == 0)
		r = pdu_decode(buffer_head(&pdu), buffer_pending(&pdu), &mem, &body);
	if (r == 0 && body.error.code < VERSION_OLDEST)
		r = PM_ERR_IPC;
	if (r == 0 && pid != PM_LOG_NO_PID && pid != PM_LOG_PRIMARY_PID && pid != header.from)
		r = -ECONNREFUSED;
	if (r == 0) {
		*ret_pid = header.from;
		*ret_version = body.error.code < VERSION_NEWEST ? body.error.code : VERSION_NEWEST;
	}
	arena_done(&mem);
	buffer_done(&pdu);
	return r;
}

static int send_creds(int fd, int version)
{
	const uint32_t cred = pdu_cred_version((unsigned int)version, 0);
	const union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};
	struct buffer pdu = BUFFER_INIT;
	int r = pdu_encode(&pdu, PDU_CREDS, (int32_t)getpid(), &body);

	if (r == 0)
		r = pdu_io_send(fd, &pdu, logger_timeout_ms());
	buffer_done(&pdu);
	return r < 0 ? r : 0;
}

/* Takes fd: it is given back, or closed. */
static int shake_hands(int fd_taken, int *pid)
{
	AUTO_FD int fd = fd_taken;
	int version;
	int r = read_ack(fd, *pid, pid, &version);

	if (r == 0)
		r = send_creds(fd, version);
	if (r == 0)
		r = __pmSetVersionIPC(fd, version);
	return r < 0 ? r : TAKE_FD(fd);
}

static int connect_host(const char *host, int *pid, int *port)
{
	int fd;
	int r = dial_host(host, *pid, port, &fd);

	return r < 0 ? r : shake_hands(fd, pid);
}

static int connect_socket(const char *rest, int *pid)
{
	int fd;
	int r = dial_socket(rest, *pid, &fd);

	return r < 0 ? r : shake_hands(fd, pid);
}

int __pmConnectLogger(const char *spec, int *pid, int *port)
{
	const char *unix_rest = after_prefix(spec, "unix:");
	const char *local_rest = after_prefix(spec, "local:");
	int r;

	if (*pid == PM_LOG_NO_PID && *port == PM_LOG_PRIMARY_PORT) {
		*pid = PM_LOG_PRIMARY_PID;
		*port = PM_LOG_NO_PORT;
	}
	if (unix_rest != NULL)
		return connect_socket(unix_rest, pid);
	if (local_rest == NULL)
		return connect_host(spec, pid, port);
	r = connect_socket(local_rest, pid);
	if (r < 0 && (*port != PM_LOG_NO_PORT || *pid != PM_LOG_NO_PID))
		r = connect_host("localhost", pid, port);
	return r;
}
