/*
 * parity_cache_lot - long lives of caches by lot: every call of pmdaCache..., thousands of steps of
 * fixed seeds, each answer shown: see tests/libpcp/parity.py. Cases by hand are in parity_cache.c.
 *
 * No line is excepted from the comparison. Not drawn is what the reference leaves undefined or ours
 * does otherwise on purpose (docs/spec/pmda.md 12):
 *   - the highest number is never taken out, but in one step with a new higher one: the reference
 *     would go on from freed memory (12.5)
 *   - no key is looked up within a walk: it moves the reference's walk (12.7)
 *   - where numbers are reused, EMPTY entries are taken out before a file may bring their numbers
 *     back: the reference counts both as numbers in use (12.5)
 *   - nothing is taken out within a walk: the place of the walk may be the one
 *   - no file has a number of more than 31 bits or a bad header: the reference keeps what it read
 *     before (12.8)
 *   - no key of no bytes is looked up: the reference finds the first entry without a key (12.7)
 *   - dumps show no hash tables: the order within a chain is not the reference's (12.9)
 * Stamps in files are the time of the run, and shown as STAMP.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { NAMES = 90, SEEN_MAX = 32, LONG_AGO = 3600, SOON = -100, OLD_STAMP = 100 };

enum kind { PLAIN, KEYED, STRINGS, KINDS };

/* The cache that lives, and what must be known of it to leave out what is undefined. */
static struct {
	pmInDom indom;
	enum kind kind;
	int grows;   /* new entries always get higher numbers */
	int highest; /* number of an entry that is there, and none is higher */
	int seen[SEEN_MAX];
	unsigned int nseen;
} life;

static unsigned int seed;

