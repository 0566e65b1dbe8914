/* store_test - see store_test.h. */
#include "store_test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libbase/file.h"

enum { PATHS = 8, PATH_LEN = 512 };

int store_test_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "%s/store_test.XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(path));
	*state = strdup(path);
	assert_non_null(*state);
	return 0;
}

int store_test_teardown(void **state)
{
	int r = file_remove_tree(*state);

	free(*state);
	return r;
}

const char *store_test_path(void **state, const char *name)
{
	static char paths[PATHS][PATH_LEN];
	static size_t turn;
	char *path = paths[turn++ % PATHS];

	assert_true(snprintf(path, PATH_LEN, "%s/%s", (char *)*state, name) < PATH_LEN);
	return path;
}

static void file_write(void **state, const char *name, int flags, const void *bytes, size_t len)
{
	int fd = open(store_test_path(state, name), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_full(fd, bytes, len), 0);
	close(fd);
}

void store_test_file(void **state, const char *name, const void *bytes, size_t len)
{
	file_write(state, name, O_TRUNC, bytes, len);
}

void store_test_append(void **state, const char *name, const void *bytes, size_t len)
{
	file_write(state, name, O_APPEND, bytes, len);
}

void store_test_cut(void **state, const char *name, size_t len)
{
	assert_int_equal(truncate(store_test_path(state, name), (off_t)len), 0);
}

void store_test_run(void **state, const char *const *argv)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (chdir(*state) == 0)
			execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("%s: status %d", argv[0], status);
}
