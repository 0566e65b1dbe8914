/*
 * value_pool - value sets that an agent's library made by the chunk instead of by malloc.
 *
 * libpcp_pmda puts the value sets and value blocks of a fetch side by side into chunks of memory,
 * and says where these are. Whoever releases a result calls __pmFreeResultValues as ever: what
 * lies in a chunk is counted back to it, what does not is freed. So each value set keeps its own
 * life, and agents and collectors may mix the two kinds and keep either as long as they like.
 * A chunk whose count is 0 is filled again by its owner.
 *
 * Who writes   live      the owner adds what a fetch handed out, any thread subtracts on release
 * Lock         one mutex over the list of chunks: a collector releases from one thread, a program
 *              with contexts of its own from several
 */
#ifndef LIBPCP_VALUE_POOL_H
#define LIBPCP_VALUE_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct value_chunk {
	const char *start; /* of its memory */
	const char *end;
	_Atomic uint32_t live; /* value sets handed out and not yet released */
};

/*
 * Exported to libpcp_pmda in PITOT_1.0. The chunk stays the caller's and must not move until it is
 * taken out; taking out needs live == 0. 0 or -ENOMEM.
 */
int pitot_value_chunk_add(struct value_chunk *chunk);
void pitot_value_chunk_del(struct value_chunk *chunk);

/* What __pmFreeResultValues does: releases n value sets (NULL allowed) and their value blocks. */
void value_pool_release(pmValueSet **vsets, int n);

#endif