static unsigned int lot(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* ---- what is drawn ---- */

/* One draw a statement throughout: compilers differ in the order of arguments. */
static const char *lot_name(void)
{
	static const char *const tails[] = {"", "", "", "", " x", " y z", "\ttab"};
	static char name[40];
	const char *tail = tails[lot(COUNT(tails))];
	unsigned int number = lot(NAMES);

	snprintf(name, sizeof(name), "n%u%s", number, tail);
	if (lot(150) == 0)
		name[0] = '\0';
	return name;
}

struct key {
	char bytes[24];
	int len;
};

static struct key lot_key(void)
{
	struct key key = {.len = (int)lot(14)};
	unsigned int more = lot(NAMES);

	memset(key.bytes, 0x80 + (int)more, sizeof(key.bytes));
	return key;
}

static void *lot_private(void)
{
	return (void *)(size_t)lot(99);
}

static int lot_inst(void)
{
	unsigned int i = lot(SEEN_MAX * 2);

	return i < SEEN_MAX && life.nseen > i ? life.seen[i] : (int)i * 3 - 5;
}

/* An instance that a call returned. */
static void see(int inst)
{
	if (inst < 0)
		return;
	life.seen[life.nseen++ % SEEN_MAX] = inst;
	if (inst > life.highest)
		life.highest = inst;
}

/* ---- steps: storing ---- */

static void add(const char *name)
{
	int inst = pmdaCacheStore(life.indom, PMDA_CACHE_ADD, name, lot_private());

	printf("add <%s> %d\n", name, inst);
	see(inst);
}

static void add_key(const char *name)
{
	struct key key = lot_key();
	void *private = lot_private();
	int inst = pmdaCacheStoreKey(life.indom, PMDA_CACHE_ADD, name, key.len, key.bytes, private);

	printf("add <%s> key of %d %d\n", name, key.len, inst);
	see(inst);
}

static void step_add(void)
{
	const char *name = lot_name();

	if (life.kind == KEYED && lot(4) != 0)
		add_key(name);
	else
		add(name);
}

static void step_hide(void)
{
	const char *name = lot_name();

	if (lot(2) == 0)
		printf("hide <%s> %d\n", name,
		       pmdaCacheStore(life.indom, PMDA_CACHE_HIDE, name, NULL));
	else
		printf("hide <%s> %d\n", name,
		       pmdaCacheStoreKey(life.indom, PMDA_CACHE_HIDE, name, 3, "abc", NULL));
}

static void step_cull(void)
{
	const char *name = lot_name();
	int inst = -1;

	if (pmdaCacheLookupName(life.indom, name, &inst, NULL) >= 0 && inst == life.highest)
		return;
	printf("cull <%s> %d\n", name, pmdaCacheStore(life.indom, PMDA_CACHE_CULL, name, NULL));
}

/* Then a new one is the highest, if it does not make the tables grow, which takes the old ones out
 * before it is in. */
static void step_cull_all(void)
{
	int size = pmdaCacheOp(life.indom, PMDA_CACHE_SIZE);

	if (!life.grows || (size & (size - 1)) == 0)
		return;
	printf("cull all %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_CULL));
	add("fresh");
}

static void purged(void *private)
{
	printf("purged %p\n", private);
}

/* The highest becomes one that is in no file yet, so it stays. */
static void step_purge(void)
{
	int recent = lot(2) == 0 ? LONG_AGO : SOON;
	char *name = NULL, *copy;

	if (pmdaCacheLookup(life.indom, life.highest, &name, NULL) < 0)
		return;
	copy = strdup(name);
	if (pmdaCacheStore(life.indom, PMDA_CACHE_ADD, copy, NULL) == life.highest)
		printf("purge %d: %d\n", recent,
		       lot(2) == 0 ? pmdaCachePurge(life.indom, recent)
				   : pmdaCachePurgeCallback(life.indom, recent, purged));
	free(copy);
}

/* ---- steps: looking ---- */

static void show_entry(const char *what, int sts, const char *name, int inst, const void *private)
{
	printf("%s: %d", what, sts);
	if (sts >= 0)
		printf(" <%s> %d %p", name == NULL ? "" : name, inst, private);
	printf("\n");
}

static void step_look_name(void)
{
	const char *name = lot_name();
	void *private = NULL;
	int inst = -1, sts = pmdaCacheLookupName(life.indom, name, &inst, &private);

	show_entry(name, sts, NULL, inst, private);
}

static void step_look_inst(void)
{
	void *private = NULL;
	char *name = NULL;
	int inst = lot_inst(), sts = pmdaCacheLookup(life.indom, inst, &name, &private);

	show_entry("inst", sts, name, inst, private);
}

static void step_look_key(void)
{
	struct key key = lot_key();
	const char *by_name = lot_name();
	void *private = NULL;
	char *name = NULL;
	int inst = -1, sts;

	if (key.len == 0 && by_name[0] == '\0')
		return;
	sts = pmdaCacheLookupKey(life.indom, by_name, key.len, key.bytes, &name, &inst, &private);
	show_entry("key", sts, name, inst, private);
}

static void walk_on(int most)
{
	int inst;

	for (int i = 0; i < most; i++) {
		inst = pmdaCacheOp(life.indom, PMDA_CACHE_WALK_NEXT);
		printf(" %d", inst);
		if (inst < 0)
			break;
	}
	printf("\n");
}

static void step_walk(void)
{
	printf("walk %d:", pmdaCacheOp(life.indom, PMDA_CACHE_WALK_REWIND));
	walk_on(INT_MAX);
}

/* Entries are hidden and shown while it is under way. */
static void step_walk_in_parts(void)
{
	int most = (int)lot(20);

	printf("walk %d:", pmdaCacheOp(life.indom, PMDA_CACHE_WALK_REWIND));
	walk_on(most);
	step_hide();
	step_look_name();
	printf("walk on:");
	walk_on(INT_MAX);
}

static void step_sizes(void)
{
	printf("check %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_CHECK));
	printf("size %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_SIZE));
	printf("active %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_SIZE_ACTIVE));
	printf("inactive %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_SIZE_INACTIVE));
}

static void step_dump(void)
{
	fflush(stdout);
	__pmdaCacheDump(stdout, life.indom, 0);
	fflush(stdout);
}

/* ---- steps: the whole cache ---- */

static void step_reorg(void)
{
	printf("reorg %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_REORG));
}

static void step_states(void)
{
	int op = lot(2) == 0 ? PMDA_CACHE_ACTIVE : PMDA_CACHE_INACTIVE;

	printf("all to %d: %d\n", op, pmdaCacheOp(life.indom, op));
}

static void step_reuse(void)
{
	if (!life.grows)
		printf("reuse %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_REUSE));
}

static void step_resize(void)
{
	const int sizes[] = {-1, 0, 20, life.highest, life.highest + 3, INT_MAX, INT_MAX, INT_MAX};
	int max = sizes[lot(COUNT(sizes))];

	if (!life.grows || max < life.highest)
		printf("resize %d: %d\n", max, pmdaCacheResize(life.indom, max));
}

static void step_odd_op(void)
{
	static const int ops[] = {-1, 0, PMDA_CACHE_ADD, PMDA_CACHE_HIDE, PMDA_CACHE_EMPTY, 99};
	int op = ops[lot(COUNT(ops))];

	printf("op %d: %d\n", op, pmdaCacheOp(life.indom, op));
	printf("strings: %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_STRINGS));
}

/* ---- steps: files ---- */

static FILE *open_file(const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/config/pmda/%s", getenv("PCP_VAR_DIR"),
		 pmInDomStr(life.indom));
	return fopen(path, mode);
}

static void show_file(void)
{
	FILE *f = open_file("r");
	char line[2048];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		long stamp;
		int inst, at;

		if (sscanf(line, "%d %ld %n", &inst, &stamp, &at) == 2 && stamp > 1000000)
			printf("file %d STAMP %s", inst, line + at);
		else
			printf("file %s", line);
	}
	if (f != NULL)
		fclose(f);
}

static void step_save(void)
{
	int op = lot(2) == 0 ? PMDA_CACHE_SAVE : PMDA_CACHE_SYNC;
	int sts = pmdaCacheOp(life.indom, op);

	printf("save %d: %d\n", op, sts);
	if (sts > 0)
		show_file();
}

/* The numbers that a file brought; what was in conflict did not get its own. */
static void see_file(void)
{
	FILE *f = open_file("r");
	char line[2048];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		int inst = atoi(line);

		if (pmdaCacheLookup(life.indom, inst, NULL, NULL) >= 0)
			see(inst);
	}
	if (f != NULL)
		fclose(f);
}

static void step_load(void)
{
	fflush(stdout);
	if (!life.grows)
		step_reorg();
	printf("load %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_LOAD));
	see_file();
}

/* A file with what others may have stored, in conflict with what is here or not. */
static void step_load_other(void)
{
	unsigned int n = lot(12), mode = lot(2);
	FILE *f = open_file("w");

	if (f == NULL)
		return;
	fprintf(f, "2 %u %d\n", life.grows ? 0 : mode, INT_MAX);
	for (unsigned int i = 0; i < n; i++) {
		int inst = (int)lot(300), stamp = (int)lot(3) * OLD_STAMP;
		unsigned int number = lot(NAMES);

		fprintf(f, "%d %d ", inst, stamp);
		if (life.kind == KEYED && lot(2) == 0)
			fprintf(f, "[%02x] ", 0x80 + number);
		fprintf(f, "n%u\n", number);
	}
	fclose(f);
	step_load();
	step_dump();
}

/* ---- lives ---- */

static const struct {
	void (*step)(void);
	unsigned int weight;
} steps[] = {
    /* clang-format off */
	{ step_add,           300 },
	{ step_hide,           80 },
	{ step_cull,          120 },
	{ step_cull_all,        4 },
	{ step_purge,           6 },
	{ step_look_name,      80 },
	{ step_look_inst,      80 },
	{ step_look_key,       60 },
	{ step_walk,           20 },
	{ step_walk_in_parts,  20 },
	{ step_sizes,          20 },
	{ step_dump,            4 },
	{ step_states,          4 },
	{ step_reorg,           6 },
	{ step_reuse,           1 },
	{ step_resize,          3 },
	{ step_odd_op,          4 },
	{ step_save,            6 },
	{ step_load,            4 },
	{ step_load_other,      2 },
    /* clang-format on */
};

static void step(void)
{
	unsigned int sum = 0, drawn, i = 0;

	for (unsigned int k = 0; k < COUNT(steps); k++)
		sum += steps[k].weight;
	for (drawn = lot(sum); drawn >= steps[i].weight; i++)
		drawn -= steps[i].weight;
	steps[i].step();
}

static void live(unsigned int number, unsigned int nsteps)
{
	memset(&life, 0, sizeof(life));
	life.indom = pmInDom_build(252, number);
	life.kind = (enum kind)(number % KINDS);
	life.grows = life.kind != KEYED && number / KINDS % 2 == 0;
	life.highest = -1;
	seed = number + 1;
	printf("== life %u\n", number);
	if (life.kind == STRINGS)
		printf("strings %d\n", pmdaCacheOp(life.indom, PMDA_CACHE_STRINGS));
	for (unsigned int i = 0; i < nsteps; i++)
		step();
	step_dump();
}

int main(int argc, char **argv)
{
	int is_short = argc > 1 && strcmp(argv[1], "short") == 0;
	const char *scratch = getenv("PITOT_SCRATCH"), *lives = getenv("PITOT_CACHE_LIVES");
	unsigned int n = lives == NULL ? 30 : (unsigned int)atoi(lives);
	char path[4096];

	setenv("PCP_VAR_DIR", scratch == NULL ? "/tmp" : scratch, 1);
	snprintf(path, sizeof(path), "%s/config", getenv("PCP_VAR_DIR"));
	mkdir(path, 0755);
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity");
	for (unsigned int i = 0; i < (is_short ? KINDS : n); i++)
		live(i, is_short ? 250 : 3000);
	return 0;
}
