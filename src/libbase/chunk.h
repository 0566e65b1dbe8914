/*
 * chunk - memory that one library cuts into pieces and another gives the pieces back to.
 *
 * The owner counts what it hands out, whoever releases a piece subtracts; at 0 the owner may fill
 * the chunk anew. The list of chunks, by which a piece is recognised, is the releasing library's
 * (libpcp: value_pool).
 */
#ifndef LIBBASE_CHUNK_H
#define LIBBASE_CHUNK_H

#include <stdatomic.h>
#include <stdint.h>

struct chunk {
	const char *start; /* of its memory */
	const char *end;
	_Atomic uint32_t live; /* pieces handed out and not yet released */
};

#endif
