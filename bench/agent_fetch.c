/*
 * agent_fetch - microseconds of one fetch of a set of metrics from an agent's DSO, without a
 * collector: mostly the cost of reading the kernel's files.
 *
 *     agent_fetch DSO ENTRY DOMAIN SECONDS CLUSTER.ITEM ...
 *
 * Uses only installed headers, so that the same program measures any agent: LD_LIBRARY_PATH selects
 * the libraries. Output: "wall CPU values": microseconds per fetch (the median of batches), of
 * elapsed and of processor time, and the number of values.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { BATCHES = 9 };

static double now_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int load(const char *path, const char *entry, pmdaInterface *dispatch)
{
	void *dso = dlopen(path, RTLD_NOW);
	void (*init)(pmdaInterface *);

	if (dso == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return -1;
	}
	*(void **)(&init) = dlsym(dso, entry);
	if (init == NULL)
		return -1;
	dispatch->comm.pmda_interface = 0xff;
	dispatch->comm.pmapi_version = 2;
	init(dispatch);
	return dispatch->status;
}

static int fetch(pmdaInterface *dispatch, pmID *pmids, int n)
{
	pmdaExt *ext = dispatch->version.four.ext;
	pmResult *result;
	int values = 0;

	if (dispatch->version.four.fetch(n, pmids, &result, ext) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		values += result->vset[i]->numval > 0 ? result->vset[i]->numval : 0;
	if (ext->e_resultCallBack != NULL)
		ext->e_resultCallBack(result);
	return values;
}

int main(int argc, char **argv)
{
	double wall[BATCHES], cpu[BATCHES];
	pmdaInterface dispatch = {0};
	pmID pmids[4096];
	int n = 0, values = 0, turns = 1;
	double seconds, start;

	if (argc < 6)
		return 2;
	dispatch.domain = atoi(argv[3]);
	seconds = atof(argv[4]);
	if (load(argv[1], argv[2], &dispatch) < 0)
		return 1;
	for (int i = 5; i < argc && n < 4096; i++) {
		unsigned int cluster, item;

		if (sscanf(argv[i], "%u.%u", &cluster, &item) == 2)
			pmids[n++] = pmID_build((unsigned int)dispatch.domain, cluster, item);
	}
	start = now_us(CLOCK_MONOTONIC);
	for (int i = 0; i < 20; i++)
		values = fetch(&dispatch, pmids, n);
	turns = (int)(seconds * 1e6 / BATCHES / ((now_us(CLOCK_MONOTONIC) - start) / 20)) + 1;
	for (int b = 0; b < BATCHES; b++) {
		double w = now_us(CLOCK_MONOTONIC), c = now_us(CLOCK_PROCESS_CPUTIME_ID);

		for (int i = 0; i < turns; i++)
			fetch(&dispatch, pmids, n);
		wall[b] = (now_us(CLOCK_MONOTONIC) - w) / turns;
		cpu[b] = (now_us(CLOCK_PROCESS_CPUTIME_ID) - c) / turns;
	}
	qsort(wall, BATCHES, sizeof(*wall), by_size);
	qsort(cpu, BATCHES, sizeof(*cpu), by_size);
	printf("%.2f %.2f %d\n", wall[BATCHES / 2], cpu[BATCHES / 2], values);
	return 0;
}
