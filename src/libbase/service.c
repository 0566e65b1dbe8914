/* service - see service.h. */
#include "libbase/service.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/cleanup.h"

enum { USEC_PER_MSEC = 1000 };

/* One datagram; a name that begins with '@' is in the abstract name space. */
static void notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	AUTO_FD int fd = -1;
	size_t len;

	if (path == NULL || *path == '\0')
		return;
	len = strlen(path);
	if (len >= sizeof(un.sun_path))
		return;
	memcpy(un.sun_path, path, len);
	if (un.sun_path[0] == '@')
		un.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&un,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

void service_ready(void)
{
	char text[64];

	snprintf(text, sizeof(text), "READY=1\nMAINPID=%d", (int)getpid());
	notify(text);
}

void service_stopping(void)
{
	notify("STOPPING=1");
}

void service_alive(void)
{
	notify("WATCHDOG=1");
}

/* A number of the environment that is nothing else, or 0. */
static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	uint64_t n;

	if (text == NULL || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' ? n : 0;
}

uint64_t service_watchdog_ms(void)
{
	uint64_t usec = number_of("WATCHDOG_USEC");

	/* The variables are inherited: they may be about a parent. */
	if (getenv("WATCHDOG_PID") != NULL && number_of("WATCHDOG_PID") != (uint64_t)getpid())
		return 0;
	return usec / USEC_PER_MSEC;
}
