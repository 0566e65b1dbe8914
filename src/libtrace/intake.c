/*
 * intake - see intake.h.
 *
 * Segment      written by threads of other processes at any time. Here: truth words, acquire loads
 *              and sequentially consistent compare-and-swap; record headers, acquire (walk.h);
 *              everything else is copied first, parsed from the copy, and discarded if the
 *              compare-and-swap fails.
 * Slots        control memory; one reader at a time. before, after, bytes, pos and the copy are
 *              stored before `state` (release): SLOT_TRIED before the compare-and-swap, SLOT_TAKEN
 *              after it. A reader that takes over decides a TRIED slot from the truth word
 *              (intake_settle).
 * Invariants   A record is delivered only if the compare-and-swap that moved the reader position
 *              past it succeeded: then no overwriter has it, and none counts it. The freemap bit is
 *              set after the chunk is FREE, so a writer that finds the bit finds the state.
 * Dead owners  Chunks of owners that died in the middle of an operation are recovered by the rules
 *              of docs/spec/trace-design.md 3 and 12.
 * Checked by   test_reader settles_a_half_done_take, survives_a_hostile_segment,
 *              frees_what_a_dead_thread_had_taken; model/test_model; kill/test_kill
 */
#include "libtrace/intake.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libtrace/chunk.h"
#include "libtrace/control.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"
#include "libtrace/walk.h"

enum {
	TRIES = 64,           /* with a chunk whose owners keep changing its word */
	HOLD_NS = 20000000,   /* longest time that an event is held back to keep the order */
	BOGUS_NS = 1000000000 /* a tick that is so far ahead is invalid */
};

_Static_assert(sizeof(struct intake_slot) == LAYOUT_CHUNK_HEAD, "copies are as long as chunks");

/* The records of a chunk from its reader position on. */
struct extent {
	uint32_t from, to; /* bytes from the chunk's start */
	uint64_t last;     /* tick of its last event */
	uint64_t held;     /* tick of the event after it that has to wait */
	uint64_t events;   /* user events in it */
	bool whole;        /* it ends at the last record */
};

uint64_t intake_bytes(const struct geometry *g)
{
	return g->chunks * sizeof(struct intake_watch);
}

void intake_init(struct intake *in, const struct segment *seg, struct control *ctl, void *memory)
{
	*in = (struct intake){
	    .seg = seg, .ctl = ctl, .slots = control_copies(ctl, &seg->g), .watch = memory};
}

static void mark(struct intake_slot *slot, enum intake_state state)
{
	atomic_store_explicit(&slot->state, state, memory_order_release);
}

/* ---- in the segment ---- */

/* Acquire: the records and the head that the state promises are visible. */
static uint64_t intake_truth(const struct intake *in, uint32_t chunk)
{
	return atomic_load_explicit(&in->seg->cs[chunk], memory_order_acquire);
}

static bool readable(uint64_t word)
{
	enum chunk_state state = truth_state(word);

	return state == CHUNK_ACTIVE || state == CHUNK_PART || state == CHUNK_FULL;
}

/* The reader position in a chunk; the end of the chunk if the word points outside. */
static uint32_t start_of(const struct intake *in, uint64_t word)
{
	uint64_t at = LAYOUT_CHUNK_HEAD + (uint64_t)truth_pos(word) * in->seg->g.align;

	return at < in->seg->g.chunk_size ? (uint32_t)at : in->seg->g.chunk_size;
}

/* Ids that no writer lets through are not events. */
static bool is_user(const struct step *step)
{
	return step->id >= POSIX_TRACE_UNNAMED_USEREVENT && step->id < LAYOUT_IDS;
}

/* A handler's event waits for the one that it interrupted, but not for long. */
static bool held(const struct intake *in, const uint8_t *record, const struct step *step)
{
	return (step->flags & RECORD_NESTED) && !in->final &&
	       control_clock_mono(in->ctl, step->tick) + HOLD_NS > clock_mono() &&
	       walk_interrupted(in->seg, record);
}

