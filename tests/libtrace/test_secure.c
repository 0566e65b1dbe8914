/*
 * test_secure - set-user-id programs (AT_SECURE): the user who starts one cannot read its events or
 * pass it streams; it can trace itself; root traces those that run as root.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <trace_np.h>

#include "libtrace/proc.h"
#include "libtrace/registry_dir.h"

#include "child.h"

enum { USER = 5401, OTHER = 5402, EVENTS = 100 };

static char folder[] = "/tmp/trace-secure-XXXXXX";
static char program[64];

static void record(void)
{
	for (int i = 0; i < EVENTS; i++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &i, sizeof(i));
}

static int take(trace_id_t trid)
{
	struct posix_trace_event_info info;
	int none = 0, n = 0;
	size_t len;

	while (posix_trace_trygetnext_event(trid, &info, NULL, 0, &len, &none) == 0 && none == 0)
		n += info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT;
	return n;
}

/* --- the program, as it was started with more rights than its caller has --- */

static bool traces_itself(void)
{
	trace_id_t trid;
	int n;

	if (posix_trace_create(0, NULL, &trid) != 0 || posix_trace_start(trid) != 0)
		return false;
	record();
	n = take(trid);
	return posix_trace_shutdown(trid) == 0 && n == EVENTS;
}

/* Prints 's' if it is secure and its own tracing works; then records on each request. */
static int secure(int to, int from)
{
	char c = getauxval(AT_SECURE) == 0 ? 'p' : traces_itself() ? 's' : 'x';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (write(from, &c, 1) == 1 && read(to, &c, 1) == 1)
		record();
	return 0;
}

struct target {
	pid_t pid;
	int to, from;
};

static void become(uid_t uid)
{
	if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		_exit(99);
}

/* Gives the program to a user, with the bit; and starts it as another. */
static struct target start(uid_t owner, uid_t caller)
{
	int to[2], from[2];
	struct target t;
	char c = 0;

	assert_int_equal(chown(program, owner, 0), 0);
	assert_int_equal(chmod(program, 04755), 0);
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t.pid = fork();
	if (t.pid == 0) {
		char in[12], out[12];

		snprintf(in, sizeof(in), "%d", to[0]);
		snprintf(out, sizeof(out), "%d", from[1]);
		become(caller);
		execl(program, "test_secure", "--secure", in, out, (char *)NULL);
		_exit(98);
	}
	close(to[0]);
	close(from[1]);
	t.to = to[1];
	t.from = from[0];
	assert_int_equal(read(t.from, &c, 1), 1);
	if (c == 'p') {
		child_kill(t.pid);
		skip(); /* the file system does not know the bit */
	}
	assert_int_equal(c, 's');
	return t;
}

static void tell(const struct target *t)
{
	char c = 'r';

	assert_int_equal(write(t->to, &c, 1), 1);
	assert_int_equal(read(t->from, &c, 1), 1);
}

static void end(const struct target *t)
{
	child_kill(t->pid);
	close(t->to);
	close(t->from);
}

static int is_its(int dir, const struct dir_entry *entry, void *arg)
{
	return entry->kind == DIR_REGISTRY && entry->proc.pid == *(pid_t *)arg;
}

/* Whether its registry is in a user's folder. */
static bool lies_with(uid_t uid, pid_t pid)
{
	int dir = registry_dir_open(uid, false);
	int r = dir < 0 ? 0 : registry_dir_list(dir, is_its, &pid);

	if (dir >= 0)
		close(dir);
	return r == 1;
}

static int create_as(uid_t uid, pid_t target)
{
	pid_t pid = fork();

	if (pid == 0) {
		trace_id_t trid;

		become(uid);
		_exit(posix_trace_create(target, NULL, &trid));
	}
	return child_wait(pid);
}

static void as_another_user(void **state)
{
	struct target t = start(OTHER, USER);
	trace_id_t trid;

	assert_false(lies_with(USER, t.pid));
	assert_false(lies_with(OTHER, t.pid));
	assert_int_equal(create_as(USER, t.pid), EPERM);
	assert_int_equal(create_as(OTHER, t.pid), EPERM);
	assert_int_equal(posix_trace_create(t.pid, NULL, &trid), EPERM);
	end(&t);
}

static void as_root(void **state)
{
	struct target t = start(0, USER);
	trace_id_t trid;

	assert_false(lies_with(USER, t.pid));
	assert_true(lies_with(0, t.pid));
	assert_int_equal(create_as(USER, t.pid), EPERM);
	assert_int_equal(posix_trace_create(t.pid, NULL, &trid), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	tell(&t);
	assert_int_equal(take(trid), EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

/* A user traces himself and all that he starts: but not this. */
static void not_by_inheritance(void **state)
{
	static const uid_t owners[] = {OTHER, 0};

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(chown(program, owners[i], 0), 0);
		assert_int_equal(chmod(program, 04755), 0);
		pid_t pid = fork();
		if (pid == 0) {
			trace_attr_t attr;
			trace_id_t trid;

			become(USER);
			prctl(PR_SET_DUMPABLE, 1); /* as if it had been executed as the user */
			posix_trace_attr_init(&attr);
			posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED);
			if (posix_trace_create(0, &attr, &trid) != 0 ||
			    posix_trace_start(trid) != 0)
				_exit(90);
			pid_t child = fork();
			if (child == 0) {
				record(); /* still the user's own */
				execl(program, "test_secure", "--record", (char *)NULL);
				_exit(98);
			}
			if (child_wait(child) != 0)
				_exit(91);
			_exit(take(trid) == EVENTS ? 0 : 92);
		}
		assert_int_equal(child_wait(pid), 0);
	}
}

static int copy_program(void **state)
{
	int from = open("/proc/self/exe", O_RDONLY), to;
	struct stat st;
	off_t at = 0;

	if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
		return -1;
	snprintf(program, sizeof(program), "%s/secure", folder);
	to = open(program, O_CREAT | O_WRONLY, 0755);
	if (from < 0 || to < 0 || fstat(from, &st) != 0)
		return -1;
	while (at < st.st_size && sendfile(to, from, &at, (size_t)(st.st_size - at)) > 0)
		continue;
	close(from);
	return close(to) == 0 && at == st.st_size ? 0 : -1;
}

static int remove_program(void **state)
{
	return unlink(program) == 0 ? rmdir(folder) : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_another_user),
	    cmocka_unit_test(as_root),
	    cmocka_unit_test(not_by_inheritance),
	};

	if (argc > 3 && strcmp(argv[1], "--secure") == 0)
		return secure(atoi(argv[2]), atoi(argv[3]));
	if (argc > 1 && strcmp(argv[1], "--record") == 0) {
		record();
		_exit(getauxval(AT_SECURE) == 0 ? 5 : 0); /* a leak checker may not look into it */
	}
	if (geteuid() != 0)
		return 77; /* only root can make such a program */
	child_own_shm(argv);
	return cmocka_run_group_tests(tests, copy_program, remove_program);
}
