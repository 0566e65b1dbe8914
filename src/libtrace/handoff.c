/* handoff - see handoff.h. */
#include "libtrace/handoff.h"

#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "libtrace/clock.h"
#include "libtrace/keeper_run.h"
#include "libtrace/proc.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

/* ---- packets ---- */

union fd_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(HANDOFF_FDS * sizeof(int))];
};

int handoff_send(int sock, const void *packet, size_t len, const int *fds, unsigned nfds)
{
	struct iovec part = {(void *)(uintptr_t)packet, len};
	union fd_control control = {0};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
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
	struct iovec part = {packet, len};
	union fd_control control = {0};
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = control.bytes,
			     .msg_controllen = sizeof(control.bytes)};
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

/* ---- handoff: both sides ---- */

enum {
	REQUEST_MS = 50,
	BACKLOG = 128, /* a program may start many children at once */
	ROOT = 0,
};

/* The packet that a client receives. */
struct packet {
	uint64_t magic;
};
#define HANDOFF_MAGIC 0x31524f4f4454504fu

static socklen_t address(uint64_t number, struct sockaddr_un *ret_name)
{
	struct text t = text_init(ret_name->sun_path + 1, sizeof(ret_name->sun_path) - 1);

	ret_name->sun_family = AF_UNIX;
	ret_name->sun_path[0] = '\0';
	text_add(&t, "pitot-trace-");
	text_add_number(&t, number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   (size_t)(t.pos - ret_name->sun_path));
}

/* The result of a C library call; errno is kept. */
#define KEEP_ERRNO(call)                                                                           \
	__extension__({                                                                            \
		int keep_errno = errno;                                                            \
		int keep_result = (call);                                                          \
		if (keep_result < 0)                                                               \
			keep_result = -errno;                                                      \
		errno = keep_errno;                                                                \
		keep_result;                                                                       \
	})

