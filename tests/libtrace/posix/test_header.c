/*
 * test_header - <trace.h> itself and sysconf() (docs/spec/posix-trace.md 2, 3).
 *
 * What a compiler has to say is asked of the compiler that builds the tests: TRACE_CC holds its
 * command, TRACE_INCLUDE the folder of the header; TRACE_CXX a program that a C++ compiler built of
 * header_cxx.cc. The macros are looked at in this file.
 */
#include <trace.h>

#include "tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>

extern char **environ;

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	if (value == NULL || *value == '\0')
		runner_skip("%s is not set: run it through meson", name);
	return value;
}

/* Compiles a text as language x of a standard (-std=...), with all warnings as errors. */
static void compile_with(const char *x, const char *compiler, const char *std, const char *level,
			 const char *text)
{
	char command[1024];
	char include[1100];
	char option[40];
	char *argv[32];
	int argc = 0;
	int fd = tool_file(text, strlen(text));
	int status;
	pid_t pid;

	snprintf(command, sizeof(command), "%s", environment(compiler));
	for (char *word = strtok(command, " "); word != NULL && argc < 16; word = strtok(NULL, " "))
		argv[argc++] = word;
	snprintf(include, sizeof(include), "-I%s", environment("TRACE_INCLUDE"));
	snprintf(option, sizeof(option), "-std=%s", std);
	fcntl(fd, F_SETFD, 0);
	lseek(fd, 0, SEEK_SET);
	argv[argc++] = option;
	argv[argc++] = (char *)level;
	argv[argc++] = (char *)"-Wall";
	argv[argc++] = (char *)"-Wextra";
	argv[argc++] = (char *)"-Werror";
	argv[argc++] = include;
	argv[argc++] = (char *)"-fsyntax-only";
	argv[argc++] = (char *)"-x";
	argv[argc++] = (char *)x;
	argv[argc++] = (char *)"-";
	argv[argc] = NULL;
	posix_spawn_file_actions_t actions;
	OK(posix_spawn_file_actions_init(&actions));
	OK(posix_spawn_file_actions_adddup2(&actions, fd, 0));
	OK(posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ));
	posix_spawn_file_actions_destroy(&actions);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		FAIL("%s with -std=%s does not take:\n%s", argv[0], std, text);
	close(fd);
}

/* The inline function exists only with optimisation. */
static void compile_as(const char *x, const char *compiler, const char *std, const char *text)
{
	compile_with(x, compiler, std, "-O0", text);
	compile_with(x, compiler, std, "-O2", text);
}

static void compile(const char *std, const char *text)
{
	compile_as("c", "TRACE_CC", std, text);
}

static const char *const languages[] = {"c99", "c11", "gnu99", "gnu11", "gnu17"};

TEST(T_HDR_01)
{
	static const char text[] =
	    "#include <trace.h>\n"
	    "struct all { trace_attr_t a; trace_id_t b; trace_event_id_t c;\n"
	    "  trace_event_set_t d; struct posix_trace_event_info e;\n"
	    "  struct posix_trace_status_info f; size_t g; pid_t h;\n"
	    "  pthread_t i; struct timespec j; } all;\n"
	    "void take(struct all *);\n"
	    "void take(struct all *x) { x->e.posix_event_id = x->c;\n"
	    "  x->e.posix_pid = x->h; x->e.posix_prog_address = 0;\n"
	    "  x->e.posix_thread_id = x->i; x->e.posix_timestamp = x->j;\n"
	    "  x->e.posix_truncation_status = 0;\n"
	    "  x->f.posix_stream_full_status = x->f.posix_stream_overrun_status;\n"
	    "  x->f.posix_stream_status = x->f.posix_log_full_status;\n"
	    "  x->f.posix_log_overrun_status = x->f.posix_stream_flush_error;\n"
	    "  x->f.posix_stream_flush_status = (int)sizeof(x->j.tv_nsec); }\n";

	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		compile(languages[i], text);
}

TEST(T_HDR_02)
{
	static const char *const headers[] = {"unistd.h", "limits.h", "sys/types.h", "pthread.h",
					      "time.h"};
	char text[400];

	for (size_t i = 0; i < ARRAY_LEN(languages); i++) {
		char *end = text;

		/* One by one before and after, then all before and all after. */
		for (size_t k = 0; i == 3 && k < ARRAY_LEN(headers); k++) {
			snprintf(text, sizeof(text),
				 "#include <%s>\n#include <trace.h>\nextern int x;\n", headers[k]);
			compile(languages[i], text);
			snprintf(text, sizeof(text),
				 "#include <trace.h>\n#include <%s>\nextern int x;\n", headers[k]);
			compile(languages[i], text);
		}
		for (size_t k = 0; k < 2 * ARRAY_LEN(headers); k++) {
			if (k == ARRAY_LEN(headers))
				end += sprintf(end, "#include <trace.h>\n#include <trace.h>\n");
			end += sprintf(end, "#include <%s>\n", headers[k % ARRAY_LEN(headers)]);
		}
		sprintf(end, "extern int x;\n");
		compile(languages[i], text);
	}
}

