/*
 * test_registry - slots, the gate and files of registries, with real processes that publish, fork,
 * die in the middle, and scribble. In /dev/shm, as always: the place is not configurable.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include <trace.h>

#include "libtrace/inherit.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include "child.h"

static uint64_t next_id = 1000;

static struct registry_slot slot_of(uint64_t id, uint32_t flags)
{
	struct registry_slot slot = {.fd = 7, .inode = id * 3};

	atomic_init(&slot.stream_id, id);
	atomic_init(&slot.flags, flags);
	slot.holder = slot.controller = proc_self();
	return slot;
}

static struct registry_file *own(void)
{
	inherit_ensure();
	struct registry_file *file = registry_own();
	assert_non_null(file);
	return file;
}

static struct registry_file *of(pid_t pid, bool make)
{
	struct registry_file *file = NULL;
	struct proc_id id;

	assert_int_equal(proc_identify(pid, &id), 0);
	int r = registry_open(&id, geteuid(), make, &file);
	return r == 0 ? file : NULL;
}

static bool has(struct registry_file *file, uint64_t id, struct registry_slot *ret)
{
	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (registry_slot_read(&file->slots[i], ret) && ret->stream_id == id)
			return true;
	return false;
}

/* Whether a process has a stream; 2: and it runs. */
static int in(pid_t pid, uint64_t id)
{
	struct registry_file *file = of(pid, false);
	struct registry_slot slot;
	int r = 0;

	if (file != NULL && has(file, id, &slot))
		r = (slot.flags & SLOT_RUNNING) != 0 ? 2 : 1;
	registry_close(file);
	return r;
}

static void publishes_and_withdraws(void **state)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, 0), got;
	int i = registry_publish(own(), &slot);

	assert_in_range(i, 0, REGISTRY_SLOTS - 1);
	assert_true(has(own(), id, &got));
	assert_int_equal(got.fd, 7);
	assert_int_equal(got.inode, id * 3);
	assert_true(proc_equal(&got.controller, &slot.controller));
	assert_int_equal(own()->gate, 0);
	registry_set_running(id, geteuid(), true);
	assert_int_equal(own()->gate, (i + 1) * 64);
	assert_int_equal((uint32_t)own()->running[i / 32], 1u << i % 32);
	registry_withdraw(id, geteuid());
	assert_int_equal(own()->gate, 0);
	assert_false(has(own(), id, &got));
}

static void the_gate_tells_one_from_many(void **state)
{
	uint64_t a = next_id++, b = next_id++;
	struct registry_slot sa = slot_of(a, 0), sb = slot_of(b, 0);
	int ia = registry_publish(own(), &sa), ib = registry_publish(own(), &sb);

	registry_set_running(a, geteuid(), true);
	assert_int_equal(own()->gate, (ia + 1) * 64);
	registry_set_running(b, geteuid(), true);
	assert_int_equal(own()->gate, GATE_MANY);
	registry_set_running(a, geteuid(), false);
	assert_int_equal(own()->gate, (ib + 1) * 64);
	registry_set_running(a, geteuid(), true);
	registry_withdraw(b, geteuid());
	assert_int_equal(own()->gate, (ia + 1) * 64);
	registry_withdraw(a, geteuid());
	assert_int_equal(own()->gate, 0);
}

static void all_slots_and_no_more(void **state)
{
	uint64_t first = next_id;
	struct registry_slot slot;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		slot = slot_of(next_id++, 0);
		assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
	}
	assert_int_equal(registry_streams(geteuid()) >= REGISTRY_SLOTS, 1);
	slot = slot_of(next_id++, 0);
	assert_int_equal(registry_publish(own(), &slot), -EAGAIN);
	registry_withdraw(first, geteuid());
	assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
	for (uint64_t id = first; id < next_id; id++)
		registry_withdraw(id, geteuid());
	assert_int_equal(registry_streams(geteuid()), 0);
}

