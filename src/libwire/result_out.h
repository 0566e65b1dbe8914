/*
 * result_out - the value sets of a RESULT, written value by value into the area of a sink.
 *
 * For an agent's values, whose number is not known in advance. A writer keeps a copy of the area
 * while it writes, so that a value costs no call. It asks the sink for more room when its area is
 * full (result_sink.h).
 */
#ifndef LIBWIRE_RESULT_OUT_H
#define LIBWIRE_RESULT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libbase/endian_be.h"
#include "libvalue/value_block.h"
#include "libvalue/vset.h"
#include "libwire/result_sink.h"

struct result_out {
	struct result_sink *sink;
	struct result_area a;
	uint8_t *first; /* the first set of this writer */
	uint8_t *head;  /* the set under construction */
	size_t kept;    /* bytes of blocks that belong to complete sets */
	int err;        /* first failure: -ENOMEM, PM_ERR_TOOBIG */
};

/* Takes the area of a sink. No other writer may use the sink until result_out_close. */
void result_out_open(struct result_out *o, struct result_sink *sink);

/* Gives the area back. 0, or the first failure: then the sink's owner must drop what was written.
 */
int result_out_close(struct result_out *o);

/* How many bytes all sets of this writer will have, before the first one is written. Any number
 * will do. */
void result_out_expect(struct result_out *o, size_t sets_len);

/* Bytes of this writer's sets so far: what the next one of this kind should expect. */
static inline size_t result_out_sets_len(const struct result_out *o)
{
	return o->err != 0 ? 0 : (size_t)(o->a.set - o->first);
}

/* The way out of line of the functions below: room for more bytes of sets and of blocks. 0, or the
 * failure. */
int result_out_more(struct result_out *o, size_t sets, size_t blocks);

static inline int result_out_room(struct result_out *o, size_t sets, size_t blocks)
{
	if ((size_t)(o->a.blocks - o->a.set) >= sets && (size_t)(o->a.end - o->a.block) >= blocks)
		return 0;
	return result_out_more(o, sets, blocks);
}

/* The position of a block, as it is given in its value. */
static inline uint32_t result_out_position(const struct result_out *o, const uint8_t *block)
{
	return (uint32_t)((size_t)(block - o->a.origin) / 4);
}

/* Begins a set. 0, or the failure. */
static inline int result_out_set(struct result_out *o, pmID pmid)
{
	int r = result_out_room(o, VSET_HEAD_VALUES + VSET_VALUE_LEN, 0);

	if (r < 0)
		return r;
	o->head = o->a.set;
	o->kept = (size_t)(o->a.block - o->a.blocks);
	o->a.set += VSET_HEAD_VALUES;
	store_be32(o->head, pmid);
	return 0;
}

/* Ends the set: how many values it has and their format; or no values, with 0 or an error code, and
 * what was written of it is dropped. */
static inline void result_out_set_end(struct result_out *o, int32_t numval, int32_t valfmt)
{
	store_be32(o->head + 4, (uint32_t)numval);
	if (numval > 0) {
		store_be32(o->head + 8, (uint32_t)valfmt);
		return;
	}
	o->a.set = o->head + VSET_HEAD;
	o->a.block = o->a.blocks + o->kept;
}

/* A value in place. 0, or the failure. */
static inline int result_out_insitu(struct result_out *o, int32_t inst, uint32_t value)
{
	int r = result_out_room(o, VSET_VALUE_LEN, 0);

	if (r < 0)
		return r;
	store_be64(o->a.set, vset_value_word(inst, value));
	o->a.set += VSET_VALUE_LEN;
	return 0;
}

/*
 * A value in a block, vlen bytes with its header (VALUE_BLOCK_HEADER to VALUE_BLOCK_MAX), which is
 * written: what follows it, padded already, is the caller's to fill. NULL after a failure.
 */
