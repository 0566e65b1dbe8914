/* test_list - the list of event types of a stream (docs/spec/posix-trace.md 10.11). */
#include "tool.h"

#define UNTOUCHED 0x5a5a5a5au
#define LIST_MAX  (TRACE_USER_EVENT_MAX + 100)

struct ids {
	trace_event_id_t at[LIST_MAX];
	size_t count;
};

/* The next id of the list, or false at its end. */
static bool next_id(trace_id_t trid, trace_event_id_t *ret_id)
{
	trace_event_id_t id = UNTOUCHED;
	int unavailable = -1;

	OK(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable));
	if (unavailable != 0) {
		EQ(id, UNTOUCHED);
		return false;
	}
	CHECK(id != UNTOUCHED);
	*ret_id = id;
	return true;
}

static void rest_of(trace_id_t trid, struct ids *ids)
{
	ids->count = 0;
	while (next_id(trid, &ids->at[ids->count])) {
		ids->count++;
		CHECK(ids->count < LIST_MAX);
	}
}

static size_t times(const struct ids *ids, trace_event_id_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < ids->count; i++)
		count += ids->at[i] == id;
	return count;
}

static const char *numbered(int n)
{
	static char name[24];

	snprintf(name, sizeof(name), "listed %d", n);
	return name;
}

static struct ids ids, again;

TEST(T_LIST_01)
{
	trace_id_t trid;

	for (int n = 0; n < 100; n++)
		tool_id(numbered(n));
	trid = STREAM();
	for (int n = 100; n < 200; n++)
		tool_id(numbered(n));
	trace_event_id_t by_trid;
	OK(posix_trace_trid_eventid_open(trid, "by the trid", &by_trid));
	tool_id(numbered(3)); /* opened again: still once */
	rest_of(trid, &ids);
	EQ(ids.count, 200 + 1 + 9);
	for (int n = 0; n < 200; n++)
		EQ(times(&ids, tool_id(numbered(n))), 1);
	EQ(times(&ids, by_trid), 1);
}

TEST(T_LIST_02)
{
	rest_of(STREAM(), &ids);
	EQ(ids.count, 9);
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		EQ(times(&ids, tool_predefined[i].id), 1);
}

TEST(T_LIST_03)
{
	trace_id_t trid = STREAM();

	for (int i = 0; i < 9; i++) {
		trace_event_id_t id;
		int unavailable = 4711;

		OK(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable));
		EQ(unavailable, 0);
	}
}

TEST(T_LIST_04)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = UNTOUCHED;
	int unavailable = 0;

	rest_of(trid, &ids);
	OK(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable));
	CHECK(unavailable != 0);
	EQ(id, UNTOUCHED);
}

TEST(T_LIST_05)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id;

	rest_of(trid, &ids);
	for (int i = 0; i < 20; i++)
		CHECK(!next_id(trid, &id));
}

TEST(T_LIST_06)
{
	trace_id_t trid = STREAM();

	tool_id("one of mine");
	rest_of(trid, &ids);
	OK(posix_trace_eventtypelist_rewind(trid));
	rest_of(trid, &again);
	EQ(again.count, ids.count);
	EQ(again.at[0], ids.at[0]);
	for (size_t i = 0; i < ids.count; i++)
		EQ(again.at[i], ids.at[i]);
}

TEST(T_LIST_07)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id;

	tool_id("one of mine");
	rest_of(trid, &ids);
	for (size_t stop = 0; stop <= ids.count; stop++) {
		OK(posix_trace_eventtypelist_rewind(trid));
		for (size_t i = 0; i < stop; i++)
			CHECK(next_id(trid, &id));
		OK(posix_trace_eventtypelist_rewind(trid));
		rest_of(trid, &again);
		EQ(again.count, ids.count);
		EQ(again.at[0], ids.at[0]);
	}
}

TEST(T_LIST_08)
{
	trace_id_t trid = tool_stale();
	trace_event_id_t id = UNTOUCHED;
	int unavailable;

	ERR(posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable), EINVAL);
	ERR(posix_trace_eventtypelist_rewind(trid), EINVAL);
	ERR(posix_trace_eventtypelist_rewind(0xdeadbeef), EINVAL);
	EQ(id, UNTOUCHED);
}

TEST(T_LIST_09)
{
	int fd = tool_log();
	trace_id_t trid, log;

	for (int n = 0; n < 50; n++)
		tool_id(numbered(n));
	trid = STREAM(.log = fd, .running = true);
	for (int n = 50; n < 300; n++)
		tool_id(numbered(n));
	tool_emit(tool_id(numbered(7)), 1); /* most are never recorded */
	OK(posix_trace_shutdown(trid));
	tool_id("after the shutdown");
	OK(posix_trace_open(fd, &log));
	rest_of(log, &ids);
	EQ(ids.count, 300 + 9);
	for (int n = 0; n < 300; n++) {
		char name[TRACE_EVENT_NAME_MAX + 1];

		EQ(times(&ids, tool_id(numbered(n))), 1);
		OK(posix_trace_eventid_get_name(log, tool_id(numbered(n)), name));
		CHECK(strcmp(name, numbered(n)) == 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		EQ(times(&ids, tool_predefined[i].id), 1);
	OK(posix_trace_eventtypelist_rewind(log));
	rest_of(log, &again);
	EQ(again.count, ids.count);
}

TEST(T_LIST_10)
{
	trace_id_t trid = STREAM();
	char name[TRACE_EVENT_NAME_MAX + 1];

	for (int n = 0; n < 40; n++)
		tool_id(numbered(n));
	rest_of(trid, &ids);
	EQ(ids.count, 49);
	for (size_t i = 0; i < ids.count; i++) {
		OK(posix_trace_eventid_get_name(trid, ids.at[i], name));
		EQ(tool_id(name), ids.at[i]);
	}
}

TEST(T_LIST_11)
{
	trace_id_t a = STREAM();
	trace_id_t b = STREAM();
	trace_event_id_t id;

	tool_id("one of mine");
	rest_of(a, &ids);
	rest_of(b, &again);
	EQ(again.count, ids.count);
	OK(posix_trace_eventtypelist_rewind(b));
	CHECK(!next_id(a, &id));
	CHECK(next_id(b, &id));
	EQ(id, again.at[0]);
	OK(posix_trace_eventtypelist_rewind(a));
	CHECK(next_id(b, &id));
	EQ(id, again.at[1]);
	CHECK(next_id(a, &id));
	EQ(id, ids.at[0]);
}
