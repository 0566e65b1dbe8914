/*
 * test_model - explores the hand-over of records from writers to a reader completely: the real code
 * of record, chunk, intake and reader on a segment of two small chunks, in every order of accesses
 * to its memory, with a death or a signal handler between any two of them.
 *
 * Conditions at every end, after a last read by the reader:
 *   - each event was reported at most once, whole, those of a thread in order;
 *   - reported + lost + discarded = emitted, where an event whose writer died in the middle of the
 *     call may or may not have been;
 *   - no two threads held a chunk at the same time (a torn record would show it).
 * The code under test is compiled with -fsanitize=thread, and hooks.c has the functions that it
 * then calls.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "explore.h"
#include "libtrace/family.h"
#include "libtrace/reader.h"
#include "libtrace/record.h"
#include "libtrace/run.h"
#include "libtrace/status.h"

enum {
	WRITERS = 2,
	EVENTS = 8,  /* of a writer, at most; its handler's follow */
	RECORD = 32, /* with 8 bytes of data */
	USER_ID = LAYOUT_USER_FIRST,
	MEMORY = 1 << 20,
	MAX_STATES = 40 * 1000 * 1000,
};

/* The memory that the threads of a run share in addition to the segment, and the data of the
 * test. */
static struct {
	uint64_t tick, seconds;
	struct {
		uint32_t begun, done, inner_begun, inner_done;
	} writers[WRITERS];
	uint8_t reported[WRITERS][2 * EVENTS]; /* times */
	uint64_t last[WRITERS];                /* number reported last, + 1 */
	uint64_t late; /* events reported out of the order of their thread */
	uint64_t alien;
} world;

static struct tblk blocks[WRITERS];
static struct attached attached;
static struct reader reader;
static uint8_t *stream_memory, *control_memory;

/* ---- functions that the code under test calls ---- */

struct registry_file trace_registry;
__thread struct tblk *thread_self;

unsigned long long hook_tick(void);
unsigned long long hook_tick(void)
{
	return ++world.tick;
}

uint64_t clock_fenced(enum clock_kind kind)
{
	(void)kind;
	return ++world.tick;
}

uint64_t clock_sequenced(_Atomic uint64_t *sequence)
{
	(void)sequence;
	return ++world.tick;
}

uint32_t clock_burst(enum clock_kind kind)
{
	(void)kind;
	return UINT32_MAX;
}

struct clock_pair clock_pair(enum clock_kind kind)
{
	(void)kind;
	return (struct clock_pair){1, 1};
}

uint64_t clock_convert(const struct clock_pair *pairs, size_t count, uint64_t tick)
{
	(void)pairs;
	(void)count;
	return tick;
}

struct clock_line clock_line(const struct clock_pair *pairs, size_t count, uint64_t tick)
{
	(void)pairs;
	(void)count;
	(void)tick;
	return (struct clock_line){0};
}

struct tblk *thread_block(void)
{
	return thread_self;
}

struct attached *attach_slot(unsigned slot)
{
	return slot == 0 ? &attached : NULL;
}

struct attached *attach_mapped(unsigned slot)
{
	return attach_slot(slot);
}

bool attach_holds(const struct attached *a)
{
	return a == &attached;
}

/* Nobody here leaves a record by siglongjmp, or makes a stream in the usual way. */
struct attached *thread_repair(const struct tblk *b, struct cursor *c)
{
	(void)b;
	(void)c;
	abort();
}

uint32_t thread_keeps(const struct cursor *c, const struct attached *a)
{
	(void)c;
	(void)a;
	abort();
}

int segment_memory(const char *name, uint64_t bytes)
{
	(void)name;
	(void)bytes;
	abort();
}

struct family *family_self(void)
{
	return NULL;
}

trace_event_id_t family_end(const struct family *family)
{
	(void)family;
	return USER_ID + 1;
}

/* A second passes between two looks of the reader: long enough to doubt an owner. */
int hook_clock_gettime(clockid_t id, struct timespec *ret);
int hook_clock_gettime(clockid_t id, struct timespec *ret)
{
	(void)id;
	*ret = (struct timespec){.tv_sec = (time_t)world.seconds};
	return 0;
}

