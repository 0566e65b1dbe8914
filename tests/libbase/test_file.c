/* test_file - reads and writes through pipes that give little at a time, trees of folders. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

static char root[64];

static int group_setup(void **state)
{
	strcpy(root, "/tmp/test_file.XXXXXX");
	return mkdtemp(root) == NULL;
}

static int group_teardown(void **state)
{
	return file_remove_tree(root);
}

static char *in_root(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	AUTO_FD int fd = open(in_root(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_full(fd, text, strlen(text)), 0);
}

/* A child writes in pieces; the reader wants it whole. */
static void short_reads(void **state)
{
	char buf[10] = "";
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (int i = 0; i < 9; i++) {
			if (write(fds[1], &"abcdefghi"[i], 1) != 1)
				_exit(1);
			usleep(1000);
		}
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(file_read_full(fds[0], buf, 4), 0);
	assert_string_equal(buf, "abcd");
	assert_int_equal(file_read_full(fds[0], buf, 0), 0);
	assert_int_equal(file_read_full(fds[0], buf, 6), -EPIPE); /* five are left */
	assert_memory_equal(buf, "efghi", 5);
	close(fds[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* More than a pipe holds, to a child that reads slowly. */
static void short_writes(void **state)
{
	enum { LEN = 300000 };
	AUTO_FREE char *bytes = malloc(LEN);
	int fds[2], status;
	pid_t pid;

	memset(bytes, 'x', LEN);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[1]);
		_exit(file_read_full(fds[0], bytes, LEN) != 0);
	}
	close(fds[0]);
	assert_int_equal(file_write_full(fds[1], bytes, LEN), 0);
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void bad_descriptors(void **state)
{
	char c = 'x';

	assert_int_equal(file_read_full(-1, &c, 1), -EBADF);
	assert_int_equal(file_write_full(-1, &c, 1), -EBADF);
}

static void whole_files(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		int expect;
	} cases[] = {
	    {"", 0, 0}, {"hello", 5, 0}, {"hello", 100, 0}, {"hello", 4, -EFBIG}, {"h", 0, -EFBIG},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buffer b = BUFFER_INIT;

		write_file("whole", cases[i].text);
		buffer_put(&b, "<", 1);
		assert_int_equal(file_read_all(in_root("whole"), cases[i].max, &b),
				 cases[i].expect);
		if (cases[i].expect == 0) {
			assert_int_equal(b.len, 1 + strlen(cases[i].text));
			assert_string_equal(buffer_str(&b) + 1, cases[i].text);
		}
		buffer_done(&b);
	}
}

/* A file without a size, and one that does not exist. */
static void odd_files(void **state)
{
	struct buffer b = BUFFER_INIT;

	assert_int_equal(file_read_all("/proc/self/status", 1 << 20, &b), 0);
	assert_true(b.len > 100);
	buffer_reset(&b);
	assert_int_equal(file_read_all(in_root("missing"), 100, &b), -ENOENT);
	assert_int_equal(file_read_all(root, 100, &b), -EISDIR);
	buffer_done(&b);
}

static void folders(void **state)
{
	struct stat st;

	assert_int_equal(file_mkdirs(in_root("a/b//c/"), 0750), 0);
	assert_int_equal(stat(in_root("a/b/c"), &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(file_mkdirs(in_root("a/b/c"), 0750), 0);
	assert_int_equal(file_mkdirs("/", 0750), 0);
	write_file("a/file", "x");
	assert_int_equal(file_mkdirs(in_root("a/file"), 0750), -ENOTDIR);
	assert_true(file_mkdirs(in_root("a/file/d"), 0750) < 0);
	assert_int_equal(file_mkdirs("", 0750), -ENAMETOOLONG);
}

static void trees(void **state)
{
	struct stat st;
	char target[256];

	assert_int_equal(file_mkdirs(in_root("t/x/y"), 0700), 0);
	write_file("t/x/file", "x");
	write_file("kept", "x");
	snprintf(target, sizeof(target), "%s", in_root("kept"));
	assert_int_equal(symlink(target, in_root("t/x/y/link")), 0);
	assert_int_equal(symlink(root, in_root("t/up")), 0);
	assert_int_equal(file_remove_tree(in_root("t")), 0);
	assert_int_equal(lstat(in_root("t"), &st), -1);
	assert_int_equal(lstat(target, &st), 0); /* where the link led is not followed */
	assert_int_equal(file_remove_tree(in_root("t")), 0);
	assert_int_equal(file_remove_tree(target), 0);
	assert_int_equal(lstat(target, &st), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(short_reads),     cmocka_unit_test(short_writes),
	    cmocka_unit_test(bad_descriptors), cmocka_unit_test(whole_files),
	    cmocka_unit_test(odd_files),       cmocka_unit_test(folders),
	    cmocka_unit_test(trees),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
