/* ready - waits for a descriptor until a deadline. */
#ifndef LIBBASE_READY_H
#define LIBBASE_READY_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>

#include "libbase/clock.h"

/*
 * Waits until a descriptor is ready for one of events (poll(2)), or until a time of
 * clock_mono_ms(); 0: without a limit. 0 when it is ready, closed or has an error; -ETIMEDOUT;
 * -EBADF; -errno of poll.
 *
 * The descriptor is polled once more after the deadline: in a process that was stopped, the data
 * may have arrived in time.
 */
static inline int ready_wait(int fd, short events, uint64_t deadline_ms)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	for (;;) {
		uint64_t now = deadline_ms == 0 ? 0 : clock_mono_ms();
		int left_ms = deadline_ms == 0    ? -1
			      : now < deadline_ms ? (int)(deadline_ms - now)
						  : 0;
		int r = poll(&pfd, 1, left_ms);

		if (r > 0)
			return (pfd.revents & POLLNVAL) != 0 ? -EBADF : 0;
		if (r == 0 && left_ms == 0)
			return -ETIMEDOUT;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
}

#endif
