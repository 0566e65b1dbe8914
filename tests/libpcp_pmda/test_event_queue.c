/*
 * Tests of event_queue.c, event_client.c, event_records.c and event_store.c: random operations on a
 * queue compared with a model of docs/spec/pmda.md 14.6, and cases by hand.
 *
 * The model keeps lists: the events held, and for each client those it has still to get. Events are
 * identified by the seconds of their stamps.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libbase/cleanup.h"
#include "captured_log.h"
#include "starve.h"

enum {
	MODEL_EVENTS = 20000,
	MODEL_CLIENTS = 12,
	MODEL_RECORDS = MODEL_EVENTS + 1,
	SIZE_MAX_TEST = 6000,
	CONTEXT = 1000, /* of the first client */
};

static unsigned int seed;

static unsigned int lot(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

/* ---- the model ---- */

struct model_client {
	bool known;
	bool begun;
	bool access;
	int filter; /* 0: none; else events whose number it divides are culled */
	int next;   /* events from here on are to come, if they are held */
	int missed;
	int missed_event; /* the newest of them */
};

struct model {
	int queue;
	bool highres;
	size_t max;
	unsigned int kept;
	int sizes[MODEL_EVENTS];
	bool held[MODEL_EVENTS];
	int first; /* all before it are gone */
	int n;
	uint64_t bytes; /* of all */
	struct model_client clients[MODEL_CLIENTS];
	int starving; /* one in so many calls runs out of memory */
	int failing;  /* events whose number this divides cannot be decoded; 0: none */
};

static struct model m;
static int released; /* filters */

static uint64_t held_bytes(void)
{
	uint64_t bytes = 0;

	for (int i = m.first; i < m.n; i++)
		bytes += m.held[i] ? (uint64_t)m.sizes[i] : 0;
	return bytes;
}

static unsigned int held_count(void)
{
	unsigned int n = 0;

	for (int i = m.first; i < m.n; i++)
		n += m.held[i];
	return n;
}

static unsigned int begun_count(void)
{
	unsigned int n = 0;

	for (int i = 0; i < MODEL_CLIENTS; i++)
		n += m.clients[i].begun;
	return n;
}

static void model_miss(int event)
{
	for (int i = 0; i < MODEL_CLIENTS; i++) {
		struct model_client *c = &m.clients[i];

		if (!c->begun || event < c->next)
			continue;
		c->missed++;
		if (event > c->missed_event)
			c->missed_event = event;
	}
}

/* Removes events that every client has received. */
static void model_free(void)
{
	int keep = m.n;

	for (int i = 0; i < MODEL_CLIENTS; i++) {
		if (m.clients[i].begun && m.clients[i].next < keep)
			keep = m.clients[i].next;
	}
	if (m.kept > 0)
		return;
	for (int i = m.first; i < keep; i++)
		m.held[i] = false;
	m.first = keep > m.first ? keep : m.first;
}

static void model_append(size_t size)
{
	int event = m.n++;

	m.sizes[event] = (int)size;
	m.held[event] = false;
	m.bytes += size;
	if (size > m.max) {
		model_miss(event);
	} else if (begun_count() + m.kept > 0) {
		for (int i = m.first; held_bytes() + size > m.max || held_count() >= m.max; i++) {
			if (m.held[i])
				model_miss(i);
			m.held[i] = false;
			m.first = i + 1;
		}
		m.held[event] = true;
	}
	model_free();
}

/* ---- what the queue does ---- */

static int decode(int array, const void *data, size_t size, int event)
{
	pmAtomValue atom = {.l = event};
	int r = 0;

	assert_int_equal(size, m.sizes[event]);
	for (size_t i = 0; i < size; i += 7)
		assert_int_equal(((const unsigned char *)data)[i], event & 0xff);
	for (int i = 0; i < 3 && r >= 0; i++)
		r = pmdaEventAddParam(array, (pmID)i, PM_TYPE_32, &atom);
	if (r >= 0 && m.failing != 0 && event % m.failing == 0)
		return -EIO;
	return r < 0 ? r : 1;
}

static int decode_normal(int array, void *data, size_t size, struct timeval *stamp, void *arg)
{
	int event = (int)stamp->tv_sec, r;

	assert_ptr_equal(arg, &m);
	assert_int_equal(stamp->tv_usec, event % 1000000);
	/* A call back does not alter its queue. */
	assert_int_equal(pmdaEventQueueAppend(m.queue, data, size, stamp), -EBUSY);
	r = pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);
	memset(stamp, 0xff, sizeof(*stamp));
	return r < 0 ? r : decode(array, data, size, event);
}

static int decode_highres(int array, void *data, size_t size, struct timespec *stamp, void *arg)
{
	int event = (int)stamp->tv_sec, r;

	assert_int_equal(stamp->tv_nsec, 999000000 + event % 1000000);
	r = pmdaEventAddHighResRecord(array, stamp, PM_EVENT_FLAG_POINT);
	return r < 0 ? r : decode(array, data, size, event);
}

static int append(size_t size, int event)
{
	static unsigned char data[2 * SIZE_MAX_TEST];
	struct timeval tv = {event, event % 1000000};
	struct timespec ts = {event, 999000000 + event % 1000000};

	memset(data, event & 0xff, size);
	return m.highres ? pmdaEventHighResQueueAppend(m.queue, data, size, &ts)
			 : pmdaEventQueueAppend(m.queue, data, size, &tv);
}

