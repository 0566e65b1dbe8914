/*
 * Tests of cache.c, cache_slab.c, cache_index.c and cache_file.c: long lives beside a plain model,
 * without memory at any moment, files on disks that are full.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libpcp_pmda/cache.h"
#include "starve.h"

enum { NAMES = 400, STEPS = 60000, LIVES = 4 };

static char directory[] = "/tmp/test-cache-XXXXXX";

static pmInDom indom_of(unsigned int serial)
{
	return pmInDom_build(253, serial);
}

/* ---- a life beside a model ---- */

struct model_name {
	int inst; /* -1: never added, or taken out */
	int state;
	void *private;
	char key[8]; /* "": none */
};

static struct {
	pmInDom indom;
	struct model_name names[NAMES];
	int starving; /* one operation in so many goes without memory */
} m;

static unsigned int seed;

static unsigned int lot(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* Names of very different lengths, so that all kinds of memory are used. */
static const char *name_of(unsigned int i)
{
	static char name[900];
	size_t len = i % 17 == 0 ? 300 + i : 3 + i % 60;

	memset(name, 'a' + (int)(i % 26), len);
	snprintf(name + len, sizeof(name) - len, "-%u", i);
	return name;
}

/* Runs an operation, perhaps without memory; true if it was refused for that. */
#define STARVED(r, call)                                                                           \
	(starve_left = m.starving > 0 && lot((unsigned int)m.starving) == 0 ? (long)lot(6) : -1,   \
	 (r) = (call), starve_left = -1, (r) == -ENOMEM)

static int lowest_holder(int inst, unsigned int but)
{
	for (unsigned int i = 0; i < NAMES; i++) {
		if (i != but && m.names[i].inst == inst)
			return (int)i;
	}
	return -1;
}

static void step_add(unsigned int i)
{
	struct model_name *n = &m.names[i];
	void *private = (void *)(size_t)(1 + lot(1000));
	int r;

	if (STARVED(r, pmdaCacheStore(m.indom, PMDA_CACHE_ADD, name_of(i), private)))
		return;
	assert_true(r >= 0);
	if (n->inst >= 0 && n->state != PMDA_CACHE_EMPTY)
		assert_int_equal(r, n->inst);
	else
		assert_int_equal(lowest_holder(r, i), -1);
	*n = (struct model_name){.inst = r, .state = PMDA_CACHE_ACTIVE, .private = private};
}

static void step_add_key(unsigned int i)
{
	struct model_name *n = &m.names[i];
	char key[8];
	int r;

	snprintf(key, sizeof(key), "k%u", i);
	if (STARVED(r, pmdaCacheStoreKey(m.indom, PMDA_CACHE_ADD, name_of(i), (int)strlen(key), key,
					 NULL)))
		return;
	if (n->inst >= 0 && n->state != PMDA_CACHE_EMPTY && n->key[0] == '\0') {
		assert_int_equal(r, PM_ERR_INST);
		return;
	}
	assert_true(r >= 0);
	*n = (struct model_name){.inst = r, .state = PMDA_CACHE_ACTIVE};
	strcpy(n->key, key);
}

static void step_state(unsigned int i, int flags, int state)
{
	struct model_name *n = &m.names[i];
	bool known = n->inst >= 0 && n->state != PMDA_CACHE_EMPTY;
	int r = pmdaCacheStore(m.indom, flags, name_of(i), NULL);

	assert_int_equal(r, known ? n->inst : PM_ERR_INST);
	if (!known)
		return;
	n->state = state;
	if (state == PMDA_CACHE_EMPTY)
		n->inst = -1; /* whether its number is free again is the library's to know */
}

static void check_name(unsigned int i)
{
	const struct model_name *n = &m.names[i];
	void *private = NULL;
	char *name = NULL;
	int inst = -1;

	if (n->inst < 0) {
		assert_int_equal(pmdaCacheLookupName(m.indom, name_of(i), &inst, NULL),
				 PM_ERR_INST);
		return;
	}
	assert_int_equal(pmdaCacheLookupName(m.indom, name_of(i), &inst, &private), n->state);
	assert_int_equal(inst, n->inst);
	assert_ptr_equal(private, n->private);
	assert_int_equal(pmdaCacheLookup(m.indom, inst, &name, NULL), n->state);
	assert_string_equal(name, name_of(i));
	if (n->key[0] == '\0')
		return;
	assert_int_equal(
	    pmdaCacheLookupKey(m.indom, NULL, (int)strlen(n->key), n->key, NULL, &inst, NULL),
	    n->state);
	assert_int_equal(inst, n->inst);
}

static void check_walk(void)
{
	int active = 0, walked = 0, last = -1, inst;

	for (unsigned int i = 0; i < NAMES; i++)
		active += m.names[i].inst >= 0 && m.names[i].state == PMDA_CACHE_ACTIVE;
	assert_int_equal(pmdaCacheOp(m.indom, PMDA_CACHE_SIZE_ACTIVE), active);
	starve_left = m.starving > 0 ? 0 : -1; /* a walk needs no memory */
	pmdaCacheOp(m.indom, PMDA_CACHE_WALK_REWIND);
	while ((inst = pmdaCacheOp(m.indom, PMDA_CACHE_WALK_NEXT)) >= 0) {
		assert_true(inst > last);
		last = inst;
		walked++;
	}
	starve_left = -1;
	assert_int_equal(walked, active);
}

static void check_all(void)
{
	for (unsigned int i = 0; i < NAMES; i++)
		check_name(i);
	check_walk();
}

static void step(bool keys)
{
	unsigned int i = lot(NAMES);
	int r;

	switch (lot(12)) {
	case 0:
	case 1:
	case 2:
	case 3:
		if (keys)
			step_add_key(i);
		else
			step_add(i);
		break;
	case 4:
		step_state(i, PMDA_CACHE_HIDE, PMDA_CACHE_INACTIVE);
		break;
	case 5:
	case 6:
		step_state(i, PMDA_CACHE_CULL, PMDA_CACHE_EMPTY);
		break;
	case 7:
		if (lot(50) == 0)
			(void)STARVED(r, pmdaCacheOp(m.indom, PMDA_CACHE_REORG));
		break;
	case 8:
		if (lot(300) == 0)
			check_all();
		break;
	default:
		check_name(i);
		break;
	}
}

static void live(unsigned int serial, bool keys, bool reuse, int starving)
{
	memset(&m, 0, sizeof(m));
	m.indom = indom_of(serial);
	m.starving = starving;
	seed = serial;
	for (int i = 0; i < NAMES; i++)
		m.names[i].inst = -1;
	if (reuse)
		assert_int_equal(pmdaCacheOp(m.indom, PMDA_CACHE_REUSE), 0);
	for (int i = 0; i < STEPS; i++)
		step(keys);
	check_all();
}

static void test_lives(void **state)
{
	for (unsigned int i = 0; i < LIVES; i++) {
		live(10 + i, false, i % 2 == 1, 0);
		live(20 + i, true, false, 0);
	}
}

static void test_lives_starved(void **state)
{
	for (unsigned int i = 0; i < LIVES; i++) {
		live(30 + i, false, i % 2 == 1, 3);
		live(40 + i, true, false, 3);
	}
}

static int chunks_of(pmInDom indom)
{
	const struct cache_slab *slab = &cache_find(indom)->slab;
	int n = 0;

	for (uint32_t i = 0; i < slab->nchunks; i++)
		n += slab->chunks[i].mem != NULL;
	return n;
}

/* Culled names give their memory back, whatever their lengths were. */
static void test_memory_returns(void **state)
{
	pmInDom indom = indom_of(50);
	char name[700];

	for (int round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < 2000; i++) {
			int len = 10 + (int)((i * 7 + (unsigned int)round * 13) % 600);

			snprintf(name, sizeof(name), "%0*d.%u", len, round, i);
			assert_true(pmdaCacheStore(indom, PMDA_CACHE_ADD, name, NULL) >= 0);
		}
		assert_true(chunks_of(indom) > 10);
		assert_int_equal(pmdaCacheOp(indom, PMDA_CACHE_CULL), 2000);
		assert_int_equal(pmdaCacheOp(indom, PMDA_CACHE_REORG), 0);
		assert_int_equal(pmdaCacheOp(indom, PMDA_CACHE_WALK_NEXT), -1);
		assert_int_equal(chunks_of(indom), 1); /* that which is cut from */
	}
}

