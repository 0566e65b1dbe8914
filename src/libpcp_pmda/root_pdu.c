/*
 * root_pdu - messages between pmcd, its agents and their privileged helper pmdaroot over a Unix
 * socket (docs/spec/pmda.md 16.1, 16.2).
 *
 * Messages are the structures of <pcp/pmdaroot.h> in host order, cut after the last string. Both
 * ends may send wrong ones, so a length is used only as far as bytes were received.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>

enum {
	CONTAINER_HEAD = offsetof(__pmdaRootPDUContainer, name),
	START_HEAD = offsetof(__pmdaRootPDUStart, args),
};

_Static_assert(sizeof(__pmdaRootPDUInfo) == 24 && sizeof(__pmdaRootPDUContainer) == 4120 &&
		   sizeof(__pmdaRootPDUStart) == 4200 && sizeof(__pmdaRootPDUStop) == 32,
	       "layouts known to pmdaroot");

/* ---- both ways ------------------------------------------------------------------------------ */

static __pmdaRootPDUHdr header(int type, size_t length, int status)
{
	return (__pmdaRootPDUHdr){
	    .type = type,
	    .length = (int)length,
	    .status = status,
	    .version = ROOT_PDU_VERSION,
	};
}

static int send_bytes(int fd, const void *pdu, size_t len)
{
	return (int)send(fd, pdu, len, MSG_NOSIGNAL);
}

