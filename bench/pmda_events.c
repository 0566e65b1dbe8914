/*
 * pmda_events - nanoseconds per event through an event queue: appended, and delivered to each
 * client as a record with one parameter.
 *
 * Batches of events are appended, then each client fetches its records; in the "shared" cases the
 * queue's clients share records, if the library supports this. Uses only installed headers, so the
 * same program measures any libpcp_pmda: LD_LIBRARY_PATH selects. Output: one line per case, "name
 * append records whole", in ns per event, ns per event and client, and ns per event in total.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "quick.h"

enum { BATCH = 1000, ROUNDS = 5, DELIVERIES = 1000000, CLIENTS_MAX = 100, SIZE_MAX_BENCH = 1024 };

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* An event is a text, as in agents that read logs. */
static int decode(int array, void *event, size_t size, struct timeval *stamp, void *data)
{
	pmAtomValue atom = {.cp = event};
	int r = pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);

	if (r >= 0)
		r = pmdaEventAddParam(array, 1, PM_TYPE_STRING, &atom);
	return r < 0 ? r : 1;
}

enum sharing { ALONE, SHARED };

struct figures {
	double append;
	double records;
};

static void take(int queue, int clients, int expected)
{
	for (int c = 0; c < clients; c++) {
		pmAtomValue atom = {0};
		int r = pmdaEventQueueRecords(queue, &atom, c, decode, NULL);

		if (r < 0 || (r > 0 ? ((pmEventArray *)atom.vbp)->ea_nrecords : 0) != expected) {
			fprintf(stderr, "pmda_events: not what was appended: %d\n", r);
			exit(1);
		}
	}
}

static void round_of(int queue, int clients, size_t size, struct figures *f)
{
	int batches = quick(DELIVERIES, CLIENTS_MAX * BATCH) / BATCH / clients;
	double append = 0, records = 0;
	char event[SIZE_MAX_BENCH];

	memset(event, 'x', size);
	event[size - 1] = '\0';
	for (int b = 0; b < batches; b++) {
		struct timeval stamp = {1000, b};
		double start = now_ns(), middle;

		for (int i = 0; i < BATCH; i++)
			pmdaEventQueueAppend(queue, event, size, &stamp);
		middle = now_ns();
		append += middle - start;
		take(queue, clients, BATCH);
		records += now_ns() - middle;
	}
	append /= (double)batches * BATCH;
	records /= (double)batches * BATCH * clients;
	if (append < f->append)
		f->append = append;
	if (records < f->records)
		f->records = records;
}

/* A function of Pitot, which PCP's library does not have. */
static void share(int queue)
{
	int (*call)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "pmdaEventQueueShare");

	if (call != NULL)
		call(queue);
}

static void measure(const char *name, int clients, size_t size, enum sharing sharing)
{
	int queue = pmdaEventNewQueue(name, (size_t)BATCH * size);
	struct figures f = {1e18, 1e18};

	if (sharing == SHARED)
		share(queue);
	for (int c = 0; c < clients; c++) {
		pmdaEventNewClient(c);
		pmdaEventSetAccess(c, queue, 1);
	}
	take(queue, clients, 0);
	for (int r = 0; r < ROUNDS; r++)
		round_of(queue, clients, size, &f);
	printf("%-22s %8.1f %8.1f %8.1f\n", name, f.append, f.records,
	       f.append + f.records * clients);
	fflush(stdout);
	for (int c = 0; c < clients; c++)
		pmdaEventEndClient(c);
	pmdaEventQueueShutdown(queue);
}

int main(void)
{
	static const int clients[] = {1, 10, 100};
	static const size_t sizes[] = {64, 1024};
	char name[40];

	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < 3; j++) {
			for (int sharing = ALONE; sharing <= SHARED; sharing++) {
				snprintf(name, sizeof(name), "%zu B to %d%s", sizes[i], clients[j],
					 sharing == SHARED ? " shared" : "");
				measure(name, clients[j], sizes[i], (enum sharing)sharing);
			}
		}
	}
	return 0;
}
