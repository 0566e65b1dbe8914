/*
 * stamp - times as archives hold them (docs/spec/archive.md 3).
 *
 *     v2   seconds (32 bits) | microseconds
 *     v3   low word of the seconds | high word of the seconds | nanoseconds
 *
 * In memory they are nanoseconds. Nobody checks that a fraction is one: that is pmlogcheck's
 * business, and what was read can be written again.
 */
#ifndef LIBDISK_STAMP_H
#define LIBDISK_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libbase/timespec.h"
#include "libdisk/limits.h"

enum {
	STAMP_LEN_V2 = 8,
	STAMP_LEN_V3 = 12,
};

/* Bytes of a stamp in an archive of this version. */
static inline size_t stamp_len(int version)
{
	return version == DISK_V2 ? STAMP_LEN_V2 : STAMP_LEN_V3;
}

/* Reads stamp_len bytes. */
static inline struct timespec stamp_load(const uint8_t *p, int version)
{
	struct timespec stamp;

	if (version == DISK_V2) {
		stamp.tv_sec = (int32_t)load_be32(p);
		stamp.tv_nsec = (int64_t)(int32_t)load_be32(p + 4) * TIMESPEC_NSEC_PER_USEC;
		return stamp;
	}
	stamp.tv_sec = (int64_t)((uint64_t)load_be32(p + 4) << 32 | load_be32(p));
	stamp.tv_nsec = (int32_t)load_be32(p + 8);
	return stamp;
}

/* True if an archive of this version can hold it; microseconds are cut, not missing. */
static inline bool stamp_fits(const struct timespec *stamp, int version)
{
	int64_t frac = stamp->tv_nsec;

	if (version == DISK_V2) {
		frac /= TIMESPEC_NSEC_PER_USEC;
		if (stamp->tv_sec != (int32_t)stamp->tv_sec)
			return false;
	}
	return frac == (int32_t)frac;
}

/* Writes stamp_len bytes of one that fits. */
static inline void stamp_store(uint8_t *p, const struct timespec *stamp, int version)
{
	uint64_t sec = (uint64_t)stamp->tv_sec;

	store_be32(p, (uint32_t)sec);
	if (version == DISK_V2) {
		store_be32(p + 4, (uint32_t)(stamp->tv_nsec / TIMESPEC_NSEC_PER_USEC));
		return;
	}
	store_be32(p + 4, (uint32_t)(sec >> 32));
	store_be32(p + 8, (uint32_t)stamp->tv_nsec);
}

#endif
