/*
 * parity_event - event arrays byte by byte, and what event queues and clients answer where the
 * reference keeps its own contract: see tests/libpcp/parity.py.
 *
 * Not here is what ours does differently on purpose (docs/spec/pmda.md 14.6 and 20); nor are the
 * bytes of padding, which the reference leaves as they were: they are shown as 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- arrays ---- */

static const int types[] = {
    PM_TYPE_32,
    PM_TYPE_U32,
    PM_TYPE_64,
    PM_TYPE_U64,
    PM_TYPE_FLOAT,
    PM_TYPE_DOUBLE,
    PM_TYPE_STRING,
    PM_TYPE_AGGREGATE,
    PM_TYPE_EVENT,
    PM_TYPE_NOSUPPORT,
    PM_TYPE_UNKNOWN,
    PM_TYPE_AGGREGATE_STATIC,
    PM_TYPE_HIGHRES_EVENT,
};

/* Clears the padding after each value. */
static void clear_padding(char *bytes, int nrecords, size_t header, size_t missed_at)
{
	char *p = bytes + 8;

	for (int i = 0; i < nrecords; i++) {
		unsigned int flags, nparams;

		memcpy(&flags, p + missed_at, 4);
		memcpy(&nparams, p + missed_at + 4, 4);
		p += header;
		for (unsigned int j = 0; (flags & PM_EVENT_FLAG_MISSED) == 0 && j < nparams; j++) {
			pmEventParameter param;
			size_t len;

			memcpy(&param, p, sizeof(param));
			len = param.ep_len + 4;
			memset(p + len, 0, (4 - len % 4) % 4);
			p += (len + 3) & ~(size_t)3;
		}
	}
}

static void show_bytes(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x%s", (unsigned char)bytes[i], i % 32 == 31 ? "\n" : "");
	printf("\n");
}

static void show_array(int handle)
{
	pmEventArray *array = pmdaEventGetAddr(handle);

	if (array == NULL) {
		printf("no array\n");
		return;
	}
	clear_padding((char *)array, array->ea_nrecords, 16, 8);
	printf("array of %u bytes, %d records\n", array->ea_len, array->ea_nrecords);
	show_bytes((char *)array, array->ea_len);
}

static void show_highres_array(int handle)
{
	pmHighResEventArray *array = pmdaEventGetHighResAddr(handle);

	if (array == NULL) {
		printf("no array\n");
		return;
	}
	clear_padding((char *)array, array->ea_nrecords, 24, 16);
	printf("array of %u bytes, %d records\n", array->ea_len, array->ea_nrecords);
	show_bytes((char *)array, array->ea_len);
	printf("old name: %s\n", pmdaEventHighResGetAddr(handle) == array ? "same" : "other");
}

