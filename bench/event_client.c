/*
 * event_client - fetches the events of tracing.stream.events from a collector or an archive, and
 * counts them.
 *
 *     bench-event-client HOST INTERVAL_US     fetches; a line of standard input asks for the counts
 *                                             since the last one, its end ends
 *     bench-event-client -a ARCHIVE           the counts of the archive
 *
 * Counts: fetches, events, missed events, and the age of an event at its arrival in ns: median and
 * 99th percentile.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

enum { AGES_MAX = 1 << 20, NS_A_SECOND = 1000000000 };

static struct counts {
	long fetches;
	long events;
	long missed;
	size_t ages;
	int64_t age_ns[AGES_MAX];
} counts;

static int64_t ns_of(int64_t sec, int64_t nsec)
{
	return sec * NS_A_SECOND + nsec;
}

/* Counts the records of a value without reading them. */
static void count_records(const pmValueBlock *block, int64_t now_ns)
{
	const char *at = (const char *)block + offsetof(pmHighResEventArray, ea_record);
	int records;

	memcpy(&records, (const char *)block + offsetof(pmHighResEventArray, ea_nrecords),
	       sizeof(records));
	for (int i = 0; i < records; i++) {
		pmHighResEventRecord head;

		memcpy(&head, at, offsetof(pmHighResEventRecord, er_param));
		at += offsetof(pmHighResEventRecord, er_param);
		if (head.er_flags & PM_EVENT_FLAG_MISSED) {
			counts.missed += head.er_nparams;
			continue;
		}
		counts.events++;
		if (now_ns != 0 && counts.ages < AGES_MAX)
			counts.age_ns[counts.ages++] =
			    now_ns - ns_of(head.er_timestamp.tv_sec, head.er_timestamp.tv_nsec);
		for (int p = 0; p < head.er_nparams; p++) {
			pmEventParameter parameter;

			memcpy(&parameter, at, sizeof(parameter));
			at += sizeof(parameter.ep_pmid) + (parameter.ep_len + 3) / 4 * 4;
		}
	}
}

static void count_result(const pmHighResResult *result, pmID pmid, int64_t now_ns)
{
	counts.fetches++;
	for (int i = 0; i < result->numpmid; i++) {
		const pmValueSet *set = result->vset[i];

		for (int v = 0; set->pmid == pmid && v < set->numval; v++)
			count_records(set->vlist[v].value.pval, now_ns);
	}
}

static int by_age(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void tell(void)
{
	size_t n = counts.ages;

	qsort(counts.age_ns, n, sizeof(counts.age_ns[0]), by_age);
	printf("%ld %ld %ld %lld %lld\n", counts.fetches, counts.events, counts.missed,
	       n ? (long long)counts.age_ns[n / 2] : 0,
	       n ? (long long)counts.age_ns[n - n / 100 - 1] : 0);
	fflush(stdout);
	counts.fetches = counts.events = counts.missed = 0;
	counts.ages = 0;
}

/* Prints the counts if a line of input requests them. Returns 0 at the end of the input, else 1. */
static int obey(int wait_ms)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	char line[64];

	if (poll(&input, 1, wait_ms) <= 0)
		return 1;
	if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
		return 0;
	tell();
	return 1;
}

static int follow(pmID pmid, long interval_us)
{
	struct timespec pause = {interval_us / 1000000, interval_us % 1000000 * 1000}, now;
	pmHighResResult *result;

	do {
		if (pmFetchHighRes(1, &pmid, &result) < 0)
			return 1;
		clock_gettime(CLOCK_REALTIME, &now);
		count_result(result, pmid, ns_of(now.tv_sec, now.tv_nsec));
		pmFreeHighResResult(result);
		if (interval_us > 0)
			nanosleep(&pause, NULL);
	} while (obey(0));
	return 0;
}

static int read_archive(pmID pmid)
{
	pmHighResResult *result;
	int r;

	while ((r = pmFetchHighResArchive(&result)) >= 0) {
		count_result(result, pmid, 0);
		pmFreeHighResResult(result);
	}
	tell();
	return r != PM_ERR_EOL;
}

int main(int argc, char **argv)
{
	const char *name = "tracing.stream.events";
	int archive = argc == 3 && strcmp(argv[1], "-a") == 0, r;
	pmID pmid;

	if (argc != 3)
		return 2;
	r = archive ? pmNewContext(PM_CONTEXT_ARCHIVE, argv[2])
		    : pmNewContext(PM_CONTEXT_HOST, argv[1]);
	if (r >= 0)
		r = pmLookupName(1, &name, &pmid);
	if (r < 0) {
		fprintf(stderr, "event_client: %s\n", pmErrStr(r));
		return 1;
	}
	return archive ? read_archive(pmid) : follow(pmid, atol(argv[2]));
}