/* A name that was given out stays where it is as long as its instance is known. */
static void test_names_stay(void **state)
{
	pmInDom indom = indom_of(51);
	char *first, *same, text[32];

	assert_int_equal(pmdaCacheStore(indom, PMDA_CACHE_ADD, "the first", NULL), 0);
	assert_int_equal(pmdaCacheLookup(indom, 0, &first, NULL), PMDA_CACHE_ACTIVE);
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "n%d", i);
		pmdaCacheStore(indom, PMDA_CACHE_ADD, text, NULL);
		if (i % 3 == 0)
			pmdaCacheStore(indom, PMDA_CACHE_CULL, text, NULL);
	}
	assert_int_equal(pmdaCacheOp(indom, PMDA_CACHE_REORG), 0);
	assert_int_equal(pmdaCacheLookup(indom, 0, &same, NULL), PMDA_CACHE_ACTIVE);
	assert_ptr_equal(first, same);
	assert_string_equal(first, "the first");
}

/* ---- purging ---- */

static int purged;

/* An agent's callback may use the very cache, and take culled instances out. */
static void purge_one(void *private)
{
	char name[32];

	assert_int_equal(*(int *)private, 42);
	purged++;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "new%d-%d", purged, i);
		assert_true(pmdaCacheStore(indom_of(52), PMDA_CACHE_ADD, name, NULL) >= 0);
	}
	pmdaCacheOp(indom_of(52), PMDA_CACHE_REORG);
}

