/*
 * test_kill - kills a traced process after each instruction of the record path.
 *
 * A victim stops itself just before what a scene is about; the test then single-steps it k
 * instructions with ptrace and kills it with SIGKILL, for every k up to the end of the scene (or
 * every n-th; PITOT_TRACE_SOAK takes all). Whatever k is, the reader must then find every event
 * whose call returned, at most the one under way more, in order, whole, none twice; and what was
 * reported and lost must add up to what was emitted. docs/spec/trace-design.md 12 says what can be
 * found.
 *
 * The program uses installed headers alone: what holds here holds for any application.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <trace_np.h>

enum {
	FILLERS = 200,  /* a payload's length is 16 to 216 bytes, so that chunks end anywhere */
	DEADLINE = 800, /* seconds that the whole program may take */
	DEADLINE_SOAK = 3600,
};

/* Memory that the victim writes, and that the test reads after its death. */
struct told {
	_Atomic uint64_t begun, done;             /* events of the outer code */
	_Atomic uint64_t inner_begun, inner_done; /* of the signal handler */
};

struct scene {
	const char *name;
	void (*prepare)(void);
	void (*act)(void);
	unsigned before; /* events before the stop: 0 is the attach itself */
	size_t size;
	int policy;
	bool large;       /* payloads */
	unsigned stride;  /* of k, without PITOT_TRACE_SOAK */
	bool interrupted; /* by a signal whose handler records, at two thirds of k */
};

static const struct scene *scene;
static bool soak;

static struct told *told;
static trace_event_id_t outer_id, inner_id;

/* A payload that shows where it was torn: the number, again and again. */
struct payload {
	uint64_t number;
	uint8_t filler[FILLERS];
};

/* Lengths differ, but for numbers that the scene wants large. */
static size_t filler_of(uint64_t number)
{
	return scene->large ? FILLERS : (size_t)(number * 37 % FILLERS);
}

static size_t payload_fill(struct payload *p, uint64_t number)
{
	size_t filler = filler_of(number);

	p->number = number;
	memset(p->filler, (int)(number & 255), sizeof(p->filler));
	return offsetof(struct payload, filler) + filler;
}

static bool payload_whole(const struct payload *p, size_t length)
{
	if (length != offsetof(struct payload, filler) + filler_of(p->number))
		return false;
	for (size_t i = 0; i < length - offsetof(struct payload, filler); i++)
		if (p->filler[i] != (p->number & 255))
			return false;
	return true;
}

static void emit(void)
{
	struct payload p;
	uint64_t number = atomic_load(&told->begun);
	size_t length = payload_fill(&p, number);

	atomic_store(&told->begun, number + 1);
	posix_trace_event(outer_id, &p, length);
	atomic_store(&told->done, number + 1);
}

static void emit_inner(int signo)
{
	struct payload p;
	uint64_t number = atomic_load(&told->inner_begun);
	size_t length = payload_fill(&p, number);

	(void)signo;
	atomic_store(&told->inner_begun, number + 1);
	posix_trace_event(inner_id, &p, length);
	atomic_store(&told->inner_done, number + 1);
}

static void emit_many(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		emit();
}

/* The actions of a victim after its stop. */
static void record_two(void)
{
	emit_many(2);
}

static void record_until_change(void)
{
	emit_many(10); /* of 232 bytes, in chunks of 2 KiB: there is a change */
}

static void *emit_in_thread(void *arg)
{
	emit_many(3);
	return arg;
}

/* A thread that comes, records and goes: its first event, its exit. */
static void record_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, emit_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

static void *emit_and_stay(void *arg)
{
	emit();
	pause();
	return arg;
}

/* A child that inherits nothing, and one event after it. */
static void record_around_fork(void)
{
	pid_t pid;

	emit();
	pid = fork();
	if (pid == 0) {
		posix_trace_event(outer_id, "x", 1); /* not recorded: the stream is not inherited */
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	emit();
}

/* More threads than get a chunk of their own, each with one: what comes next is shared. */
static void keep_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < 40; i++) {
		uint64_t before = atomic_load(&told->done);

		if (pthread_create(&thread, &attr, emit_and_stay, NULL) != 0)
			_exit(1);
		while (atomic_load(&told->done) == before)
			usleep(100);
	}
}

