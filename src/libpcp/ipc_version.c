/*
 * ipc_version - which protocol version was agreed on at a descriptor: what a program that was given
 * a descriptor by __pmConnectLogger can ask.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>

enum {
	FD_END = 1 << 20, /* descriptors above are not kept */
	ROOM_MIN = 64,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *versions; /* by descriptor; 0: not set */
static size_t room;

/* With the lock held. 0 or -ENOMEM. */
static int grow(size_t need)
{
	size_t more = room == 0 ? ROOM_MIN : room;
	unsigned char *p;

	while (more <= need)
		more *= 2;
	p = realloc(versions, more);
	if (p == NULL)
		return -ENOMEM;
	memset(p + room, 0, more - room);
	versions = p;
	room = more;
	return 0;
}

int __pmSetVersionIPC(int fd, int version)
{
	int r = 0;

	if (fd < 0 || fd >= FD_END || version < 0 || version > 255)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if ((size_t)fd >= room)
		r = grow((size_t)fd);
	if (r == 0)
		versions[fd] = (unsigned char)version;
	pthread_mutex_unlock(&lock);
	return r;
}

int __pmVersionIPC(int fd)
{
	int version = 0;

	pthread_mutex_lock(&lock);
	if (fd >= 0 && (size_t)fd < room)
		version = versions[fd];
	pthread_mutex_unlock(&lock);
	return version;
}

void __pmCloseSocket(int fd)
{
	if (__pmVersionIPC(fd) != 0)
		__pmSetVersionIPC(fd, 0);
	close(fd);
}
