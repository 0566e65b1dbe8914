/*
 * host_result - a result in host form, straight from the bytes of a PDU or of an archive's record.
 *
 *     stamp, numpmid | set | set | … | block | block | …
 *                    ^ sets                             ^ sets + len
 *
 * Two passes over the sets. The first checks everything that docs/spec/pdu.md 5.2 demands, which
 * holds for records too, and measures what the result will take; the second writes it, and has
 * nothing left to check.
 */
#ifndef LIBVALUE_HOST_RESULT_H
#define LIBVALUE_HOST_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

/* Where the sets are; and what was learnt of them. */
struct host_result {
	const uint8_t *sets;
	size_t len; /* of sets and blocks */
	size_t at;  /* position of the first set, from where those of blocks count too */
	uint32_t numpmid;

	size_t sets_len;  /* bytes of the sets there */
	size_t host_sets; /* bytes of sets and blocks here */
	size_t host_blocks;
};

/*
 * First pass: fills in what is learnt. False unless numpmid whole sets are there, each block is
 * inside and fits its type, and the blocks fill exactly what the sets leave.
 */
bool host_result_measure(struct host_result *s);

/*
 * Second pass, of what was measured: one malloc'd block that holds value sets and value blocks too,
 * so that a single free releases it. Sets with values have valfmt PM_VAL_INSITU or PM_VAL_DPTR; a
 * string is followed by a NUL. 0, -ENOMEM.
 */
int host_result_new(const struct host_result *s, const struct timespec *stamp,
		    pmHighResResult **ret_result);

#endif
