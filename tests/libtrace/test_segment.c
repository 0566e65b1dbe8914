/* test_segment - a segment is whole, sealed, and refused by others when anything about it is odd.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/segment.h"

static int make(struct segment *s, struct layout_id *id)
{
	struct geometry g;
	int fd;

	assert_int_equal(geometry_make(65536, 256, POSIX_TRACE_LOOP, &g), 0);
	memset(id, 0, sizeof(*id));
	id->stream_id = 4711;
	id->clock_kind = 2;
	fd = segment_create(id, &g, s);
	assert_true(fd >= 0);
	return fd;
}

static void is_born_free_and_sealed(void **state)
{
	struct layout_id id;
	struct segment s;
	int fd = make(&s, &id);

	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 4096), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, (off_t)s.g.bytes * 2), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(atomic_load(&s.state->ctl), CTL_UNFILTERED);
	for (uint32_t i = 0; i < s.g.chunks; i++) {
		assert_int_equal(truth_state(atomic_load(&s.cs[i])), CHUNK_FREE);
		assert_true(atomic_load(&s.freemap[i / 64]) >> i % 64 & 1);
	}
	assert_int_equal(atomic_load(&s.freemap[s.g.chunks / 64]) >> s.g.chunks % 64, 0);
	assert_ptr_equal((uint8_t *)segment_chunk(&s, s.g.chunks - 1) + s.g.chunk_size,
			 s.base + s.g.bytes);
	segment_unmap(&s);
	segment_unmap(&s);
	close(fd);
}

static void is_the_same_for_who_maps_it(void **state)
{
	struct layout_id id, again;
	struct segment s, t;
	int fd = make(&s, &id);

	assert_int_equal(segment_map(fd, &t, &again), 0);
	assert_memory_equal(&id, &again, sizeof(id));
	assert_memory_equal(&s.g, &t.g, sizeof(s.g));
	assert_int_equal(t.clock_kind, 2);
	atomic_store(&t.cs[3], 99);
	assert_int_equal(atomic_load(&s.cs[3]), 99);
	segment_chunk(&t, 5)->pid = 17;
	assert_int_equal(segment_chunk(&s, 5)->pid, 17);
	segment_unmap(&t);
	segment_unmap(&s);
	close(fd);
}

static void holds_nothing_when_punched(void **state)
{
	struct layout_id id;
	struct segment s;
	int fd = make(&s, &id);

	segment_chunk(&s, 5)->pid = 17;
	segment_empty(&s);
	assert_int_equal(segment_chunk(&s, 5)->pid, 0);
	segment_unmap(&s);
	close(fd);
}

/* A memfd with those seals and so many bytes of that page. */
static int forge(const struct layout_id *id, off_t bytes, int seals)
{
	int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(pwrite(fd, id, sizeof(*id), 0), (ssize_t)sizeof(*id));
	if (seals != 0)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void refuses_what_is_odd(void **state)
{
	enum { ALL = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
	struct layout_id good, id;
	struct segment s, t;
	int fd = make(&s, &good), pipes[2];
	off_t bytes = (off_t)s.g.bytes;

#define REFUSED(field, value, size, seals)                                                         \
	do {                                                                                       \
		int bad;                                                                           \
		id = good;                                                                         \
		id.field = (value);                                                                \
		bad = forge(&id, (size), (seals));                                                 \
		assert_int_equal(segment_map(bad, &t, NULL), -EINVAL);                             \
		close(bad);                                                                        \
	} while (0)
	REFUSED(magic, 1, bytes, ALL);
	REFUSED(version, LAYOUT_VERSION + 1, bytes, ALL);
	REFUSED(word_size, 2, bytes, ALL);
	REFUSED(chunks, good.chunks + 1, bytes, ALL);
	REFUSED(bytes, good.bytes + 4096, bytes, ALL);
	REFUSED(magic, good.magic, bytes + 4096, ALL);
	REFUSED(magic, good.magic, 4096, ALL);
	REFUSED(magic, good.magic, bytes, F_SEAL_SHRINK | F_SEAL_GROW);
	REFUSED(magic, good.magic, bytes, F_SEAL_GROW | F_SEAL_SEAL);
	REFUSED(magic, good.magic, bytes, 0);
#undef REFUSED
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(segment_map(pipes[0], &t, NULL), -EINVAL);
	assert_int_equal(segment_map(-1, &t, NULL), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	segment_unmap(&s);
	close(fd);
}

static void too_much_is_no_memory(void **state)
{
	struct layout_id id = {0};
	struct segment s;
	struct geometry g;

	assert_int_equal(geometry_make(65536, 256, POSIX_TRACE_LOOP, &g), 0);
	g.bytes = (uint64_t)1 << 62;
	assert_int_equal(segment_create(&id, &g, &s), -ENOMEM);
}

static void a_limit_of_files_is_no_memory(void **state)
{
	struct rlimit before, small;
	struct layout_id id = {0};
	struct segment s;
	struct geometry g;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){65536, before.rlim_max};
	assert_int_equal(geometry_make(65536, 256, POSIX_TRACE_LOOP, &g), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(segment_create(&id, &g, &s), -ENOMEM);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(is_born_free_and_sealed),
	    cmocka_unit_test(is_the_same_for_who_maps_it),
	    cmocka_unit_test(holds_nothing_when_punched),
	    cmocka_unit_test(refuses_what_is_odd),
	    cmocka_unit_test(too_much_is_no_memory),
	    cmocka_unit_test(a_limit_of_files_is_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