static int take(int context, pmAtomValue *atom)
{
	return m.highres ? pmdaEventHighResQueueRecords(m.queue, atom, context, decode_highres, &m)
			 : pmdaEventQueueRecords(m.queue, atom, context, decode_normal, &m);
}

/* One record of an array: its event, or -1 and how many were missed, the newest in *ret_event. */
struct record {
	int event;
	int missed;
};

/* Each event has three parameters: 0 to 2, with its number. */
static void check_params(const char *p, int event)
{
	for (unsigned int i = 0; i < 3; i++, p += 12) {
		pmEventParameter param;
		int value;

		memcpy(&param, p, sizeof(param));
		memcpy(&value, p + sizeof(param), sizeof(value));
		assert_int_equal(param.ep_pmid, i);
		assert_int_equal(param.ep_type, PM_TYPE_32);
		assert_int_equal(param.ep_len, 8);
		assert_int_equal(value, event);
	}
}

static const char *unpack_normal(const char *p, struct record *record)
{
	const pmEventRecord *r = (const pmEventRecord *)p;
	bool is_missed = (r->er_flags & PM_EVENT_FLAG_MISSED) != 0;

	assert_int_equal(r->er_timestamp.tv_usec, r->er_timestamp.tv_sec % 1000000);
	*record = (struct record){r->er_timestamp.tv_sec, is_missed ? r->er_nparams : 0};
	if (!is_missed) {
		assert_int_equal(r->er_nparams, 3);
		check_params(p + 16, record->event);
	}
	return p + 16 + (is_missed ? 0 : 3 * 12);
}

static const char *unpack_highres(const char *p, struct record *record)
{
	pmHighResEventRecord r;
	bool is_missed;

	memcpy(&r, p, 24); /* not aligned */
	is_missed = (r.er_flags & PM_EVENT_FLAG_MISSED) != 0;
	assert_int_equal(r.er_timestamp.tv_nsec, 999000000 + r.er_timestamp.tv_sec % 1000000);
	*record = (struct record){(int)r.er_timestamp.tv_sec, is_missed ? r.er_nparams : 0};
	if (!is_missed)
		check_params(p + 24, record->event);
	return p + 24 + (is_missed ? 0 : 3 * 12);
}

static int unpack(const pmAtomValue *atom, struct record *records)
{
	const pmEventArray *array = (const pmEventArray *)atom->vbp;
	const char *p = (const char *)array + 8;

	assert_int_equal(array->ea_type, m.highres ? PM_TYPE_HIGHRES_EVENT : PM_TYPE_EVENT);
	assert_in_range(array->ea_nrecords, 1, MODEL_RECORDS);
	for (int i = 0; i < array->ea_nrecords; i++)
		p = m.highres ? unpack_highres(p, &records[i]) : unpack_normal(p, &records[i]);
	assert_ptr_equal(p, (const char *)array + array->ea_len);
	return array->ea_nrecords;
}

/* ---- both, step by step ---- */

static void check_state(void)
{
	pmAtomValue atom;

	assert_int_equal(pmdaEventQueueMemory(m.queue, &atom), PMDA_FETCH_STATIC);
	assert_int_equal(atom.ull, held_bytes());
	assert_true(atom.ull <= m.max);
	assert_int_equal(pmdaEventQueueClients(m.queue, &atom), PMDA_FETCH_STATIC);
	assert_int_equal(atom.ul, begun_count() + m.kept);
	assert_int_equal(pmdaEventQueueCounter(m.queue, &atom), PMDA_FETCH_STATIC);
	assert_int_equal(atom.ul, m.n);
	assert_int_equal(pmdaEventQueueBytes(m.queue, &atom), PMDA_FETCH_STATIC);
	assert_int_equal(atom.ull, m.bytes);
}

/* From here some allocation fails, perhaps. */
static void starve_by_lot(void)
{
	starve_left = m.starving != 0 && lot((unsigned int)m.starving) == 0 ? (long)lot(3) : -1;
}

static void step_append(void)
{
	size_t size = lot(8) == 0 ? lot(SIZE_MAX_TEST) : lot((unsigned int)m.max / 4 + 2);
	int r;

	if (m.n == MODEL_EVENTS)
		return;
	if (size > m.max && lot(4) != 0)
		size = m.max;
	starve_by_lot();
	r = append(size, m.n);
	starve_left = -1;
	if (r == -ENOMEM) {
		check_state(); /* nothing was lost, so it may be tried again */
		r = append(size, m.n);
	}
	assert_int_equal(r, 0);
	model_append(size);
}

static bool model_culls(const struct model_client *c, int event)
{
	return c->filter != 0 ? event % c->filter == 0 : !c->access;
}

