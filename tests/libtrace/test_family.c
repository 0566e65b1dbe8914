/*
 * test_family - names and ids over real processes: a name has one id, regardless of the process
 * that opens it, of kills at any time, and of any writes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "libtrace/family_table.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include "child.h"

static unsigned made;

/* The id of no process: its pid is larger than any valid one. */
static uint64_t unused(void)
{
	return (uint64_t)getpid() << 42 | ++made << 22;
}

/* A starting process sometimes sweeps families that no living process names: so this test starts
 * one. */
static struct keeper_of {
	uint64_t id;
	pid_t pid;
} keepers[16];

static pid_t keep(uint64_t id)
{
	_Atomic int *ready = child_shared(4096);
	pid_t pid = fork();

	if (pid == 0) {
		atomic_store(&registry_own()->family, id);
		atomic_store(ready, 1);
		child_rest();
	}
	assert_true(CHILD_UNTIL(atomic_load(ready) != 0));
	munmap((void *)ready, 4096);
	return pid;
}

static struct family *fresh(void)
{
	struct family *f = NULL;
	uint64_t id = unused();
	int at = 0;

	while (keepers[at].pid != 0)
		at++;
	assert_in_range(at, 0, 15);
	keepers[at] = (struct keeper_of){id, keep(id)};
	assert_int_equal(family_open(id, geteuid(), true, &f), 0);
	return f;
}

static void gone(struct family *f)
{
	char path[128];

	snprintf(path, sizeof(path), "/dev/shm/pitot-%u/family.%llu", geteuid(),
		 (unsigned long long)f->id);
	unlink(path);
	snprintf(path, sizeof(path), "/dev/shm/pitot-%u/fields.%llu", geteuid(),
		 (unsigned long long)f->id);
	unlink(path);
	for (int i = 0; i < 16; i++)
		if (keepers[i].pid != 0 && keepers[i].id == f->id) {
			child_kill(keepers[i].pid);
			keepers[i].pid = 0;
		}
	family_close(f);
}

static trace_event_id_t id_of(struct family *f, const char *format, int n)
{
	char name[80];
	trace_event_id_t id = 0;

	snprintf(name, sizeof(name), format, n);
	assert_int_equal(family_id_of(f, name, &id), 0);
	return id;
}

static void names_get_dense_ids(void **state)
{
	struct family *f = fresh();
	char name[TRACE_EVENT_NAME_MAX + 1];

	assert_int_equal(family_end(f), LAYOUT_USER_FIRST);
	for (int i = 0; i < 500; i++)
		assert_int_equal(id_of(f, "name %d", i), LAYOUT_USER_FIRST + i);
	for (int i = 0; i < 500; i++) {
		char expected[80];

		snprintf(expected, sizeof(expected), "name %d", i);
		assert_int_equal(id_of(f, "name %d", i), LAYOUT_USER_FIRST + i);
		assert_int_equal(family_name_of(f, LAYOUT_USER_FIRST + (trace_event_id_t)i, name),
				 0);
		assert_string_equal(name, expected);
	}
	assert_int_equal(family_end(f), LAYOUT_USER_FIRST + 500);
	assert_int_equal(family_name_of(f, LAYOUT_USER_FIRST + 500, name), -EINVAL);
	assert_int_equal(family_name_of(f, 0, name), -EINVAL);
	assert_int_equal(family_name_of(f, 0xffffffff, name), -EINVAL);
	gone(f);
}

