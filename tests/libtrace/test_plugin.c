/*
 * test_plugin - a plug-in brings the library into a process and goes: threads that recorded end
 * afterwards, the process forks, loads it again, and exits; nothing calls what is not there any
 * more.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "child.h"

enum { EVENTS = 1000, TIMES = 5 };

static const char *path;
static pthread_barrier_t recorded, closed;

static void *load(int (**ret)(int))
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (plugin == NULL)
		fail_msg("%s", dlerror());
	*(void **)ret = dlsym(plugin, "plugin_trace");
	assert_non_null(*ret);
	return plugin;
}

static void *thread(void *arg)
{
	int (*trace)(int) = *(int (**)(int))arg;
	intptr_t r = trace(EVENTS);

	pthread_barrier_wait(&recorded);
	pthread_barrier_wait(&closed);
	return (void *)r; /* its end is reported to the library */
}

static void comes_and_goes(void **state)
{
	for (int i = 0; i < TIMES; i++) {
		int (*trace)(int);
		void *plugin = load(&trace), *result;
		pthread_t t;
		pid_t pid;

		assert_int_equal(pthread_create(&t, NULL, thread, &trace), 0);
		pthread_barrier_wait(&recorded);
		assert_int_equal(trace(EVENTS), 0);
		assert_int_equal(dlclose(plugin), 0);
		pthread_barrier_wait(&closed);
		assert_int_equal(pthread_join(t, &result), 0);
		assert_null(result);
		pid = fork();
		if (pid == 0)
			exit(0);
		assert_int_equal(child_wait(pid), 0);
	}
}

/* In a child that had not loaded it before. */
static void a_forked_child_loads_it(void **state)
{
	pid_t pid = fork();

	if (pid == 0) {
		int (*trace)(int);
		void *plugin = load(&trace);
		int r = trace(EVENTS);

		dlclose(plugin);
		exit(r);
	}
	assert_int_equal(child_wait(pid), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_forked_child_loads_it),
	    cmocka_unit_test(comes_and_goes),
	};

	if (argc != 2)
		return 2;
	path = argv[1];
	pthread_barrier_init(&recorded, NULL, 2);
	pthread_barrier_init(&closed, NULL, 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