/* The expected result of a call: records, the error, and the client's new position. */
static int model_take(struct model_client *c, struct record *records, int *ret_n)
{
	int n = 0;

	if (c->missed > 0)
		records[n++] = (struct record){c->missed_event, c->missed};
	c->missed = 0;
	c->missed_event = -1;
	for (; c->next < m.n; c->next++) {
		if (!m.held[c->next] || model_culls(c, c->next))
			continue;
		if (m.failing != 0 && c->next % m.failing == 0) {
			*ret_n = n;
			if (n > 0)
				return 0;
			c->next++;
			return -EIO;
		}
		records[n++] = (struct record){c->next, 0};
	}
	*ret_n = n;
	return 0;
}

static void check_records(const struct record *got, const struct record *expected, int n)
{
	for (int i = 0; i < n; i++) {
		assert_int_equal(got[i].event, expected[i].event);
		assert_int_equal(got[i].missed, expected[i].missed);
	}
}

static void model_begin(struct model_client *c)
{
	if (c->begun)
		return;
	c->begun = true;
	c->next = m.n;
	c->missed = 0;
	c->missed_event = -1;
	if (m.kept > 0) {
		m.kept--;
		c->next = m.first;
	}
}

/* Memory ran out in a call that may have delivered the beginning: takes it into the model. */
static void check_starved(struct model_client *c, int r, const pmAtomValue *atom)
{
	static struct record got[MODEL_RECORDS], expected[MODEL_RECORDS];
	struct model_client after = *c;
	int n = 0, all;

	if (r == -EIO) {
		assert_int_equal(model_take(c, expected, &all), -EIO);
		return;
	}
	if (r == PMDA_FETCH_STATIC)
		n = unpack(atom, got);
	else
		assert_true(r == -ENOMEM || r == PMDA_FETCH_NOVALUES);
	model_take(&after, expected, &all);
	assert_in_range(n, 0, all);
	check_records(got, expected, n);
	if (n == all) {
		/* Culled events after the last record may be passed or not: the next call does not
		 * return them in either case. */
		if (r != -ENOMEM)
			*c = after;
		return;
	}
	if (n == 0)
		return;
	c->missed = 0;
	c->missed_event = -1;
	if (expected[n - 1].missed == 0)
		c->next = expected[n - 1].event + 1;
}

static void step_take(int i)
{
	static struct record got[MODEL_RECORDS], expected[MODEL_RECORDS];
	struct model_client *c = &m.clients[i];
	pmAtomValue atom = {0};
	int n = 0, all, r;

	if (!c->known) {
		assert_int_equal(take(CONTEXT + i, &atom), -EINVAL);
		return;
	}
	starve_by_lot();
	if (starve_left >= 0) {
		r = take(CONTEXT + i, &atom);
		starve_left = -1;
		if (r != -ENOMEM || c->begun)
			model_begin(c);
		if (c->begun)
			check_starved(c, r, &atom);
		atom.vbp = NULL;
	}
	r = take(CONTEXT + i, &atom);
	model_begin(c);
	if (r == PMDA_FETCH_STATIC)
		n = unpack(&atom, got);
	else
		assert_null(atom.vbp);
	assert_int_equal(model_take(c, expected, &all), r < 0 ? r : 0);
	assert_int_equal(n, all);
	check_records(got, expected, n);
	model_free();
}

static int apply(void *filter, void *data, size_t size)
{
	/* A filter sees bytes alone; all of an event's are its number. */
	return size > 0 && ((unsigned char *)data)[0] % *(int *)filter == 0;
}

static int apply_none(void *filter, void *data, size_t size)
{
	return 0;
}

static int apply_all(void *filter, void *data, size_t size)
{
	return 1;
}

static void release(void *filter)
{
	released += *(int *)filter > 0;
}

static void step_known(int i)
{
	struct model_client *c = &m.clients[i];
	int r;

	starve_by_lot();
	r = pmdaEventNewClient(CONTEXT + i);
	starve_left = -1;
	if (r == -ENOMEM)
		r = pmdaEventNewClient(CONTEXT + i);
	assert_true(r >= 0);
	if (!c->known)
		*c = (struct model_client){.known = true, .missed_event = -1};
}

static void step_access(int i)
{
	struct model_client *c = &m.clients[i];
	int allow = lot(5) != 0, r;

	starve_by_lot();
	r = pmdaEventSetAccess(CONTEXT + i, m.queue, allow);
	starve_left = -1;
	if (r == -ENOMEM)
		r = pmdaEventSetAccess(CONTEXT + i, m.queue, allow);
	assert_int_equal(r, c->known ? 0 : -EINVAL);
	c->access = allow;
}

/* A filter that culls all, or none, so that bytes do not matter. */
static void step_filter(int i)
{
	static int all = 1;
	struct model_client *c = &m.clients[i];
	int before = released, r;

	if (!c->known)
		return;
	if (lot(2) == 0) {
		r = pmdaEventSetFilter(CONTEXT + i, m.queue, &all, apply_all, release);
		assert_int_equal(r, 0);
		assert_int_equal(released - before, c->filter != 0);
		c->filter = 1;
	} else {
		r = pmdaEventSetFilter(CONTEXT + i, m.queue, NULL, NULL, NULL);
		assert_int_equal(r, 0);
		assert_int_equal(released - before, c->filter != 0);
		c->filter = 0;
	}
	c->access = true;
}

static void step_end(int i)
{
	struct model_client *c = &m.clients[i];
	int before = released;

	assert_int_equal(pmdaEventEndClient(CONTEXT + i), 0);
	assert_int_equal(released - before, c->known && c->filter != 0);
	*c = (struct model_client){0};
	model_free();
}