/* Slots of a controller that was killed are collected when they are needed. */
static void a_dead_controllers_slots_come_back(void **state)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct proc_id parent;
		struct proc_id me = proc_self();
		struct registry_file *file;

		if (proc_parent(&me, &parent) != 0 ||
		    registry_open(&parent, geteuid(), false, &file) != 0)
			_exit(1);
		for (int i = 0; i < REGISTRY_SLOTS; i++) {
			struct registry_slot slot = slot_of(100000 + (uint64_t)i, 0);

			if (registry_publish(file, &slot) < 0)
				_exit(2);
		}
		raise(SIGKILL);
	}
	assert_int_equal(child_wait(pid), 128 + SIGKILL);
	assert_int_equal(registry_streams(geteuid()), 0);
	struct registry_slot slot = slot_of(next_id++, 0);
	assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
	registry_withdraw(slot.stream_id, geteuid());
	assert_true(registry_clean(own()) || own()->gate == 0);
}

static void another_process_is_found_before_and_after(void **state)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, 0);
	pid_t pid = child_idle();
	struct registry_file *file = of(pid, true);

	assert_non_null(file);
	assert_int_equal(file->proc.pid, pid);
	assert_in_range(registry_publish(file, &slot), 0, REGISTRY_SLOTS - 1);
	registry_close(file);
	assert_int_equal(in(pid, id), 1);
	registry_set_running(id, geteuid(), true);
	assert_int_equal(in(pid, id), 2);
	assert_int_equal(own()->gate, 0);
	registry_withdraw(id, geteuid());
	assert_int_equal(in(pid, id), 0);
	child_kill(pid);
	registry_sweep(geteuid());
}

/* However few descriptors the sweeper has: what it cannot look at stays. */
static void a_sweep_without_descriptors_removes_nobody(void **state)
{
	pid_t pid = child_idle(), sweeper;
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, 0);
	struct registry_file *file = of(pid, true);

	assert_non_null(file);
	assert_in_range(registry_publish(file, &slot), 0, REGISTRY_SLOTS - 1);
	registry_close(file);
	sweeper = fork();
	if (sweeper == 0) {
		unsigned first = (unsigned)dup(0);

		close((int)first);
		for (unsigned spare = 0; spare < 5; spare++) {
			struct rlimit few = {first + spare, first + 10};

			if (setrlimit(RLIMIT_NOFILE, &few) != 0)
				_exit(1);
			registry_sweep(geteuid());
		}
		_exit(0);
	}
	int swept = child_wait(sweeper), there = in(pid, id);

	registry_withdraw(id, geteuid());
	child_kill(pid);
	registry_sweep(geteuid());
	assert_int_equal(swept, 0);
	assert_int_equal(there, 1);
}

/* In a pid name space that shares /dev/shm, with the /proc of the one above it and with its own. */
static int sweep_elsewhere(bool own_proc)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return 2;
	if (own_proc && mount("proc", "/proc", "proc", 0, NULL) != 0)
		return 2;
	registry_sweep(geteuid());
	return 0;
}

static void a_sweep_in_another_pid_name_space_removes_nobody(void **state)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, 0);
	struct registry_file *file;
	pid_t pid, sweeper;
	int swept = 0;

	if (geteuid() != 0)
		skip();
	pid = child_idle();
	file = of(pid, true);
	assert_non_null(file);
	assert_in_range(registry_publish(file, &slot), 0, REGISTRY_SLOTS - 1);
	registry_close(file);
	for (int own_proc = 0; own_proc <= 1; own_proc++) {
		sweeper = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
		if (sweeper == 0)
			_exit(sweep_elsewhere(own_proc != 0));
		swept |= sweeper < 0 ? 2 : child_wait(sweeper);
	}
	int there = in(pid, id);

	registry_withdraw(id, geteuid());
	child_kill(pid);
	registry_sweep(geteuid());
	assert_int_equal(there, 1);
	if (swept == 2)
		skip(); /* no such name space can be had */
	assert_int_equal(swept, 0);
}