/* The traced process. */
static void victim(void)
{
	struct sigaction action = {.sa_handler = emit_inner};

	sigaction(SIGUSR1, &action, NULL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP); /* the stream is made now */
	emit_many(scene->before);
	if (scene->prepare)
		scene->prepare();
	raise(SIGSTOP); /* from here on each instruction is counted */
	scene->act();
	_exit(0);
}

static void start_stream(pid_t pid, trace_id_t *trid)
{
	trace_attr_t attr;

	assert_int_equal(posix_trace_attr_init(&attr), 0);
	assert_int_equal(posix_trace_attr_setstreamsize(&attr, scene->size), 0);
	assert_int_equal(posix_trace_attr_setstreamfullpolicy(&attr, scene->policy), 0);
	assert_int_equal(posix_trace_create(pid, &attr, trid), 0);
	assert_int_equal(posix_trace_start(*trid), 0);
}

/* Goes on to the next SIGSTOP of the victim. */
static void run_to_stop(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	for (;;) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		if (WSTOPSIG(status) == SIGSTOP)
			return;
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status)), 0);
	}
}

/* Steps the victim: false when it ended before k steps. */
static bool step(pid_t pid, unsigned k)
{
	int status;
	long signo = 0;

	for (unsigned i = 0; i < k; i++) {
		if (scene->interrupted && i == k * 2 / 3)
			signo = SIGUSR1;
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)signo), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			return false;
		signo = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
	return true;
}

/* The events from the stream, per source. */
struct found {
	uint64_t first, next, count;
};

static void found_add(struct found *f, const struct payload *p, size_t length, unsigned k)
{
	if (!payload_whole(p, length))
		fail_msg("k %u: torn payload of %zu bytes", k, length);
	if (f->count == 0)
		f->first = p->number;
	else if (p->number != f->next)
		fail_msg("k %u: event %llu where %llu is next", k, (unsigned long long)p->number,
			 (unsigned long long)f->next);
	f->next = p->number + 1;
	f->count++;
}

static void drain(trace_id_t trid, struct found *outer, struct found *inner, unsigned k)
{
	struct posix_trace_event_info info;
	struct payload p;
	size_t length;
	int unavailable;

	for (;;) {
		assert_int_equal(
		    posix_trace_trygetnext_event(trid, &info, &p, sizeof(p), &length, &unavailable),
		    0);
		if (unavailable)
			return;
		if (info.posix_event_id == outer_id)
			found_add(outer, &p, length, k);
		else if (info.posix_event_id == inner_id)
			found_add(inner, &p, length, k);
	}
}

/* Adds up the counts, and checks that they equal the number of emitted events. */
static uint64_t accounted(const struct posix_trace_counts_np *counts, bool *ret_right)
{
	uint64_t sum = counts->reported + counts->lost_full + counts->lost_overwritten +
		       counts->lost_attach + counts->discarded;

	*ret_right = sum >= atomic_load(&told->done) + atomic_load(&told->inner_done) &&
		     sum <= atomic_load(&told->begun) + atomic_load(&told->inner_begun);
	return sum;
}

/* Reads all events. Those of a dead thread's chunk, and those that wait for a record that it had
 * begun, are returned when it has not moved for 20 ms. Returns whether some found the stream
 * full. */
static bool drain_all(trace_id_t trid, struct found *outer, struct found *inner, unsigned k)
{
	struct posix_trace_counts_np counts;
	uint64_t sum = 0;
	bool right = false;

	for (int tries = 0; tries < 20 && !right; tries++) {
		if (tries > 0)
			usleep(10000);
		drain(trid, outer, inner, k);
		assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
		sum = accounted(&counts, &right);
	}
	if (!right)
		fail_msg("k %u: %llu accounted for, emitted %llu + %llu (reported %llu full %llu "
			 "over %llu attach %llu discarded %llu)",
			 k, (unsigned long long)sum, (unsigned long long)atomic_load(&told->done),
			 (unsigned long long)atomic_load(&told->inner_done),
			 (unsigned long long)counts.reported, (unsigned long long)counts.lost_full,
			 (unsigned long long)counts.lost_overwritten,
			 (unsigned long long)counts.lost_attach,
			 (unsigned long long)counts.discarded);
	assert_int_equal(counts.reported, outer->count + inner->count);
	return counts.lost_full > 0;
}

