/* test_stream - identifiers of streams: stale, foreign and invented ones, references, forks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/stream.h"

static trace_id_t new_trid(enum stream_kind kind)
{
	struct stream *stream = stream_new(kind);
	trace_id_t trid;

	assert_non_null(stream);
	assert_int_equal(stream_register(stream, &trid), 0);
	return trid;
}

static void drop(trace_id_t trid)
{
	struct stream *stream = stream_unregister(trid, STREAM_ANY);

	assert_non_null(stream);
	stream_free(stream);
}

static bool is_known(trace_id_t trid, unsigned kinds)
{
	struct stream *stream = stream_get(trid, kinds);

	if (stream != NULL)
		stream_put(stream);
	return stream != NULL;
}

static void tells_kinds_apart(void **state)
{
	trace_id_t active = new_trid(STREAM_ACTIVE), recorded = new_trid(STREAM_RECORDED);

	assert_true(is_known(active, STREAM_LIVE));
	assert_false(is_known(active, STREAM_RECORDED));
	assert_true(is_known(recorded, STREAM_ANY));
	assert_false(is_known(recorded, STREAM_LIVE));
	assert_null(stream_unregister(active, STREAM_RECORDED));
	drop(active);
	drop(recorded);
}

static void refuses_what_it_did_not_give(void **state)
{
	trace_id_t trid = new_trid(STREAM_ACTIVE);
	static const trace_id_t odd[] = {0, 0xffff, 0x7fff, 0xffffffff, 0xffff0001, 4097};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_false(is_known(odd[i], STREAM_ANY));
	srand(3);
	for (int i = 0; i < 100000; i++) {
		trace_id_t guess = (trace_id_t)rand() << 8 ^ (trace_id_t)rand();

		if (guess != trid)
			assert_false(is_known(guess, STREAM_ANY));
	}
	drop(trid);
}

static void never_gives_one_twice(void **state)
{
	enum { ROUNDS = 20000 };
	trace_id_t *given = calloc(ROUNDS, sizeof(*given));

	for (int i = 0; i < ROUNDS; i++) {
		given[i] = new_trid(STREAM_ACTIVE);
		assert_true(i == 0 || given[i] != given[i - 1]);
		drop(given[i]);
		assert_false(is_known(given[rand() % (i + 1)], STREAM_ANY));
	}
	free(given);
}

static void ends_when_all_slots_are_used(void **state)
{
	enum { SLOTS = 4096 };
	static trace_id_t trids[SLOTS];
	struct stream *more = stream_new(STREAM_RECORDED);
	trace_id_t trid = 77;

	for (int i = 0; i < SLOTS; i++)
		trids[i] = new_trid(STREAM_RECORDED);
	assert_int_equal(stream_register(more, &trid), -EAGAIN);
	assert_int_equal(trid, 77);
	drop(trids[5]);
	assert_int_equal(stream_register(more, &trid), 0);
	trids[5] = trid;
	for (int i = 0; i < SLOTS; i++)
		drop(trids[i]);
}

static struct stream *held;

static void *put_later(void *arg)
{
	usleep(30000);
	*(volatile bool *)arg = true;
	stream_put(held);
	return NULL;
}

/* The end waits for references; new calls meanwhile are refused. */
static void waits_for_references(void **state)
{
	trace_id_t trid = new_trid(STREAM_ACTIVE);
	volatile bool put = false;
	pthread_t thread;
	int old;

	held = stream_get(trid, STREAM_ANY);
	/* The reference goes to the other thread; here the thread may be cancelled again. */
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	assert_int_equal(old, PTHREAD_CANCEL_DISABLE);
	assert_int_equal(pthread_create(&thread, NULL, put_later, (void *)&put), 0);
	drop(trid);
	assert_true(put);
	pthread_join(thread, NULL);
	assert_false(is_known(trid, STREAM_ANY));
}

static int in_child(pid_t pid, trace_id_t trid)
{
	int status;

	if (pid == 0) {
		trace_id_t own;

		alarm(60); /* a child that hangs must not hold the output of the test */
		if (is_known(trid, STREAM_ANY))
			_exit(1);
		own = new_trid(STREAM_ACTIVE);
		_exit(is_known(own, STREAM_ANY) && own != trid ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* By fork(), and by a clone that runs no handlers. */
/* A handler that interrupted a sleeping reader calls exit(): that reference never comes back. */
static void an_end_waits_for_no_frame_of_its_own(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(60);
		if (stream_get(new_trid(STREAM_ACTIVE), STREAM_ANY) == NULL)
			_exit(1);
		stream_each(STREAM_ANY, drop);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void belongs_to_one_process(void **state)
{
	trace_id_t trid = new_trid(STREAM_ACTIVE);

	assert_int_equal(in_child(fork(), trid), 0);
	assert_int_equal(in_child((pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0), trid),
			 0);
	assert_true(is_known(trid, STREAM_ANY));
	drop(trid);
}

static _Atomic bool churning;

/* A fork does not take the locks of a sanitizer's allocator as it takes malloc's: a child would
 * wait for ever for one that another thread held. There no thread allocates while this one forks.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FORKS_ALONE = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { FORKS_ALONE = true };
#else
enum { FORKS_ALONE = false };
#endif
#else
enum { FORKS_ALONE = false };
#endif

static pthread_mutex_t allocating = PTHREAD_MUTEX_INITIALIZER;

static void begin_allocating(void)
{
	if (FORKS_ALONE)
		pthread_mutex_lock(&allocating);
}

static void end_allocating(void)
{
	if (FORKS_ALONE)
		pthread_mutex_unlock(&allocating);
}

static void *churn(void *arg)
{
	while (churning) {
		begin_allocating();
		drop(new_trid(STREAM_ACTIVE));
		end_allocating();
	}
	return NULL;
}

/* Whatever other threads are at, a child of a fork can make streams. */
static void forks_in_the_middle(void **state)
{
	pthread_t threads[2];

	churning = true;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL), 0);
	for (int i = 0; i < 100; i++) {
		trace_id_t trid = new_trid(STREAM_ACTIVE);
		pid_t pid;

		begin_allocating();
		pid = fork();
		end_allocating();
		assert_int_equal(in_child(pid, trid), 0);
		drop(trid);
	}
	churning = false;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tells_kinds_apart),
	    cmocka_unit_test(refuses_what_it_did_not_give),
	    cmocka_unit_test(never_gives_one_twice),
	    cmocka_unit_test(ends_when_all_slots_are_used),
	    cmocka_unit_test(waits_for_references),
	    cmocka_unit_test(an_end_waits_for_no_frame_of_its_own),
	    cmocka_unit_test(belongs_to_one_process),
	    cmocka_unit_test(forks_in_the_middle),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