/* intake.c reads from the system whether a thread lives: here the explorer knows. */
enum {
	ASKED_FD = 1 << 20 /* nothing that close() would miss */
};

static int asked;

int hook_open(const char *path, int flags);
int hook_open(const char *path, int flags)
{
	(void)flags;
	asked = atoi(path + sizeof("/proc/") - 1);
	return ASKED_FD;
}

ssize_t hook_read(int fd, void *data, size_t size);
ssize_t hook_read(int fd, void *data, size_t size)
{
	bool alive = asked >= 1 && asked <= WRITERS && !explore_dead((unsigned)asked - 1);
	const char *text = alive ? "1 (writer) R 1" : "1 (writer) X 1";

	(void)fd;
	memcpy(data, text, strlen(text) < size ? strlen(text) : size);
	return (ssize_t)strlen(text);
}

/* ---- threads ---- */

static unsigned writer_of(void *arg)
{
	return (unsigned)(uintptr_t)arg & 15;
}

static void writer_resumed(void *arg)
{
	thread_self = &blocks[writer_of(arg)];
}

static void write_events(void *arg)
{
	unsigned w = writer_of(arg), count = (unsigned)(uintptr_t)arg >> 4;

	for (unsigned i = 0; i < count; i++) {
		uint64_t data = (uint64_t)(w + 1) << 8 | i;

		world.writers[w].begun = i + 1;
		posix_trace_event(USER_ID, &data, sizeof(data));
		world.writers[w].done = i + 1;
	}
}

static void write_inner(void *arg)
{
	unsigned w = writer_of(arg);
	uint64_t data = (uint64_t)(w + 1) << 8 | (EVENTS + world.writers[w].inner_begun);

	world.writers[w].inner_begun++;
	posix_trace_event(USER_ID, &data, sizeof(data));
	world.writers[w].inner_done++;
}

static void note(const struct event *event)
{
	uint64_t data, w, i;

	if (event->id != USER_ID)
		return;
	if (event->length != sizeof(data)) {
		world.alien++;
		return;
	}
	memcpy(&data, event->data, sizeof(data));
	w = (data >> 8) - 1;
	i = data & 255;
	if (w >= WRITERS || i >= 2 * EVENTS || event->tid != (int32_t)w + 1) {
		world.alien++;
		return;
	}
	world.reported[w][i]++;
	if (i >= EVENTS)
		return;
	if (world.last[w] > i)
		world.late++;
	world.last[w] = i + 1;
}

static void read_some(void)
{
	struct event event;

	world.seconds++;
	while (reader_next(&reader, &event) == 1)
		note(&event);
}

static void read_rounds(void *arg)
{
	for (unsigned i = 0; i < (unsigned)(uintptr_t)arg; i++)
		read_some();
}

/* ---- the end of a run ---- */

static const char *judge(void *arg)
{
	struct posix_trace_counts_np counts;
	uint64_t least = 0, most = 0, sum;

	(void)arg;
	reader_finish(&reader);
	read_some();
	read_some();
	if (world.alien)
		return "a torn or foreign event was reported";
	if (world.late)
		return "events of a thread were reported out of order";
	for (unsigned w = 0; w < WRITERS; w++) {
		least += world.writers[w].done + world.writers[w].inner_done;
		most += world.writers[w].begun + world.writers[w].inner_begun;
		for (unsigned i = 0; i < 2 * EVENTS; i++)
			if (world.reported[w][i] > 1)
				return "an event was reported twice";
	}
	status_counts(&reader, &counts);
	sum = counts.reported + counts.lost_full + counts.lost_overwritten + counts.lost_attach +
	      counts.discarded;
	if (sum < least)
		return "an event is neither reported nor counted as lost";
	if (sum > most)
		return "more was reported and counted as lost than was emitted";
	return NULL;
}

/* ---- a small stream ---- */

