/*
 * fuzz_disk_meta - any bytes as a metadata record of an archive.
 *
 * The two length words are set to what there is: wrong ones are refused at once and teach nothing.
 * What decodes takes no more memory than four times its length, and can be encoded to itself but
 * for the order of an instance domain's names. A delta is applied to what it would follow.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libdisk/indom_delta.h"
#include "libdisk/meta.h"

/* The domain before it was what the delta deletes; behind it is what it adds. */
static void check_delta(const struct meta_indom *delta)
{
	size_t n_old = 0, n, changes;
	struct wire_inst *old = calloc(delta->numinst + 1, sizeof(*old));
	struct wire_inst *now = calloc((size_t)delta->numinst * 2 + 1, sizeof(*now));
	struct wire_inst *again = calloc((size_t)delta->numinst * 2 + 1, sizeof(*again));

	FUZZ_REQUIRE(old != NULL && now != NULL && again != NULL);
	for (uint32_t i = 0; i < delta->numinst; i++) {
		if (delta->insts[i].name.s == NULL)
			old[n_old++] =
			    (struct wire_inst){delta->insts[i].inst, {"x", 1}};
	}
	if (indom_apply(old, n_old, delta->insts, delta->numinst, now, &n) == 0) {
		FUZZ_REQUIRE(n == delta->numinst - n_old);
		FUZZ_REQUIRE(indom_sorted(now, n));
		if (indom_compare(old, n_old, now, n, again, &changes) == INDOM_CHANGES)
			FUZZ_REQUIRE(changes == delta->numinst);
	}
	free(old);
	free(now);
	free(again);
}

static void check_again(const struct buffer *first)
{
	struct buffer second = BUFFER_INIT;
	struct arena mem = ARENA_INIT;
	enum meta_type type;
	union meta_body body;

	FUZZ_REQUIRE(meta_decode(first->data, first->len, &mem, &type, &body) == 0);
	FUZZ_REQUIRE(meta_encode(&second, type, &body) == 0);
	FUZZ_REQUIRE(second.len == first->len);
	FUZZ_REQUIRE(memcmp(second.data, first->data, first->len) == 0);
	buffer_done(&second);
	arena_done(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct buffer out = BUFFER_INIT;
	enum meta_type type;
	union meta_body body;
	uint8_t *record;
	int r;

	if (size < RECORD_MIN)
		return 0;
	record = malloc(size);
	FUZZ_REQUIRE(record != NULL);
	memcpy(record, data, size);
	store_be32(record, (uint32_t)size);
	store_be32(record + size - 4, (uint32_t)size);
	mem.limit = META_GROWTH * size + 64;
	r = meta_decode(record, size, &mem, &type, &body);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_LOGREC || r == PM_ERR_RECTYPE);
	if (r == 0) {
		FUZZ_REQUIRE(meta_encode(&out, type, &body) == 0);
		FUZZ_REQUIRE(out.len == size);
		check_again(&out);
		if (type == META_INDOM_DELTA)
			check_delta(&body.indom);
	}
	buffer_done(&out);
	arena_done(&mem);
	free(record);
	return 0;
}
