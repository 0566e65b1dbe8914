/* test_attach - streams come and go under threads that record; mappings, descriptors, forgeries. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kit.h"
#include "libtrace/record.h"

enum {
	ID = 77,
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	OWN_MAPS = 0, /* the sanitizer maps memory as it likes */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	OWN_MAPS = 0,
#else
	OWN_MAPS = 1,
#endif
#else
	OWN_MAPS = 1,
#endif
};

static unsigned lines_of_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned n = 0;
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static _Atomic bool stop;

static void *record_on(void *arg)
{
	while (!atomic_load(&stop))
		posix_trace_event(ID, "payload!", 8);
	return NULL;
}

/* Threads that never pause meet a thousand streams in two slots: nothing is left but what an idle
 * cursor may hold. */
static void streams_come_and_go_under_threads(void **state)
{
	unsigned before = 0, after;
	pthread_t t[3];
	struct kit k;

	atomic_store(&stop, false);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, record_on, NULL), 0);
	for (unsigned i = 0; i < 1000; i++) {
		kit_open_as(&k, i % 2, 65536, 256,
			    i % 3 ? POSIX_TRACE_LOOP : POSIX_TRACE_UNTIL_FULL, clock_kind(), 0);
		kit_start(&k);
		posix_trace_event(ID, "payload!", 8);
		if (i % 50 == 0)
			usleep(2000);
		kit_close(&k);
		if (i == 100)
			before = lines_of_maps();
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	attach_refresh();
	after = lines_of_maps();
	assert_true(!OWN_MAPS || after <= before + 20);
}

static void no_descriptor_no_record_but_a_count(void **state)
{
	struct rlimit before, none;
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (int i = 0; i < 1000; i++) {
		errno = 99;
		posix_trace_event(ID, "x", 1);
		assert_int_equal(errno, 99);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(atomic_load(&trace_registry.slots[0].missed), 1000);
	for (int i = 0; i < 1000; i++)
		posix_trace_event(ID, "x", 1);
	assert_true(kit_drain(&k, NULL, NULL) >= 700); /* it is tried again soon */
	assert_true(kit_lost(&k) >= 1000 && kit_lost(&k) < 1300);
	assert_int_equal(atomic_load(&trace_registry.slots[0].missed), 0);
	kit_close(&k);
}

/* Each field of a slot that describes its segment, one wrong at a time. */
static void what_is_not_the_slots_stream_is_not_mapped(void **state)
{
	struct registry_slot *s = &trace_registry.slots[0];
	struct kit k;

	for (int wrong = 0; wrong < 7; wrong++) {
		struct layout_id *id;
		int pipes[2];

		kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
		id = (struct layout_id *)(void *)k.seg.base;
		assert_int_equal(pipe(pipes), 0);
		switch (wrong) {
		case 0:
			s->inode++;
			break;
		case 1:
			s->fd = pipes[0];
			break;
		case 2:
			s->fd = 4711;
			break;
		case 3:
			s->holder.pid = s->controller.pid = 1 << 30;
			break;
		case 4:
			id->stream_id++;
			break;
		case 5:
			id->chunk_size *= 2;
			break;
		case 6:
			id->clock_kind = 99;
			break;
		}
		kit_start(&k);
		for (int i = 0; i < 10; i++)
			posix_trace_event(ID, "x", 1);
		assert_int_equal(kit_drain(&k, NULL, NULL), 0);
		assert_int_equal(atomic_load(&s->missed), 10);
		atomic_store(&s->missed, 0);
		kit_close(&k);
		close(pipes[0]);
		close(pipes[1]);
	}
}

/* A gate of any value, and a registry that names anything. */
static void any_gate_does_no_harm(void **state)
{
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	srand(3);
	for (int i = 0; i < 200000; i++) {
		atomic_store(&trace_registry.gate, (uint32_t)rand() << 1 ^ (uint32_t)rand());
		posix_trace_event(ID, "x", 1);
	}
	kit_gate();
	kit_drain(&k, NULL, NULL);
	posix_trace_event(ID, "x", 1);
	assert_int_equal(kit_drain(&k, NULL, NULL), 1);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(streams_come_and_go_under_threads),
	    cmocka_unit_test(no_descriptor_no_record_but_a_count),
	    cmocka_unit_test(what_is_not_the_slots_stream_is_not_mapped),
	    cmocka_unit_test(any_gate_does_no_harm),
	};

	return cmocka_run_group_tests(tests, kit_ids, NULL);
}