/* Chunks of so many records, and not one more. */
static void make_segment(uint32_t policy, uint32_t chunks, uint32_t records)
{
	struct geometry g = {.bytes = MEMORY,
			     .stream_size = 64,
			     .chunk_size = LAYOUT_CHUNK_HEAD + records * RECORD + 8 + 24,
			     .chunks = chunks,
			     .quota = 4,
			     .data_max = 16,
			     .align = 8,
			     .policy = policy};
	struct segment *s = &attached.seg;
	uint64_t at = sizeof(struct layout_state);

	memset(stream_memory, 0, 8192);
	*s = (struct segment){.base = stream_memory, .g = g, .clock_kind = CLOCK_KIND_TSC};
	s->state = (struct layout_state *)(void *)stream_memory;
	s->cs = (_Atomic uint64_t *)(void *)(stream_memory + at);
	s->lostc = s->cs + chunks;
	s->freemap = s->lostc + chunks;
	s->order = s->freemap + 1;
	s->partial = (_Atomic uint32_t *)(void *)(s->order + chunks);
	s->chunk0 = (uint8_t *)(s->partial + LAYOUT_PARTIAL);
	for (uint32_t i = 0; i < chunks; i++)
		atomic_store(&s->cs[i], truth_make(CHUNK_FREE, 0, 0, 0));
	atomic_store(&s->freemap[0], ((uint64_t)1 << chunks) - 1);
	attached.fast = true;
}

static void make_blocks(void)
{
	memset(blocks, 0, sizeof(blocks));
	for (unsigned w = 0; w < WRITERS; w++)
		blocks[w].writer = (struct chunk_writer){
		    .pid = 1, .tid = (int32_t)w + 1, .thread = w + 1, .serial = w + 1};
}

static void make_stream(uint32_t policy, uint32_t chunks, uint32_t records)
{
	struct control *ctl = (struct control *)(void *)control_memory;

	memset(control_memory, 0, MEMORY);
	memset(&world, 0, sizeof(world));
	world.tick = 10;
	make_segment(policy, chunks, records);
	make_blocks();
	ctl->id.clock_kind = CLOCK_KIND_TSC;
	ctl->id.tick0 = ctl->id.mono0 = 1;
	atomic_store(&trace_registry.gate, LAYOUT_LINE);
	if (reader.heap != NULL)
		reader_done(&reader);
	assert_int_equal(reader_init(&reader, &attached.seg, ctl), 0);
	assert_true(run_start(&attached.seg, ctl, NULL));
	read_some(); /* START is out */
}

static void add_region(struct explore *e, void *base, size_t size)
{
	assert_true(e->nregions < EXPLORE_REGIONS);
	e->regions[e->nregions++] = (struct explore_region){base, size};
}

static void add_regions(struct explore *e)
{
	const struct segment *s = &attached.seg;
	struct control *ctl = reader.ctl;
	size_t used = (size_t)(s->chunk0 - s->base) + (size_t)s->g.chunks * s->g.chunk_size;

	e->shared = (struct explore_region){s->base, used};
	/* The filters are constant here. */
	add_region(e, s->base, offsetof(struct layout_state, filter));
	add_region(e, s->base + sizeof(struct layout_state), used - sizeof(struct layout_state));
	for (unsigned w = 0; w < WRITERS; w++) {
		struct tblk *b = &blocks[w];

		add_region(e, b, offsetof(struct tblk, c) + 2 * sizeof(struct cursor));
		add_region(e, &b->top, sizeof(*b) - offsetof(struct tblk, top));
	}
	add_region(e, &ctl->run, offsetof(struct control, pairs) - offsetof(struct control, run));
	/* The queue after it: one START at a time. */
	add_region(e, control_memory + (sizeof(*ctl) + LAYOUT_PAGE - 1) / LAYOUT_PAGE * LAYOUT_PAGE,
		   LAYOUT_PAGE);
	add_region(e, control_copies(ctl, &s->g), (size_t)s->g.chunks * s->g.chunk_size);
	add_region(e, &reader, sizeof(reader));
	add_region(e, reader.heap,
		   (size_t)((uint8_t *)reader.intake.watch - (uint8_t *)reader.heap) +
		       intake_bytes(&s->g));
	add_region(e, &world, sizeof(world));
}

/* ---- programs ---- */

struct program {
	const char *name;
	uint32_t policy, chunks, records;
	unsigned events[WRITERS], rounds;
	unsigned kills, signals;
	bool soak; /* PITOT_TRACE_SOAK alone */
};

static void *writer_arg(unsigned w, unsigned events)
{
	return (void *)(uintptr_t)(w | events << 4);
}