/* Whoever ends without a shutdown leaves neither a stream nor a registry. */
static void an_end_shuts_down_first(void **state)
{
	char *name = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	struct stat st;

	if (pid == 0) {
		struct proc_id me = proc_self();
		trace_id_t trid;

		registry_dir_name(name, &me);
		exit(posix_trace_create(0, NULL, &trid));
	}
	assert_int_equal(child_wait(pid), 0);
	int dir = registry_dir_open(geteuid(), true);
	assert_int_not_equal(fstatat(dir, name, &st, 0), 0);
	close(dir);
	munmap(name, 4096);
}

static void children_get_what_is_inherited(void **state)
{
	uint64_t with = next_id++, without = next_id++;
	struct registry_slot a = slot_of(with, SLOT_INHERITED), b = slot_of(without, 0);
	int ia = registry_publish(own(), &a);

	assert_in_range(ia, 0, REGISTRY_SLOTS - 1);
	assert_in_range(registry_publish(own(), &b), 0, REGISTRY_SLOTS - 1);
	registry_set_running(with, geteuid(), true);
	registry_set_running(without, geteuid(), true);
	assert_int_equal(own()->gate, GATE_MANY);
	uint64_t family = own()->family;
	_Atomic int *looked = child_shared(4096);
	pid_t pid = fork();
	if (pid == 0) {
		struct registry_slot got;

		if (registry_own() == NULL || !has(registry_own(), with, &got))
			_exit(1);
		if (has(registry_own(), without, &got))
			_exit(2);
		if (registry_own()->gate != (uint32_t)(ia + 1) * 64)
			_exit(3); /* same index, running alone */
		if (registry_own()->family != family)
			_exit(4);
		if (registry_own()->proc.pid != getpid())
			_exit(5);
		atomic_store(looked, 1);
		child_rest();
	}
	assert_true(CHILD_UNTIL(atomic_load(looked) == 1));
	assert_int_equal(in(pid, with), 2);
	assert_int_equal(in(pid, without), 0);
	registry_set_running(with, geteuid(), false);
	assert_int_equal(in(pid, with), 1);
	assert_int_equal(own()->gate == GATE_MANY, 0);
	registry_withdraw(with, geteuid());
	registry_withdraw(without, geteuid());
	assert_int_equal(in(pid, with), 0);
	assert_int_equal(own()->in_flight, 0);
	assert_int_equal(child_kill(pid), 128 + SIGKILL);
	munmap((void *)looked, 4096);
}

/* Stopped or withdrawn in the moment after a child's registry has got its name, while the child
 * looks at its parent's slots again: the child does as its parent. */
static void a_stop_reaches_children_that_are_being_made(void **state)
{
	enum { ROUNDS = 60, LOOKS = 1000 };
	struct {
		_Atomic pid_t born, ready;
	} *child = child_shared(4096);

	for (int round = 0; round < ROUNDS; round++) {
		bool withdraw = round % 2 != 0;
		uint64_t id = next_id++;
		struct registry_slot slot = slot_of(id, SLOT_INHERITED);

		assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
		registry_set_running(id, geteuid(), true);
		pid_t maker = fork();
		if (maker == 0) {
			pid_t pid = fork();

			atomic_store(pid == 0 ? &child->ready : &child->born, pid == 0 ? 1 : pid);
			child_rest();
		}
		assert_true(CHILD_UNTIL(atomic_load(&child->born) != 0));
		pid_t pid = atomic_load(&child->born);
		for (int look = 0; look < LOOKS && in(pid, id) != 2; look++)
			;
		assert_true(CHILD_UNTIL(in(pid, id) == 2));
		registry_set_running(id, geteuid(), false);
		if (withdraw)
			registry_withdraw(id, geteuid());
		assert_true(CHILD_UNTIL(atomic_load(&child->ready) != 0));
		assert_int_equal(in(pid, id), withdraw ? 0 : 1);
		registry_withdraw(id, geteuid());
		kill(pid, SIGKILL);
		child_kill(maker);
		atomic_store(&child->born, 0);
		atomic_store(&child->ready, 0);
	}
	munmap((void *)child, 4096);
}

