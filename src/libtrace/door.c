/* door - see door.h. */
#include "libtrace/door.h"

#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "libtrace/clock.h"
#include "libtrace/keeper_talk.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

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

static socklen_t address(uint64_t number, struct sockaddr_un *ret)
{
	struct text t = text_init(ret->sun_path + 1, sizeof(ret->sun_path) - 1);

	ret->sun_family = AF_UNIX;
	ret->sun_path[0] = '\0';
	text_add(&t, "pitot-trace-");
	text_add_number(&t, number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   (size_t)(t.pos - ret->sun_path));
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

/* --- the keeper's side --- */

static int net_of(const char *process)
{
	char path[64];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, "/proc/");
	text_add(&t, process);
	text_add(&t, "/ns/net");
	return sys_openat(AT_FDCWD, path, O_RDONLY, 0);
}

static bool same_file(int a, int b)
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
	if (theirs >= 0 && ours >= 0 && !same_file(ours, theirs))
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

int handoff_peer(int peer, struct handoff_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int r = KEEP_ERRNO(getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &cred, &len));

	if (r == 0)
		*ret = (struct handoff_peer){ cred.pid, cred.uid, cred.gid };
	return r;
}

int handoff_pass(int peer, int fd)
{
	struct packet packet = { HANDOFF_MAGIC };
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

/* --- the target's side --- */

/* Waits for an event, or for a moment if there is none: 0, -ETIMEDOUT, -errno. */
static int wait_for(int sock, short events, int moment_ms, uint64_t until)
{
	struct pollfd pfd = { .fd = sock, .events = events };
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
		r = wait_for(-1, 0, 1, until);
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
		r = wait_for(sock, POLLIN, REQUEST_MS, until);
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
