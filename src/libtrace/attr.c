/* attr - see attr.h; the public functions are described in <trace.h> and <trace_np.h>. */
#include "libtrace/attr.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <trace_np.h>

#include "libtrace/geometry.h"

#define GENERATION "Pitot " PITOT_VERSION

_Static_assert(sizeof(GENERATION) <= TRACE_NAME_MAX, "fits the array that callers give");

/* Was it initialised by posix_trace_attr_init() or by a stream? */
static bool attr_valid(const trace_attr_t *attr)
{
	return attr->__magic == ATTR_MAGIC;
}

/* Timestamps have the resolution of CLOCK_MONOTONIC, and at worst a microsecond. */
static struct timespec clock_resolution(void)
{
	struct timespec ts = {0, 0};

	if (clock_getres(CLOCK_MONOTONIC, &ts) != 0 || ts.tv_sec != 0 || ts.tv_nsec < 1 ||
	    ts.tv_nsec > 1000)
		ts = (struct timespec){0, 1000};
	return ts;
}

int posix_trace_attr_init(trace_attr_t *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->__magic = ATTR_MAGIC;
	attr->__log_policy = POSIX_TRACE_LOOP;
	attr->__inherited = POSIX_TRACE_CLOSE_FOR_CHILD;
	attr->__clock = POSIX_TRACE_CLOCK_ADAPTIVE_NP;
	attr->__stream_size = ATTR_STREAM_SIZE;
	attr->__log_size = ATTR_LOG_SIZE;
	attr->__data_size = ATTR_DATA_SIZE;
	attr->__clock_resolution = clock_resolution();
	memcpy(attr->__version, GENERATION, sizeof(GENERATION));
	return 0;
}

int posix_trace_attr_destroy(trace_attr_t *attr)
{
	if (!attr_valid(attr))
		return EINVAL;
	attr->__magic = 0;
	return 0;
}

int attr_resolve(const trace_attr_t *attr, bool logged, trace_attr_t *ret_attr)
{
	const char *clock = getenv("PITOT_TRACE_CLOCK");
	trace_attr_t own;

	if (attr != NULL && !attr_valid(attr))
		return -EINVAL;
	if (attr != NULL)
		own = *attr;
	else
		posix_trace_attr_init(&own);
	if (own.__stream_policy == 0)
		own.__stream_policy = logged ? POSIX_TRACE_FLUSH : POSIX_TRACE_LOOP;
	if (own.__stream_policy == POSIX_TRACE_FLUSH && !logged)
		return -EINVAL;
	if (clock != NULL && strcmp(clock, "strict") == 0)
		own.__clock = POSIX_TRACE_CLOCK_STRICT_NP;
	own.__name[TRACE_NAME_MAX - 1] = '\0';
	own.__version[TRACE_NAME_MAX - 1] = '\0';
	*ret_attr = own;
	return 0;
}

/* Is it one of the permitted values? The list ends with -1. */
static bool one_of(int value, const int *values)
{
	for (; *values >= 0; values++)
		if (*values == value)
			return true;
	return false;
}

static const int stream_policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH,
				      -1};
static const int log_policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND,
				   -1};
static const int inheritances[] = {POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED, -1};
static const int clocks[] = {POSIX_TRACE_CLOCK_ADAPTIVE_NP, POSIX_TRACE_CLOCK_STRICT_NP, -1};

static int set_word(trace_attr_t *attr, size_t offset, int value, const int *values)
{
	if (!attr_valid(attr) || !one_of(value, values))
		return EINVAL;
	memcpy((char *)attr + offset, &value, sizeof(value));
	return 0;
}

static int get_word(const trace_attr_t *attr, size_t offset, int *ret_value)
{
	if (!attr_valid(attr))
		return EINVAL;
	memcpy(ret_value, (const char *)attr + offset, sizeof(*ret_value));
	return 0;
}

static int set_size(trace_attr_t *attr, size_t offset, size_t size)
{
	unsigned long long value = size;

	if (!attr_valid(attr))
		return EINVAL;
	memcpy((char *)attr + offset, &value, sizeof(value));
	return 0;
}

static int get_size(const trace_attr_t *attr, size_t offset, size_t *ret_size)
{
	unsigned long long value;

	if (!attr_valid(attr))
		return EINVAL;
	memcpy(&value, (const char *)attr + offset, sizeof(value));
	*ret_size = (size_t)value;
	return 0;
}

