/*
 * parity_cache - pmdaCache functions, case by case: see tests/libpcp/parity.py. Long random
 * sequences are in parity_cache_lot.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static pmInDom indom_of(unsigned int serial)
{
	return pmInDom_build(251, serial);
}

static void show_entry(const char *what, int sts, const char *name, int inst, const void *private)
{
	printf("%s: %d", what, sts);
	if (sts >= 0)
		printf(" <%s> %d %p", name == NULL ? "" : name, inst, private);
	printf("\n");
}

static void dump(pmInDom indom)
{
	fflush(stdout);
	__pmdaCacheDump(stdout, indom, 0);
	fflush(stdout);
}

/* ---- matching of names ---- */

static void show_names(void)
{
	static const char *const names[] = {"foo", "foo bar", "foo blah", "foodle",
					    "fo",  "foo ",    " foo",     "",
					    "new", "new one", "foo bar "};
	pmInDom indom = indom_of(1);

	for (size_t cached = 0; cached < COUNT(names); cached++) {
		pmdaCacheStore(indom, PMDA_CACHE_ADD, names[cached], (void *)(cached + 1));
		for (size_t i = 0; i < COUNT(names); i++) {
			int inst = -1, sts;
			void *private = NULL;

			sts = pmdaCacheLookupName(indom, names[i], &inst, &private);
			printf("cached <%s> ", names[cached]);
			show_entry(names[i], sts, NULL, inst, private);
			sts = pmdaCacheStore(indom, PMDA_CACHE_HIDE, names[i], NULL);
			printf("hide %d\n", sts);
			sts = pmdaCacheStore(indom, PMDA_CACHE_ADD, names[i], (void *)0x77);
			printf("add %d\n", sts);
		}
		dump(indom);
		pmdaCacheOp(indom, PMDA_CACHE_CULL);
	}
}

