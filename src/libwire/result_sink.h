/*
 * result_sink - where an agent's library writes value sets: the border between the owner of an
 * answer (a collector, an agent's main loop) and the library that an agent brings along.
 *
 *     ... | set | set | room   | block | block | room    |
 *               set^     ^blocks         block^       ^end
 *
 * The two sides are compiled apart, so they share this header alone: a versioned table of functions
 * and an area of memory. The owner's answer stays its own. A writer takes the area (open), writes
 * sets and blocks, moving `set` and `block` forward, asks for more room (more), and gives the area
 * back (close). The owner may move the memory in expect and more, and only there.
 *
 * A value in a block is given by the position of the block: its distance to origin in words.
 */
#ifndef LIBWIRE_RESULT_SINK_H
#define LIBWIRE_RESULT_SINK_H

#include <stddef.h>
#include <stdint.h>

enum { RESULT_SINK_VERSION = 1 }; /* counts changes of the two structures */

struct result_area {
	uint8_t *set;          /* where the next set is written */
	uint8_t *blocks;       /* the first block: the end of the room for sets */
	uint8_t *block;        /* where the next block is written */
	uint8_t *end;          /* of the room for blocks */
	const uint8_t *origin; /* positions of blocks are counted from here */
};

struct result_sink {
	uint32_t version; /* RESULT_SINK_VERSION of the owner */

	/* Gives the area to a writer. An owner that has failed already gives an area without room.
	 */
	void (*open)(struct result_sink *sink, struct result_area *ret_area);
	/* A hint: how many bytes the sets will have. Ignored once a block was written. 0, or the
	 * failure. */
	int (*expect)(struct result_sink *sink, struct result_area *area, size_t sets_len);
	/* Room for at least so many bytes of sets and of blocks. 0, or the owner's first failure
	 * (-ENOMEM, PM_ERR_TOOBIG): nothing was moved, and from then on the area has no room. */
	int (*more)(struct result_sink *sink, struct result_area *area, size_t sets, size_t blocks);
	/* Takes the area back, with what was written. */
	void (*close)(struct result_sink *sink, const struct result_area *area);
};

#endif