static void a_child_without_inherited_streams_is_its_own_family(void **state)
{
	uint64_t id = next_id++, family = own()->family;
	struct registry_slot slot = slot_of(id, 0);

	assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
	registry_set_running(id, geteuid(), true);
	pid_t pid = fork();
	if (pid == 0)
		_exit(registry_own() == NULL || registry_own()->gate != 0 ||
		      registry_own()->family == family);
	assert_int_equal(child_wait(pid), 0);
	registry_withdraw(id, geteuid());
}

static void a_raw_clone_finds_out(void **state)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, SLOT_INHERITED);

	assert_in_range(registry_publish(own(), &slot), 0, REGISTRY_SLOTS - 1);
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		struct registry_slot got;

		if (registry_own() != NULL)
			_exit(1);
		inherit_after_fork();
		if (registry_own() == NULL || registry_own()->proc.pid != (int)syscall(SYS_getpid))
			_exit(2);
		_exit(!has(registry_own(), id, &got));
	}
	assert_int_equal(child_wait(pid), 0);
	registry_withdraw(id, geteuid());
}

/* Streams come and go while children are made: no child keeps a stream that is gone, and every
 * child agrees on whether it runs. */
static void forks_against_control(void **state)
{
	enum { ROUNDS = 60, CHILDREN = 4 };

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t id = next_id++;
		struct registry_slot slot = slot_of(id, SLOT_INHERITED);
		pid_t pids[CHILDREN];
		struct registry_file *parent;

		pid_t maker = fork();
		if (maker == 0) {
			for (int i = 0; i < CHILDREN; i++) {
				pids[i] = fork();
				if (pids[i] == 0)
					child_rest();
			}
			child_rest();
		}
		parent = of(maker, true);
		assert_non_null(parent);
		assert_in_range(registry_publish(parent, &slot), 0, REGISTRY_SLOTS - 1);
		registry_close(parent);
		registry_set_running(id, geteuid(), true);
		child_nap_us((unsigned)round * 20);
		registry_set_running(id, geteuid(), false);
		registry_set_running(id, geteuid(), true);
		registry_withdraw(id, geteuid());
		/* Neither a present process nor a later one has the stream in its registry. */
		kill(maker, SIGSTOP);
		child_nap_us(2000);
		for (int look = 0; look < 2; look++) {
			char path[64], line[256] = "";
			FILE *f;

			snprintf(path, sizeof(path), "/proc/%d/task/%d/children", maker, maker);
			f = fopen(path, "r");
			if (f != NULL && fgets(line, sizeof(line), f) != NULL)
				for (char *p = strtok(line, " "); p != NULL;
				     p = strtok(NULL, " ")) {
					assert_int_equal(in(atoi(p), id), 0);
					if (look == 1)
						kill(atoi(p), SIGKILL);
				}
			if (f != NULL)
				fclose(f);
		}
		assert_int_equal(in(maker, id), 0);
		child_kill(maker);
	}
}

/* Killed at any moment of publishing and withdrawing: all slots can be had again. */
static void killed_while_publishing(void **state)
{
	enum { ROUNDS = 100 };
	pid_t target = child_idle();
	struct registry_file *file = of(target, true);

	assert_non_null(file);
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pid = fork();

		if (pid == 0)
			for (uint64_t id = 500000;; id++) {
				struct registry_slot slot =
				    slot_of(id, id % 2 ? SLOT_INHERITED : 0);

				registry_publish(file, &slot);
				registry_set_running(id, geteuid(), true);
				if (id % 3 == 0)
					registry_withdraw(id, geteuid());
			}
		child_nap_us(300 + (unsigned)round * 37 % 1700);
		child_kill(pid);
		registry_clean(file);
		for (int i = 0; i < REGISTRY_SLOTS; i++)
			assert_int_equal(file->slots[i].stream_id, 0);
		assert_int_equal(file->gate, 0);
	}
	registry_close(file);
	child_kill(target);
}

struct racer {
	struct registry_file *file;
	int n;
	const char *wrong; /* a thread cannot fail a test itself */
};