static bool late(const struct intake *in, const struct step *step, uint64_t limit)
{
	return step->tick > limit &&
	       control_clock_mono(in->ctl, step->tick) < clock_mono() + BOGUS_NS;
}

/* The extent of the records that may be taken. Its owner may append meanwhile: a record that this
 * walk misses stays in the chunk for the next round. An overwriter may destroy records meanwhile:
 * then the generation has changed and the compare-and-swap fails. */
static struct extent measure(const struct intake *in, uint32_t chunk, uint64_t word, uint64_t limit)
{
	const struct geometry *g = &in->seg->g;
	const uint8_t *base = walk_base(in->seg, chunk);
	struct extent e = {.from = start_of(in, word), .held = UINT64_MAX};
	struct step step;

	for (e.to = e.from;; e.to += step.size) {
		enum step_kind kind = walk_look(g, base, e.to, g->chunk_size, &step);

		if (kind == STEP_END || kind == STEP_BAD) {
			e.whole = true;
			return e;
		}
		if (kind == STEP_THREAD)
			continue;
		if (late(in, &step, limit))
			return e;
		if (held(in, base + e.to, &step)) {
			e.held = step.tick;
			return e;
		}
		e.last = step.tick < limit ? step.tick : limit;
		e.events += is_user(&step);
	}
}

/* The writer at the reader position of a chunk that one thread took over from another. */
static struct walk_writer writer_at(const struct intake *in, uint32_t chunk, uint32_t offset)
{
	const uint8_t *base = walk_base(in->seg, chunk);
	struct walk_writer writer = walk_owner(in->seg, chunk);
	uint32_t at = LAYOUT_CHUNK_HEAD;
	struct step step;

	while (at < offset) {
		enum step_kind kind = walk_look(&in->seg->g, base, at, offset, &step);

		if (kind == STEP_END || kind == STEP_BAD)
			break;
		if (kind == STEP_THREAD)
			writer = walk_named(base + at);
		at += step.size;
	}
	return writer;
}

static void intake_name_writer(struct intake_slot *slot, struct walk_writer writer)
{
	slot->pid = writer.pid;
	slot->tid = writer.tid;
	slot->thread = writer.thread;
}

/* The slot is EMPTY, so a kill in here leaves an EMPTY slot and an unchanged truth word. */
static void fill_slot(const struct intake *in, uint32_t chunk, const struct extent *e)
{
	struct intake_slot *slot = intake_slot(in, chunk);

	slot->bytes = e->to - e->from;
	slot->pos = 0;
	slot->floor = 0;
	slot->last = e->last;
	intake_name_writer(slot, writer_at(in, chunk, e->from));
	walk_copy(slot + 1, walk_base(in->seg, chunk) + e->from, slot->bytes);
}

/* The truth word of a chunk whose records up to extent->to are taken. */
static uint64_t word_after(const struct intake *in, uint64_t word, const struct extent *e)
{
	uint32_t pos = (e->to - LAYOUT_CHUNK_HEAD) / in->seg->g.align;

	if (truth_state(word) == CHUNK_FULL && e->whole)
		return truth_make(CHUNK_FREE, 0, truth_gen(word), 0);
	return truth_make(truth_state(word), pos, truth_gen(word), truth_tid(word));
}

/* Takes the records: everything is stored before SLOT_TRIED, and the compare-and-swap is the
 * moment from which they belong to the reader. It fails if the owner closed or gave back the
 * chunk, a thread took it up, or an overwriter took it. */
static bool swap_word(const struct intake *in, uint32_t chunk, uint64_t before, uint64_t after)
{
	struct intake_slot *slot = intake_slot(in, chunk);

	slot->before = before;
	slot->after = after;
	mark(slot, SLOT_TRIED);
	if (!atomic_compare_exchange_strong(&in->seg->cs[chunk], &before, after)) {
		mark(slot, SLOT_EMPTY);
		return false;
	}
	if (truth_state(after) == CHUNK_FREE)
		atomic_fetch_or_explicit(&in->seg->freemap[chunk / 64], (uint64_t)1 << chunk % 64,
					 memory_order_release);
	return true;
}