/* A name that is not a macro stays the same as text. */
#define TEXT(x)    #x
#define TEXT_OF(x) TEXT(x)
#define MACRO(x)                                                                                   \
	{                                                                                          \
#x, TEXT_OF(x), (long)(x)                                                          \
	}

struct macro {
	const char *name, *text;
	long value;
};

/* clang-format off */
static const struct macro macros[] = {
	MACRO(POSIX_TRACE_RUNNING), MACRO(POSIX_TRACE_SUSPENDED),
	MACRO(POSIX_TRACE_NOT_FULL), MACRO(POSIX_TRACE_FULL),
	MACRO(POSIX_TRACE_NO_OVERRUN), MACRO(POSIX_TRACE_OVERRUN),
	MACRO(POSIX_TRACE_NOT_FLUSHING), MACRO(POSIX_TRACE_FLUSHING),
	MACRO(POSIX_TRACE_NOT_TRUNCATED), MACRO(POSIX_TRACE_TRUNCATED_RECORD),
	MACRO(POSIX_TRACE_TRUNCATED_READ), MACRO(POSIX_TRACE_LOOP), MACRO(POSIX_TRACE_UNTIL_FULL),
	MACRO(POSIX_TRACE_FLUSH), MACRO(POSIX_TRACE_APPEND),
	MACRO(POSIX_TRACE_CLOSE_FOR_CHILD), MACRO(POSIX_TRACE_INHERITED),
	MACRO(POSIX_TRACE_WOPID_EVENTS), MACRO(POSIX_TRACE_SYSTEM_EVENTS),
	MACRO(POSIX_TRACE_ALL_EVENTS), MACRO(POSIX_TRACE_SET_EVENTSET),
	MACRO(POSIX_TRACE_ADD_EVENTSET), MACRO(POSIX_TRACE_SUB_EVENTSET),
	MACRO(POSIX_TRACE_ERROR), MACRO(POSIX_TRACE_START), MACRO(POSIX_TRACE_STOP),
	MACRO(POSIX_TRACE_OVERFLOW), MACRO(POSIX_TRACE_RESUME), MACRO(POSIX_TRACE_FLUSH_START),
	MACRO(POSIX_TRACE_FLUSH_STOP), MACRO(POSIX_TRACE_FILTER),
	MACRO(POSIX_TRACE_UNNAMED_USEREVENT), MACRO(POSIX_TRACE_UNNAMED_USER_EVENT),
};
/* clang-format on */

TEST(T_HDR_03)
{
	EQ(ARRAY_LEN(macros), 33);
	for (size_t i = 0; i < ARRAY_LEN(macros); i++)
		if (strcmp(macros[i].name, macros[i].text) == 0)
			FAIL("%s is not a macro", macros[i].name);
}

static void distinct(const long *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (values[i] == values[k])
				FAIL("values %zu and %zu are both %ld", k, i, values[i]);
}

#define DISTINCT(...)                                                                              \
	do {                                                                                       \
		static const long values[] = {__VA_ARGS__};                                        \
		distinct(values, ARRAY_LEN(values));                                               \
	} while (0)

TEST(T_HDR_04)
{
	DISTINCT(POSIX_TRACE_ERROR, POSIX_TRACE_START, POSIX_TRACE_STOP, POSIX_TRACE_OVERFLOW,
		 POSIX_TRACE_RESUME, POSIX_TRACE_FLUSH_START, POSIX_TRACE_FLUSH_STOP,
		 POSIX_TRACE_FILTER, POSIX_TRACE_UNNAMED_USEREVENT);
}

TEST(T_HDR_05)
{
	EQ(POSIX_TRACE_UNNAMED_USEREVENT, POSIX_TRACE_UNNAMED_USER_EVENT);
}