static void odd_names(void **state)
{
	struct family *f = fresh();
	char name[TRACE_EVENT_NAME_MAX + 2], got[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id = 77;

	memset(name, 'x', sizeof(name));
	name[TRACE_EVENT_NAME_MAX + 1] = '\0';
	assert_int_equal(family_id_of(f, name, &id), -ENAMETOOLONG);
	assert_int_equal(id, 77);
	assert_int_equal(family_end(f), LAYOUT_USER_FIRST);
	name[TRACE_EVENT_NAME_MAX] = '\0';
	assert_int_equal(family_id_of(f, name, &id), 0);
	assert_int_equal(family_name_of(f, id, got), 0);
	assert_string_equal(got, name);
	assert_int_equal(family_id_of(f, "", &id), 0);
	assert_int_equal(id, LAYOUT_USER_FIRST + 1);
	assert_int_equal(family_name_of(f, id, got), 0);
	assert_string_equal(got, "");
	assert_int_not_equal(id_of(f, "xx", 0), id_of(f, "xxx", 0));
	for (trace_event_id_t i = 1; i <= POSIX_TRACE_UNNAMED_USEREVENT; i++) {
		assert_int_equal(family_name_of(f, i, got), 0);
		assert_int_equal(family_id_of(f, got, &id), 0);
		assert_int_equal(id, i);
	}
	assert_int_equal(family_end(f), LAYOUT_USER_FIRST + 4);
	gone(f);
}

static void a_full_table(void **state)
{
	struct family *f = fresh(), *again;

	for (int i = 0; i < TRACE_USER_EVENT_MAX - 1; i++)
		assert_int_equal(id_of(f, "n%d", i), LAYOUT_USER_FIRST + i);
	assert_int_equal(id_of(f, "one more", 0), POSIX_TRACE_UNNAMED_USEREVENT);
	assert_int_equal(id_of(f, "n%d", 17), LAYOUT_USER_FIRST + 17);
	assert_int_equal(family_end(f), LAYOUT_USER_END);
	/* Another user of the file sees the same. */
	assert_int_equal(family_open(f->id, geteuid(), false, &again), 0);
	assert_int_equal(id_of(again, "n%d", 4094), LAYOUT_USER_FIRST + 4094);
	assert_int_equal(id_of(again, "one more", 0), POSIX_TRACE_UNNAMED_USEREVENT);
	family_close(again);
	gone(f);
}

enum { PROCESSES = 8, THREADS = 8, SHARED_NAMES = 60 };

struct opener {
	struct family *f;
	trace_event_id_t (*ids)[SHARED_NAMES];
	int thread;
};

static void *open_all(void *arg)
{
	struct opener *o = arg;

	for (int i = 0; i < SHARED_NAMES; i++) {
		int n = (i + o->thread * 7) % SHARED_NAMES;
		char name[32];

		snprintf(name, sizeof(name), "shared %d", n);
		if (family_id_of(o->f, name, &o->ids[o->thread][n]) != 0)
			o->ids[o->thread][n] = 0;
	}
	return NULL;
}

/* Eight processes of eight threads open the same names at once, in different orders. */
static void everybody_gets_one_id(void **state)
{
	trace_event_id_t(*ids)[THREADS][SHARED_NAMES] =
	    child_shared(PROCESSES * THREADS * SHARED_NAMES * sizeof(trace_event_id_t));
	_Atomic int *gate = child_shared(4096);
	struct family *f = fresh();
	pid_t pids[PROCESSES];

	for (int p = 0; p < PROCESSES; p++) {
		pids[p] = fork();
		if (pids[p] != 0)
			continue;
		struct family *mine;
		struct opener openers[THREADS];
		pthread_t threads[THREADS];

		if (family_open(f->id, geteuid(), false, &mine) != 0)
			_exit(1);
		atomic_fetch_add(gate, 1);
		while (atomic_load(gate) < PROCESSES)
			;
		for (int t = 0; t < THREADS; t++) {
			openers[t] = (struct opener){mine, ids[p], t};
			pthread_create(&threads[t], NULL, open_all, &openers[t]);
		}
		for (int t = 0; t < THREADS; t++)
			pthread_join(threads[t], NULL);
		_exit(0);
	}
	for (int p = 0; p < PROCESSES; p++)
		assert_int_equal(child_wait(pids[p]), 0);
	assert_int_equal(family_end(f), LAYOUT_USER_FIRST + SHARED_NAMES);
	for (int n = 0; n < SHARED_NAMES; n++) {
		trace_event_id_t id = id_of(f, "shared %d", n);

		assert_in_range(id, LAYOUT_USER_FIRST, LAYOUT_USER_FIRST + SHARED_NAMES - 1);
		for (int p = 0; p < PROCESSES; p++)
			for (int t = 0; t < THREADS; t++)
				assert_int_equal(ids[p][t][n], id);
	}
	gone(f);
	munmap(gate, 4096);
}

/* Killed at a random moment of opening: what was given out stays, dead claims are taken over. */
static void killed_while_opening(void **state)
{
	struct family *f = fresh();
	_Atomic unsigned *done = child_shared(4096);
	unsigned checked = 0;

	for (int round = 0; round < 200 && family_end(f) < 3500; round++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (unsigned n = *done; n < FAMILY_NAMES; n++) {
				id_of(f, "n %d", (int)n);
				atomic_store(done, n + 1);
			}
			child_rest();
		}
		child_nap_us(300 + (unsigned)round * 37 % 1500);
		child_kill(pid);
		for (; checked < *done; checked++)
			assert_int_equal(id_of(f, "n %d", (int)checked),
					 LAYOUT_USER_FIRST + checked);
	}
	assert_true(checked > 100);
	/* Claims of dead processes can be claimed again: the table can be filled. */
	for (unsigned n = 0; n < FAMILY_NAMES; n++)
		assert_int_equal(id_of(f, "n %d", (int)n), LAYOUT_USER_FIRST + n);
	gone(f);
	munmap(done, 4096);
}