/* Repeats as long as the generation is the same: the owner has only changed the state. With
 * another generation the records were overwritten, and counted by the overwriter. */
struct intake_result intake_chunk(struct intake *in, uint32_t chunk, uint64_t limit, bool discard)
{
	struct intake_slot *slot = intake_slot(in, chunk);
	uint64_t word = intake_truth(in, chunk), after;
	struct intake_result r = {0, UINT64_MAX};
	uint32_t gen = truth_gen(word);

	for (int i = 0; i < TRIES; i++, word = intake_truth(in, chunk)) {
		if (!readable(word) || truth_gen(word) != gen)
			break; /* free, or overwritten and counted by the overwriter */
		struct extent e = measure(in, chunk, word, limit);

		r.held = e.held;
		after = word_after(in, word, &e);
		if (after == word)
			break;
		fill_slot(in, chunk, &e);
		r.events = e.events;
		if (swap_word(in, chunk, word, after)) {
			mark(slot, r.events > 0 && !discard ? SLOT_TAKEN : SLOT_EMPTY);
			return r;
		}
		r.events = 0; /* its owner closed it, or a thread overwrote it */
	}
	return r;
}

/* Events of a chunk in state OVER count as unread until its owner has added them to lostc. */
uint64_t intake_count(const struct intake *in, uint32_t chunk)
{
	uint64_t word = intake_truth(in, chunk);

	if (truth_state(word) == CHUNK_OVER) {
		if (atomic_load(&in->seg->lostc[chunk]) >> LOSTC_BITS == truth_gen(word))
			return 0; /* dropped, and counted as dropped */
	} else if (!readable(word)) {
		return 0;
	}
	return walk_count(in->seg, chunk, start_of(in, word));
}

/* ---- in the copies ---- */

/* The record at an offset of a copy. */
static inline enum step_kind intake_look(const struct intake *in, const struct intake_slot *slot,
					 uint32_t at, struct step *ret_step, bool *ret_event)
{
	const uint8_t *records = (const uint8_t *)(slot + 1);
	enum step_kind kind = walk_look(&in->seg->g, records, at, slot->bytes, ret_step);

	*ret_event = kind == STEP_EVENT && is_user(ret_step);
	return kind == STEP_BAD ? STEP_END : kind;
}

/* Field by field: copying a whole struct would wait for the stores of its parts. */
static void set_event(struct event *e, const struct intake_slot *slot, const struct step *step)
{
	const uint8_t *at = (const uint8_t *)(slot + 1) + slot->pos;
	const struct layout_record *record = (const struct layout_record *)(const void *)at;
	uint32_t nested = step->flags & RECORD_NESTED ? sizeof(struct layout_nested) : 0;

	e->id = step->id;
	e->pid = slot->pid;
	e->tid = slot->tid;
	e->thread = slot->thread;
	e->address = record->address;
	e->truncated = step->flags & RECORD_TRUNCATED ? POSIX_TRACE_TRUNCATED_RECORD : 0;
	e->length = step->length - nested;
	e->data = at + LAYOUT_RECORD_HEAD + nested;
}

bool intake_record(const struct intake *in, struct intake_slot *slot,
		   struct intake_record *ret_record)
{
	struct step step;
	bool is_event;

	for (;; slot->pos += step.size) {
		enum step_kind kind = intake_look(in, slot, slot->pos, &step, &is_event);

		if (kind == STEP_END)
			break;
		if (kind == STEP_THREAD)
			intake_name_writer(slot, walk_named((uint8_t *)(slot + 1) + slot->pos));
		if (!is_event)
			continue;
		if (step.tick > slot->floor)
			slot->floor = step.tick < slot->last ? step.tick : slot->last;
		set_event(&ret_record->event, slot, &step);
		ret_record->tick = slot->floor;
		ret_record->size = step.size;
		return true;
	}
	mark(slot, SLOT_EMPTY);
	return false;
}