TEST(T_HDR_06)
{
	DISTINCT(POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
}

TEST(T_HDR_07)
{
	DISTINCT(POSIX_TRACE_RUNNING, POSIX_TRACE_SUSPENDED);
	DISTINCT(POSIX_TRACE_FULL, POSIX_TRACE_NOT_FULL);
	DISTINCT(POSIX_TRACE_OVERRUN, POSIX_TRACE_NO_OVERRUN);
	DISTINCT(POSIX_TRACE_FLUSHING, POSIX_TRACE_NOT_FLUSHING);
	DISTINCT(POSIX_TRACE_NOT_TRUNCATED, POSIX_TRACE_TRUNCATED_RECORD,
		 POSIX_TRACE_TRUNCATED_READ);
}

TEST(T_HDR_08)
{
	DISTINCT(POSIX_TRACE_WOPID_EVENTS, POSIX_TRACE_SYSTEM_EVENTS, POSIX_TRACE_ALL_EVENTS);
	DISTINCT(POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET, POSIX_TRACE_SUB_EVENTSET);
}

TEST(T_HDR_09)
{
	EQ(POSIX_TRACE_NO_OVERRUN, 0);
}

/* The real function, through a pointer that the compiler must read. */
#define VIA(function) (*(__typeof__(&(function)) volatile[]){&(function)})

TEST(T_HDR_10)
{
	struct posix_trace_event_info info;
	struct posix_trace_status_info status;
	struct timespec past = {1, 0};
	struct timespec time;
	char name[TRACE_EVENT_NAME_MAX + 1];
	char text[TRACE_NAME_MAX];
	trace_event_id_t id;
	trace_event_set_t set;
	trace_attr_t attr;
	trace_id_t trid, withlog, log;
	size_t size;
	int value;
	int fd = tool_log();

	OK(VIA(posix_trace_attr_init)(&attr));
	OK(VIA(posix_trace_attr_getclockres)(&attr, &time));
	OK(VIA(posix_trace_attr_getcreatetime)(&attr, &time));
	OK(VIA(posix_trace_attr_getgenversion)(&attr, text));
	OK(VIA(posix_trace_attr_getinherited)(&attr, &value));
	OK(VIA(posix_trace_attr_getlogfullpolicy)(&attr, &value));
	OK(VIA(posix_trace_attr_getlogsize)(&attr, &size));
	OK(VIA(posix_trace_attr_setlogsize)(&attr, size));
	OK(VIA(posix_trace_attr_getmaxdatasize)(&attr, &size));
	OK(VIA(posix_trace_attr_setmaxdatasize)(&attr, size));
	OK(VIA(posix_trace_attr_getmaxsystemeventsize)(&attr, &size));
	OK(VIA(posix_trace_attr_getmaxusereventsize)(&attr, 8, &size));
	OK(VIA(posix_trace_attr_getname)(&attr, text));
	OK(VIA(posix_trace_attr_setname)(&attr, "via"));
	OK(VIA(posix_trace_attr_getstreamfullpolicy)(&attr, &value));
	OK(VIA(posix_trace_attr_getstreamsize)(&attr, &size));
	OK(VIA(posix_trace_attr_setstreamsize)(&attr, size));
	OK(VIA(posix_trace_attr_setinherited)(&attr, POSIX_TRACE_CLOSE_FOR_CHILD));
	OK(VIA(posix_trace_attr_setlogfullpolicy)(&attr, POSIX_TRACE_APPEND));
	OK(VIA(posix_trace_attr_setstreamfullpolicy)(&attr, POSIX_TRACE_LOOP));
	OK(VIA(posix_trace_create)(0, &attr, &trid));
	OK(VIA(posix_trace_create_withlog)(0, &attr, fd, &withlog));
	OK(VIA(posix_trace_attr_destroy)(&attr));
	OK(VIA(posix_trace_start)(trid));
	OK(VIA(posix_trace_eventid_open)("via", &id));
	VIA(posix_trace_event)(id, "1", 1);
	OK(VIA(posix_trace_trid_eventid_open)(trid, "via", &id));
	CHECK(VIA(posix_trace_eventid_equal)(trid, id, id) != 0);
	OK(VIA(posix_trace_eventid_get_name)(trid, id, name));
	OK(VIA(posix_trace_eventtypelist_getnext_id)(trid, &id, &value));
	OK(VIA(posix_trace_eventtypelist_rewind)(trid));
	OK(VIA(posix_trace_eventset_empty)(&set));
	OK(VIA(posix_trace_eventset_fill)(&set, POSIX_TRACE_ALL_EVENTS));
	OK(VIA(posix_trace_eventset_add)(id, &set));
	OK(VIA(posix_trace_eventset_del)(id, &set));
	OK(VIA(posix_trace_eventset_ismember)(id, &set, &value));
	OK(VIA(posix_trace_get_filter)(trid, &set));
	OK(VIA(posix_trace_set_filter)(trid, &set, POSIX_TRACE_SET_EVENTSET));
	OK(VIA(posix_trace_get_attr)(trid, &attr));
	OK(VIA(posix_trace_get_status)(trid, &status));
	OK(VIA(posix_trace_getnext_event)(trid, &info, NULL, 0, &size, &value));
	OK(VIA(posix_trace_trygetnext_event)(trid, &info, NULL, 0, &size, &value));
	OK(VIA(posix_trace_timedgetnext_event)(trid, &info, NULL, 0, &size, &value, &past));
	OK(VIA(posix_trace_stop)(trid));
	OK(VIA(posix_trace_clear)(trid));
	OK(VIA(posix_trace_flush)(withlog));
	OK(VIA(posix_trace_shutdown)(withlog));
	OK(VIA(posix_trace_open)(fd, &log));
	OK(VIA(posix_trace_rewind)(log));
	OK(VIA(posix_trace_close)(log));
	OK(VIA(posix_trace_shutdown)(trid));
}

TEST(T_HDR_11)
{
	EQ(_POSIX_TRACE, 200809L);
	EQ(_POSIX_TRACE_EVENT_FILTER, 200809L);
	EQ(_POSIX_TRACE_INHERIT, 200809L);
	EQ(_POSIX_TRACE_LOG, 200809L);
}

TEST(T_HDR_12)
{
	EQ(sysconf(_SC_TRACE), 200809);
	EQ(sysconf(_SC_TRACE_EVENT_FILTER), 200809);
	EQ(sysconf(_SC_TRACE_INHERIT), 200809);
	EQ(sysconf(_SC_TRACE_LOG), 200809);
}

TEST(T_HDR_13)
{
	EQ(sysconf(_SC_TRACE_EVENT_NAME_MAX), TRACE_EVENT_NAME_MAX);
	CHECK(TRACE_EVENT_NAME_MAX >= 30 && _POSIX_TRACE_EVENT_NAME_MAX == 30);
}

TEST(T_HDR_14)
{
	EQ(sysconf(_SC_TRACE_NAME_MAX), TRACE_NAME_MAX);
	CHECK(TRACE_NAME_MAX >= 8 && _POSIX_TRACE_NAME_MAX == 8);
}

TEST(T_HDR_15)
{
	EQ(sysconf(_SC_TRACE_SYS_MAX), TRACE_SYS_MAX);
	CHECK(TRACE_SYS_MAX >= 8 && _POSIX_TRACE_SYS_MAX == 8);
}

TEST(T_HDR_16)
{
	EQ(sysconf(_SC_TRACE_USER_EVENT_MAX), TRACE_USER_EVENT_MAX);
	CHECK(TRACE_USER_EVENT_MAX >= 32 && _POSIX_TRACE_USER_EVENT_MAX == 32);
}

#ifdef __GLIBC__
extern long __sysconf(int name);

static void same_as_the_library(int name)
{
	long is, should;
	int is_errno, should_errno;

	errno = 0;
	should = __sysconf(name);
	should_errno = errno;
	errno = 0;
	is = sysconf(name);
	is_errno = errno;
	if (is != should || is_errno != should_errno)
		FAIL("sysconf(%d) gave %ld, errno %d, not %ld, errno %d", name, is, is_errno,
		     should, should_errno);
}

static bool left_alone(int name)
{
	return name != _SC_AVPHYS_PAGES && (name < _SC_TRACE || name > _SC_TRACE_LOG) &&
	       (name < _SC_TRACE_EVENT_NAME_MAX || name > _SC_TRACE_USER_EVENT_MAX);
}

static void every_name_is_forwarded(void)
{
	for (int name = 0; name < 300; name++)
		if (left_alone(name))
			same_as_the_library(name);
}
#else
static void every_name_is_forwarded(void)
{
}
#endif

TEST(T_HDR_17)
{
	struct rlimit files;

	every_name_is_forwarded();
	CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
	EQ(sysconf(_SC_OPEN_MAX), files.rlim_cur);
	EQ(sysconf(_SC_PAGESIZE), getpagesize());
	errno = 0;
	EQ(sysconf(-12345), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sysconf(99999), -1);
	EQ(errno, EINVAL);
}

TEST(T_HDR_18)
{
	const char *program = environment("TRACE_CXX");
	char *argv[] = {(char *)program, NULL};
	int status;
	pid_t pid;

	static const char *const standards[] = {"c++98", "c++11", "c++17", "gnu++20"};
	static const char text[] =
	    "#include <trace.h>\n#include <trace_np.h>\n#include <unistd.h>\n"
	    "extern int (*const start)(trace_id_t);\n"
	    "int (*const start)(trace_id_t) = posix_trace_start;\n";

	if (strcmp(program, "none") == 0)
		runner_skip("there is no C++ compiler");
	for (size_t i = 0; i < ARRAY_LEN(standards); i++)
		compile_as("c++", "TRACE_CXX_CC", standards[i], text);
	OK(posix_spawn(&pid, program, NULL, NULL, argv, environ));
	CHECK(waitpid(pid, &status, 0) == pid);
	EQ(status, 0);
}