/* The bytes of one receive call; more if the message says that there are more. -errno. */
static int receive(int fd, void *buf, size_t buflen)
{
	const __pmdaRootPDUHdr *hdr = buf;
	size_t got = 0;

	do {
		ssize_t n = recv(fd, (char *)buf + got, buflen - got, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	} while (got < sizeof(*hdr) ||
		 (hdr->length > 0 && got < (size_t)hdr->length && (size_t)hdr->length <= buflen));
	return (int)got;
}

/* The check of every message: 0, or its fault, or the sender's own error. */
static int root_check(const __pmdaRootPDUHdr *hdr, int type)
{
	if (hdr->type != type)
		return -ESRCH;
	if (hdr->version > ROOT_PDU_VERSION)
		return -ENOTSUP;
	/* The sender's error must be negative: another number would be taken for a length. */
	return hdr->status > 0 ? -EINVAL : hdr->status;
}

/* Receives a message of a type with at least min bytes: how many there are, or an error. */
static int receive_checked(int fd, int type, void *buf, int buflen, size_t min)
{
	int got, r;

	if (buflen < (int)min)
		return -EINVAL;
	got = receive(fd, buf, (size_t)buflen);
	if (got < 0)
		return got;
	if (got < (int)min)
		return -EINVAL;
	r = root_check(buf, type);
	return r < 0 ? r : got;
}

/* True if a string of len bytes follows the head of a message, of which got bytes were received. */
static bool has_string(const __pmdaRootPDUHdr *hdr, int head, int len, int got)
{
	return len >= 0 && len < MAXPATHLEN && hdr->length >= head + len && got >= head + len;
}

/* A string into a caller's buffer of buflen bytes, NUL-terminated. 0, or -E2BIG. */
static int copy_string(char *buf, int buflen, const char *string, int len)
{
	if (len >= buflen)
		return -E2BIG;
	memcpy(buf, string, (size_t)len);
	buf[len] = '\0';
	return 0;
}

/* ---- INFO: what the helper can do ----------------------------------------------------------- */

int __pmdaSendRootPDUInfo(int fd, int features, int status)
{
	const __pmdaRootPDUInfo pdu = {
	    .hdr = header(PDUROOT_INFO, sizeof(pdu), status),
	    .features = features,
	};

	return send_bytes(fd, &pdu, sizeof(pdu));
}

int __pmdaRecvRootPDUInfo(int fd, int *version, int *features)
{
	__pmdaRootPDUInfo pdu;
	int r = receive_checked(fd, PDUROOT_INFO, &pdu, sizeof(pdu), sizeof(pdu));

	if (r < 0)
		return r;
	if (pdu.hdr.length != (int)sizeof(pdu))
		return -E2BIG;
	*version = pdu.hdr.version;
	*features = pdu.features;
	return r;
}

/* ---- containers: names, processes, groups --------------------------------------------------- */

int __pmdaSendRootPDUContainer(int fd, int type, int pid, const char *name, int namelen, int status)
{
	__pmdaRootPDUContainer pdu;
	size_t len = CONTAINER_HEAD + (size_t)namelen;

	if (namelen < 0)
		return -EINVAL;
	if (namelen >= MAXPATHLEN)
		return -E2BIG;
	pdu.hdr = header(type, len, status);
	pdu.pid = pid;
	pdu.namelen = namelen;
	if (namelen > 0)
		memcpy(pdu.name, name, (size_t)namelen);
	return send_bytes(fd, &pdu, len);
}

int __pmdaRecvRootPDUContainer(int fd, int type, void *buf, int buflen)
{
	const __pmdaRootPDUContainer *pdu = buf;
	int r = receive_checked(fd, type, buf, buflen, CONTAINER_HEAD);

	if (r < 0)
		return r;
	return has_string(&pdu->hdr, CONTAINER_HEAD, pdu->namelen, r) ? r : -E2BIG;
}

int __pmdaDecodeRootPDUContainer(void *buf, int pdulen, int *pid, char *name, int buflen)
{
	const __pmdaRootPDUContainer *pdu = buf;
	int r;

	if (pdulen < CONTAINER_HEAD || !has_string(&pdu->hdr, CONTAINER_HEAD, pdu->namelen, pdulen))
		return -EINVAL;
	if (pid != NULL)
		*pid = pdu->pid;
	if (name == NULL)
		return pdu->namelen;
	r = copy_string(name, buflen, pdu->name, pdu->namelen);
	return r < 0 && pdu->namelen > 0 ? r : pdu->namelen;
}

/* ---- starting an agent ---------------------------------------------------------------------- */

int __pmdaSendRootPDUStartReq(int fd, int ipctype, const char *name, int namelen, const char *args,
			      int argslen)
{
	__pmdaRootPDUStart pdu = {.ipctype = ipctype, .namelen = namelen, .argslen = argslen};
	size_t len = START_HEAD + (size_t)argslen;

	if (namelen <= 0 || argslen <= 0)
		return -EINVAL;
	if (namelen >= MAXPMDALEN || argslen >= MAXPATHLEN)
		return -E2BIG;
	pdu.hdr = header(PDUROOT_STARTPMDA_REQ, len, 0);
	memcpy(pdu.name, name, (size_t)namelen);
	memcpy(pdu.args, args, (size_t)argslen);
	return send_bytes(fd, &pdu, len);
}

int __pmdaRecvRootPDUStartReq(int fd, void *buf, int buflen)
{
	const __pmdaRootPDUStart *pdu = buf;
	int r = receive_checked(fd, PDUROOT_STARTPMDA_REQ, buf, buflen, START_HEAD);

	if (r < 0)
		return r;
	if (pdu->namelen < 0 || pdu->namelen > MAXPMDALEN ||
	    !has_string(&pdu->hdr, START_HEAD, pdu->argslen, r))
		return -E2BIG;
	return r;
}

/* Both descriptors as a control message; nothing if one of them is none. */
static size_t put_descriptors(struct cmsghdr *cmsg, int infd, int outfd)
{
	const int fds[] = {infd, outfd};

	if (infd < 0 || outfd < 0)
		return 0;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(cmsg), fds, sizeof(fds));
	return CMSG_SPACE(sizeof(fds));
}

int __pmdaSendRootPDUStart(int fd, int pid, int infd, int outfd, const char *name, int namelen,
			   int status)
{
	__pmdaRootPDUStart pdu = {.pid = pid, .namelen = namelen}; /* descriptors go beside it */
	struct iovec iov = {.iov_base = &pdu, .iov_len = START_HEAD};
	union {
		struct cmsghdr cmsg;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {.bytes = {0}};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (namelen <= 0)
		return -EINVAL;
	if (namelen >= MAXPMDALEN)
		return -E2BIG;
	pdu.hdr = header(PDUROOT_STARTPMDA, START_HEAD, status);
	memcpy(pdu.name, name, (size_t)namelen);
	msg.msg_controllen = put_descriptors(&control.cmsg, infd, outfd);
	msg.msg_control = msg.msg_controllen > 0 ? &control : NULL;
	return (int)sendmsg(fd, &msg, MSG_NOSIGNAL);
}

/* The two descriptors that came with a message, or -1; others are closed. */
static void get_descriptors(struct msghdr *msg, int *ret_infd, int *ret_outfd)
{
	int fds[2] = {-1, -1};

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (n == 2 && fds[i] < 0)
				fds[i] = fd;
			else
				close(fd);
		}
	}
	*ret_infd = fds[0];
	*ret_outfd = fds[1];
}