static inline uint8_t *result_out_block(struct result_out *o, int32_t inst, uint32_t type,
					uint32_t vlen)
{
	size_t room = ((size_t)vlen + 3) & ~(size_t)3;
	uint8_t *p;

	if (result_out_room(o, VSET_VALUE_LEN, room) < 0)
		return NULL;
	p = o->a.block;
	if (room != vlen)
		memset(p + room - 4, '~', 4);
	store_be32(p, type << 24 | vlen);
	store_be64(o->a.set, vset_value_word(inst, result_out_position(o, p)));
	o->a.set += VSET_VALUE_LEN;
	o->a.block = p + room;
	return p + VALUE_BLOCK_HEADER;
}

/* Values of the types that are one number. 0, or the failure. */
static inline int result_out_u64(struct result_out *o, int32_t inst, uint32_t type, uint64_t value)
{
	uint8_t *p = result_out_block(o, inst, type, VALUE_BLOCK_64);

	if (p == NULL)
		return o->err;
	store_be64(p, value);
	return 0;
}

static inline int result_out_float(struct result_out *o, int32_t inst, uint32_t bits)
{
	uint8_t *p = result_out_block(o, inst, PM_TYPE_FLOAT, VALUE_BLOCK_HEADER + 4);

	if (p == NULL)
		return o->err;
	store_be32(p, bits);
	return 0;
}

/*
 * Whole sets of one number without an instance, which most sets are, one after the other: a copy of
 * the places where they go, which the compiler can keep in registers while callbacks run.
 */
struct result_run {
	uint8_t *set, *sets_end;
	uint8_t *block, *blocks_end;
	const uint8_t *origin; /* positions are counted from here */
};

/* Nothing else may be written until the run ends. */
static inline struct result_run result_run_begin(const struct result_out *o)
{
	return (struct result_run){o->a.set, o->a.blocks, o->a.block, o->a.end, o->a.origin};
}

static inline void result_run_end(struct result_out *o, const struct result_run *run)
{
	o->a.set = run->set;
	o->a.block = run->block;
}

/* False, and nothing written, without room. */
static inline bool result_run_u32(struct result_run *run, pmID pmid, uint32_t value)
{
	uint8_t *p = run->set;

	if (run->sets_end - p < VSET_HEAD_VALUES + VSET_VALUE_LEN)
		return false;
	store_be64(p, vset_value_word((int32_t)pmid, 1));
	store_be32(p + 8, PM_VAL_INSITU);
	store_be64(p + 12, vset_value_word((int32_t)PM_IN_NULL, value));
	run->set = p + VSET_HEAD_VALUES + VSET_VALUE_LEN;
	return true;
}

static inline bool result_run_u64(struct result_run *run, pmID pmid, uint32_t type, uint64_t value)
{
	uint8_t *p = run->set, *block = run->block;
	uint32_t position = (uint32_t)((size_t)(block - run->origin) / 4);

	if (run->sets_end - p < VSET_HEAD_VALUES + VSET_VALUE_LEN ||
	    run->blocks_end - block < VALUE_BLOCK_64)
		return false;
	store_be64(p, vset_value_word((int32_t)pmid, 1));
	store_be32(p + 8, PM_VAL_DPTR);
	store_be64(p + 12, vset_value_word((int32_t)PM_IN_NULL, position));
	store_be32(block, type << 24 | VALUE_BLOCK_64);
	store_be64(block + VALUE_BLOCK_HEADER, value);
	run->set = p + VSET_HEAD_VALUES + VSET_VALUE_LEN;
	run->block = block + VALUE_BLOCK_64;
	return true;
}

/* Bytes as they are, for strings and aggregates; n is at most VALUE_BLOCK_MAX less the header. */
int result_out_bytes(struct result_out *o, int32_t inst, uint32_t type, const void *bytes,
		     size_t n);

/*
 * A block in host form. PM_ERR_CONV, and nothing written, if its length does not fit its type or an
 * event array in it is malformed; else as above.
 */
int result_out_host_block(struct result_out *o, int32_t inst, const pmValueBlock *block);

#endif