static void live(unsigned int n, int steps, size_t max, unsigned int kept, bool highres,
		 int starving, int failing)
{
	pmAtomValue atom;

	seed = n;
	memset(&m, 0, sizeof(m));
	m.max = max;
	m.kept = kept;
	m.highres = highres;
	m.starving = starving;
	m.failing = failing;
	if (highres)
		m.queue = pmdaEventNewHighResQueue("model", max);
	else
		m.queue = pmdaEventNewActiveQueue("model", max, kept);
	assert_true(m.queue >= 0);
	if (n % 4 >= 2)
		assert_int_equal(pmdaEventQueueShare(m.queue), 0);
	for (int i = 0; i < steps; i++) {
		int client = (int)lot(MODEL_CLIENTS);

		switch (lot(40)) {
		case 0:
			step_end(client);
			break;
		case 1:
		case 2:
			step_known(client);
			break;
		case 3:
		case 4:
		case 5:
			step_access(client);
			break;
		case 6:
			step_filter(client);
			break;
		case 7:
		case 8:
		case 9:
		case 10:
			step_take(client);
			break;
		default:
			step_append();
		}
		check_state();
	}
	for (int i = 0; i < MODEL_CLIENTS; i++)
		step_end(i);
	assert_int_equal(pmdaEventQueueShutdown(m.queue), 0);
	assert_int_equal(pmdaEventQueueMemory(m.queue, &atom), -EINVAL);
}

static void test_lives(void **state)
{
	for (unsigned int n = 0; n < 20; n++) {
		live(n, 2000, 100, 0, n % 2, 0, 0);
		live(n, 2000, 3000, n % 2 ? 0 : 2, n % 2, 0, 0);
		live(n, 1000, 1, 0, n % 2, 0, 0);
	}
}

static void test_lives_with_errors(void **state)
{
	for (unsigned int n = 0; n < 20; n++)
		live(n, 2000, 1000, 0, n % 2, 0, 5);
}

static void test_lives_starved(void **state)
{
	for (unsigned int n = 0; n < 20; n++) {
		live(n, 2000, 1000, 0, n % 2, 2, 0);
		live(n, 2000, 40000, 0, n % 2, 3, 7);
	}
}

/* ---- by hand ---- */

static int decode_all(int array, void *data, size_t size, struct timeval *stamp, void *arg)
{
	static union {
		pmValueBlock block;
		char bytes[2 << 20];
	} value;
	pmAtomValue atom = {.vbp = &value.block};
	int r = pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);

	value.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + size) & 0xffffff;
	memcpy(value.block.vbuf, data, size);
	if (r >= 0)
		r = pmdaEventAddParam(array, 1, PM_TYPE_AGGREGATE, &atom);
	return arg != NULL ? 1 : r; /* a decoder may overlook that something did not fit */
}

/* More than an array can hold comes with several calls. */
static void check_long_array(int queue, int context)
{
	int total = 0, calls = 0, r;
	pmAtomValue atom;

	while ((r = pmdaEventQueueRecords(queue, &atom, context, decode_all,
					  calls % 2 ? &atom : NULL)) > 0) {
		total += ((pmEventArray *)atom.vbp)->ea_nrecords;
		calls++;
	}
	assert_int_equal(r, 0);
	assert_int_equal(total, 40);
	assert_int_equal(calls, 3); /* 15 of them make an array */
}

static void check_long_arrays(bool shared)
{
	static char data[1 << 20];
	int queue = pmdaEventNewQueue("long", 100 << 20);
	struct timeval stamp = {1, 2};
	pmAtomValue atom;

	if (shared)
		pmdaEventQueueShare(queue);
	for (int context = 1; context <= 2; context++) {
		pmdaEventNewClient(context);
		pmdaEventSetAccess(context, queue, 1);
		pmdaEventQueueRecords(queue, &atom, context, decode_all, NULL);
	}
	for (int i = 0; i < 40; i++)
		assert_int_equal(pmdaEventQueueAppend(queue, data, sizeof(data), &stamp), 0);
	check_long_array(queue, 1);
	check_long_array(queue, 2);
	pmdaEventQueueMemory(queue, &atom);
	assert_int_equal(atom.ull, 0);
	pmdaEventEndClient(1);
	pmdaEventEndClient(2);
	pmdaEventQueueShutdown(queue);
}

static void test_long_arrays(void **state)
{
	check_long_arrays(false);
	check_long_arrays(true);
}

