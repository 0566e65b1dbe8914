/*
 * runner - runs each test in its own new process, with a deadline.
 *
 * TEST(T_READ_07) { ... } is the test of assertion T-READ-07 (docs/spec/posix-trace.md 16). cmocka
 * prints one result per assertion; the body runs in a new image of the same program, like a user's
 * program: no test finds names, streams or threads of another one. It fails at the first wrong
 * value, at a crash, and when it is still running at its deadline.
 *
 * SUB(name) { ... } is a program for tests to spawn or exec, with arguments.
 *
 *     test_trace_read                all tests            test_trace_read --list     their names
 *     test_trace_read T-READ-07      one, in this process: for a debugger
 */
#ifndef TRACE_RUNNER_H
#define TRACE_RUNNER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RUNNER_SKIP    77  /* exit code of a test that cannot be run here */
#define RUNNER_NO_EXEC 126 /* exit code of a child that could not start its program */

void runner_add_test(const char *name, void (*body)(void), int deadline_s);
void runner_add_sub(const char *name, void (*body)(int argc, char **argv));

/* A test with a deadline of its own in seconds; one without has 120 (PITOT_TRACE_DEADLINE). */
#define TEST_WITHIN(id, seconds)                                                                   \
	static void id(void);                                                                      \
	__attribute__((constructor)) static void id##_add(void)                                    \
	{                                                                                          \
		runner_add_test(#id, id, seconds);                                                 \
	}                                                                                          \
	static void id(void)
#define TEST(id) TEST_WITHIN(id, 0)

#define SUB(name)                                                                                  \
	static void sub_##name(int argc, char **argv);                                             \
	__attribute__((constructor)) static void sub_##name##_add(void)                            \
	{                                                                                          \
		runner_add_sub(#name, sub_##name);                                                 \
	}                                                                                          \
	static void sub_##name(int argc, char **argv)

/* The checks: each prints what it found and ends the process with 1, in a child or thread too. */
__attribute__((noreturn, format(printf, 3, 4))) void runner_fail(const char *file, int line,
								 const char *format, ...);
void runner_equal(const char *file, int line, const char *what, long long is, long long should);
void runner_result(const char *file, int line, const char *call, int is, int should);

#define FAIL(...) runner_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			FAIL("not so: %s", #cond);                                                 \
	} while (0)
/* Two integers are equal. */
#define EQ(is, should)                                                                             \
	runner_equal(__FILE__, __LINE__, #is " == " #should, (long long)(is), (long long)(should))
/* The call must return this error number; OK: it must return 0. */
#define ERR(call, should) runner_result(__FILE__, __LINE__, #call, call, should)
#define OK(call)          ERR(call, 0)

/* Ends a test that cannot be run here, with its reason. */
__attribute__((noreturn, format(printf, 1, 2))) void runner_skip(const char *format, ...);

/* Path of the program that is running. */
const char *runner_self(void);

/* Starts sub program name with up to four arguments (NULL: no more), as user uid (0: as it is) and
 * gives its pid. Fork and exec: the child is a new image. */
pid_t runner_start(uid_t uid, const char *name, const char *a1, const char *a2, const char *a3,
		   const char *a4);
/* Becomes sub program name in this process. */
__attribute__((noreturn)) void runner_become(const char *name, const char *a1, const char *a2);

/* Waits for a child, which must exit with 0; a child that could not be started skips the test. */
void runner_reap(pid_t pid);

int runner_main(int argc, char **argv);

#endif
