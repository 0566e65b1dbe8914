/*
 * limits - sysconf() for the names of the tracing options, and posix_trace_sysconf_np().
 *
 * The C library knows the eight names and returns -1. The library's own sysconf() answers them and
 * passes all other names on (docs/spec/posix-trace.md 3). No constructor, no memory; errno is kept.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include <trace_np.h>

#include "libtrace/clock.h"
#include "libtrace/geometry.h"
#include "libtrace/remains.h"

#ifdef __GLIBC__ /* other C libraries have no second name for sysconf(); theirs answers */

/* The sysconf() of the C library, under its other name. */
long __sysconf(int name);

static const struct limit {
	int name;
	long value;
} limits[] = {
    {_SC_TRACE, _POSIX_TRACE},
    {_SC_TRACE_EVENT_FILTER, _POSIX_TRACE_EVENT_FILTER},
    {_SC_TRACE_INHERIT, _POSIX_TRACE_INHERIT},
    {_SC_TRACE_LOG, _POSIX_TRACE_LOG},
    {_SC_TRACE_EVENT_NAME_MAX, TRACE_EVENT_NAME_MAX},
    {_SC_TRACE_NAME_MAX, TRACE_NAME_MAX},
    {_SC_TRACE_SYS_MAX, TRACE_SYS_MAX},
    {_SC_TRACE_USER_EVENT_MAX, TRACE_USER_EVENT_MAX},
};

/* The thread sanitizer calls sysconf() before its own initialisation is complete. */
__attribute__((visibility("default"), no_sanitize("thread"))) long sysconf(int name)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].name == name)
			return limits[i].value;
	return __sysconf(name);
}

#endif

long posix_trace_sysconf_np(int name)
{
	switch (name) {
	case POSIX_TRACE_NP_CLOCK:
		return (long)clock_kind();
	case POSIX_TRACE_NP_DATA_MAX:
		return GEOMETRY_DATA_MAX;
	case POSIX_TRACE_NP_STREAM_MAX:
		return GEOMETRY_STREAM_MAX < LONG_MAX ? (long)GEOMETRY_STREAM_MAX : LONG_MAX;
	case POSIX_TRACE_NP_REMAINS_BYTES:
		return LIMIT_REMAINS_BYTES;
	case POSIX_TRACE_NP_REMAINS_SECONDS:
		return LIMIT_REMAINS_SECONDS;
	default:
		errno = EINVAL;
		return -1;
	}
}
