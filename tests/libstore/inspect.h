/*
 * inspect - what an archive of scenes holds on the disk, by our scan of its files and by the peer's
 * tools.
 */
#ifndef TESTS_STORE_INSPECT_H
#define TESTS_STORE_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSPECT_MAX = 4096 };

struct inspect {
	bool there;            /* .meta and a volume are */
	size_t records;        /* whole ones */
	bool has[INSPECT_MAX]; /* record k */
	bool wrong; /* damage, records out of order or twice, values that are not the scene's */
	size_t undescribed; /* records that .meta does not describe */
};

void inspect(const char *base, struct inspect *ret);

/* 1: the peer's tool is content; 0: it is not; -1: there is no peer. Silent is pmlogcheck without
 * output. */
int inspect_dump(const char *base);
int inspect_check(const char *base);

#endif