static unsigned int lot(unsigned int n)
{
	static unsigned int seed = 20261120;

	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static char text[3000];
static union {
	pmValueBlock block;
	char bytes[3000];
} aggregate;

static void fill_atom(int type, pmAtomValue *atom)
{
	size_t len = lot(20) == 0 ? lot(2900) : lot(70);

	memset(text, 'a' + (int)lot(26), len);
	text[len] = '\0';
	aggregate.block.vtype = PM_TYPE_AGGREGATE;
	aggregate.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0xffffff;
	memset(aggregate.block.vbuf, (int)lot(256), len);
	atom->ull = ((uint64_t)lot(1u << 24) << 40) + lot(1u << 24);
	if (type == PM_TYPE_STRING)
		atom->cp = text;
	if (type == PM_TYPE_AGGREGATE)
		atom->vbp = &aggregate.block;
}

static void add_params(int handle, int highres)
{
	unsigned int n = lot(9);

	for (unsigned int i = 0; i < n; i++) {
		int type = types[lot(COUNT(types))];
		pmID pmid = lot(1u << 24);
		pmAtomValue atom;
		int sts;

		fill_atom(type, &atom);
		if (!highres)
			sts = pmdaEventAddParam(handle, pmid, type, &atom);
		else if (lot(2) == 0)
			sts = pmdaEventAddHighResParam(handle, pmid, type, &atom);
		else
			sts = pmdaEventHighResAddParam(handle, pmid, type, &atom);
		if (sts != 0)
			printf("param of type %d: %d\n", type, sts);
	}
}

static void add_record(int handle)
{
	struct timeval stamp = {lot(2000000000), lot(1000000)};
	int flags = (int)lot(32), sts;

	if (lot(6) == 0)
		sts = pmdaEventAddMissedRecord(handle, &stamp, (int)lot(99999));
	else if ((sts = pmdaEventAddRecord(handle, &stamp, flags)) == 0)
		add_params(handle, 0);
	if (sts != 0)
		printf("record: %d\n", sts);
}

static void add_highres_record(int handle)
{
	struct timespec stamp = {lot(2000000000), lot(1000000000)};
	int flags = (int)lot(32), sts;

	if (lot(6) == 0)
		sts = pmdaEventAddHighResMissedRecord(handle, &stamp, (int)lot(99999));
	else if ((sts = pmdaEventAddHighResRecord(handle, &stamp, flags)) == 0)
		add_params(handle, 1);
	if (sts != 0)
		printf("record: %d\n", sts);
}

static void show_arrays_by_lot(int rounds)
{
	int normal = pmdaEventNewArray(), highres = pmdaEventNewHighResArray();

	printf("handles %d %d\n", normal, highres);
	for (int i = 0; i < rounds; i++) {
		for (unsigned int n = lot(12); n > 0; n--) {
			add_record(normal);
			add_highres_record(highres);
		}
		show_array(normal);
		show_highres_array(highres);
		if (lot(3) == 0)
			printf("reset %d %d\n", pmdaEventResetArray(normal),
			       pmdaEventResetHighResArray(highres));
	}
	printf("release %d %d\n", pmdaEventReleaseArray(normal),
	       pmdaEventReleaseHighResArray(highres));
}

static void show_handles(void)
{
	static const int bad[] = {-1, 1, 99, 0x7fffffff};
	struct timeval tv = {1, 2};
	struct timespec ts = {1, 2};
	pmAtomValue atom = {.l = 1};
	int handle;

	for (size_t i = 0; i < COUNT(bad); i++)
		printf("%d: %d %d %d %d %d %d %d %d %d %d %s\n", bad[i],
		       pmdaEventResetArray(bad[i]), pmdaEventReleaseArray(bad[i]),
		       pmdaEventAddRecord(bad[i], &tv, 1), pmdaEventAddMissedRecord(bad[i], &tv, 1),
		       pmdaEventAddParam(bad[i], 1, PM_TYPE_32, &atom),
		       pmdaEventResetHighResArray(bad[i]), pmdaEventReleaseHighResArray(bad[i]),
		       pmdaEventAddHighResRecord(bad[i], &ts, 1),
		       pmdaEventAddHighResMissedRecord(bad[i], &ts, 1),
		       pmdaEventAddHighResParam(bad[i], 1, PM_TYPE_32, &atom),
		       pmdaEventGetAddr(bad[i]) == NULL && pmdaEventGetHighResAddr(bad[i]) == NULL
			   ? "none"
			   : "some");
	for (int i = 0; i < 5; i++)
		printf("new %d\n", i % 2 == 0 ? pmdaEventNewArray() : pmdaEventNewHighResArray());
	printf("release %d %d\n", pmdaEventReleaseArray(3), pmdaEventReleaseArray(1));
	printf("released %d\n", pmdaEventResetArray(1));
	printf("new %d %d %d\n", pmdaEventNewArray(), pmdaEventNewArray(), pmdaEventNewArray());
	handle = pmdaEventNewArray();
	printf("flags %d\n", pmdaEventAddRecord(handle, &tv, (int)PM_EVENT_FLAG_MISSED));
	printf("flags %d\n", pmdaEventAddRecord(handle, &tv, (int)(PM_EVENT_FLAG_MISSED | 1)));
	printf("flags %d\n", pmdaEventAddHighResRecord(handle, &ts, (int)PM_EVENT_FLAG_MISSED));
	show_array(handle);
	for (int i = 0; i <= handle; i++)
		pmdaEventReleaseArray(i);
}

/* ---- clients and queues ---- */

static int decode(int array, void *data, size_t size, struct timeval *stamp, void *arg)
{
	union {
		pmValueBlock block;
		char bytes[200];
	} value;
	pmAtomValue atom = {.vbp = &value.block};
	int sts = pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);

	value.block.vtype = PM_TYPE_AGGREGATE;
	value.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + size) & 0xffffff;
	memcpy(value.block.vbuf, data, size);
	if (sts == 0)
		sts = pmdaEventAddParam(array, *(pmID *)arg, PM_TYPE_AGGREGATE, &atom);
	return sts < 0 ? sts : 1;
}

static void show_queue(int queue)
{
	pmAtomValue clients = {0}, count = {0}, bytes = {0}, memory = {0};
	int a = pmdaEventQueueClients(queue, &clients), b = pmdaEventQueueCounter(queue, &count),
	    c = pmdaEventQueueBytes(queue, &bytes), d = pmdaEventQueueMemory(queue, &memory);

	printf("queue %d: %d %d %d %d, %u clients, %u events, %llu bytes, %llu held\n", queue, a, b,
	       c, d, clients.ul, count.ul, (unsigned long long)bytes.ull,
	       (unsigned long long)memory.ull);
}

static void show_records(int queue, int context)
{
	pmAtomValue atom = {0};
	pmID pmid = 77;
	int sts = pmdaEventQueueRecords(queue, &atom, context, decode, &pmid);

	printf("records of %d for %d: %d\n", queue, context, sts);
	if (sts > 0) {
		pmEventArray *array = (pmEventArray *)atom.vbp;

		clear_padding((char *)array, array->ea_nrecords, 16, 8);
		show_bytes((char *)array, array->ea_len);
	}
}

static int odd(void *filter, void *data, size_t size)
{
	(void)filter;
	return size > 0 && ((char *)data)[0] % 2;
}

static void released(void *filter)
{
	printf("filter %s released\n", (char *)filter);
}