/* Blocks of the store of all sizes, full and empty. */
static void test_sizes_by_turns(void **state)
{
	static const size_t sizes[] = {10, 100000, 10, 20000, 60000, 900000, 1, 0, 70000};
	static char data[1000000];
	int queue = pmdaEventNewQueue("sizes", sizeof(data));
	struct mallinfo2 before = mallinfo2(), after;
	struct timeval stamp = {1, 2};
	pmAtomValue atom;

	pmdaEventNewClient(1);
	pmdaEventSetAccess(1, queue, 1);
	pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL);
	for (size_t together = 1; together < ARRAY_SIZE(sizes); together++) {
		int due = 0;

		for (size_t i = 0; i < 10 * ARRAY_SIZE(sizes); i++) {
			size_t size = sizes[i % ARRAY_SIZE(sizes)];

			assert_int_equal(pmdaEventQueueAppend(queue, data, size, &stamp), 0);
			if (i % together != 0)
				continue;
			assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL),
					 1);
			due += ((pmEventArray *)atom.vbp)->ea_nrecords;
			pmdaEventQueueMemory(queue, &atom);
			assert_int_equal(atom.ull, 0);
		}
		assert_true(due > 0);
		pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL);
	}
	/* The array of the longest answer stays allocated, and some small blocks, but no events. */
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd < before.uordblks + before.hblkhd + (3 << 20));
	pmdaEventEndClient(1);
	pmdaEventQueueShutdown(queue);
}

/* An event that memory did not suffice for is not lost, though it came first. */
static void test_starved_first_event(void **state)
{
	static char data[100000];
	int queue = pmdaEventNewQueue("first", sizeof(data));
	struct timeval stamp = {1, 2};
	pmAtomValue atom;

	pmdaEventNewClient(1);
	pmdaEventSetAccess(1, queue, 1);
	pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL);
	pmdaEventQueueAppend(queue, data, sizeof(data), &stamp);
	starve_left = 0;
	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL), -ENOMEM);
	starve_left = -1;
	assert_null(atom.vbp);
	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL), 1);
	assert_int_equal(((pmEventArray *)atom.vbp)->ea_nrecords, 1);
	pmdaEventEndClient(1);
	pmdaEventQueueShutdown(queue);
}

static int decoded;

static int decode_counted(int array, void *data, size_t size, struct timeval *stamp, void *arg)
{
	decoded++;
	return decode_all(array, data, size, stamp, arg);
}

/* Clients that share records get what each would get alone, and events are decoded once. */
static void test_shared(void **state)
{
	enum { CLIENTS = 10, EVENTS = 1000 };
	int queue = pmdaEventNewQueue("shared", EVENTS * 8), filter = 1, r;
	struct timeval stamp = {1, 2};
	pmAtomValue atom, alone;

	assert_int_equal(pmdaEventQueueShare(queue), 0);
	assert_int_equal(pmdaEventQueueShare(queue), 0);
	assert_int_equal(pmdaEventQueueShare(99), -EINVAL);
	for (int c = 0; c <= CLIENTS; c++) {
		pmdaEventNewClient(c);
		pmdaEventSetAccess(c, queue, 1);
		pmdaEventQueueRecords(queue, &atom, c, decode_counted, NULL);
	}
	pmdaEventSetFilter(CLIENTS, queue, &filter, apply_none, NULL); /* shares nothing */
	decoded = 0;
	for (int i = 0; i < EVENTS; i++) {
		int asking = i % 7 == 0 ? i % CLIENTS : -1;

		stamp.tv_sec = i;
		pmdaEventQueueAppend(queue, &stamp, 8, &stamp);
		if (asking >= 0)
			assert_int_equal(
			    pmdaEventQueueRecords(queue, &atom, asking, decode_counted, NULL), 1);
	}
	for (int c = 0; c < CLIENTS; c++) {
		r = pmdaEventQueueRecords(queue, &atom, c, decode_counted, NULL);
		assert_in_range(r, 0, 1);
	}
	assert_int_equal(decoded, EVENTS);
	r = pmdaEventQueueRecords(queue, &alone, CLIENTS, decode_counted, NULL);
	assert_int_equal(r, 1);
	assert_int_equal(((pmEventArray *)alone.vbp)->ea_nrecords, EVENTS);
	assert_int_equal(decoded, 2 * EVENTS);
	for (int c = 0; c <= CLIENTS; c++)
		pmdaEventEndClient(c);
	pmdaEventQueueShutdown(queue);
}

static void test_shutdown(void **state)
{
	int queue = pmdaEventNewActiveQueue("ending", 100, 3), other, filter = 1, before = released;
	struct timeval stamp = {1, 2};
	pmAtomValue atom;

	assert_int_equal(pmdaEventQueueAppend(queue, &filter, 4, &stamp), 0);
	pmdaEventNewClient(1);
	pmdaEventNewClient(2);
	pmdaEventSetFilter(2, queue, &filter, apply, release);
	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL), 0);
	assert_int_equal(pmdaEventQueueShutdown(queue), 0);
	assert_int_equal(pmdaEventQueueHandle("ending"), queue); /* a client is left */
	assert_int_equal(pmdaEventEndClient(1), 0);
	assert_int_equal(pmdaEventQueueHandle("ending"), -ESRCH);
	assert_int_equal(released - before, 1);
	/* The next queue of the handle has nothing to do with the filters and access of the last.
	 */
	other = pmdaEventNewQueue("other", 100);
	assert_int_equal(other, queue);
	assert_int_equal(pmdaEventQueueRecords(other, &atom, 2, decode_all, NULL), 0);
	pmdaEventQueueAppend(other, &filter, 4, &stamp);
	assert_int_equal(pmdaEventQueueRecords(other, &atom, 2, decode_all, NULL), 0);
	pmdaEventEndClient(2);
	assert_int_equal(pmdaEventQueueShutdown(other), 0);
	assert_int_equal(pmdaEventQueueShutdown(other), -EINVAL);
}

