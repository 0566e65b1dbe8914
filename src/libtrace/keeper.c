/* keeper - see keeper.h. keeper_run.c has the keeper's own process. */
#include "libtrace/keeper.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "libtrace/handoff.h"
#include "libtrace/keeper_run.h"
#include "libtrace/log_writer.h"
#include "libtrace/proc.h"
#include "libtrace/registry.h"
#include "libtrace/stream.h"
#include "libtrace/sys.h"

enum {
	STACK_BYTES = 256 * 1024,
	ANSWER_MS = 5000,
	FORK_MS = 200,    /* how long a fork waits for another thread's exchange */
	UNREACHABLE = 16, /* keepers that no longer answer and have not ended yet */
};

/* A stream that is kept, to be passed to the next keeper. */
struct held {
	uint64_t stream_id; /* 0: none */
	uint32_t uid;
	uint64_t handoff; /* 0: none */
	int fds[HANDOFF_FDS];
	unsigned nfds;
};

/* The lock guards all of it; it belongs to process `owner`, another process discards it. */
static struct {
	pthread_mutex_t lock;
	pid_t owner;
	pid_t pid; /* 0: there is no keeper */
	struct proc_id id;
	int sock;
	ino_t inode; /* identifies the socket: the application may close it */
	struct held held[TRACE_SYS_MAX];
	unsigned count;
	pid_t unreachable[UNREACHABLE];
} keeper = {.lock = PTHREAD_MUTEX_INITIALIZER, .sock = -1};

static __thread bool fork_holds; /* this thread holds the lock from before to after a fork */

