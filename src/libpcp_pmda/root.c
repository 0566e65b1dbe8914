/*
 * root - an agent's requests of the privileged helper pmdaroot (docs/spec/pmda.md 16.3).
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>

#include "libbase/cleanup.h"

/* ---- the connection ------------------------------------------------------------------------- */

static int default_path(char *buf, size_t size)
{
	const char *dir = pmGetOptionalConfig("PCP_VAR_DIR");

	if (dir == NULL)
		return PM_ERR_GENERIC;
	return snprintf(buf, size, "%s/pmcd/root.socket", dir) < (int)size ? 0 : -ENAMETOOLONG;
}

/* A missing helper is not reported unless debugging: agents work without one. */
static int cannot_connect(const char *path)
{
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_INFO, "pmdaRootConnect: cannot connect to %s: %s", path,
			    strerror(errno));
	return -1;
}

static int root_connect(int fd, const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

int pmdaRootConnect(const char *path)
{
	char standard[MAXPATHLEN], errmsg[PM_MAXERRMSGLEN];
	AUTO_FD int fd = -1;
	int version, features, r;

	if (path == NULL) {
		r = default_path(standard, sizeof(standard));
		if (r < 0)
			return r;
		path = standard;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		r = -errno;
		pmNotifyErr(LOG_ERR, "pmdaRootConnect: cannot create socket %s: %s", path,
			    strerror(-r));
		return r;
	}
	if (root_connect(fd, path) < 0)
		return cannot_connect(path);
	r = __pmdaRecvRootPDUInfo(fd, &version, &features);
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "pmdaRootConnect: cannot verify %s server: %s", path,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
		return r;
	}
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_INFO, "pmdaRootConnect: %s server fd=%d version=%d features=0x%x",
			    path, fd, version, (unsigned int)features);
	return TAKE_FD(fd);
}

void pmdaRootShutdown(int fd)
{
	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

/* The return value of a send call, as a result code. */
static int sent(int r)
{
	return r == -1 ? -errno : r;
}

/* ---- containers ----------------------------------------------------------------------------- */

/*
 * Asks about the container of a name, or of the process whose id is in the field namelen; the reply
 * has the type after the request's. Its length, or an error.
 */
static int ask_container(int fd, int type, const char *name, int namelen,
			 __pmdaRootPDUContainer *ret_pdu)
{
	int r;

	if (fd < 0)
		return -ENOTCONN;
	if (name == NULL)
		r = __pmdaSendRootPDUContainer(fd, type, namelen, NULL, 0, 0);
	else
		r = __pmdaSendRootPDUContainer(fd, type, 0, name, namelen, 0);
	r = sent(r);
	return r < 0 ? r : __pmdaRecvRootPDUContainer(fd, type + 1, ret_pdu, sizeof(*ret_pdu));
}

int pmdaRootContainerHostName(int fd, const char *name, int namelen, char *buf, int buflen)
{
	__pmdaRootPDUContainer pdu;
	int r = ask_container(fd, PDUROOT_HOSTNAME_REQ, name, namelen, &pdu);

	return r < 0 ? r : __pmdaDecodeRootPDUContainer(&pdu, r, NULL, buf, buflen);
}

int pmdaRootContainerCGroupName(int fd, const char *name, int namelen, char *buf, int buflen)
{
	__pmdaRootPDUContainer pdu;
	int r = ask_container(fd, PDUROOT_CGROUPNAME_REQ, name, namelen, &pdu);

	return r < 0 ? r : __pmdaDecodeRootPDUContainer(&pdu, r, NULL, buf, buflen);
}

int pmdaRootContainerProcessID(int fd, const char *name, int namelen)
{
	__pmdaRootPDUContainer pdu;
	int pid, r = ask_container(fd, PDUROOT_PROCESSID_REQ, name, namelen, &pdu);

	if (r >= 0)
		r = __pmdaDecodeRootPDUContainer(&pdu, r, &pid, NULL, 0);
	return r < 0 ? r : pid;
}

/* ---- agents' processes ---------------------------------------------------------------------- */

int pmdaRootProcessStart(int fd, int ipctype, const char *label, int labellen, const char *args,
			 int argslen, int *pid, int *infd, int *outfd)
{
	__pmdaRootPDUStart pdu;
	int r;

	if (fd < 0)
		return -ENOTCONN;
	r = sent(__pmdaSendRootPDUStartReq(fd, ipctype, label, labellen, args, argslen));
	if (r >= 0)
		r = __pmdaRecvRootPDUStart(fd, &pdu, sizeof(pdu));
	if (r < 0)
		return r;
	return __pmdaDecodeRootPDUStart(&pdu, r, pid, infd, outfd, NULL, NULL, 0, NULL, 0);
}

static int ask_stop(int fd, int pid, int force, int *ret_pid, int *ret_code)
{
	__pmdaRootPDUStop pdu;
	int r;

	if (fd < 0)
		return -ENOTCONN;
	r = sent(__pmdaSendRootPDUStop(fd, PDUROOT_STOPPMDA_REQ, pid, 0, force, 0));
	if (r >= 0)
		r = __pmdaRecvRootPDUStop(fd, PDUROOT_STOPPMDA, &pdu, sizeof(pdu));
	if (r < 0)
		return r;
	return __pmdaDecodeRootPDUStop(&pdu, r, ret_pid, ret_code, NULL);
}

int pmdaRootProcessWait(int fd, int pid, int *status)
{
	int ended, r = ask_stop(fd, pid, 0, &ended, status);

	return r < 0 ? r : ended;
}

int pmdaRootProcessTerminate(int fd, int pid)
{
	return ask_stop(fd, pid, 1, NULL, NULL);
}