/* The states of a name whose process dies at each step of claiming it. */
static void dead_claims_at_each_step(void **state)
{
	struct family *f = fresh();
	struct proc_id dead;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(proc_identify(pid, &dead), 0);
	uint64_t claim = (uint64_t)(uint32_t)dead.pid << 41 | dead.start;
	child_wait(pid);
	assert_int_equal(id_of(f, "a", 0), LAYOUT_USER_FIRST);
	int number = family_file(f)->ids[0] - 1;
	assert_true(table_file_reach(&f->table, sizeof(struct family_file), true));
	/* Claimed, whether anything is written or not; one that got its id and was not marked. */
	for (unsigned i = 0; i < FAMILY_SLOTS; i++) {
		family_file(f)->names[i].state = claim;
		if (i % 2 && (int)i != number)
			strcpy(family_file(f)->names[i].text, "half wri");
	}
	for (int i = 0; i < FAMILY_NAMES - 1; i++)
		assert_int_equal(id_of(f, "c %d", i), LAYOUT_USER_FIRST + 1 + i);
	assert_int_equal(id_of(f, "a", 0), LAYOUT_USER_FIRST);
	assert_int_equal(family_file(f)->ids[0] - 1, number);
	gone(f);
}

static const struct posix_trace_field_np two[] = {
    {.name = "count", .type = POSIX_TRACE_FIELD_UINT_NP, .offset = 0, .size = 4},
    {.name = "text", .type = POSIX_TRACE_FIELD_CHARS_NP, .offset = 4, .size = 0},
};