static ino_t inode_of(int fd)
{
	struct stat st;

	return fd >= 0 && sys_fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static bool keeper_wanted(void)
{
	const char *value = getenv("PITOT_TRACE_KEEPER");

	return value == NULL || strcmp(value, "0") != 0;
}

/* Children of the library have no exit signal: only this kind of wait sees them. */
static bool reap(pid_t pid, int flags)
{
	int r;

	do
		r = waitpid(pid, NULL, __WCLONE | flags);
	while (r < 0 && errno == EINTR);
	return r != 0;
}

static void reap_unreachable(void)
{
	for (size_t i = 0; i < UNREACHABLE; i++)
		if (keeper.unreachable[i] != 0 && reap(keeper.unreachable[i], WNOHANG))
			keeper.unreachable[i] = 0;
}

static void close_socket(void)
{
	if (keeper.inode != 0 && inode_of(keeper.sock) == keeper.inode)
		sys_close(keeper.sock);
	keeper.sock = -1;
	keeper.inode = 0;
}

/* The keeper has said that it ends, or its end of the socket is closed: waits for it. */
static void end_keeper(void)
{
	close_socket();
	reap(keeper.pid, 0);
	keeper.pid = 0;
}

/* The keeper lives, but does not answer or cannot be reached. It keeps its streams and ends by
 * itself when they are shut down; it is not waited for. */
static void abandon_keeper(void)
{
	for (size_t i = 0; i < UNREACHABLE; i++)
		if (keeper.unreachable[i] == 0) {
			keeper.unreachable[i] = keeper.pid;
			break;
		}
	close_socket();
	keeper.pid = 0;
	keeper.count = 0;
	memset(keeper.held, 0, sizeof(keeper.held));
}

/* Also after a fork that ran no handlers. */
static void forget_all(void)
{
	close_socket();
	keeper.pid = 0;
	keeper.count = 0;
	keeper.owner = 0;
	memset(keeper.held, 0, sizeof(keeper.held));
	memset(keeper.unreachable, 0, sizeof(keeper.unreachable));
}

/* Another thread may wait seconds for a keeper's answer; fork() must not. Without the lock the
 * child finds a half-finished exchange, which it discards in any case. */
static void keeper_before_fork(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += FORK_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	fork_holds = pthread_mutex_timedlock(&keeper.lock, &until) == 0;
}

static void keeper_after_fork_parent(void)
{
	if (fork_holds)
		pthread_mutex_unlock(&keeper.lock);
}

static void keeper_after_fork_child(void)
{
	forget_all();
	if (fork_holds)
		pthread_mutex_unlock(&keeper.lock);
	else
		pthread_mutex_init(&keeper.lock, NULL); /* its owner is not in this process */
}

__attribute__((constructor)) static void keeper_watch_forks(void)
{
	pthread_atfork(keeper_before_fork, keeper_after_fork_parent, keeper_after_fork_child);
}

/* ---- making a keeper ---- */

/* The new process has a stack of its own: the caller's may be small, and is in use. */
static pid_t clone_keeper(struct keeper_start *start)
{
	sigset_t all, old;
	char *stack = sys_map_anon(STACK_BYTES);
	pid_t pid;

	if (stack == NULL)
		return -ENOMEM;
	start->stack = stack;
	start->stack_bytes = STACK_BYTES;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(keeper_run, stack + STACK_BYTES, 0, start);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		pid = -errno;
	sys_unmap(stack, STACK_BYTES);
	return pid;
}

static int start_keeper(void)
{
	struct keeper_start start = {.controller = proc_self()};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	start.sock = pair[1];
	start.pidfd = (int)SYS(SYS_pidfd_open, start.controller.pid, 0);
	keeper.pid = clone_keeper(&start);
	sys_close(start.pidfd);
	sys_close(pair[1]);
	if (keeper.pid < 0 || proc_identify(keeper.pid, &keeper.id) < 0) {
		int r = keeper.pid < 0 ? keeper.pid : -ESRCH;

		sys_close(pair[0]);
		if (keeper.pid > 0)
			reap(keeper.pid, 0);
		keeper.pid = 0;
		return r;
	}
	keeper.owner = getpid();
	keeper.sock = pair[0];
	keeper.inode = inode_of(pair[0]);
	return 0;
}

/* ---- requests ---- */

static int exchange(const struct keeper_request *request, const int *fds,
		    struct keeper_answer *ret_answer)
{
	struct pollfd pfd = {.fd = keeper.sock, .events = POLLIN};
	int none[HANDOFF_FDS], r;

	if (inode_of(keeper.sock) != keeper.inode)
		return -EBADF;
	r = handoff_send(keeper.sock, request, sizeof(*request), fds, request->nfds);
	if (r < 0)
		return r;
	do
		r = (int)sys_poll(&pfd, 1, ANSWER_MS);
	while (r == -EINTR);
	if (r <= 0)
		return r < 0 ? r : -ETIMEDOUT;
	r = handoff_receive(keeper.sock, ret_answer, sizeof(*ret_answer), none);
	return r < 0 ? r : 0;
}

static int send_stream(const struct held *held)
{
	struct keeper_request request = {.op = KEEPER_ADD,
					 .uid = held->uid,
					 .stream_id = held->stream_id,
					 .handoff = held->handoff,
					 .number = held->fds[0],
					 .nfds = held->nfds};
	struct keeper_answer answer;
	int r = exchange(&request, held->fds, &answer);

	return r < 0 ? r : answer.result;
}

/* Starts a new keeper and passes all kept streams to it. */
static int start_and_send(void)
{
	int r = start_keeper();

	for (size_t i = 0; i < TRACE_SYS_MAX && r == 0; i++)
		if (keeper.held[i].stream_id != 0)
			(void)send_stream(&keeper.held[i]); /* without descriptors: no keeper */
	return r;
}

/* Is the keeper's end of the socket closed? */
static bool peer_closed(void)
{
	struct pollfd pfd = {.fd = keeper.sock};
	long n;

	do
		n = sys_poll(&pfd, 1, 0);
	while (n == -EINTR);
	return n > 0 && (pfd.revents & (POLLHUP | POLLERR)) != 0;
}

/* Makes sure that there is a keeper: 0, -errno. */
static int ensure(void)
{
	if (keeper.owner != 0 && keeper.owner != getpid())
		forget_all();
	reap_unreachable();
	if (keeper.pid != 0 && inode_of(keeper.sock) != keeper.inode)
		abandon_keeper();
	if (keeper.pid != 0 && !peer_closed())
		return 0;
	if (keeper.pid != 0)
		end_keeper();
	return start_and_send();
}

static struct held *keeper_find(uint64_t stream_id)
{
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (keeper.held[i].stream_id == stream_id)
			return &keeper.held[i];
	return NULL;
}

static int keeper_add_stream(const struct stream *stream, uint64_t handoff)
{
	struct held held = {.stream_id = stream->ctl->id.stream_id,
			    .uid = stream->uid,
			    .handoff = handoff,
			    .fds = {stream->seg_fd, stream->ctl_fd},
			    .nfds = 2};
	struct held *place;
	int r = ensure();

	if (stream->kind == STREAM_LOGGED)
		held.fds[held.nfds++] = log_writer_fd(stream->writer);
	place = keeper_find(0);
	if (r < 0 || place == NULL)
		return r < 0 ? r : -EAGAIN;
	r = send_stream(&held);
	if (r == -EPIPE) { /* it was killed just now */
		r = ensure();
		if (r == 0)
			r = send_stream(&held);
	}
	if (r < 0)
		return r;
	*place = held;
	keeper.count++;
	return 0;
}

int keeper_add(const struct stream *stream, struct registry_slot *slot)
{
	int r;

	slot->holder = stream->ctl->id.controller;
	slot->fd = stream->seg_fd;
	if (!keeper_wanted())
		return slot->handoff != 0 ? -EPERM : 0;
	pthread_mutex_lock(&keeper.lock);
	r = keeper_add_stream(stream, slot->handoff);
	if (r == 0)
		slot->holder = keeper.id;
	else if (keeper.pid != 0 && keeper.count == 0)
		abandon_keeper();
	pthread_mutex_unlock(&keeper.lock);
	return slot->handoff != 0 ? r : 0;
}

static void keeper_drop(struct held *held)
{
	struct keeper_request request = {.op = KEEPER_REMOVE, .stream_id = held->stream_id};
	struct keeper_answer answer = {0};
	int r;

	held->stream_id = 0;
	keeper.count--;
	if (keeper.pid == 0)
		return;
	if (keeper.count == 0) { /* the keeper has nothing left to end: no exchange needed */
		if (SYS(SYS_kill, keeper.pid, SIGKILL) == 0)
			end_keeper();
		else
			abandon_keeper();
		return;
	}
	r = exchange(&request, NULL, &answer);
	if (r < 0 && r != -EPIPE)
		abandon_keeper();
}

void keeper_remove(const struct stream *stream)
{
	struct held *held;

	atomic_store(&stream->ctl->gone, 1);
	pthread_mutex_lock(&keeper.lock);
	if (keeper.owner == getpid()) {
		held = keeper_find(stream->ctl->id.stream_id);
		if (held != NULL)
			keeper_drop(held);
		reap_unreachable();
	}
	pthread_mutex_unlock(&keeper.lock);
}

void keeper_check(void)
{
	pthread_mutex_lock(&keeper.lock);
	if (keeper.count > 0 && keeper.owner == getpid())
		(void)ensure();
	pthread_mutex_unlock(&keeper.lock);
}