static int new_socket(void)
{
	return KEEP_ERRNO(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/* ---- handoff: the keeper ---- */

static int net_of(const char *process)
{
	char path[64];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, "/proc/");
	text_add(&t, process);
	text_add(&t, "/ns/net");
	return sys_openat(AT_FDCWD, path, O_RDONLY, 0);
}

static bool handoff_same_file(int a, int b)
{
	struct stat s, t;

	return sys_fstat(a, &s) == 0 && sys_fstat(b, &t) == 0 && s.st_dev == t.st_dev &&
	       s.st_ino == t.st_ino;
}

/* Abstract names belong to a network name space. If the target's cannot be seen (the target has
 * ended), it needs no socket, and its children are most likely in the caller's. */
static int join_net(const struct proc_id *target)
{
	char pid[24];
	struct text t = text_init(pid, sizeof(pid));
	int ours, theirs, r = 0;

	text_add_number(&t, (uint32_t)target->pid);
	theirs = net_of(pid);
	ours = net_of("self");
	if (theirs >= 0 && ours >= 0 && !handoff_same_file(ours, theirs))
		r = KEEP_ERRNO(setns(theirs, CLONE_NEWNET));
	sys_close(theirs);
	sys_close(ours);
	return r;
}

int handoff_listen(uint64_t number, const struct proc_id *target)
{
	struct sockaddr_un name;
	socklen_t len = address(number, &name);
	int sock, r = join_net(target);

	if (r < 0)
		return r;
	sock = new_socket();
	if (sock < 0)
		return sock;
	r = KEEP_ERRNO(bind(sock, (const struct sockaddr *)&name, len));
	if (r == 0)
		r = KEEP_ERRNO(listen(sock, BACKLOG));
	if (r == 0)
		return sock;
	sys_close(sock);
	return r;
}

int handoff_accept(int listener)
{
	return KEEP_ERRNO(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int handoff_peer(int peer, struct handoff_peer *ret_peer)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int r = KEEP_ERRNO(getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &cred, &len));

	if (r == 0)
		*ret_peer = (struct handoff_peer){cred.pid, cred.uid, cred.gid};
	return r;
}

int handoff_pass(int peer, int fd)
{
	struct packet packet = {HANDOFF_MAGIC};
	char path[32];
	struct text t = text_init(path, sizeof(path));
	int fresh, r;

	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	fresh = sys_openat(AT_FDCWD, path, O_RDWR, 0);
	if (fresh < 0)
		return fresh;
	r = handoff_send(peer, &packet, sizeof(packet), &fresh, 1);
	sys_close(fresh);
	return r;
}

/* ---- handoff: the target ---- */

/* Waits for an event, or for a moment if there is none: 0, -ETIMEDOUT, -errno. */
static int handoff_wait(int sock, short events, int moment_ms, uint64_t until)
{
	struct pollfd pfd = {.fd = sock, .events = events};
	uint64_t now = clock_mono();
	int left = now >= until ? 0 : (int)((until - now) / 1000000) + 1;
	int r;

	if (now >= until)
		return -ETIMEDOUT;
	r = KEEP_ERRNO(poll(&pfd, events != 0, moment_ms < left ? moment_ms : left));
	return r < 0 && r != -EINTR ? r : 0;
}

/* connect() returns EAGAIN at once if the backlog is full. */
static int connect_to(int sock, uint64_t number, uint64_t until)
{
	struct sockaddr_un name;
	socklen_t len = address(number, &name);
	int r;

	while ((r = KEEP_ERRNO(connect(sock, (const struct sockaddr *)&name, len))) == -EAGAIN ||
	       r == -EINTR) {
		r = handoff_wait(-1, 0, 1, until);
		if (r < 0)
			return r;
	}
	return r;
}

/* Any process may listen on a name; the credentials are those of the listener. The target's own
 * user is as trustworthy as the registry that led here, which that user writes. */
static int check_listener(int sock)
{
	struct handoff_peer listener;
	int r = handoff_peer(sock, &listener);

	return r < 0 ? r : listener.uid == ROOT || listener.uid == geteuid() ? 0 : -EPERM;
}

static int receive_fd(int sock, uint64_t until)
{
	struct packet packet;
	int fds[HANDOFF_FDS], n, r;

	while ((n = handoff_receive(sock, &packet, sizeof(packet), fds)) == -EAGAIN) {
		r = handoff_wait(sock, POLLIN, REQUEST_MS, until);
		if (r < 0)
			return r;
	}
	if (n == 1 && packet.magic == HANDOFF_MAGIC)
		return fds[0];
	for (int i = 0; i < n; i++)
		sys_close(fds[i]);
	return n < 0 ? n : -EPROTO;
}

int handoff_request(uint64_t number)
{
	uint64_t until = clock_mono() + (uint64_t)REQUEST_MS * 1000000;
	int sock = new_socket();
	int r = sock < 0 ? sock : connect_to(sock, number, until);

	if (r == 0)
		r = check_listener(sock);
	if (r == 0)
		r = receive_fd(sock, until);
	sys_close(sock);
	return r;
}

/* ---- the keeper's rules ---- */

enum {
	CLIENTS = 16,     /* clients per call: the controller must be served too */
	GENERATIONS = 64, /* from a descendant up to the target */
	PAUSE_MS = 10,    /* pause if no descriptor is left to accept a client with */
};

/* The owner of a process's private files in /proc: its user, or root if the process is not
 * dumpable. */
static int owner_of(pid_t pid, uid_t *ret_uid, gid_t *ret_gid)
{
	char path[40];
	struct text t = text_init(path, sizeof(path));
	struct stat st;
	int saved = errno, r;

	text_add(&t, "/proc/");
	text_add_number(&t, (uint32_t)pid);
	text_add(&t, "/environ");
	r = stat(path, &st) == 0 ? 0 : -errno;
	errno = saved;
	if (r < 0)
		return r;
	*ret_uid = st.st_uid;
	*ret_gid = st.st_gid;
	return 0;
}

/* The target's properties when it was first seen count: it may have ended, or changed. */
static void note_target(struct kept *kept)
{
	const struct proc_id *target = &kept->ctl->id.target;
	struct proc_id now;
	uid_t uid;
	gid_t gid;

	if (owner_of(target->pid, &uid, &gid) < 0 || proc_identify(target->pid, &now) < 0 ||
	    !proc_equal(&now, target))
		return;
	if (!kept->seen) {
		kept->guarded = uid != kept->uid;
		kept->gid = gid;
		kept->seen = true;
	} else if (uid != kept->uid || gid != kept->gid) {
		kept->guarded = true;
	}
}

int handoff_open(struct kept *kept, uint64_t number)
{
	int r = handoff_listen(number, &kept->ctl->id.target);

	if (r < 0)
		return r;
	kept->handoff_fd = r;
	kept->guarded = true; /* until it is seen */
	note_target(kept);
	return 0;
}

static bool descends(const struct proc_id *client, const struct proc_id *target)
{
	struct proc_id at = *client, parent;

	for (int i = 0; i < GENERATIONS && proc_parent(&at, &parent) == 0; i++) {
		if (proc_equal(&parent, target))
			return true;
		at = parent;
	}
	return false;
}

static bool may_inherit(struct kept *kept, const struct proc_id *id, gid_t gid)
{
	const struct layout_id *stream = &kept->ctl->id;

	if (stream->inherited != POSIX_TRACE_INHERITED || id->start < stream->target.start)
		return false;
	note_target(kept);
	return kept->guarded ? descends(id, &stream->target) : gid == kept->gid;
}

static bool may_have(struct kept *kept, int peer)
{
	struct handoff_peer client;
	struct proc_id id;

	if (handoff_peer(peer, &client) < 0 || client.pid <= 0 || client.uid != kept->uid ||
	    proc_identify(client.pid, &id) < 0)
		return false;
	return proc_equal(&id, &kept->ctl->id.target) || may_inherit(kept, &id, client.gid);
}

void handoff_serve(struct kept *kept)
{
	for (int i = 0; i < CLIENTS; i++) {
		int peer = handoff_accept(kept->handoff_fd);

		if (peer == -EMFILE || peer == -ENFILE || peer == -ENOMEM || peer == -ENOBUFS)
			(void)sys_poll(NULL, 0, PAUSE_MS);
		if (peer < 0)
			return;
		if (may_have(kept, peer))
			(void)handoff_pass(peer, kept->seg_fd);
		sys_close(peer);
	}
}
