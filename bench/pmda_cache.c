/*
 * pmda_cache - nanoseconds per operation of pmdaCache at several sizes.
 *
 * Uses only installed headers, like pmda_fetch. Output: one line per case, "name ns"; save and load
 * are in milliseconds. The cache file is below PCP_VAR_DIR. Arguments: the largest size, and the
 * largest with keys (default 10,000: more of them take minutes with other libraries).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static char (*names)[24];

static unsigned int random_next(unsigned int *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 4;
}

static void report(const char *what, int n, double per)
{
	printf("%-16s %8d %10.1f\n", what, n, per);
	fflush(stdout);
}

static long resident_kb(void)
{
	long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f != NULL && fscanf(f, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	if (f != NULL)
		fclose(f);
	return resident * sysconf(_SC_PAGESIZE) / 1024;
}

static void store_all(pmInDom indom, int n)
{
	for (int i = 0; i < n; i++)
		pmdaCacheStore(indom, PMDA_CACHE_ADD, names[i], NULL);
}

static void lookups(pmInDom indom, int n)
{
	unsigned int seed = 1;
	double start;
	int inst, sum = 0;
	char *name;

	start = now_ns();
	for (int i = 0; i < n; i++) {
		pmdaCacheLookupName(indom, names[random_next(&seed) % (unsigned int)n], &inst,
				    NULL);
		sum += inst;
	}
	report("name random", n, (now_ns() - start) / n);
	start = now_ns();
	for (int i = 0; i < n; i++)
		sum += pmdaCacheLookup(indom, (int)(random_next(&seed) % (unsigned int)n), &name,
				       NULL);
	report("inst random", n, (now_ns() - start) / n);
	start = now_ns();
	for (int i = 0; i < n; i++)
		sum += pmdaCacheLookup(indom, i, &name, NULL);
	report("inst sequential", n, (now_ns() - start) / n);
	start = now_ns();
	pmdaCacheOp(indom, PMDA_CACHE_WALK_REWIND);
	while ((inst = pmdaCacheOp(indom, PMDA_CACHE_WALK_NEXT)) >= 0)
		sum += inst;
	report("walk", n, (now_ns() - start) / n);
	if (sum == 42)
		printf("\n"); /* prevents the compiler from removing the code */
}

/* Keyed instances: their numbers are in random order, which takes other libraries quadratic time;
 * they also search all instances for a key. */
static void keyed(pmInDom indom, int n)
{
	double start = now_ns();
	int walked = 0, sum = 0, inst;
	unsigned int seed = 1;

	for (int i = 0; i < n; i++)
		pmdaCacheStoreKey(indom, PMDA_CACHE_ADD, names[i], sizeof(i), &i, NULL);
	pmdaCacheOp(indom, PMDA_CACHE_WALK_REWIND);
	while (pmdaCacheOp(indom, PMDA_CACHE_WALK_NEXT) >= 0)
		walked++;
	report(walked == n ? "store key" : "store key (!)", n, (now_ns() - start) / n);
	start = now_ns();
	for (int i = 0; i < n; i++)
		pmdaCacheStoreKey(indom, PMDA_CACHE_ADD, names[i], sizeof(i), &i, NULL);
	report("store key again", n, (now_ns() - start) / n);
	start = now_ns();
	for (int i = 0; i < n; i++) {
		int key = (int)(random_next(&seed) % (unsigned int)n);

		pmdaCacheLookupKey(indom, NULL, sizeof(key), &key, NULL, &inst, NULL);
		sum += inst;
	}
	report(sum == 42 ? "key" : "key random", n, (now_ns() - start) / n);
}

static void file(pmInDom indom, pmInDom other, int n)
{
	char from[1024], to[1024];
	double start = now_ns();
	const char *dir = getenv("PCP_VAR_DIR");

	if (pmdaCacheOp(indom, PMDA_CACHE_SAVE) != n)
		return;
	report("save ms", n, (now_ns() - start) / 1e6);
	snprintf(from, sizeof(from), "%s/config/pmda/%s", dir, pmInDomStr(indom));
	snprintf(to, sizeof(to), "%s/config/pmda/%s", dir, pmInDomStr(other));
	rename(from, to);
	start = now_ns();
	if (pmdaCacheOp(other, PMDA_CACHE_LOAD) == n)
		report("load ms", n, (now_ns() - start) / 1e6);
	unlink(to);
}

int main(int argc, char **argv)
{
	static const int sizes[] = {1000, 100000, 1000000}, keyed_sizes[] = {1000, 10000, 100000};
	int max = argc > 1 ? atoi(argv[1]) : 1000000;
	int keyed_max = argc > 2 ? atoi(argv[2]) : 10000;

	names = calloc(1000000, sizeof(*names));
	for (int i = 0; i < 1000000; i++)
		snprintf(names[i], sizeof(names[i]), "instance-%07d", i);
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(sizes[0]) && sizes[s] <= max; s++) {
		pmInDom indom = pmInDom_build(480, s * 2);
		int n = sizes[s];
		long before = resident_kb();
		double start = now_ns();

		store_all(indom, n);
		report("store new", n, (now_ns() - start) / n);
		report("bytes", n, (double)(resident_kb() - before) * 1024 / n);
		start = now_ns();
		store_all(indom, n);
		report("store existing", n, (now_ns() - start) / n);
		lookups(indom, n);
		file(indom, indom + 1, n);
	}
	for (unsigned int s = 0; s < 3 && keyed_sizes[s] <= keyed_max; s++)
		keyed(pmInDom_build(481, s), keyed_sizes[s]);
	return 0;
}