static void explored(void **state)
{
	const struct program *p = *state;
	struct explore e = {
	    .kills = p->kills, .signals = p->signals, .max_states = MAX_STATES, .check = judge};
	struct explore_result result;

	if (p->soak && getenv("PITOT_TRACE_SOAK") == NULL)
		skip();
	make_stream(p->policy, p->chunks, p->records);
	for (unsigned w = 0; w < WRITERS; w++) {
		if (p->events[w] == 0)
			continue;
		e.threads[e.nthreads++] = (struct explore_thread){
		    .name = w == 0 ? "a" : "b",
		    .run = write_events,
		    .arg = writer_arg(w, p->events[w]),
		    .mortal = true,
		    .handler = write_inner,
		    .resumed = writer_resumed,
		};
	}
	if (p->rounds > 0)
		e.threads[e.nthreads++] = (struct explore_thread){
		    .name = "r", .run = read_rounds, .arg = (void *)(uintptr_t)p->rounds};
	add_regions(&e);
	result = explore_run(&e);
	print_message("           %s: %llu states, %llu ends, depth %llu\n", p->name,
		      (unsigned long long)result.states, (unsigned long long)result.runs,
		      (unsigned long long)result.depth);
	if (result.wrong)
		fail_msg("%s: %s", p->name, result.wrong);
	assert_true(result.complete);
}

#define UNTIL POSIX_TRACE_UNTIL_FULL
#define LOOP  POSIX_TRACE_LOOP

/* clang-format off */
static const struct program programs[] = {
	/* name                        policy, chunks, records of each, events, rounds, kills, signals */
	{ "a writer and a reader",     UNTIL, 2, 2, { 3, 0 }, 1, 1, 0, false },
	{ "full, and again",           UNTIL, 1, 2, { 3, 0 }, 1, 0, 0, false },
	{ "overwriting",               LOOP,  2, 2, { 5, 0 }, 0, 1, 0, false },
	{ "stale records",             LOOP,  2, 3, { 8, 0 }, 0, 1, 0, false },
	{ "overwriting, read",         LOOP,  2, 2, { 5, 0 }, 1, 0, 0, false },
	{ "a handler",                 UNTIL, 2, 2, { 2, 0 }, 1, 0, 1, false },
	{ "two writers",               UNTIL, 2, 2, { 2, 1 }, 0, 1, 0, false },
	{ "two fill it",               UNTIL, 1, 2, { 2, 1 }, 0, 1, 0, false },
	{ "two overwrite",             LOOP,  2, 2, { 3, 2 }, 0, 0, 0, false },
	{ "two and a reader",          UNTIL, 2, 2, { 1, 1 }, 1, 0, 0, false },
	{ "two fill two",              UNTIL, 2, 2, { 3, 3 }, 0, 0, 0, true },
	{ "a handler dies",            UNTIL, 2, 2, { 2, 0 }, 1, 1, 1, true },
	{ "overwriting, read, dies",   LOOP,  2, 2, { 5, 0 }, 1, 1, 0, true },
	{ "a handler overwrites",      LOOP,  2, 2, { 5, 0 }, 1, 0, 1, true },
	{ "two, a reader, one dies",   UNTIL, 2, 2, { 1, 1 }, 1, 1, 0, true },
	{ "two overwrite, read",       LOOP,  2, 2, { 3, 2 }, 1, 0, 0, true },
	{ "two overwrite, one dies",   LOOP,  2, 2, { 3, 2 }, 0, 1, 0, true },
	{ "two, a handler",            UNTIL, 2, 2, { 2, 1 }, 0, 0, 1, true },
};
/* clang-format on */

int main(void)
{
	enum { COUNT = sizeof(programs) / sizeof(programs[0]) };
	struct CMUnitTest tests[COUNT];
	int count;

	stream_memory = aligned_alloc(LAYOUT_PAGE, MEMORY);
	control_memory = aligned_alloc(LAYOUT_PAGE, MEMORY);
	if (stream_memory == NULL || control_memory == NULL)
		return 1;
	for (unsigned i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){.name = programs[i].name,
					       .test_func = explored,
					       .initial_state = (void *)&programs[i]};
	count = cmocka_run_group_tests(tests, NULL, NULL);
	free(stream_memory);
	free(control_memory);
	return count;
}