static void append(int queue, const char *event)
{
	struct timeval stamp = {1234, (int)strlen(event)};

	printf("append %d\n", pmdaEventQueueAppend(queue, (void *)event, strlen(event), &stamp));
}

static void show_clients(void)
{
	static const int contexts[] = {5, 5, 0, -1, 77, 0x7fffffff, 0};
	pmAtomValue atom;

	for (size_t i = 0; i < COUNT(contexts); i++)
		printf("client %d: %d\n", contexts[i], pmdaEventNewClient(contexts[i]));
	printf("%d", pmdaEventClients(&atom));
	printf(" %u\n", atom.ul);
	printf("end %d %d %d\n", pmdaEventEndClient(0), pmdaEventEndClient(5),
	       pmdaEventEndClient(31));
	printf("%d", pmdaEventClients(&atom));
	printf(" %u\n", atom.ul);
	printf("again %d %d %d\n", pmdaEventNewClient(9), pmdaEventNewClient(5),
	       pmdaEventNewClient(6));
	for (size_t i = 0; i < COUNT(contexts); i++)
		pmdaEventEndClient(contexts[i]);
	pmdaEventEndClient(9);
	pmdaEventEndClient(6);
}

static void show_refusals(void)
{
	pmAtomValue atom;
	struct timeval stamp = {0, 0};

	printf("new %d %d %d\n", pmdaEventNewQueue(NULL, 10), pmdaEventNewQueue("x", 0),
	       pmdaEventNewActiveQueue(NULL, 10, 1));
	printf("%d %d %d %d %d %d %d\n", pmdaEventQueueHandle("nosuch"),
	       pmdaEventQueueAppend(40, &stamp, 1, &stamp), pmdaEventQueueClients(-1, &atom),
	       pmdaEventQueueShutdown(7), pmdaEventQueueMemory(99, &atom),
	       pmdaEventSetAccess(1, 0, 1), pmdaEventSetFilter(1, 0, NULL, NULL, NULL));
	show_records(99, 1);
}

/* One reader that is always in time: there the reference's ways are the contract's. */
static void show_reader(int queue, int context)
{
	show_records(queue, context);
	append(queue, "unseen, for access is denied");
	show_records(queue, context);
	show_queue(queue);
	printf("access %d\n", pmdaEventSetAccess(context, queue, 1));
	append(queue, "one");
	append(queue, "");
	append(queue, "three is the longest one of them");
	show_queue(queue);
	show_records(queue, context);
	show_records(queue, context);
	show_queue(queue);
	printf("filter %d\n", pmdaEventSetFilter(context, queue, (void *)"f1", odd, released));
	append(queue, "a, which is odd");
	append(queue, "b, which is not");
	show_records(queue, context);
	printf("filter %d\n", pmdaEventSetFilter(context, queue, (void *)"f2", odd, released));
	append(queue, "c");
	append(queue, "d");
	show_records(queue, context);
	show_queue(queue);
}

static void show_queues(void)
{
	int one = pmdaEventNewQueue("one", 100), two = pmdaEventNewQueue("two", 1000);

	printf("queues %d %d, again %d, handles %d %d\n", one, two, pmdaEventNewQueue("two", 5),
	       pmdaEventQueueHandle("one"), pmdaEventQueueHandle("two"));
	append(one, "nobody is there");
	show_queue(one);
	pmdaEventNewClient(3);
	pmdaEventNewClient(4);
	show_reader(one, 3);
	show_reader(two, 4);
	printf("end %d\n", pmdaEventEndClient(3));
	show_queue(one);
	printf("shutdown %d\n", pmdaEventQueueShutdown(one));
	printf("gone %d\n", pmdaEventQueueHandle("one"));
	printf("shutdown %d\n", pmdaEventQueueShutdown(two));
	show_queue(two);
	printf("end %d\n", pmdaEventEndClient(4));
	printf("gone %d\n", pmdaEventQueueHandle("two"));
	printf("new %d\n", pmdaEventNewQueue("three", 10));
	printf("shutdown %d\n", pmdaEventQueueShutdown(pmdaEventQueueHandle("three")));
}

/* ---- __pmdaEventPrint ---- */

static void show_print(void)
{
	static const char *const events[] = {"", "hi", "tab\there", "a longer text than fits",
					     "\x80\xff\n."};
	char buf[33] = "";

	for (size_t i = 0; i < COUNT(events); i++) {
		for (int size = 0; size <= 30; size++) {
			char *p;

			memset(buf, '?', sizeof(buf) - 1);
			if (events[i][0] == '\0' && size >= 4)
				continue;
			p = __pmdaEventPrint(events[i], (int)strlen(events[i]), buf, size);
			printf("print %zu in %d: %s", i, size, p == NULL ? "none" : p);
			printf(" %.*s\n", size, size > 20 ? "" : buf + strlen(buf) * (p != NULL));
		}
	}
}

int main(int argc, char **argv)
{
	int is_short = argc > 1 && strcmp(argv[1], "short") == 0;

	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity_event");
	show_handles();
	show_arrays_by_lot(is_short ? 3 : 200);
	show_clients();
	show_refusals();
	show_queues();
	show_print();
	return 0;
}