/* A returned array stays valid while there are no new events. */
static void test_same_metric_twice(void **state)
{
	int queue = pmdaEventNewQueue("twice", 100);
	struct timeval stamp = {1, 2};
	pmAtomValue atom, again;

	pmdaEventNewClient(1);
	pmdaEventSetAccess(1, queue, 1);
	pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL);
	pmdaEventQueueAppend(queue, &stamp, 4, &stamp);
	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_all, NULL), 1);
	assert_int_equal(pmdaEventQueueRecords(queue, &again, 1, decode_all, NULL), 0);
	assert_null(again.vbp);
	assert_int_equal(((pmEventArray *)atom.vbp)->ea_nrecords, 1);
	assert_int_equal(((pmEventArray *)atom.vbp)->ea_record[0].er_nparams, 1);
	pmdaEventEndClient(1);
	pmdaEventQueueShutdown(queue);
}

static int decode_busy(int array, void *data, size_t size, struct timeval *stamp, void *arg)
{
	int queue = *(int *)arg;
	pmAtomValue atom;

	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_busy, arg), -EBUSY);
	assert_int_equal(pmdaEventResetArray(array), PM_ERR_NOCONTEXT);
	assert_int_equal(pmdaEventReleaseArray(array), PM_ERR_NOCONTEXT);
	assert_int_equal(pmdaEventQueueAppend(queue, data, size, stamp), -EBUSY);
	assert_int_equal(pmdaEventEndClient(1), -EBUSY);
	assert_int_equal(pmdaEventSetFilter(1, queue, NULL, NULL, NULL), -EBUSY);
	assert_int_equal(pmdaEventEndClient(2), 0); /* another may go */
	assert_int_equal(pmdaEventQueueShutdown(queue), 0);
	return pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);
}

static void test_call_backs_that_call(void **state)
{
	int queue = pmdaEventNewQueue("busy", 100);
	struct timeval stamp = {1, 2};
	pmAtomValue atom;

	for (int context = 1; context <= 2; context++) {
		pmdaEventNewClient(context);
		pmdaEventSetAccess(context, queue, 1);
		pmdaEventQueueRecords(queue, &atom, context, decode_all, NULL);
	}
	pmdaEventQueueAppend(queue, &stamp, 4, &stamp);
	assert_int_equal(pmdaEventQueueRecords(queue, &atom, 1, decode_busy, &queue), 1);
	assert_int_equal(pmdaEventQueueHandle("busy"), queue);
	pmdaEventEndClient(1);
	assert_int_equal(pmdaEventQueueHandle("busy"), -ESRCH);
}

static void test_resolutions_do_not_mix(void **state)
{
	int normal = pmdaEventNewQueue("n", 10), highres = pmdaEventNewHighResQueue("h", 10);
	struct timeval tv = {1, 2};
	struct timespec ts = {1, 2};
	pmAtomValue atom;

	pmdaEventNewClient(1);
	assert_int_equal(pmdaEventNewHighResQueue("n", 10), -EEXIST);
	assert_int_equal(pmdaEventQueueAppend(highres, &tv, 1, &tv), -EINVAL);
	assert_int_equal(pmdaEventHighResQueueAppend(normal, &ts, 1, &ts), -EINVAL);
	assert_int_equal(pmdaEventQueueRecords(highres, &atom, 1, decode_normal, NULL), -EINVAL);
	assert_int_equal(pmdaEventHighResQueueRecords(normal, &atom, 1, decode_highres, NULL),
			 -EINVAL);
	assert_int_equal(pmdaEventQueueRecords(normal, &atom, 1, NULL, NULL), -EINVAL);
	pmdaEventEndClient(1);
	pmdaEventQueueShutdown(normal);
	pmdaEventQueueShutdown(highres);
}

/* Making queues and clients without memory changes nothing. */
static uint64_t dropped(int queue)
{
	pmAtomValue atom = {.ull = 99};

	assert_int_equal(pmdaEventQueueDropped(queue, &atom), 1);
	return atom.ull;
}

static int decode_nothing(int array, void *data, size_t size, struct timespec *stamp, void *arg)
{
	assert_int_equal(pmdaEventQueueRelease(*(int *)arg), -EBUSY);
	assert_int_equal(pmdaEventHighResQueueMissed(*(int *)arg, 1, stamp), -EBUSY);
	return pmdaEventAddHighResRecord(array, stamp, PM_EVENT_FLAG_POINT) < 0 ? -ENOMEM : 1;
}

static int take_from(int queue, int context, pmAtomValue *atom)
{
	assert_true(pmdaEventNewClient(context) >= 0);
	assert_int_equal(pmdaEventSetAccess(context, queue, 1), 0);
	return pmdaEventHighResQueueRecords(queue, atom, context, decode_nothing, &queue);
}

