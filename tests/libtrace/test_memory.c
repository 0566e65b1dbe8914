/* test_memory - what the machine and the groups leave, below folders that say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/segment.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define G   "sys/fs/cgroup"

struct file {
	const char *path, *text;
};

static const struct {
	const char *name;
	struct file files[10];
	uint64_t available;
} cases[] = {
    {"nothing is told", {{NULL, NULL}}, UINT64_MAX},
    {"no group",
     {{"proc/meminfo", "MemTotal: 9999 kB\nMemFree:  1 kB\nMemAvailable:    2048 kB\nX: 1 kB\n"}},
     2 * MIB},
    {"version 1 alone",
     {{"proc/meminfo", "MemAvailable: 2048 kB\n"}, {"proc/self/cgroup", "4:memory:/a\n"}},
     2 * MIB},
    {"a group with a limit",
     {{"proc/meminfo", "MemAvailable: 2048 kB\n"},
      {"proc/self/cgroup", "4:cpu:/b\n0::/a/b\n"},
      {G "/a/b/memory.max", "1048576\n"},
      {G "/a/b/memory.current", "1000000\n"},
      {G "/a/b/memory.stat", "anon 7\nfile 9\nkernel 3\ninactive_anon 0\ninactive_file 500000\n"}},
     1048576 - 500000},
    {"one above with less",
     {{"proc/meminfo", "MemAvailable: 2048 kB\n"},
      {"proc/self/cgroup", "0::/a/b\n"},
      {G "/a/b/memory.max", "max\n"},
      {G "/a/memory.max", "100000\n"},
      {G "/a/memory.current", "40000\n"}},
     60000},
    {"a name space of groups: its root has a limit",
     {{"proc/meminfo", "MemAvailable: 2048 kB\n"},
      {"proc/self/cgroup", "0::/\n"},
      {G "/memory.max", "50000\n"},
      {G "/memory.current", "60000\n"}},
     0},
    {"a group with more than the machine has",
     {{"proc/meminfo", "MemAvailable: 4 kB\n"},
      {"proc/self/cgroup", "0::/a\n"},
      {G "/a/memory.max", "99999999\n"}},
     4 * KIB},
    {"nonsense",
     {{"proc/meminfo", "MemAvailable: 4 kB\n"},
      {"proc/self/cgroup", "0::no path"},
      {G "/memory.max", "-7\n"}},
     4 * KIB},
};

static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

static void put(const char *root, const struct file *file)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file->path);
	make_parents(path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(file->text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void drop(const char *root, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	unlink(path);
	while (strlen(path) > strlen(root) + 1) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
}

static void what_is_left(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[] = "/tmp/trace-memory-XXXXXX";
		uint64_t available;

		assert_non_null(mkdtemp(root));
		for (const struct file *f = cases[i].files; f->path != NULL; f++)
			put(root, f);
		available = segment_available_below(root);
		for (const struct file *f = cases[i].files; f->path != NULL; f++)
			drop(root, f->path);
		rmdir(root);
		if (available != cases[i].available)
			fail_msg("%s: %llu", cases[i].name, (unsigned long long)available);
	}
}

static void this_machine_has_some(void **state)
{
	assert_true(segment_available() > MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_left),
	    cmocka_unit_test(this_machine_has_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