/* One of many comes, runs and goes: what is wrong meanwhile, or NULL. */
static const char *come_and_go(struct registry_file *file, uint64_t id)
{
	struct registry_slot slot = slot_of(id, 0), got;
	int at = registry_publish(file, &slot);
	uint32_t gate;

	if (at < 0 || at >= REGISTRY_SLOTS)
		return "no slot";
	if (!registry_slot_read(&file->slots[at], &got))
		return "published, not there";
	if (got.stream_id != id || got.inode != id * 3)
		return "not what was published";
	registry_set_running(id, geteuid(), true);
	if (!registry_slot_read(&file->slots[at], &got) || (got.flags & SLOT_RUNNING) == 0)
		return "started, does not run";
	gate = file->gate;
	if (gate != (uint32_t)(at + 1) * 64 && gate != GATE_MANY)
		return "started, not at the gate";
	registry_withdraw(id, geteuid());
	return NULL;
}

static void *race(void *arg)
{
	struct racer *r = arg;

	for (uint64_t i = 0; i < 3000 && r->wrong == NULL; i++)
		r->wrong = come_and_go(r->file, (uint64_t)r->n * 1000000 + i + 7000000);
	return NULL;
}

static void threads_publish_at_once(void **state)
{
	enum { N = 4 };
	pthread_t threads[N];
	struct racer racers[N];

	for (int i = 0; i < N; i++) {
		racers[i] = (struct racer){own(), i, NULL};
		pthread_create(&threads[i], NULL, race, &racers[i]);
	}
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N; i++)
		if (racers[i].wrong != NULL)
			fail_msg("thread %d: %s", i, racers[i].wrong);
	assert_int_equal(own()->gate, 0);
	for (int i = 0; i < REGISTRY_SLOTS; i++)
		assert_int_equal(own()->slots[i].stream_id, 0);
}

/* Another process of the user writes random bytes into a registry while everything goes on. */
static void a_scribbler_breaks_nothing(void **state)
{
	pid_t target = child_idle();
	struct registry_file *file = of(target, true);
	pid_t pid = fork();

	assert_non_null(file);
	if (pid == 0)
		for (uint64_t x = 88172645463325252u;;) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			((volatile uint64_t *)file)[x % (sizeof(*file) / 8)] = x * 3;
		}
	for (int i = 0; i < 300; i++) {
		struct registry_slot slot = slot_of(next_id++, SLOT_INHERITED);

		registry_publish(file, &slot);
		registry_set_running(slot.stream_id, geteuid(), true);
		registry_gate_update(file);
		if (i % 50 == 0)
			registry_streams(geteuid());
		registry_withdraw(slot.stream_id, geteuid());
	}
	child_kill(pid);
	registry_close(file);
	child_kill(target);
	registry_sweep(geteuid());
}

static void nothing_is_left_behind(void **state)
{
	char name[DIR_NAME], path[128];
	struct proc_id id;
	pid_t pid = child_idle();

	assert_int_equal(proc_identify(pid, &id), 0);
	registry_close(of(pid, true));
	registry_dir_name(name, &id);
	snprintf(path, sizeof(path), "/dev/shm/pitot-%u/%s", geteuid(), name);
	assert_int_equal(access(path, F_OK), 0);
	child_kill(pid);
	registry_sweep(geteuid());
	assert_int_equal(access(path, F_OK), -1);
	pid = fork();
	if (pid == 0)
		exit(0);
	assert_int_equal(proc_identify(pid, &id), 0);
	assert_int_equal(child_wait(pid), 0);
	registry_dir_name(name, &id);
	snprintf(path, sizeof(path), "/dev/shm/pitot-%u/%s", geteuid(), name);
	assert_int_equal(access(path, F_OK), -1);
}

