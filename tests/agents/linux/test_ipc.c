/* ipc - shared memory, queues and semaphores of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"ipc.shm.tot", NULL, "1536000"},       {"ipc.shm.rss", NULL, "4096"},
	    {"ipc.shm.swp", NULL, "8192"},          {"ipc.shm.used_ids", NULL, "3"},
	    {"ipc.shm.key", "7", "0xdeadbeef"},     {"ipc.shm.owner", "5", "root"},
	    {"ipc.shm.owner", "6", "1000"},         {"ipc.shm.perms", "5", "600"},
	    {"ipc.shm.status", "5", "dest"},        {"ipc.shm.status", "6", ""},
	    {"ipc.shm.status", "7", "dest locked"}, {"ipc.shm.nattch", "5", "2"},
	    {"ipc.shm.creator_pid", "6", "102"},    {"ipc.shm.last_access_pid", "5", "101"},
	    {"ipc.msg.tot_bytes", NULL, "200"},     {"ipc.msg.messages", "6", "5"},
	    {"ipc.msg.last_recv_pid", "5", "112"},  {"ipc.sem.used_sem", NULL, "2"},
	    {"ipc.sem.tot_sem", NULL, "7"},         {"ipc.sem.key", "6", "0xffffffff"},
	    {"ipc.sem.owner", "6", "daemon"},       {"ipc.sem.nsems", "5", "3"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"ipc.shm.used_ids", NULL, "3"},    {"ipc.shm.nattch", "5", NULL},
	    {"ipc.shm.owner", "7", "five"},     {"ipc.shm.status", "a/b", ""},
	    {"ipc.msg.used_queues", NULL, "1"}, {"ipc.msg.owner", "2", NULL},
	    {"ipc.sem.tot_sem", NULL, "15"},    {"ipc.sem.owner", "2", NULL},
	    {"ipc.sem.owner", "3", "1"},
	};

	agent_open("hostile");
	EXPECT(table);
}

/* Each of many objects belongs to another of many users. */
enum { MANY = 32768 };

/* The folders and files of a root, in the order in which they are made; read backwards they can be
 * removed. */
static const char *const crowd_folders[] = {"", "/proc", "/proc/sysvipc", "/etc"};
static const char *const crowd_files[] = {"/proc/sysvipc/sem", "/etc/passwd"};

static FILE *crowd_open(const char *root, const char *path)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	f = fopen(name, "w");
	assert_non_null(f);
	return f;
}

static void crowd_make(const char *root)
{
	char name[256];
	FILE *f;

	for (size_t i = 1; i < sizeof(crowd_folders) / sizeof(crowd_folders[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", root, crowd_folders[i]);
		assert_int_equal(mkdir(name, 0700), 0);
	}
	f = crowd_open(root, crowd_files[0]);
	fputs("       key      semid perms      nsems   uid\n", f);
	for (int i = 0; i < MANY; i++)
		fprintf(f, "%d %d 600 1 %d\n", i, i, 1000 + i);
	assert_int_equal(fclose(f), 0);
	f = crowd_open(root, crowd_files[1]);
	for (int i = MANY; i-- > 0;)
		fprintf(f, "user%d:x:%d:100::/:/bin/sh\n", i, 1000 + i);
	assert_int_equal(fclose(f), 0);
}

static void crowd_remove(const char *root)
{
	char name[256];

	for (size_t i = 0; i < sizeof(crowd_files) / sizeof(crowd_files[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", root, crowd_files[i]);
		unlink(name);
	}
	for (size_t i = sizeof(crowd_folders) / sizeof(crowd_folders[0]); i-- > 0;) {
		snprintf(name, sizeof(name), "%s%s", root, crowd_folders[i]);
		rmdir(name);
	}
}

/* Looking through all objects for each user takes seconds: the collector would be blocked. */
static void test_crowd(void **state)
{
	static const struct expect table[] = {
	    {"ipc.sem.used_sem", NULL, "32768"},
	    {"ipc.sem.owner", "0", "user0"},
	    {"ipc.sem.owner", "32767", "user32767"},
	};
	char root[] = "/tmp/test_ipc.XXXXXX";
	clock_t start;

	assert_non_null(mkdtemp(root));
	crowd_make(root);
	agent_open(root);
	start = clock();
	EXPECT(table);
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
	crowd_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
