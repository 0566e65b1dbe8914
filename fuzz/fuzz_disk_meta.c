/*
 * fuzz_disk_meta - any bytes as a metadata record of an archive.
 *
 * The two length words are set to the actual length, because wrong ones are refused at once and
 * test nothing. A record that can be decoded takes at most four times its length in memory, and
 * encoding it gives the same bytes, except for the order of an instance domain's names. A delta is
 * applied to a domain that it could follow.
 */
#include "libbase/endian_be.h"
#include "libdisk/meta.h"
#include "recode.h"

/* The domain before the delta has the instances that it deletes, and after it those that it
 * adds. */
static void check_delta(const struct meta_indom *delta)
{
	size_t n_old = 0, n, changes;
	struct wire_inst *old = calloc(delta->numinst + 1, sizeof(*old));
	struct wire_inst *now = calloc((size_t)delta->numinst * 2 + 1, sizeof(*now));
	struct wire_inst *again = calloc((size_t)delta->numinst * 2 + 1, sizeof(*again));

	FUZZ_REQUIRE(old != NULL && now != NULL && again != NULL);
	for (uint32_t i = 0; i < delta->numinst; i++) {
		if (delta->insts[i].name.s == NULL)
			old[n_old++] = (struct wire_inst){delta->insts[i].inst, {"x", 1}};
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

static int recode(const uint8_t *data, size_t len, struct arena *mem, struct buffer *out)
{
	enum meta_type type;
	union meta_body body;
	int r = meta_decode(data, len, mem, &type, &body);

	if (r < 0)
		return r;
	FUZZ_REQUIRE(meta_encode(out, type, &body) == 0);
	if (type == META_INDOM_DELTA)
		check_delta(&body.indom);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *record;
	size_t len;
	int r;

	if (size < RECORD_MIN)
		return 0;
	record = malloc(size);
	FUZZ_REQUIRE(record != NULL);
	memcpy(record, data, size);
	store_be32(record, (uint32_t)size);
	store_be32(record + size - 4, (uint32_t)size);
	r = recode_twice(recode, record, size, META_GROWTH * size + 64, &len);
	FUZZ_REQUIRE(r == PM_ERR_LOGREC || r == PM_ERR_RECTYPE || (r == 0 && len == size));
	free(record);
	return 0;
}
