/*
 * record_copy - copy data into a record with fixed-length copies that the compiler expands: a call
 * of memcpy() costs more than most payloads. Never reads past the source, never writes past the
 * record.
 */
#ifndef LIBTRACE_RECORD_COPY_H
#define LIBTRACE_RECORD_COPY_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* The end mark after the last record. */
static inline void record_end(uint8_t *at)
{
	atomic_store_explicit((_Atomic uint64_t *)(void *)at, 0, memory_order_relaxed);
}

/* Fits in one register, or in two. */
struct record_pair {
	uint64_t a, b;
};

/* Both ends of 16 to 32 bytes; they may overlap. */
static inline void record_copy_32(uint8_t *to, const uint8_t *from, size_t n)
{
	struct record_pair first, last;

	memcpy(&first, from, 16);
	memcpy(&last, from + n - 16, 16);
	memcpy(to, &first, 16);
	memcpy(to + n - 16, &last, 16);
}

static inline void record_copy_15(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n >= 8) {
		uint64_t first, last;

		memcpy(&first, from, 8);
		memcpy(&last, from + n - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + n - 8, &last, 8);
	} else if (n >= 4) {
		uint32_t first, last;

		memcpy(&first, from, 4);
		memcpy(&last, from + n - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + n - 4, &last, 4);
	} else if (n > 0) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

/* Prefetches a line that will be written soon: a stream is larger than the inner caches, and
 * stores wait for their lines one after another. Any address is allowed. */
static inline void record_soon(const uint8_t *at)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" ::"m"(*at)); /* a no-op on processors that do not know it */
#else
	__builtin_prefetch(at, 1);
#endif
}

enum {
	RECORD_AHEAD = 256,     /* bytes */
	RECORD_COPY_BRIEF = 64, /* longer data is copied in a loop */
	RECORD_COPY_MAX = 512,  /* longer data is copied by memcpy() */
};

/* Up to 64 bytes: both ends of 32 to 64, overlapping. */
static inline void record_copy_brief(uint8_t *to, const void *data, size_t n)
{
	const uint8_t *from = data;

	if (n < 16) {
		record_copy_15(to, from, n);
		return;
	}
	if (n > 32) {
		record_copy_32(to, from, 32);
		to += n - 32;
		from += n - 32;
		n = 32;
	}
	record_copy_32(to, from, n);
}

static inline void record_copy_64(uint8_t *to, const uint8_t *from)
{
	record_copy_32(to, from, 32);
	record_copy_32(to + 32, from + 32, 32);
}

/* More than 64 bytes: the last two blocks of 64 overlap. */
static inline void record_copy_long(uint8_t *to, const void *data, size_t n)
{
	const uint8_t *from = data;

	for (; n > 128; n -= 64) {
		record_soon(to + RECORD_AHEAD);
		record_copy_64(to, from);
		to += 64;
		from += 64;
	}
	record_copy_64(to, from);
	record_copy_64(to + n - 64, from + n - 64);
}

static inline void record_copy(uint8_t *to, const void *data, size_t n)
{
	if (n > RECORD_COPY_BRIEF)
		record_copy_long(to, data, n);
	else
		record_copy_brief(to, data, n);
}

#endif