static void descriptions(void **state)
{
	struct family *f = fresh(), *again;
	struct posix_trace_field_np got[4];
	trace_event_id_t id = id_of(f, "described", 0), other = id_of(f, "not", 0);
	uint32_t n = 77;

	assert_int_equal(family_fields(f, id, got, 4, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(family_describe(f, id, two, 2), 0);
	assert_int_equal(family_open(f->id, geteuid(), false, &again), 0);
	assert_int_equal(family_fields(again, id, got, 4, &n), 0);
	assert_int_equal(n, 2);
	assert_memory_equal(got, two, sizeof(two));
	assert_int_equal(family_fields(again, other, got, 4, &n), 0);
	assert_int_equal(n, 0);
	/* The last one counts; room for one of two. */
	assert_int_equal(family_describe(again, id, two, 1), 0);
	assert_int_equal(family_fields(f, id, got, 4, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(family_describe(f, id, two, 2), 0);
	memset(got, 0x55, sizeof(got));
	assert_int_equal(family_fields(f, id, got, 1, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(got[1].name[0], 0x55);
	assert_int_equal(family_describe(f, id, two, 0), 0);
	assert_int_equal(family_fields(f, id, got, 4, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(family_fields(f, 3000, got, 4, &n), -EINVAL);
	family_close(again);
	gone(f);
}

static void wrong_descriptions(void **state)
{
	static const struct {
		const char *what;
		struct posix_trace_field_np field;
	} rows[] = {
	    {"no type", {.name = "x", .size = 4}},
	    {"unknown type", {.name = "x", .type = 7, .size = 4}},
	    {"a size of three", {.name = "x", .type = POSIX_TRACE_FIELD_INT_NP, .size = 3}},
	    {"an open number", {.name = "x", .type = POSIX_TRACE_FIELD_INT_NP, .size = 0}},
	    {"a short float", {.name = "x", .type = POSIX_TRACE_FIELD_FLOAT_NP, .size = 2}},
	    {"no name", {.name = "", .type = POSIX_TRACE_FIELD_INT_NP, .size = 4}},
	    {"a digit first", {.name = "1x", .type = POSIX_TRACE_FIELD_INT_NP, .size = 4}},
	    {"a blank", {.name = "a b", .type = POSIX_TRACE_FIELD_INT_NP, .size = 4}},
	    {"not reserved",
	     {.name = "x", .type = POSIX_TRACE_FIELD_INT_NP, .size = 4, .reserved = 1}},
	};
	struct family *f = fresh();
	trace_event_id_t id = id_of(f, "x", 0);
	struct posix_trace_field_np many[POSIX_TRACE_FIELDS_MAX_NP + 1] = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].what);
		assert_int_equal(family_describe(f, id, &rows[i].field, 1), -EINVAL);
	}
	for (unsigned i = 0; i <= POSIX_TRACE_FIELDS_MAX_NP; i++) {
		many[i] = two[0];
		snprintf(many[i].name, sizeof(many[i].name), "f%u", i);
	}
	assert_int_equal(family_describe(f, id, many, POSIX_TRACE_FIELDS_MAX_NP + 1), -EINVAL);
	assert_int_equal(family_describe(f, id, many, POSIX_TRACE_FIELDS_MAX_NP), 0);
	strcpy(many[1].name, "f0");
	assert_int_equal(family_describe(f, id, many, 2), -EINVAL); /* twice the same */
	many[0] = two[1];
	assert_int_equal(family_describe(f, id, many, 2), -EINVAL); /* open, and not the last */
	assert_int_equal(family_describe(f, POSIX_TRACE_START, two, 2), -EINVAL);
	assert_int_equal(family_describe(f, id + 1, two, 2), -EINVAL);
	assert_int_equal(family_describe(f, POSIX_TRACE_UNNAMED_USEREVENT, two, 2), 0);
	gone(f);
}

static void no_room_for_descriptions(void **state)
{
	struct family *f = fresh();
	trace_event_id_t id = id_of(f, "x", 0);
	struct posix_trace_field_np field = two[0];
	int r = 0;
	unsigned n = 0;

	while (r == 0 && n < 300000) {
		field.offset = (uint16_t)n++;
		r = family_describe(f, id, &field, 1);
	}
	assert_int_equal(r, -ENOMEM);
	assert_true(n > 100000);
	assert_int_equal(family_describe(f, id, &field, 1), -ENOMEM);
	gone(f);
}

/* A child that shares no stream has a copy: its ids keep their names, later ones are its own. */
static void copies(void **state)
{
	struct family *self = family_self();
	trace_event_id_t a = id_of(self, "copied a", 0), b = id_of(self, "copied b", 0);

	assert_int_equal(family_describe(self, b, two, 2), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct family *mine = family_self();
		char name[TRACE_EVENT_NAME_MAX + 1];
		struct posix_trace_field_np got[2];
		uint32_t n;

		if (mine == self || mine == NULL || mine->id == self->id)
			_exit(1);
		if (family_name_of(mine, a, name) != 0 || strcmp(name, "copied a") != 0)
			_exit(2);
		if (id_of(mine, "copied b", 0) != b || id_of(mine, "the child's", 0) != b + 1)
			_exit(3);
		if (family_fields(mine, b, got, 2, &n) != 0 || n != 2)
			_exit(4);
		exit(0);
	}
	assert_int_equal(child_wait(pid), 0);
	assert_int_equal(id_of(self, "the parent's", 0), b + 1);
	assert_int_equal(family_end(self), b + 2);
}

static void a_scribbler_breaks_nothing(void **state)
{
	struct family *f = fresh(), *g;
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct posix_trace_field_np got[4];
	trace_event_id_t id;
	uint32_t n;

	for (int i = 0; i < 100; i++)
		assert_int_equal(family_describe(f, id_of(f, "n%d", i), two, 2), 0);
	pid_t pid = fork();
	if (pid == 0)
		for (uint64_t x = 88172645463325252u;;) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			((volatile uint64_t *)family_file(f))[x % (16384 / 8)] = x * 3;
			((volatile uint64_t *)f->fields->base)[x % (16384 / 8)] =
			    x % 3 ? x * 5 : x % 40000;
		}
	for (int i = 0; i < 3000; i++) {
		family_id_of(f, i % 2 ? "n7" : "other", &id);
		family_name_of(f, LAYOUT_USER_FIRST + (trace_event_id_t)i % 4200, name);
		family_fields(f, LAYOUT_USER_FIRST + (trace_event_id_t)i % 100, got, 4, &n);
		family_end(f);
		if (i % 100 == 0 && family_open(f->id, geteuid(), false, &g) == 0) {
			family_id_of(g, "n3", &id);
			family_close(g);
		}
	}
	child_kill(pid);
	gone(f);
}

static void wrong_files_are_refused(void **state)
{
	char path[128];
	struct family *f;

	static const size_t sizes[] = {0, 100, 16384, 1 << 20};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t id = unused();

		snprintf(path, sizeof(path), "/dev/shm/pitot-%u/family.%llu", geteuid(),
			 (unsigned long long)id);
		int fd = open(path, O_CREAT | O_RDWR, 0600);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, (off_t)sizes[i]), 0);
		close(fd);
		assert_int_equal(family_open(id, geteuid(), true, &f), -EINVAL);
		unlink(path);
	}
	assert_int_equal(family_open(unused(), geteuid(), false, &f), -ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_get_dense_ids),
	    cmocka_unit_test(odd_names),
	    cmocka_unit_test(a_full_table),
	    cmocka_unit_test(everybody_gets_one_id),
	    cmocka_unit_test(killed_while_opening),
	    cmocka_unit_test(dead_claims_at_each_step),
	    cmocka_unit_test(descriptions),
	    cmocka_unit_test(wrong_descriptions),
	    cmocka_unit_test(no_room_for_descriptions),
	    cmocka_unit_test(copies),
	    cmocka_unit_test(a_scribbler_breaks_nothing),
	    cmocka_unit_test(wrong_files_are_refused),
	};

	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
