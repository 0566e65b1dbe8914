/* scribe - see scribe.h. */
#include "scribe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/run.h"

void scene_open(struct scene *s, uint32_t policy, uint64_t size, uint32_t data_max)
{
	uint64_t now = clock_mono();
	struct layout_id id = {.stream_id = 1,
			       .clock_kind = CLOCK_KIND_MONO,
			       .tick0 = now,
			       .mono0 = now,
			       .target = {.pid = 4711}};
	struct geometry g;

	*s = (struct scene){.tick = now};
	assert_int_equal(geometry_make(size, data_max, policy, &g), 0);
	s->seg_fd = segment_create(&id, &g, &s->seg);
	assert_true(s->seg_fd >= 0);
	s->ctl_fd = control_create(&id, &g, false, &s->ctl);
	assert_true(s->ctl_fd >= 0);
	assert_int_equal(reader_init(&s->reader, &s->seg, s->ctl), 0);
}

void scene_close(struct scene *s)
{
	reader_done(&s->reader);
	control_unmap(s->ctl);
	segment_unmap(&s->seg);
	close(s->seg_fd);
	close(s->ctl_fd);
}

void scene_take_over(struct scene *s)
{
	reader_done(&s->reader);
	control_unmap(s->ctl);
	assert_int_equal(control_map(s->ctl_fd, &s->ctl), 0);
	assert_int_equal(reader_init(&s->reader, &s->seg, s->ctl), 0);
}

void scene_start(struct scene *s)
{
	struct run_caller me = run_called(NULL);
	struct event event;

	assert_true(run_start(&s->seg, s->ctl, &me));
	assert_int_equal(reader_next(&s->reader, &event), 1);
	assert_int_equal(event.id, POSIX_TRACE_START);
}

uint64_t scribe_tick(struct scene *s)
{
	while (clock_mono() <= s->tick)
		;
	s->tick = clock_mono();
	return s->tick;
}

void scribe_open(struct scene *s, uint32_t chunk, int32_t tid)
{
	struct layout_chunk *head = segment_chunk(&s->seg, chunk);
	uint64_t word = atomic_load(&s->seg.cs[chunk]);

	memset(head, 0x5a, s->seg.g.chunk_size); /* what an earlier owner left */
	memset(head, 0, LAYOUT_CHUNK_HEAD + 8);
	head->pid = 4711;
	head->tid = tid;
	head->thread = (uint64_t)tid * 16;
	atomic_store(&s->seg.cs[chunk],
		     truth_make(CHUNK_ACTIVE, 0, truth_gen(word) + 1, (uint32_t)tid));
	atomic_fetch_and(&s->seg.freemap[chunk / 64], ~((uint64_t)1 << chunk % 64));
}

bool scribe_fits(const struct scene *s, uint32_t offset, uint32_t length)
{
	return offset + geometry_record(&s->seg.g, length) <= s->seg.g.chunk_size;
}

uint32_t scribe_put(struct scene *s, uint32_t chunk, uint32_t offset, uint32_t flags, uint64_t tick,
		    uint32_t id, const void *data, uint32_t length)
{
	uint8_t *base = (uint8_t *)segment_chunk(&s->seg, chunk), *at = base + offset;
	struct layout_record *record = (struct layout_record *)(void *)at;
	uint32_t next = offset + geometry_record(&s->seg.g, length);

	if (next <= s->seg.g.chunk_size - 8)
		memset(base + next, 0, 8);
	record->tick = tick;
	record->address = 0x1000 + id;
	if (length > 0)
		memcpy(at + LAYOUT_RECORD_HEAD, data, length);
	atomic_store_explicit(&record->header, record_header(RECORD_COMMITTED | flags, length, id),
			      memory_order_release);
	return next;
}

void scribe_state(struct scene *s, uint32_t chunk, enum chunk_state state, int32_t tid)
{
	uint64_t word = atomic_load(&s->seg.cs[chunk]);

	atomic_store(&s->seg.cs[chunk],
		     truth_make(state, truth_pos(word), truth_gen(word), (uint32_t)tid));
}

void scribe_over(struct scene *s, uint32_t chunk, int32_t tid, bool told, uint64_t count)
{
	uint64_t word = atomic_load(&s->seg.cs[chunk]), lost = atomic_load(&s->seg.lostc[chunk]);
	uint32_t gen = truth_gen(word) + 1;

	atomic_store(&s->seg.cs[chunk],
		     truth_make(CHUNK_OVER, truth_pos(word), gen, (uint32_t)tid));
	lost &= ((uint64_t)1 << LOSTC_BITS) - 1;
	if (told)
		atomic_store(&s->seg.lostc[chunk], (uint64_t)gen << LOSTC_BITS | (lost + count));
}

int32_t scribe_dead_tid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}
