/*
 * chunk - memory that one library divides into pieces, and that another library releases piece by
 * piece.
 *
 * The owner counts the pieces it gives out, and each release subtracts one; at 0 the owner may fill
 * the chunk again. The list of chunks, which identifies the chunk of a piece, belongs to the
 * releasing library (libpcp: value_pool).
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
