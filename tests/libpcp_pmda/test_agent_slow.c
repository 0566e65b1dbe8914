/* agent_slow - ownership of memory when slow work ends: at once, late, or while it is abandoned. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "libpcp_pmda/agent_worker.h"

static sem_t gate;

static void pass_gate(void *arg)
{
	sem_wait(&gate);
	++*(int *)arg;
}

static void await_idle(struct slow *s)
{
	for (int i = 0; i < 60000 && slow_busy(s); i++)
		usleep(1000);
	assert_false(slow_busy(s));
}

static int begin(void **state)
{
	return sem_init(&gate, 0, 0);
}

static void test_turns(void **state)
{
	static struct slow s; /* its thread lives on */
	static int n;

	assert_int_equal(slow_init(&s, pass_gate, &n), 0);
	assert_false(slow_take(&s));
	for (int i = 1; i <= 3; i++) {
		assert_true(slow_ask(&s));
		assert_false(slow_ask(&s));
		assert_false(slow_wait(&s, 1));
		sem_post(&gate);
		assert_true(slow_wait(&s, 60000));
		assert_int_equal(n, i);
		assert_false(slow_take(&s));
	}
}

/* The thread of an abandoned work takes nothing more. */
static void test_abandoned(void **state)
{
	static struct slow s;
	static int n;

	assert_int_equal(slow_init(&s, pass_gate, &n), 0);
	assert_true(slow_ask(&s));
	assert_true(slow_abandon(&s));
	sem_post(&gate);
	await_idle(&s);
	assert_int_equal(n, 1);
}

/* A refresh that returns just before it would be abandoned is valid: its thread still needs s. */
static void test_back_in_time(void **state)
{
	static struct slow s;
	static int n;

	assert_int_equal(slow_init(&s, pass_gate, &n), 0);
	assert_true(slow_ask(&s));
	sem_post(&gate);
	await_idle(&s);
	assert_false(slow_abandon(&s));
	assert_true(slow_take(&s));
	assert_true(slow_ask(&s));
	sem_post(&gate);
	assert_true(slow_wait(&s, 60000));
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_turns, begin),
	    cmocka_unit_test_setup(test_abandoned, begin),
	    cmocka_unit_test_setup(test_back_in_time, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