uint64_t intake_left(const struct intake *in, const struct intake_slot *slot)
{
	uint64_t events = 0;
	struct step step;
	bool is_event;

	for (uint32_t at = slot->pos; intake_look(in, slot, at, &step, &is_event) != STEP_END;
	     at += step.size)
		events += is_event;
	return events;
}

/* ---- chunks of dead owners ---- */

enum {
	PAUSE_FIRST_NS = 20000000,
	PAUSE_LONGEST_NS = 1000000000,
};

/* Is there a living thread with this id? Zombies are not alive. If /proc gives no answer (it is
 * missing, or no descriptor is left), the kernel does, for which a zombie exists: a thread that
 * is wrongly taken for dead would lose its chunk to another. */
static bool is_alive(int32_t tid)
{
	char path[32], text[256];
	struct text t = text_init(path, sizeof(path));
	const char *end;
	ssize_t len;
	int fd;

	if (tid <= 0)
		return false;
	text_add(&t, "/proc/");
	text_add_number(&t, (uint32_t)tid);
	text_add(&t, "/stat"); /* exists for all threads, not only for leaders */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	if (len <= 0)
		return SYS(SYS_tkill, tid, 0) != -ESRCH;
	text[len] = '\0';
	/* The state follows the command, which may hold parentheses of its own. */
	end = strrchr(text, ')');
	return end == NULL || (end[1] == ' ' && end[2] != 'Z' && end[2] != 'X');
}

static bool is_owned(uint64_t word)
{
	enum chunk_state state = truth_state(word);

	return state == CHUNK_TAKEN || state == CHUNK_OVER || state == CHUNK_ACTIVE;
}

/* Is a check of the owner due? Only if the chunk has not changed since the last one. */
static bool is_due(struct intake *in, uint32_t chunk, uint64_t word, uint64_t now_ns)
{
	struct intake_watch *watch = &in->watch[chunk];

	if (in->final)
		return true;
	if (watch->word != word) {
		*watch = (struct intake_watch){word, now_ns, PAUSE_FIRST_NS};
		return false;
	}
	if (now_ns - watch->looked_ns < watch->pause_ns)
		return false;
	watch->looked_ns = now_ns;
	if (watch->pause_ns < PAUSE_LONGEST_NS)
		watch->pause_ns *= 2;
	return true;
}

bool intake_recover(struct intake *in, uint32_t chunk, uint64_t now_ns)
{
	uint64_t word = atomic_load(&in->seg->cs[chunk]);
	struct chunk_writer dead = {.tid = (int32_t)truth_tid(word)};

	if (!is_owned(word) || !is_due(in, chunk, word, now_ns) || is_alive(dead.tid))
		return false;
	chunk_recover(in->seg, &dead, UINT32_MAX,
		      clock_fenced((enum clock_kind)in->ctl->id.clock_kind));
	return true;
}

/* Was a chunk swapped before the previous reader was killed? */
static bool was_taken(const struct intake *in, uint32_t chunk, const struct intake_slot *slot)
{
	uint64_t word = atomic_load(&in->seg->cs[chunk]);
	uint64_t lost = atomic_load(&in->seg->lostc[chunk]);

	if (word == slot->after || word == slot->before)
		return word == slot->after;
	if (truth_gen(word) == truth_gen(slot->before)) /* its owner has changed it since */
		return truth_pos(word) == truth_pos(slot->after);
	/* Another owner: it took a free chunk, or else it recorded how many events it dropped. */
	return truth_state(slot->after) == CHUNK_FREE && truth_state(word) != CHUNK_OVER &&
	       lost >> LOSTC_BITS != truth_gen(word);
}

void intake_settle(const struct intake *in, uint32_t chunk)
{
	struct intake_slot *slot = intake_slot(in, chunk);

	if (slot->state == SLOT_TRIED)
		slot->state = was_taken(in, chunk, slot) ? SLOT_TAKEN : SLOT_EMPTY;
	if (slot->state != SLOT_TAKEN)
		slot->state = SLOT_EMPTY;
	else if (slot->bytes > in->seg->g.chunk_size - sizeof(*slot) || slot->pos > slot->bytes)
		slot->state = SLOT_EMPTY;
}
