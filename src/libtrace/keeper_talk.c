/* keeper_talk - see keeper_talk.h. */
#include "libtrace/keeper_talk.h"

#include <string.h>
#include <sys/socket.h>

#include "libtrace/sys.h"

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(HANDOFF_FDS * sizeof(int))];
};

int handoff_send(int sock, const void *packet, size_t len, const int *fds, unsigned nfds)
{
	struct iovec part = { (void *)(uintptr_t)packet, len };
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	long n;

	if (nfds > 0) {
		struct cmsghdr *c;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	do
		n = SYS(SYS_sendmsg, sock, &msg, MSG_NOSIGNAL);
	while (n == -EINTR);
	if (n == -ECONNRESET || n == -ENOTCONN)
		return -EPIPE;
	return n < 0 ? (int)n : 0;
}

static int take_fds(struct msghdr *msg, int fds[HANDOFF_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	unsigned n;

	if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return 0;
	n = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	return (int)n;
}

int handoff_receive(int sock, void *packet, size_t len, int fds[HANDOFF_FDS])
{
	struct iovec part = { packet, len };
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	long n;
	int r;

	do
		n = SYS(SYS_recvmsg, sock, &msg, MSG_CMSG_CLOEXEC);
	while (n == -EINTR);
	if (n <= 0)
		return n == 0 || n == -ECONNRESET ? -EPIPE : (int)n;
	r = take_fds(&msg, fds);
	if ((size_t)n == len && (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return r;
	while (r-- > 0)
		sys_close(fds[r]);
	return -EPROTO;
}