/* Events that never came to the queue are missed by those who are interested, and by no others. */
static void test_lost_on_the_way(void **state)
{
	int queue = pmdaEventNewHighResQueue("lossy", 100);
	struct timespec stamp = {7, 8};
	const pmHighResEventRecord *r;
	pmHighResEventArray *array;
	pmAtomValue atom;

	assert_int_equal(pmdaEventHighResQueueMissed(queue, 3, &stamp), 0); /* there is no client */
	assert_int_equal(dropped(queue), 0);
	assert_int_equal(take_from(queue, 1, &atom), 0);
	assert_int_equal(pmdaEventHighResQueueAppend(queue, "x", 1, &stamp), 0);
	stamp.tv_sec = 9;
	assert_int_equal(pmdaEventHighResQueueMissed(queue, 5, &stamp), 0);
	assert_int_equal(pmdaEventHighResQueueMissed(queue, 0, &stamp), 0);
	assert_int_equal(take_from(queue, 2, &atom), 0); /* begins after them */
	assert_int_equal(dropped(queue), 5);
	pmdaEventQueueCounter(queue, &atom);
	assert_int_equal(atom.ul, 9);
	assert_int_equal(take_from(queue, 1, &atom), 1);
	array = (pmHighResEventArray *)atom.vbp;
	assert_int_equal(array->ea_nrecords, 2);
	r = (const pmHighResEventRecord *)(const void *)array->ea_record;
	assert_true((unsigned int)r->er_flags == PM_EVENT_FLAG_MISSED);
	assert_int_equal(r->er_nparams, 5);
	assert_int_equal(r->er_timestamp.tv_sec, 9);
	assert_int_equal(take_from(queue, 1, &atom), 0);
	assert_int_equal(take_from(queue, 2, &atom), 0);
	for (int i = 0; i < 13; i++) /* of which 10 have room */
		assert_int_equal(pmdaEventHighResQueueAppend(queue, "0123456789", 10, &stamp), 0);
	assert_int_equal(dropped(queue), 8);
	assert_int_equal(pmdaEventHighResQueueAppend(queue, &stamp, 101, &stamp), 0);
	assert_int_equal(dropped(queue), 9);
	pmdaEventEndClient(1);
	pmdaEventEndClient(2);
	assert_int_equal(pmdaEventQueueShutdown(queue), 0);
	assert_int_equal(pmdaEventQueueDropped(queue, &atom), -EINVAL);
	assert_int_equal(pmdaEventHighResQueueMissed(queue, 1, &stamp), -EINVAL);
}

static uint64_t held(int queue)
{
	pmAtomValue atom = {.ull = 0};

	assert_int_equal(pmdaEventQueueHeld(queue, &atom), 1);
	return atom.ull;
}

static int decode_and_trim(int array, void *data, size_t size, struct timespec *stamp, void *arg)
{
	pmAtomValue atom = {.ull = 1};

	assert_int_equal(pmdaEventQueueTrim(*(int *)arg), -EBUSY);
	return pmdaEventAddHighResRecord(array, stamp, PM_EVENT_FLAG_POINT) < 0 ||
		       pmdaEventAddHighResParam(array, 1, PM_TYPE_U64, &atom) < 0
		   ? -ENOMEM
		   : 1;
}

static int records_of(int queue, int context)
{
	pmAtomValue atom;
	int r = pmdaEventHighResQueueRecords(queue, &atom, context, decode_and_trim, &queue);

	assert_true(r >= 0);
	return r == 0 ? 0 : ((pmHighResEventArray *)(void *)atom.vbp)->ea_nrecords;
}

/* All memory is reported; only data that can be made again is freed. */
static void test_trim(void **state)
{
	enum { EVENTS = 20000, SIZE = 16 };
	int queue = pmdaEventNewHighResQueue("trimmed", EVENTS * SIZE);
	struct timespec stamp = {7, 8};
	uint64_t small, full;

	pmdaEventNewClient(1);
	pmdaEventNewClient(2);
	pmdaEventSetAccess(1, queue, 1);
	pmdaEventSetAccess(2, queue, 1);
	assert_int_equal(pmdaEventQueueShare(queue), 0);
	assert_int_equal(records_of(queue, 1) + records_of(queue, 2), 0);
	small = held(queue);
	assert_in_range(small, 1, 4096);
	for (int i = 0; i < EVENTS; i++)
		assert_int_equal(
		    pmdaEventHighResQueueAppend(queue, "0123456789abcdef", SIZE, &stamp), 0);
	full = held(queue);
	assert_in_range(full, EVENTS * (SIZE + 32), EVENTS * (SIZE + 128));
	assert_int_equal(records_of(queue, 1), EVENTS);
	assert_in_range(held(queue) - full, EVENTS * 40, EVENTS * 80); /* the records */
	assert_int_equal(pmdaEventQueueTrim(queue), 0);
	assert_in_range(held(queue), EVENTS * (SIZE + 32), full + 1024);
	assert_int_equal(pmdaEventHighResQueueAppend(queue, "x", 1, &stamp),
			 0); /* for which one goes */
	assert_int_equal(records_of(queue, 1), 1);
	assert_int_equal(records_of(queue, 2), EVENTS + 1);
	assert_int_equal(pmdaEventQueueTrim(queue), 0);
	assert_in_range(held(queue), 1, small);
	assert_int_equal(pmdaEventHighResQueueAppend(queue, "x", 1, &stamp), 0);
	assert_int_equal(records_of(queue, 2) + records_of(queue, 1), 2);
	pmdaEventEndClient(1);
	pmdaEventEndClient(2);
	assert_int_equal(pmdaEventQueueShutdown(queue), 0);
	assert_int_equal(pmdaEventQueueTrim(queue), -EINVAL);
	assert_int_equal(pmdaEventQueueHeld(queue, &(pmAtomValue){.ull = 0}), -EINVAL);
}