static int check_start(const __pmdaRootPDUStart *pdu, int got)
{
	if (got < (int)sizeof(pdu->hdr))
		return -EINVAL;
	if (pdu->hdr.type != PDUROOT_STARTPMDA)
		return -ESRCH;
	if (pdu->hdr.status != 0)
		return pdu->hdr.status > 0 ? -EINVAL : pdu->hdr.status;
	if (got < START_HEAD)
		return -EINVAL;
	return pdu->hdr.length < START_HEAD ? -E2BIG : 0;
}

int __pmdaRecvRootPDUStart(int fd, void *buf, int buflen)
{
	__pmdaRootPDUStart *pdu = buf;
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(*pdu)};
	union {
		struct cmsghdr cmsg;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int infd, outfd, got, r;

	if (buflen < START_HEAD)
		return -EINVAL;
	if (iov.iov_len > (size_t)buflen)
		iov.iov_len = (size_t)buflen;
	msg.msg_control = &control;
	msg.msg_controllen = sizeof(control);
	do {
		got = (int)recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		r = -errno;
		pmNotifyErr(LOG_DEBUG, "recvmsg: %d %s", errno, strerror(errno));
		return r;
	}
	get_descriptors(&msg, &infd, &outfd);
	r = check_start(pdu, got);
	if (r != 0) {
		if (infd >= 0)
			close(infd);
		if (outfd >= 0)
			close(outfd);
		return r;
	}
	pdu->infd = infd;
	pdu->outfd = outfd;
	return got;
}

static void store_int(int *to, int value)
{
	if (to != NULL)
		*to = value;
}

int __pmdaDecodeRootPDUStart(void *buf, int pdulen, int *pid, int *infd, int *outfd, int *ipctype,
			     char *name, int namelen, char *args, int argslen)
{
	const __pmdaRootPDUStart *pdu = buf;
	int r = 0;

	if (pdulen < START_HEAD || pdu->namelen < 0 || pdu->namelen > MAXPMDALEN)
		return -EINVAL;
	store_int(pid, pdu->pid);
	store_int(infd, pdu->infd);
	store_int(outfd, pdu->outfd);
	store_int(ipctype, pdu->ipctype);
	if (name != NULL && namelen > 0)
		r = copy_string(name, namelen, pdu->name, pdu->namelen);
	if (r < 0 || args == NULL || argslen <= 0)
		return r;
	if (!has_string(&pdu->hdr, START_HEAD, pdu->argslen, pdulen))
		return -EINVAL;
	return copy_string(args, argslen, pdu->args, pdu->argslen);
}

/* ---- ending an agent ------------------------------------------------------------------------ */

int __pmdaSendRootPDUStop(int fd, int type, int pid, int code, int force, int status)
{
	const __pmdaRootPDUStop pdu = {
	    .hdr = header(type, sizeof(pdu), status),
	    .pid = pid,
	    .code = code,
	    .force = force,
	};

	return send_bytes(fd, &pdu, sizeof(pdu));
}

int __pmdaRecvRootPDUStop(int fd, int type, void *buf, int buflen)
{
	return receive_checked(fd, type, buf, buflen, sizeof(__pmdaRootPDUStop));
}

int __pmdaDecodeRootPDUStop(void *buf, int pdulen, int *pid, int *code, int *force)
{
	const __pmdaRootPDUStop *pdu = buf;

	if (pdulen < (int)sizeof(*pdu))
		return -EINVAL;
	store_int(pid, pdu->pid);
	store_int(code, pdu->code);
	store_int(force, pdu->force);
	return 0;
}
