/*
 * cleanup - cleanup at the end of a scope, and visible transfer of ownership.
 *
 * AUTO_FREE and AUTO_FD release at the end of the scope; TAKE(x) returns the value and sets x to
 * NULL. For descriptors use TAKE_FD.
 */
#ifndef LIBBASE_CLEANUP_H
#define LIBBASE_CLEANUP_H

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline int cleanup_take_fd(int *fd)
{
	int v = *fd;

	*fd = -1;
	return v;
}

#define AUTO_FREE   __attribute__((cleanup(cleanup_free)))
#define AUTO_FD     __attribute__((cleanup(cleanup_close)))
#define TAKE_FD(fd) cleanup_take_fd(&(fd))
#define TAKE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) take_ = (p);                                                         \
		(p) = NULL;                                                                        \
		take_;                                                                             \
	})

#define ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
