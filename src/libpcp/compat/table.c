/*
 * table - the functions of compat.h that are another name of something that exists: a row has the
 * result, the name, the parameters, and the expression that replaces it.
 *
 * On Linux all sockets are descriptors, so that most functions of PCP's portability layer are
 * system calls. Descriptors of a program that is not ours may be above FD_SETSIZE: the set then
 * stays as it is.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/service.h"
#include "libpcp/compat/compat.h"
#include "libpcp/options.h"

static bool fits(int fd)
{
	return fd >= 0 && fd < FD_SETSIZE;
}

/* The system refuses a length that is greater than its longest address, such as __pmSockAddrSize.
 */
static socklen_t cut(socklen_t len)
{
	return len > sizeof(struct sockaddr_un) ? sizeof(struct sockaddr_un) : len;
}

static bool managed(void)
{
	const char *socket = getenv("NOTIFY_SOCKET");

	return socket != NULL && *socket != '\0';
}

static bool peer_is_gone(int error)
{
	return error == ECONNRESET || error == EPIPE || error == ECONNREFUSED ||
	       error == ENETDOWN || error == ENETUNREACH || error == EHOSTDOWN ||
	       error == EHOSTUNREACH;
}

/* A row of a function with a result, and of one without. */
#define VALUE(type, name, parameters, ours)                                                        \
	type name parameters                                                                       \
	{                                                                                          \
		return ours;                                                                       \
	}
#define ACTION(name, parameters, ours)                                                             \
	void name parameters                                                                       \
	{                                                                                          \
		ours;                                                                              \
	}

/* clang-format off */
/* result name                      parameters                                    ours */
VALUE(int, __pmAccept,                 (int fd, void *addr, socklen_t *len),          accept(fd, addr, len))
VALUE(int, __pmBind,                   (int fd, void *addr, socklen_t len),           bind(fd, addr, cut(len)))
VALUE(int, __pmConnect,                (int fd, void *addr, socklen_t len),           connect(fd, addr, cut(len)))
VALUE(int, __pmListen,                 (int fd, int backlog),                         listen(fd, backlog))
VALUE(int, __pmSocketClosed,           (void),                                        peer_is_gone(errno))

VALUE(ssize_t, __pmRead,               (int fd, void *buf, size_t len),               read(fd, buf, len))
VALUE(ssize_t, __pmRecv,               (int fd, void *buf, size_t len, int flags),    recv(fd, buf, len, flags))
VALUE(ssize_t, __pmSend,               (int fd, const void *buf, size_t len, int flags), send(fd, buf, len, flags))
VALUE(ssize_t, __pmWrite,              (int fd, const void *buf, size_t len),         write(fd, buf, len))

VALUE(int, __pmGetFileDescriptorFlags, (int fd),                                      fcntl(fd, F_GETFD))
VALUE(int, __pmGetFileStatusFlags,     (int fd),                                      fcntl(fd, F_GETFL))
VALUE(int, __pmSetFileDescriptorFlags, (int fd, int flags),                           fcntl(fd, F_SETFD, flags))
VALUE(int, __pmSetFileStatusFlags,     (int fd, int flags),                           fcntl(fd, F_SETFL, flags))

ACTION(    __pmFD_CLR,                 (int fd, fd_set *set),                         if (fits(fd)) FD_CLR(fd, set))
ACTION(    __pmFD_SET,                 (int fd, fd_set *set),                         if (fits(fd)) FD_SET(fd, set))
ACTION(    __pmFD_ZERO,                (fd_set *set),                                 FD_ZERO(set))
VALUE(int, __pmFD_ISSET,               (int fd, fd_set *set),                         fits(fd) && FD_ISSET(fd, set))
VALUE(int, __pmSelectRead,             (int n, fd_set *set, struct timeval *timeout), select(n, set, NULL, NULL, timeout))
VALUE(int, __pmSelectWrite,            (int n, fd_set *set, struct timeval *timeout), select(n, NULL, set, NULL, timeout))

ACTION(    __pmSetLocalContextFlag,    (pmOptions *opts),                             options_local(opts, NULL))
ACTION(    __pmSetLocalContextTable,   (pmOptions *opts, char *spec),                 options_local_table(opts, spec))
VALUE(int, __pmGetLongOptions,         (pmOptions *opts),                             options_long(opts))

VALUE(int, __pmAbsolutePath,           (char *path),                                  path[0] == '/')
VALUE(int, __pmProcessTerminate,       (pid_t pid, int force),                        kill(pid, force ? SIGKILL : SIGTERM) < 0 ? -errno : 0)
VALUE(int, __pmServerNotifyServiceManagerReady,    (pid_t pid),                       managed() ? (service_ready(), 1) : PM_ERR_GENERIC)
VALUE(int, __pmServerNotifyServiceManagerStopping, (pid_t pid),                       managed() ? (service_stopping(), 1) : PM_ERR_GENERIC)

/* This library needs no such call, or has nothing to show. */
ACTION(    __pmDumpStackInit,          (void *unused),                                (void)unused)
ACTION(    __pmOverrideLastFd,         (int fd),                                      (void)fd)
ACTION(    __pmServerSetLocalSocket,   (const char *path),                            (void)path)
ACTION(    __pmDumpPDUTrace,           (FILE *f),                                     fputs("__pmDumpPDUTrace: PDUs are not kept\n", f))
/* clang-format on */