/* A queue goes with all interest in it; the next one of its handle knows nothing of that. */
static void test_release(void **state)
{
	int queue = pmdaEventNewHighResQueue("gone", 100), again;
	struct timespec stamp = {7, 8};
	pmAtomValue atom;

	assert_int_equal(pmdaEventQueueShare(queue), 0);
	assert_int_equal(take_from(queue, 1, &atom) + take_from(queue, 2, &atom), 0);
	assert_int_equal(pmdaEventHighResQueueAppend(queue, "x", 1, &stamp), 0);
	assert_int_equal(take_from(queue, 2, &atom), 1);
	assert_int_equal(pmdaEventQueueShutdown(queue), 0); /* waits for the two */
	assert_int_equal(pmdaEventQueueHandle("gone"), queue);
	assert_int_equal(pmdaEventQueueRelease(queue), 0);
	assert_int_equal(pmdaEventQueueHandle("gone"), -ESRCH);
	assert_int_equal(pmdaEventQueueRelease(queue), -EINVAL);
	again = pmdaEventNewHighResQueue("gone", 100);
	assert_int_equal(again, queue);
	pmdaEventQueueClients(again, &atom);
	assert_int_equal(atom.ul, 0);
	pmdaEventEndClient(2);
	assert_int_equal(take_from(again, 1, &atom), 0);
	assert_int_equal(pmdaEventHighResQueueAppend(again, "x", 1, &stamp), 0);
	assert_int_equal(take_from(again, 1, &atom), 1);
	pmdaEventEndClient(1);
	assert_int_equal(pmdaEventQueueRelease(again), 0);
}

static void test_starved_making(void **state)
{
	pmAtomValue atom, before;
	int queue = -ENOMEM;

	pmdaEventClients(&before);
	for (long n = 0; queue == -ENOMEM; n++) {
		starve_left = n;
		queue = pmdaEventNewQueue("starved", 10);
		starve_left = -1;
		assert_int_equal(pmdaEventQueueHandle("starved"), queue >= 0 ? queue : -ESRCH);
	}
	assert_true(queue >= 0);
	for (int i = 0; i < 100; i++) {
		starve_left = 0;
		if (pmdaEventNewClient(i) == -ENOMEM) {
			starve_left = -1;
			assert_int_equal(pmdaEventSetAccess(i, queue, 1), -EINVAL);
			assert_true(pmdaEventNewClient(i) >= 0);
		}
		starve_left = -1;
	}
	pmdaEventClients(&atom);
	assert_int_equal(atom.ul, before.ul + 100);
	for (int i = 0; i < 100; i++)
		pmdaEventEndClient(i);
	pmdaEventQueueShutdown(queue);
}

/* A queue whose agent never sets access, one that refuses it, and one that grants it. */
static void test_no_access(void **state)
{
	static const struct {
		const char *name;
		int access; /* -1: never set */
		int records;
		int lines;
	} cases[] = {{"undecided", -1, 0, 1}, {"refused", 0, 0, 0}, {"granted", 1, 1, 0}};
	struct timespec stamp = {7, 8};
	pmAtomValue atom;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int queue = pmdaEventNewHighResQueue(cases[i].name, 100);

		captured_log_begin();
		for (int context = 1; context < 3; context++) {
			pmdaEventNewClient(context);
			if (cases[i].access >= 0)
				pmdaEventSetAccess(context, queue, cases[i].access);
			pmdaEventHighResQueueRecords(queue, &atom, context, decode_nothing, &queue);
		}
		for (int n = 0; n < 10; n++) {
			pmdaEventHighResQueueAppend(queue, "x", 1, &stamp);
			for (int context = 1; context < 3; context++)
				assert_int_equal(pmdaEventHighResQueueRecords(
						     queue, &atom, context, decode_nothing, &queue),
						 cases[i].records);
		}
		captured_log_end();
		assert_int_equal(captured_log_count(cases[i].name), cases[i].lines);
		assert_int_equal(captured_log_count("pmdaEventSetAccess"), cases[i].lines);
		pmdaEventEndClient(1);
		pmdaEventEndClient(2);
		pmdaEventQueueRelease(queue);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_starved_making),
	    cmocka_unit_test(test_lives),
	    cmocka_unit_test(test_lives_with_errors),
	    cmocka_unit_test(test_lives_starved),
	    cmocka_unit_test(test_long_arrays),
	    cmocka_unit_test(test_sizes_by_turns),
	    cmocka_unit_test(test_starved_first_event),
	    cmocka_unit_test(test_shared),
	    cmocka_unit_test(test_shutdown),
	    cmocka_unit_test(test_same_metric_twice),
	    cmocka_unit_test(test_call_backs_that_call),
	    cmocka_unit_test(test_resolutions_do_not_mix),
	    cmocka_unit_test(test_lost_on_the_way),
	    cmocka_unit_test(test_release),
	    cmocka_unit_test(test_no_access),
	    cmocka_unit_test(test_trim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