static void the_directory_is_the_users_alone(void **state)
{
	char path[64];
	struct stat st;
	int fd = registry_dir_open(geteuid(), true);

	assert_true(fd >= 0);
	close(fd);
	snprintf(path, sizeof(path), "/dev/shm/pitot-%u", geteuid());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_uid, geteuid());
	if (geteuid() != 0)
		skip();
	/* Squatted by another user, open to others, a link, a file: not used. */
	static const char taken[] = "/dev/shm/pitot-5003";
	static const struct {
		const char *what;
		uid_t owner;
		mode_t mode;
		bool link, file;
	} rows[] = {
	    {"another's", 5004, 0700, false, false},
	    {"open to all", 5003, 0777, false, false},
	    {"a link", 5003, 0700, true, false},
	    {"a file", 5003, 0600, false, true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].what);
		if (rows[i].link)
			assert_int_equal(symlink(path, taken), 0);
		else if (rows[i].file)
			close(open(taken, O_CREAT | O_WRONLY, rows[i].mode));
		else
			assert_int_equal(mkdir(taken, rows[i].mode), 0);
		assert_int_equal(lchown(taken, rows[i].owner, 0), 0);
		if (!rows[i].link)
			assert_int_equal(chmod(taken, rows[i].mode), 0);
		assert_int_equal(registry_dir_open(5003, false), -EPERM);
		assert_int_equal(rows[i].link || rows[i].file ? unlink(taken) : rmdir(taken), 0);
	}
}

/* --- strangers take the places --- */

enum { OWNER = 5005, STRANGER = 5006, PLACES = 8 };

static const char *shm_place(char path[64], int i)
{
	snprintf(path, 64, i == 0 ? "/dev/shm/pitot-%d" : "/dev/shm/pitot-%d.%d", OWNER, i);
	return path;
}

static void take_place(int i)
{
	char path[64];

	assert_int_equal(mkdir(shm_place(path, i), 0700), 0);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
}

static void give_back(int i)
{
	char path[64];

	assert_int_equal(rmdir(shm_place(path, i)), 0);
}

static bool is_at(const char *path)
{
	char found[DIR_NAME];
	struct stat st;

	return registry_dir_place(OWNER, found, &st) == 0 && strcmp(found, path) == 0 &&
	       st.st_uid == OWNER && (st.st_mode & 07777) == 0700;
}

/* As the owner: opens the directory, made if need be, and puts a file into it; 0, errno. */
static int use_dir(const char *file, bool make)
{
	pid_t pid = fork();

	if (pid == 0) {
		int dir, fd;

		if (setresgid(OWNER, OWNER, OWNER) != 0 || setresuid(OWNER, OWNER, OWNER) != 0)
			_exit(200);
		dir = registry_dir_open(OWNER, make);
		fd = dir < 0 ? dir : openat(dir, file, O_CREAT | O_RDWR, 0600);
		_exit(fd < 0 ? (dir < 0 ? -dir : errno) : 0);
	}
	return child_wait(pid);
}

static int count_owner(uid_t uid, void *arg)
{
	*(int *)arg += uid == OWNER;
	return 0;
}

static int visits(void)
{
	int n = 0;

	assert_int_equal(registry_dir_users(count_owner, &n), 0);
	return n;
}

static void a_taken_place_is_passed_over(void **state)
{
	char path[64], file[80];

	(void)state;
	if (geteuid() != 0)
		skip();
	take_place(0);
	assert_int_equal(use_dir("a", false),
			 EPERM); /* as ever: nothing was made, and something is wrong */
	assert_int_equal(use_dir("a", true), 0);
	assert_true(is_at(shm_place(path, 1)));
	assert_int_equal(visits(), 1);
	give_back(0); /* what is in use stays in use, for everybody */
	assert_int_equal(use_dir("b", false), 0);
	assert_int_equal(use_dir("c", true), 0);
	assert_true(is_at(shm_place(path, 1)));
	assert_int_equal(visits(), 1);
	take_place(0);
	assert_true(is_at(path));
	for (const char *name = "abc"; *name != '\0'; name++) {
		snprintf(file, sizeof(file), "%s/%c", path, *name);
		assert_int_equal(unlink(file), 0);
	}
	registry_dir_remove(OWNER); /* root may remove another user's, too */
	assert_int_equal(use_dir("a", true), 0);
	assert_true(is_at(shm_place(path, 0)));
	snprintf(file, sizeof(file), "%s/a", path);
	assert_int_equal(unlink(file), 0);
	registry_dir_remove(OWNER);
}