static void show_strings(void)
{
	pmInDom indom = indom_of(2);
	int inst = -1;

	printf("strings %d\n", pmdaCacheOp(indom, PMDA_CACHE_STRINGS));
	printf("%d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "a b", NULL));
	printf("%d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "a c", NULL));
	printf("%d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "a", NULL));
	printf("%d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "", NULL));
	printf("%d\n", pmdaCacheLookupName(indom, "a", &inst, NULL));
	printf("strings %d\n", pmdaCacheOp(indom, PMDA_CACHE_STRINGS));
	dump(indom);
}

/* ---- arguments ---- */

static void show_arguments(void)
{
	static const int ops[] = {-1, 0, 2, 3, 5, 21, 99, PMDA_CACHE_CHECK, PMDA_CACHE_SIZE};
	pmInDom indom = indom_of(3), none = PM_INDOM_NULL;
	char *name;
	int inst, zero, two;

	printf("check %d\n", pmdaCacheOp(indom, PMDA_CACHE_CHECK));
	printf("lookup %d\n", pmdaCacheLookup(indom, 0, &name, NULL));
	for (size_t i = 0; i < COUNT(ops); i++)
		printf("op %d: %d\n", ops[i], pmdaCacheOp(indom, ops[i]));
	printf("null %d %d %d %d %d %d\n", pmdaCacheOp(none, PMDA_CACHE_CHECK),
	       pmdaCacheStore(none, PMDA_CACHE_ADD, "a", NULL),
	       pmdaCacheLookup(none, 0, NULL, NULL), pmdaCacheLookupName(none, "a", &inst, NULL),
	       pmdaCachePurge(none, 1), pmdaCacheResize(none, 1));
	printf("flags %d\n", pmdaCacheStore(indom, 0, "a", NULL));
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "a", NULL);
	printf("flags %d\n", pmdaCacheStore(indom, 0, "a", NULL));
	printf("flags %d\n", pmdaCacheStore(indom, PMDA_CACHE_EMPTY, "a", NULL));
	two = pmdaCacheResize(indom, 2);
	zero = pmdaCacheResize(indom, 0);
	printf("resize %d %d %d\n", pmdaCacheResize(indom, -1), zero, two);
	for (int i = 0; i < 5; i++) {
		char text[8];

		snprintf(text, sizeof(text), "r%d", i);
		printf("add %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, text, NULL));
	}
	printf("resize %d\n", pmdaCacheResize(indom, 1));
	dump(indom);
}

/* ---- keys ---- */

static void show_key(pmInDom indom, const char *name, const void *key, int len)
{
	void *private = NULL;
	char *found = NULL;
	int inst = -1, sts;

	printf("store <%s> %d\n", name,
	       pmdaCacheStoreKey(indom, PMDA_CACHE_ADD, name, len, key, (void *)0x5));
	sts = pmdaCacheLookupKey(indom, name, len, key, &found, &inst, &private);
	show_entry("key", sts, found, inst, private);
}

static void show_keys(void)
{
	static const signed char bytes[] = {1, 2, 3, 4};
	pmInDom indom = indom_of(4);

	show_key(indom, "alpha", bytes, 4);
	show_key(indom, "beta", NULL, 0);
	show_key(indom, "alpha", bytes, 3);
	show_key(indom, "alpha", bytes, 4);
	show_key(indom, "gamma", bytes, 4);
	show_key(indom, "alpha more", bytes, 4);
	show_key(indom, "0123456789abcdef", NULL, 0);
	show_key(indom, "k1", "a longer key with spaces", 24);
	show_key(indom, "k2", "hi\xe9", 3);
	for (int len = 1; len < 40; len++) {
		char name[16];

		snprintf(name, sizeof(name), "len%d", len);
		show_key(indom, name,
			 "\x80\x81\xff\x7f"
			 "0123456789 abcdefghijklmnopqrstuvwxyz",
			 len);
	}
	printf("plain %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "alpha", NULL));
	printf("plain %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "unkeyed", NULL));
	show_key(indom, "unkeyed", "a", 1);
	show_key(indom, "unkeyed", NULL, 0);
	show_key(indom, "beta more", "other", 5);
	dump(indom);
}

/* ---- files ---- */

static void put_file(pmInDom indom, const char *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/config/pmda/%s", getenv("PCP_VAR_DIR"), pmInDomStr(indom));
	f = fopen(path, "w");
	if (f == NULL) {
		printf("no file\n");
		return;
	}
	fputs(text, f);
	fclose(f);
}

static void show_file(pmInDom indom)
{
	char path[4096], line[2048];
	FILE *f;

	snprintf(path, sizeof(path), "%s/config/pmda/%s", getenv("PCP_VAR_DIR"), pmInDomStr(indom));
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		long stamp;
		int inst, at;

		/* Stamps are the time of the run. */
		if (sscanf(line, "%d %ld %n", &inst, &stamp, &at) == 2 && stamp > 1000000)
			printf("file %d STAMP %s", inst, line + at);
		else
			printf("file %s", line);
	}
	if (f != NULL)
		fclose(f);
}

static void show_files(void)
{
	static const char *const texts[] = {
	    "",
	    "2 0 2147483647\n",
	    "2 1 5\n0 100 zero\n3 100 three and more\n",
	    "1 0\n7 1 seven\n7 2 other\n8 3 seven\n",
	    "1 0\n7 1 seven more\n7 2 seven\n8 3 eight\n8 4 eight more\n8 5 eight less\n",
	    "1 0 99\n7 1 seven\n",
	    "2 0 2147483647\n1 5 [616263] keyed\n2 6 plain [x]\n",
	    "2 0 2147483647\njunk\n",
	    "2 0 2147483647\n  12   34   spaced name \n",
	    "2 0 2147483647\n1 5 [6162 keyed\n",
	    "2 0 2147483647\n1 5 [61]\n",
	    "2 0 2147483647\n1\n",
	    "2 0 2147483647\n1 5\n",
	    "2 0 2147483647\n1 5 \n",
	    "2 0 2147483647\n\n1 5 a\n",
	    "2 0 2147483647\n1 5 last without an end",
	    "3 0 0\n",
	    "2 0\n",
	    "x\n",
	};

	char path[4096];

	snprintf(path, sizeof(path), "%s/config", getenv("PCP_VAR_DIR"));
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/config/pmda", getenv("PCP_VAR_DIR"));
	mkdir(path, 0755);
	printf("absent %d\n", pmdaCacheOp(indom_of(99), PMDA_CACHE_LOAD));
	for (size_t i = 0; i < COUNT(texts); i++) {
		pmInDom indom = indom_of(100 + (unsigned int)i);

		put_file(indom, texts[i]);
		fflush(stdout);
		printf("load %zu: %d\n", i, pmdaCacheOp(indom, PMDA_CACHE_LOAD));
		dump(indom);
		printf("save %d\n", pmdaCacheOp(indom, PMDA_CACHE_SAVE));
		printf("add %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "added", NULL));
		printf("sync %d\n", pmdaCacheOp(indom, PMDA_CACHE_SYNC));
		show_file(indom);
		printf("again %d\n", pmdaCacheOp(indom, PMDA_CACHE_SYNC));
		printf("more %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "more", NULL));
		printf("save %d\n", pmdaCacheOp(indom, PMDA_CACHE_SAVE));
	}
}

/* An empty name is one that a cache of strings may have; its file is not one that it can load. */
static void show_empty_string(void)
{
	pmInDom indom = indom_of(149);

	printf("strings %d\n", pmdaCacheOp(indom, PMDA_CACHE_STRINGS));
	printf("add %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "full", NULL));
	printf("add %d\n", pmdaCacheStore(indom, PMDA_CACHE_ADD, "", NULL));
	printf("save %d\n", pmdaCacheOp(indom, PMDA_CACHE_SAVE));
	show_file(indom);
	printf("\n");
	put_file(indom, "2 0 2147483647\n0 1700000000 full\n1 1700000000 \n");
	fflush(stdout);
	printf("load %d\n", pmdaCacheOp(indom, PMDA_CACHE_LOAD));
	dump(indom);
}

/* The numbers that would be tried for "beta" are all in use by other instances. */
static void show_attempts(void)
{
	static const int tried[] = {41899837,   2070125377, 616102150, 791694628, 522394080,
				    1125095493, 985531336,  424006138, 184995783, 499553615};

	for (size_t taken = 0; taken <= COUNT(tried); taken++) {
		pmInDom indom = indom_of(150 + (unsigned int)taken);
		char text[512] = "2 0 2147483647\n";

		for (size_t i = 0; i < taken; i++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d 1 x%zu\n",
				 tried[i], i);
		put_file(indom, text);
		printf("load %d\n", pmdaCacheOp(indom, PMDA_CACHE_LOAD));
		show_key(indom, "beta", NULL, 0);
		fflush(stdout);
		__pmdaCacheDump(stdout, indom, taken < 2);
		fflush(stdout);
	}
}

/* ---- all ---- */

static void show_cases(void)
{
	show_names();
	show_strings();
	show_arguments();
	show_keys();
	show_files();
	show_empty_string();
	show_attempts();
}

/* The same with what the library says when it is asked to. */
static void show_told(void)
{
	fflush(stdout);
	if (fork() == 0) {
		pmDebugOptions.indom = 1;
		show_cases();
		fflush(stdout);
		_exit(0);
	}
	while (wait(NULL) < 0)
		;
	printf("== quietly\n");
}

int main(void)
{
	const char *scratch = getenv("PITOT_SCRATCH");

	setenv("PCP_VAR_DIR", scratch == NULL ? "/tmp" : scratch, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity");
	show_told();
	show_cases();
	return 0;
}