static void check_found(const struct found *f, uint64_t done, uint64_t begun, bool lossy,
			unsigned k)
{
	if (scene->policy == POSIX_TRACE_LOOP) {
		if (f->count && (f->next < done || f->next > begun))
			fail_msg("k %u: last event %llu, %llu were done", k,
				 (unsigned long long)f->next, (unsigned long long)done);
		return;
	}
	if (f->count && f->first != 0)
		fail_msg("k %u: first event is %llu", k, (unsigned long long)f->first);
	if ((f->count < done && !lossy) || f->count > begun)
		fail_msg("k %u: %llu events, %llu done of %llu begun", k,
			 (unsigned long long)f->count, (unsigned long long)done,
			 (unsigned long long)begun);
}

/* One victim, killed after k steps: false when the scene was over before. */
static bool kill_after(unsigned k)
{
	struct found outer = {0}, inner = {0};
	trace_id_t trid;
	bool alive, lossy;
	int status;
	pid_t pid;

	memset(told, 0, sizeof(*told));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		victim();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	start_stream(pid, &trid);
	run_to_stop(pid);
	alive = step(pid, k);
	if (alive) {
		assert_int_equal(kill(pid, SIGKILL), 0);
		while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
			;
	}
	lossy = drain_all(trid, &outer, &inner, k);
	check_found(&outer, atomic_load(&told->done), atomic_load(&told->begun), lossy, k);
	check_found(&inner, atomic_load(&told->inner_done), atomic_load(&told->inner_begun), lossy,
		    k);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	return alive;
}

#define UNTIL POSIX_TRACE_UNTIL_FULL
#define LOOP  POSIX_TRACE_LOOP

/* clang-format off */
static const struct scene scenes[] = {
	/* name                 prepare       act                  before size   policy large stride interrupted */
	{ "two events",         NULL,         record_two,          10,    65536, UNTIL, false, 13,   false },
	{ "attach",             NULL,         record_two,          0,     65536, UNTIL, false, 1201, false },
	{ "change of chunk",    NULL,         record_until_change, 5,     1,     UNTIL, true,  211,  false },
	{ "overwriting",        NULL,         record_until_change, 3000,  1,     LOOP,  true,  211,  false },
	{ "full",               NULL,         record_until_change, 3000,  1,     UNTIL, true,  499,  false },
	{ "nested",             NULL,         record_two,          10,    65536, UNTIL, false, 53,   true  },
	{ "nested overwriting", NULL,         record_until_change, 3000,  1,     LOOP,  true,  499,  true  },
	{ "beyond the quota",   keep_threads, record_two,          1,     65536, UNTIL, false, 101,  false },
	{ "thread",             NULL,         record_in_thread,    2,     65536, UNTIL, false, 1009, false },
	{ "fork",               NULL,         record_around_fork,  2,     65536, UNTIL, false, 1511, false },
};
/* clang-format on */

static void killed_at_each_step(void **state)
{
	unsigned killed = 0;

	scene = *state;
	for (unsigned k = 0; kill_after(k) && k < 20000; k += soak ? 1 : scene->stride)
		killed++;
	print_message("           %s: %u kills\n", scene->name, killed);
	assert_true(killed >= 3); /* else the scene did not step at all */
}

int main(void)
{
	enum { COUNT = sizeof(scenes) / sizeof(scenes[0]) };
	struct CMUnitTest tests[COUNT];

	setvbuf(stdout, NULL, _IOLBF, 0);
	soak = getenv("PITOT_TRACE_SOAK") != NULL;
	alarm(soak ? DEADLINE_SOAK : DEADLINE);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED || posix_trace_eventid_open("outer", &outer_id) != 0 ||
	    posix_trace_eventid_open("inner", &inner_id) != 0)
		return 1;
	for (unsigned i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){.name = scenes[i].name,
					       .test_func = killed_at_each_step,
					       .initial_state = (void *)&scenes[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
