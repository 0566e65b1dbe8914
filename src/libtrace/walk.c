/* walk - see walk.h. */
#include "libtrace/walk.h"

uint64_t walk_count(const struct segment *seg, uint32_t chunk, uint32_t offset)
{
	const uint8_t *base = walk_base(seg, chunk);
	uint64_t events = 0;
	struct step step;

	for (;; offset += step.size) {
		enum step_kind kind = walk_look(&seg->g, base, offset, seg->g.chunk_size, &step);

		if (kind == STEP_END || kind == STEP_BAD)
			return events;
		events += kind == STEP_EVENT;
	}
}

static struct walk_writer writer_from(uint64_t thread, uint64_t pid, uint64_t tid)
{
	return (struct walk_writer){.thread = thread, .pid = (int32_t)pid, .tid = (int32_t)tid};
}

WALK_RACY struct walk_writer walk_owner(const struct segment *seg, uint32_t chunk)
{
	const uint8_t *base = walk_base(seg, chunk);
	uint64_t ids = walk_load(base + offsetof(struct layout_chunk, pid));

	uint64_t low = ids & UINT32_MAX, high = ids >> 32;
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* pid, tid as one word */

	return writer_from(walk_load(base + offsetof(struct layout_chunk, thread)),
			   little ? low : high, little ? high : low);
}

WALK_RACY struct walk_writer walk_named(const uint8_t *record)
{
	uint64_t ids = walk_load(record + LAYOUT_RECORD_HEAD + 8);

	return writer_from(walk_load(record + LAYOUT_RECORD_HEAD), ids >> 32, ids & UINT32_MAX);
}

WALK_RACY bool walk_interrupted(const struct segment *seg, const uint8_t *record)
{
	const uint8_t *at = record + LAYOUT_RECORD_HEAD;
	uint64_t first = walk_load(at), second = walk_load(at + 8), word, header;
	uint32_t chunk = (uint32_t)first, gen = (uint32_t)(first >> 32), offset = (uint32_t)second;

	if (chunk >= seg->g.chunks || offset < LAYOUT_CHUNK_HEAD || offset % 8 != 0 ||
	    offset > seg->g.chunk_size - LAYOUT_RECORD_HEAD)
		return false;
	word = atomic_load_explicit(&seg->cs[chunk], memory_order_acquire);
	if (truth_gen(word) != (gen & TRUTH_GEN_MAX))
		return false;
	if (truth_state(word) != CHUNK_ACTIVE && truth_state(word) != CHUNK_FULL)
		return false;
	header = walk_load(walk_base(seg, chunk) + offset);
	return !(record_flags(header) & RECORD_COMMITTED);
}

/* Copied in the compiler's best way: the source is not read again, and the copy is checked later.
 * */
typedef uint64_t __attribute__((may_alias)) word;

struct line {
	uint64_t words[8];
} __attribute__((may_alias));

WALK_RACY void walk_copy(void *to, const uint8_t *from, uint32_t bytes)
{
	uint8_t *out = to;

	for (; bytes >= sizeof(struct line); bytes -= sizeof(struct line)) {
		*(struct line *)(void *)out = *(const struct line *)(const void *)from;
		out += sizeof(struct line);
		from += sizeof(struct line);
	}
	for (; bytes >= 8; bytes -= 8, out += 8, from += 8)
		*(word *)(void *)out = *(const word *)(const void *)from;
}