static void put_file(unsigned int serial, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/config/pmda/%s", directory, pmInDomStr(indom_of(serial)));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_purge(void **state)
{
	static int answer = 42;
	char text[4096] = "2 0 2147483647\n", line[64];
	void *private;
	char *name;

	for (int i = 0; i < 40; i++) {
		snprintf(line, sizeof(line), "%d %ld n%d\n", i,
			 (long)time(NULL) - (i < 30 ? 1000 : 1), i);
		strcat(text, line);
	}
	put_file(52, text);
	assert_int_equal(pmdaCacheOp(indom_of(52), PMDA_CACHE_LOAD), 40);
	assert_int_equal(pmdaCachePurgeCallback(indom_of(52), 2000, purge_one), 0);
	assert_int_equal(pmdaCachePurgeCallback(indom_of(52), 500, NULL), 30);
	assert_int_equal(pmdaCacheOp(indom_of(52), PMDA_CACHE_SIZE_INACTIVE), 10);

	put_file(53, text);
	assert_int_equal(pmdaCacheOp(indom_of(53), PMDA_CACHE_LOAD), 40);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(pmdaCacheLookup(indom_of(53), i, &name, &private),
				 PMDA_CACHE_INACTIVE);
		assert_null(private);
	}

	/* A private pointer comes with ADD, which makes it young; SAVE gives it an age. */
	for (int i = 0; i < 5; i++) {
		snprintf(line, sizeof(line), "aged%d", i);
		assert_true(pmdaCacheStore(indom_of(52), PMDA_CACHE_ADD, line, &answer) >= 0);
	}
	assert_true(pmdaCacheOp(indom_of(52), PMDA_CACHE_SYNC) > 0);
	assert_true(pmdaCachePurgeCallback(indom_of(52), -10, purge_one) >= 5);
	assert_int_equal(purged, 5);
	assert_int_equal(pmdaCacheLookupName(indom_of(52), "new5-2", NULL, NULL),
			 PMDA_CACHE_ACTIVE);
	assert_int_equal(pmdaCacheLookupName(indom_of(52), "aged0", NULL, NULL), PM_ERR_INST);
}

/* ---- files ---- */

static int fill(unsigned int serial, int n)
{
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "instance-%d", i);
		if (i % 2 == 0)
			pmdaCacheStore(indom_of(serial), PMDA_CACHE_ADD, name, NULL);
		else
			pmdaCacheStoreKey(indom_of(serial), PMDA_CACHE_ADD, name, sizeof(i), &i,
					  NULL);
	}
	return pmdaCacheOp(indom_of(serial), PMDA_CACHE_SIZE_ACTIVE);
}

static void copy_file(unsigned int from, unsigned int to)
{
	char a[256], b[256];

	snprintf(a, sizeof(a), "%s/config/pmda/%s", directory, pmInDomStr(indom_of(from)));
	snprintf(b, sizeof(b), "%s/config/pmda/%s", directory, pmInDomStr(indom_of(to)));
	assert_int_equal(link(a, b), 0);
}

/* More than one piece of text, and more than a batch of records. */
static void test_save_and_load(void **state)
{
	enum { N = 30000 };

	assert_int_equal(fill(60, N), N);
	assert_int_equal(pmdaCacheOp(indom_of(60), PMDA_CACHE_SAVE), N);
	assert_int_equal(pmdaCacheOp(indom_of(60), PMDA_CACHE_SAVE), 0);
	copy_file(60, 61);
	assert_int_equal(pmdaCacheOp(indom_of(61), PMDA_CACHE_LOAD), N);
	for (int i = 0; i < N; i++) {
		char name[32];
		int one, two;

		snprintf(name, sizeof(name), "instance-%d", i);
		assert_int_equal(pmdaCacheLookupName(indom_of(60), name, &one, NULL),
				 PMDA_CACHE_ACTIVE);
		assert_int_equal(pmdaCacheLookupName(indom_of(61), name, &two, NULL),
				 PMDA_CACHE_INACTIVE);
		assert_int_equal(one, two);
		if (i % 2 == 1) {
			assert_int_equal(
			    pmdaCacheLookupKey(indom_of(61), NULL, sizeof(i), &i, NULL, &two, NULL),
			    PMDA_CACHE_INACTIVE);
			assert_int_equal(one, two);
		}
	}
}