static void all_places_taken_is_told(void **state)
{
	char path[64], found[DIR_NAME];
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	for (int i = 0; i < PLACES; i++)
		take_place(i);
	assert_int_equal(use_dir("a", true), EPERM);
	assert_int_equal(registry_dir_place(OWNER, found, &st), -EPERM);
	assert_string_equal(found, shm_place(path, 0));
	assert_int_equal(st.st_uid, STRANGER);
	give_back(5);
	assert_int_equal(registry_dir_place(OWNER, found, &st), -ENOENT);
	assert_string_equal(found, shm_place(path, 5));
	assert_int_equal(use_dir("a", true), 0);
	assert_true(is_at(path));
	strcat(path, "/a");
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < PLACES; i++)
		rmdir(shm_place(path, i));
}

/* Processes begin and end while a stranger takes the first place and gives it back, all the time:
 * after each round all that are there are in one directory. */
static void places_that_come_and_go(void **state)
{
	enum { ROUNDS = 40, AT_ONCE = 8 };
	pid_t stranger;

	(void)state;
	if (geteuid() != 0)
		skip();
	stranger = fork();
	if (stranger == 0) {
		char path[64];

		shm_place(path, 0);
		if (setresgid(STRANGER, STRANGER, STRANGER) != 0 ||
		    setresuid(STRANGER, STRANGER, STRANGER) != 0)
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of the user takes it back */
		for (;;) {
			(void)mkdir(path, 0700);
			child_nap_us(5);
			(void)rmdir(path);
		}
	}
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[AT_ONCE];
		char path[80];
		int found = 0, failed = 0;

		for (int i = 0; i < AT_ONCE; i++) {
			pids[i] = fork();
			if (pids[i] == 0) {
				char name[8];

				snprintf(name, sizeof(name), "f%d", i);
				_exit(use_dir(name, true));
			}
		}
		for (int i = 0; i < AT_ONCE; i++)
			failed += child_wait(pids[i]) != 0;
		for (int p = 0; p < PLACES; p++) {
			int here = 0;

			for (int i = 0; i < AT_ONCE; i++) {
				int n = (int)strlen(shm_place(path, p));

				snprintf(path + n, sizeof(path) - (size_t)n, "/f%d", i);
				here += unlink(path) == 0;
			}
			found += here;
			if (here != 0 && here != AT_ONCE - failed)
				fail_msg("round %d: %d of %d in place %d", round, here,
					 AT_ONCE - failed, p);
		}
		assert_int_equal(failed, 0);
		assert_int_equal(found, AT_ONCE);
		for (int p = 1; p < PLACES; p++)
			rmdir(shm_place(path, p));
		rmdir(shm_place(path, 0));
	}
	child_kill(stranger);
	for (int p = 0; p < PLACES; p++) {
		char path[64];

		rmdir(shm_place(path, p));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(publishes_and_withdraws),
	    cmocka_unit_test(the_gate_tells_one_from_many),
	    cmocka_unit_test(all_slots_and_no_more),
	    cmocka_unit_test(a_dead_controllers_slots_come_back),
	    cmocka_unit_test(another_process_is_found_before_and_after),
	    cmocka_unit_test(a_sweep_without_descriptors_removes_nobody),
	    cmocka_unit_test(a_sweep_in_another_pid_name_space_removes_nobody),
	    cmocka_unit_test(an_end_shuts_down_first),
	    cmocka_unit_test(children_get_what_is_inherited),
	    cmocka_unit_test(a_stop_reaches_children_that_are_being_made),
	    cmocka_unit_test(a_child_without_inherited_streams_is_its_own_family),
	    cmocka_unit_test(a_raw_clone_finds_out),
	    cmocka_unit_test(forks_against_control),
	    cmocka_unit_test(killed_while_publishing),
	    cmocka_unit_test(threads_publish_at_once),
	    cmocka_unit_test(a_scribbler_breaks_nothing),
	    cmocka_unit_test(nothing_is_left_behind),
	    cmocka_unit_test(the_directory_is_the_users_alone),
	    cmocka_unit_test(a_taken_place_is_passed_over),
	    cmocka_unit_test(all_places_taken_is_told),
	    cmocka_unit_test(places_that_come_and_go),
	};

	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
