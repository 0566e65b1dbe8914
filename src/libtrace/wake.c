/* wake - see wake.h. */
#include "libtrace/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "libtrace/own_fd.h"

void stream_wake_init(struct stream_wake *wake)
{
	*wake = (struct stream_wake){ .fd = { -1, -1 } };
}

static bool is_ours(const struct stream_wake *wake)
{
	return host_fd_is(wake->fd[0], wake->mark[0]) && host_fd_is(wake->fd[1], wake->mark[1]);
}

void stream_wake_done(struct stream_wake *wake)
{
	host_fd_close(wake->fd[0], wake->mark[0]);
	host_fd_close(wake->fd[1], wake->mark[1]);
	stream_wake_init(wake);
}

static void make(struct stream_wake *wake)
{
	if (pipe2(wake->fd, O_CLOEXEC | O_NONBLOCK) != 0)
		wake->fd[0] = wake->fd[1] = -1;
	for (int i = 0; i < 2; i++)
		wake->mark[i] = host_fd_mark(wake->fd[i]);
}

void stream_wake_enter(struct stream_wake *wake)
{
	if (wake->sleepers++ == 0 && !is_ours(wake))
		make(wake);
}

void stream_wake_leave(struct stream_wake *wake)
{
	char bytes[8];

	if (--wake->sleepers > 0 || !wake->called)
		return;
	wake->called = false;
	while (is_ours(wake) && read(wake->fd[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		;
}

int stream_wake_nap(const struct stream_wake *wake, uint64_t ns, const sigset_t *mask)
{
	struct pollfd poll = { .fd = is_ours(wake) ? wake->fd[0] : -1, .events = POLLIN };
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	if (ppoll(&poll, 1, &ts, mask) < 0 && errno == EINTR)
		return -EINTR;
	return 0;
}

void stream_wake_all(struct stream_wake *wake)
{
	if (wake->sleepers == 0 || wake->called || !is_ours(wake))
		return;
	wake->called = write(wake->fd[1], "", 1) == 1;
}
