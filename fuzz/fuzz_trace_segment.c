/*
 * fuzz_trace_segment - a reader of a stream's shared memory that a hostile process overwrites.
 *
 * The input is a list of steps of ten bytes: operation, place, a word. Steps write words of the
 * segment (truth words, record headers, ticks, the control line, anything), write a valid chunk, or
 * make the reader read, count, clear, start and stop. For any content, events have lengths and ids
 * in range, times never decrease, and the work ends.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "libtrace/run.h"
#include "libtrace/status.h"

enum {
	STEP = 10,
	STEPS_MAX = 300,
	SIZE = 4096,
	DATA_MAX = 64,
	/* The maximum number of reads: rounds stop at ticks in the future and continue when these
	   are reached. */
	READS_MAX = 4096,
};

struct scene {
	struct segment seg;
	struct control *ctl;
	struct reader reader;
	int seg_fd, ctl_fd;
	int64_t last_real;
	unsigned reads;
};

static void open_scene(struct scene *s, uint32_t policy)
{
	uint64_t now = clock_mono();
	struct layout_id id = {
	    .stream_id = 1, .clock_kind = CLOCK_KIND_MONO, .tick0 = now, .mono0 = now};
	struct geometry g;

	*s = (struct scene){.last_real = INT64_MIN};
	FUZZ_REQUIRE(geometry_make(SIZE, DATA_MAX, policy, &g) == 0);
	s->seg_fd = segment_create(&id, &g, &s->seg);
	s->ctl_fd = control_create(&id, &g, false, &s->ctl);
	FUZZ_REQUIRE(s->seg_fd >= 0 && s->ctl_fd >= 0);
	FUZZ_REQUIRE(reader_init(&s->reader, &s->seg, s->ctl) == 0);
	run_start(&s->seg, s->ctl, NULL);
}

static void close_scene(struct scene *s)
{
	reader_done(&s->reader);
	control_unmap(s->ctl);
	segment_unmap(&s->seg);
	close(s->seg_fd);
	close(s->ctl_fd);
}

static void poke(struct scene *s, uint64_t offset, uint64_t word)
{
	offset %= s->seg.g.bytes - LAYOUT_PAGE - 8;
	memcpy(s->seg.base + LAYOUT_PAGE + offset / 8 * 8, &word, sizeof(word));
}

/* A chunk of records as a thread leaves it, except for the state, which the input selects. */
static void lay_chunk(struct scene *s, uint32_t chunk, uint64_t word)
{
	struct layout_chunk *head;
	uint32_t at = LAYOUT_CHUNK_HEAD, length = word & 31;

	chunk %= s->seg.g.chunks;
	head = segment_chunk(&s->seg, chunk);
	memset(head, 0, s->seg.g.chunk_size);
	head->tid = (int32_t)(word >> 40);
	for (uint32_t i = 0; i < (word >> 8 & 63); i++) {
		struct layout_record *r = (void *)((uint8_t *)head + at);
		uint32_t flags = RECORD_COMMITTED;

		if (at + geometry_record(&s->seg.g, length) > s->seg.g.chunk_size)
			break;
		if (i % 7 == 3 && length >= sizeof(struct layout_nested))
			flags |= RECORD_NESTED;
		r->tick = clock_mono();
		atomic_store(&r->header, record_header(flags, length, 9 + (i & 1)));
		at += geometry_record(&s->seg.g, length);
	}
	atomic_store(&s->seg.cs[chunk], truth_make((enum chunk_state)(word >> 16 & 15), 0,
						   (uint32_t)(word >> 20), (uint32_t)(word >> 40)));
}

static void read_some(struct scene *s, unsigned n)
{
	uint8_t bytes[2 * sizeof(trace_event_set_t)];
	struct event event;

	for (; n > 0 && s->reads < READS_MAX && reader_peek(&s->reader, &event) == 1; n--) {
		FUZZ_REQUIRE(event.id > 0 && event.id < LAYOUT_IDS);
		FUZZ_REQUIRE(event.id < POSIX_TRACE_UNNAMED_USEREVENT ||
			     event.length <= DATA_MAX + 16);
		FUZZ_REQUIRE(event.real_ns >= s->last_real);
		s->last_real = event.real_ns;
		if (event.length > 0 && event.length <= sizeof(bytes))
			memcpy(bytes, event.data, event.length);
		reader_consume(&s->reader);
		s->reads++;
	}
}

static void take_over(struct scene *s)
{
	reader_done(&s->reader);
	FUZZ_REQUIRE(reader_init(&s->reader, &s->seg, s->ctl) == 0);
}

static void control(struct scene *s, uint32_t what)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	bool halted;

	if (what % 4 == 0)
		(void)(run_stop(&s->seg, s->ctl, NULL) || run_start(&s->seg, s->ctl, NULL));
	else if (what % 4 == 1)
		reader_clear(&s->reader, run_clear(&s->seg, s->ctl, &halted));
	else if (what % 4 == 2)
		take_over(s);
	else
		status_read(&s->reader, true, &status);
	status_counts(&s->reader, &counts);
}

static void step(struct scene *s, const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at + 2, sizeof(word));
	switch (at[0] % 6) {
	case 0:
		poke(s, (uint64_t)at[1] * 8, word); /* the control line and the filters */
		break;
	case 1:
		poke(s, s->seg.g.cs - LAYOUT_PAGE + (uint64_t)at[1] * 8, word);
		break;
	case 2:
		poke(s, s->seg.g.chunk0 - LAYOUT_PAGE + (word & 0xffff) * 8, word >> 16);
		break;
	case 3:
		lay_chunk(s, at[1], word);
		break;
	case 4:
		read_some(s, at[1]);
		break;
	case 5:
		control(s, at[1]);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scene s;

	if (size < 1)
		return 0;
	open_scene(&s, data[0] & 1 ? POSIX_TRACE_LOOP : POSIX_TRACE_UNTIL_FULL);
	for (size_t i = 0; 1 + (i + 1) * STEP <= size && i < STEPS_MAX; i++)
		step(&s, data + 1 + i * STEP);
	reader_finish(&s.reader);
	read_some(&s, READS_MAX);
	close_scene(&s);
	return 0;
}