static int attr_get_time(const trace_attr_t *attr, size_t offset, struct timespec *ret_timespec)
{
	if (!attr_valid(attr))
		return EINVAL;
	memcpy(ret_timespec, (const char *)attr + offset, sizeof(*ret_timespec));
	return 0;
}

static int attr_get_text(const trace_attr_t *attr, size_t offset, char *ret_name)
{
	const char *text = (const char *)attr + offset;
	size_t len;

	if (!attr_valid(attr))
		return EINVAL;
	len = strnlen(text, TRACE_NAME_MAX - 1);
	memcpy(ret_name, text, len);
	ret_name[len] = '\0';
	return 0;
}

int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *resolution)
{
	return attr_get_time(attr, offsetof(trace_attr_t, __clock_resolution), resolution);
}

int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *createtime)
{
	return attr_get_time(attr, offsetof(trace_attr_t, __creation_time), createtime);
}

int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *genversion)
{
	return attr_get_text(attr, offsetof(trace_attr_t, __version), genversion);
}

int posix_trace_attr_getname(const trace_attr_t *attr, char *name)
{
	return attr_get_text(attr, offsetof(trace_attr_t, __name), name);
}

int posix_trace_attr_setname(trace_attr_t *attr, const char *name)
{
	size_t len;

	if (!attr_valid(attr))
		return EINVAL;
	len = strnlen(name, TRACE_NAME_MAX - 1);
	memset(attr->__name, 0, sizeof(attr->__name));
	memcpy(attr->__name, name, len);
	return 0;
}

int posix_trace_attr_getinherited(const trace_attr_t *__restrict attr, int *__restrict policy)
{
	return get_word(attr, offsetof(trace_attr_t, __inherited), policy);
}

int posix_trace_attr_setinherited(trace_attr_t *attr, int policy)
{
	return set_word(attr, offsetof(trace_attr_t, __inherited), policy, inheritances);
}

int posix_trace_attr_getlogfullpolicy(const trace_attr_t *__restrict attr, int *__restrict policy)
{
	return get_word(attr, offsetof(trace_attr_t, __log_policy), policy);
}

int posix_trace_attr_setlogfullpolicy(trace_attr_t *attr, int policy)
{
	return set_word(attr, offsetof(trace_attr_t, __log_policy), policy, log_policies);
}

int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *__restrict attr,
					 int *__restrict policy)
{
	int set, r = get_word(attr, offsetof(trace_attr_t, __stream_policy), &set);

	if (r == 0)
		*policy = set == 0 ? POSIX_TRACE_LOOP : set;
	return r;
}

int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int policy)
{
	return set_word(attr, offsetof(trace_attr_t, __stream_policy), policy, stream_policies);
}

int posix_trace_attr_getlogsize(const trace_attr_t *__restrict attr, size_t *__restrict size)
{
	return get_size(attr, offsetof(trace_attr_t, __log_size), size);
}

int posix_trace_attr_setlogsize(trace_attr_t *attr, size_t size)
{
	return set_size(attr, offsetof(trace_attr_t, __log_size), size);
}

int posix_trace_attr_getmaxdatasize(const trace_attr_t *__restrict attr, size_t *__restrict size)
{
	return get_size(attr, offsetof(trace_attr_t, __data_size), size);
}

int posix_trace_attr_setmaxdatasize(trace_attr_t *attr, size_t size)
{
	return set_size(attr, offsetof(trace_attr_t, __data_size), size);
}

int posix_trace_attr_getstreamsize(const trace_attr_t *__restrict attr, size_t *__restrict size)
{
	return get_size(attr, offsetof(trace_attr_t, __stream_size), size);
}

int posix_trace_attr_setstreamsize(trace_attr_t *attr, size_t size)
{
	return set_size(attr, offsetof(trace_attr_t, __stream_size), size);
}

int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *__restrict attr,
					   size_t *__restrict size)
{
	if (!attr_valid(attr))
		return EINVAL;
	*size = (size_t)geometry_system_event_max();
	return 0;
}

int posix_trace_attr_getmaxusereventsize(const trace_attr_t *__restrict attr, size_t len,
					 size_t *__restrict size)
{
	if (!attr_valid(attr))
		return EINVAL;
	*size = (size_t)geometry_user_event_max(len, attr->__data_size);
	return 0;
}

int posix_trace_attr_getclock_np(const trace_attr_t *attr, int *clock)
{
	return get_word(attr, offsetof(trace_attr_t, __clock), clock);
}

int posix_trace_attr_setclock_np(trace_attr_t *attr, int clock)
{
	return set_word(attr, offsetof(trace_attr_t, __clock), clock, clocks);
}
