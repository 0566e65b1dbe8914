/*
 * test_in_place - the replacement of an archive is killed before each of its calls that change
 * names, and so is the cleaning up after that. The name never means parts of both archives, one of
 * the two is always complete, and in the end one of them has the name and no other file is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/pmlogrewrite/in_place.h"

/*
 * Shared with the children: the number of calls so far, and the call before which the child is
 * killed (0: never).
 */
static struct {
	long count, at;
} * calls;

static void count_call(void)
{
	if (++calls->count == calls->at)
		raise(SIGKILL);
}

int __real_link(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_rename(const char *from, const char *to);
int __real_fsync(int fd);
int __real_chmod(const char *path, mode_t mode);
int __wrap_link(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
int __wrap_chmod(const char *path, mode_t mode);

int __wrap_link(const char *from, const char *to)
{
	count_call();
	return __real_link(from, to);
}

int __wrap_unlink(const char *path)
{
	count_call();
	return __real_unlink(path);
}

int __wrap_rename(const char *from, const char *to)
{
	count_call();
	return __real_rename(from, to);
}

int __wrap_fsync(int fd)
{
	count_call();
	return __real_fsync(fd);
}

int __wrap_chmod(const char *path, mode_t mode)
{
	count_call();
	return __real_chmod(path, mode);
}

static char folder[] = "/tmp/test_in_place.XXXXXX";

static const char *const old_members[] = {"meta", "index", "0", "1.xz", "2", NULL};
static const char *const new_members[] = {"meta", "index", "0", "1", NULL};

#define NAME  "g"
#define FRESH ".g.rewrite-new"
#define OLD   ".g.rewrite-old"

static void put(const char *base, const char *const *members, const char *text)
{
	char path[256];

	for (; *members != NULL; members++) {
		snprintf(path, sizeof(path), "%s/%s.%s", folder, base, *members);
		FILE *f = fopen(path, "w");

		if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
			abort();
	}
}

static bool says(const char *base, const char *member, const char *text)
{
	char path[256], got[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, base, member);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	if (fgets(got, sizeof(got), f) == NULL)
		got[0] = '\0';
	fclose(f);
	return strcmp(got, text) == 0;
}

/* The number of files of a base. */
static int files_of(const char *base)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	size_t len = strlen(base);
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		n += strncmp(entry->d_name, base, len) == 0 && entry->d_name[len] == '.';
	closedir(dir);
	return n;
}

static bool is_whole(const char *base, const char *const *members, const char *text)
{
	int n = 0;

	for (; members[n] != NULL; n++)
		if (!says(base, members[n], text))
			return false;
	return files_of(base) == n;
}

static bool is_old(const char *base)
{
	return is_whole(base, old_members, "old");
}

static bool is_new(const char *base)
{
	return is_whole(base, new_members, "new");
}

static void check_moment(void)
{
	char meta[256];

	snprintf(meta, sizeof(meta), "%s/%s.meta", folder, NAME);
	if (access(meta, F_OK) == 0)
		assert_true(is_old(NAME) || is_new(NAME));
	assert_true(is_old(NAME) || is_new(NAME) || is_old(OLD) || is_new(FRESH));
}

/* Runs in a child, which is killed before its at-th call. Returns true if it was killed. */
static bool killed(int (*work)(void), long at, int *ret_status)
{
	int status;
	pid_t pid;

	calls->count = 0;
	calls->at = at;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(work());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGKILL);
		return true;
	}
	*ret_status = WEXITSTATUS(status);
	return false;
}

static char *name_of_it(void)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s/%s", folder, NAME);
	return name;
}

static int replace(void)
{
	struct in_place p;
	long at = calls->at;
	int sts;

	calls->at = 0;
	if (in_place_open(&p, name_of_it()) != 0)
		return 3;
	put(FRESH, new_members, "new");
	calls->count = 0;
	calls->at = at;
	sts = in_place_swap(&p);
	in_place_close(&p);
	return sts == 0 ? 0 : 4;
}

static int clear_up(void)
{
	struct in_place p;
	int sts = in_place_open(&p, name_of_it());

	if (sts < 0)
		return 5;
	in_place_close(&p);
	return sts; /* 1: the old archive was restored */
}

static void wipe(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[512];

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			assert_int_equal(__real_unlink(path), 0);
	}
	closedir(dir);
}

static void begin(void)
{
	wipe();
	put(NAME, old_members, "old");
}

static void check_end(int status)
{
	assert_in_range(status, 0, 1);
	assert_true(status == 1 ? is_old(NAME) : is_old(NAME) || is_new(NAME));
	assert_int_equal(files_of(FRESH), 0);
	assert_int_equal(files_of(OLD), 0);
}

static void test_whole_run(void **state)
{
	int status = -1;

	begin();
	assert_false(killed(replace, 0, &status));
	assert_int_equal(status, 0);
	assert_true(is_new(NAME));
	check_end(0);
}

static void test_killed_anywhere(void **state)
{
	int status = -1;
	long at = 1;

	for (;; at++) {
		begin();
		if (!killed(replace, at, &status))
			break;
		check_moment();
		assert_false(killed(clear_up, 0, &status));
		check_end(status);
	}
	assert_int_equal(status, 0);
	assert_true(at > 15);
}

/* The replacement is killed, and then the cleaning up as well, before any call. */
static void test_clearing_up_killed(void **state)
{
	int status = -1;
	bool more = true;

	for (long at = 1; more; at++) {
		for (long then = 1;; then++) {
			bool again;

			begin();
			more = killed(replace, at, &status);
			if (!more)
				break;
			again = killed(clear_up, then, &status);
			check_moment();
			if (!again)
				break;
			assert_false(killed(clear_up, 0, &status));
			check_end(status);
		}
	}
}

static int make_folder(void **state)
{
	calls =
	    mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return calls == MAP_FAILED || mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
	calls->at = 0;
	wipe();
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole_run),
	    cmocka_unit_test(test_killed_anywhere),
	    cmocka_unit_test(test_clearing_up_killed),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
