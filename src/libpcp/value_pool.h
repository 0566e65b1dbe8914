/*
 * value_pool - value sets that an agent's library made by the chunk instead of by malloc.
 *
 * libpcp_pmda puts the value sets and value blocks of a fetch side by side into chunks of memory,
 * and registers these. A caller releases a result by __pmFreeResultValues as ever: a piece of a
 * chunk is counted back to it, any other is freed. So each value set keeps its own life, and agents
 * and collectors may mix the two kinds and keep either as long as they like.
 *
 * Lock   one mutex over the list of chunks, held while a result is released: a collector does that
 *        from one thread, a program with contexts of its own from several. A program without
 *        agents has no chunks and takes no lock.
 */
#ifndef LIBPCP_VALUE_POOL_H
#define LIBPCP_VALUE_POOL_H

#include <pcp/pmapi.h>

struct chunk;

/*
 * Exported to libpcp_pmda in PITOT_1.0. The chunk stays the caller's and must not move until it is
 * taken out; taking out needs live == 0. 0 or -ENOMEM.
 */
__attribute__((visibility("default"))) int pitot_value_chunk_add(struct chunk *chunk);
__attribute__((visibility("default"))) void pitot_value_chunk_del(struct chunk *chunk);

/*
 * The work of __pmFreeResultValues: releases n value sets (NULL allowed) and their value blocks,
 * and sets the pointers to NULL. The blocks of a value set of a chunk are in the same chunk, or
 * malloc'd.
 */
void value_pool_release(pmValueSet **vsets, int n);

#endif
