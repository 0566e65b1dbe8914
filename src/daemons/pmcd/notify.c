/* notify - see notify.h. */
#include "daemons/pmcd/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/cleanup.h"

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

void notify_ready(void)
{
	char text[64];

	snprintf(text, sizeof(text), "READY=1\nMAINPID=%d", (int)getpid());
	notify(text);
}

void notify_stopping(void)
{
	notify("STOPPING=1");
}