/* Without memory a load fails, and goes well afterwards; nothing of it is lost or doubled. */
static void test_load_starved(void **state)
{
	enum { N = 200 };
	int r = -ENOMEM;

	assert_int_equal(fill(62, N), N);
	assert_int_equal(pmdaCacheOp(indom_of(62), PMDA_CACHE_SAVE), N);
	copy_file(62, 63);
	for (long n = 0; r == -ENOMEM; n++) {
		starve_left = n;
		r = pmdaCacheOp(indom_of(63), PMDA_CACHE_LOAD);
		starve_left = -1;
	}
	assert_int_equal(r, N);
	assert_int_equal(pmdaCacheOp(indom_of(63), PMDA_CACHE_LOAD), N);
	assert_int_equal(pmdaCacheOp(indom_of(63), PMDA_CACHE_SIZE_INACTIVE), N);
}

static void test_save_starved(void **state)
{
	int r = -ENOMEM;

	assert_int_equal(fill(64, 100), 100);
	for (long n = 0; r == -ENOMEM; n++) {
		starve_left = n;
		r = pmdaCacheOp(indom_of(64), PMDA_CACHE_SAVE);
		starve_left = -1;
		assert_true(r == -ENOMEM || r == 100);
	}
}

/* The saved file stays if the disk is full, and the next attempt writes everything. */
static void test_disk_full(void **state)
{
	struct rlimit limit, small;

	assert_int_equal(fill(65, 100), 100);
	assert_int_equal(pmdaCacheOp(indom_of(65), PMDA_CACHE_SAVE), 100);
	copy_file(65, 66);
	assert_int_equal(fill(65, 30000), 30000);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = (struct rlimit){10000, limit.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(pmdaCacheOp(indom_of(65), PMDA_CACHE_SAVE), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &limit);
	/* Nothing has an age that is in no file. */
	assert_int_equal(pmdaCachePurge(indom_of(65), -10), 100 - 100);
	assert_int_equal(pmdaCacheOp(indom_of(66), PMDA_CACHE_LOAD), 100);
	assert_int_equal(pmdaCacheOp(indom_of(65), PMDA_CACHE_SAVE), 30000);
}

/* Saving makes the folders that a fresh machine does not have. */
static void test_missing_folders(void **state)
{
	char path[256];

	for (int depth = 0; depth < 2; depth++) {
		snprintf(path, sizeof(path), "%s/config", directory);
		assert_int_equal(file_remove_tree(path), 0);
		if (depth == 1)
			assert_int_equal(mkdir(path, 0755), 0);
		assert_true(pmdaCacheStore(indom_of(69), PMDA_CACHE_ADD, depth == 0 ? "a" : "b",
					   NULL) >= 0);
		assert_int_equal(pmdaCacheOp(indom_of(69), PMDA_CACHE_SAVE), depth + 1);
		snprintf(path, sizeof(path), "%s/config/pmda/%s", directory,
			 pmInDomStr(indom_of(69)));
		assert_int_equal(access(path, R_OK), 0);
	}
}

/* A save makes folders below PCP_VAR_DIR, but not PCP_VAR_DIR: it may be a wrong setting. */
static void test_missing_var_dir(void **state)
{
	static const char aside[] = "/tmp/pitot-cache-aside";
	char away[sizeof(aside) + 16];

	snprintf(away, sizeof(away), "%s.%d", aside, (int)getpid());
	assert_int_equal(rename(directory, away), 0);
	assert_true(pmdaCacheStore(indom_of(69), PMDA_CACHE_ADD, "c", NULL) >= 0);
	assert_int_equal(pmdaCacheOp(indom_of(69), PMDA_CACHE_SAVE), -ENOENT);
	assert_int_equal(access(directory, F_OK), -1);
	assert_int_equal(rename(away, directory), 0);
}

static int make_directory(void **state)
{
	char path[256];

	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/config", directory);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/config/pmda", directory);
	mkdir(path, 0755);
	return setenv("PCP_VAR_DIR", directory, 1);
}

static int remove_directory(void **state)
{
	char path[256];

	for (unsigned int serial = 50; serial < 70; serial++) {
		snprintf(path, sizeof(path), "%s/config/pmda/%s", directory,
			 pmInDomStr(indom_of(serial)));
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/config/pmda", directory);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/config", directory);
	rmdir(path);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lives),           cmocka_unit_test(test_lives_starved),
	    cmocka_unit_test(test_memory_returns),  cmocka_unit_test(test_names_stay),
	    cmocka_unit_test(test_purge),           cmocka_unit_test(test_save_and_load),
	    cmocka_unit_test(test_load_starved),    cmocka_unit_test(test_save_starved),
	    cmocka_unit_test(test_disk_full),       cmocka_unit_test(test_missing_folders),
	    cmocka_unit_test(test_missing_var_dir),
	};

	pmSetProgname("test_cache");
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
