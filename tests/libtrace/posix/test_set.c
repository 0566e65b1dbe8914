/* test_set - event sets (docs/spec/posix-trace.md 8). */
#include "tool.h"

static trace_event_set_t filled(int what)
{
	trace_event_set_t set;

	OK(posix_trace_eventset_fill(&set, what));
	return set;
}

static const size_t system_count = ARRAY_LEN(tool_predefined) - 1;

TEST(T_SET_01)
{
	trace_event_id_t user = tool_id("user");
	trace_event_set_t set;

	memset(&set, 0xff, sizeof(set));
	OK(posix_trace_eventset_empty(&set));
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		CHECK(!tool_member(&set, tool_predefined[i].id));
	CHECK(!tool_member(&set, user));
	CHECK(!tool_member(&set, user + 1));
}

TEST(T_SET_02)
{
	trace_event_set_t set;

	memset(&set, 0, sizeof(set));
	OK(posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS));
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		CHECK(tool_member(&set, tool_predefined[i].id));
	/* Ids that are assigned later too. */
	CHECK(tool_member(&set, tool_id("user")));
	CHECK(tool_member(&set, tool_id("and another")));
}

TEST(T_SET_03)
{
	trace_event_set_t set = filled(POSIX_TRACE_SYSTEM_EVENTS);

	for (size_t i = 0; i < system_count; i++)
		CHECK(tool_member(&set, tool_predefined[i].id));
	CHECK(!tool_member(&set, POSIX_TRACE_UNNAMED_USEREVENT));
	for (int n = 0; n < 100; n++) {
		char name[20];

		snprintf(name, sizeof(name), "user %d", n);
		CHECK(!tool_member(&set, tool_id(name)));
	}
}

TEST(T_SET_04)
{
	trace_event_id_t user = tool_id("user");
	trace_event_set_t set;

	memset(&set, 0xff, sizeof(set));
	OK(posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS));
	CHECK(!tool_member(&set, user));
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		CHECK(!tool_member(&set, tool_predefined[i].id));
}

TEST(T_SET_05)
{
	trace_event_set_t wopid = filled(POSIX_TRACE_WOPID_EVENTS);
	trace_event_set_t system = filled(POSIX_TRACE_SYSTEM_EVENTS);
	trace_event_set_t all = filled(POSIX_TRACE_ALL_EVENTS);
	size_t legal = 0;

	for (trace_event_id_t id = 0; id <= TRACE_USER_EVENT_MAX + 200; id++) {
		int in_wopid, in_system, in_all;

		if (posix_trace_eventset_ismember(id, &wopid, &in_wopid) != 0)
			continue;
		OK(posix_trace_eventset_ismember(id, &system, &in_system));
		OK(posix_trace_eventset_ismember(id, &all, &in_all));
		CHECK(!in_wopid || in_system);
		CHECK(!in_system || in_all);
		legal++;
	}
	CHECK(legal >= TRACE_USER_EVENT_MAX + system_count);
}

TEST(T_SET_06)
{
	static const int wrong[] = {0, -1, 4, 99, INT_MAX, INT_MIN};
	trace_event_set_t set = tool_set(1, tool_id("user"));
	trace_event_set_t before = set;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		ERR(posix_trace_eventset_fill(&set, wrong[i]), EINVAL);
		CHECK(tool_same_set(&set, &before));
	}
}

/* All kinds of types: of the system, unnamed, users', the last id there can be a name for. */
static trace_event_id_t some_ids[12];

static void open_some(void)
{
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		some_ids[i] = tool_predefined[i].id;
	some_ids[9] = tool_id("first");
	for (int n = 0; n < 130; n++) {
		char name[20];

		snprintf(name, sizeof(name), "between %d", n);
		some_ids[10] = tool_id(name);
	}
	some_ids[11] = tool_id("last");
}

TEST(T_SET_07)
{
	open_some();
	for (size_t i = 0; i < ARRAY_LEN(some_ids); i++) {
		trace_event_set_t set = tool_set(0);

		CHECK(!tool_member(&set, some_ids[i]));
		OK(posix_trace_eventset_add(some_ids[i], &set));
		CHECK(tool_member(&set, some_ids[i]));
	}
}

TEST(T_SET_08)
{
	open_some();
	for (size_t i = 0; i < ARRAY_LEN(some_ids); i++) {
		trace_event_set_t set = tool_set(2, some_ids[i], some_ids[0]);
		trace_event_set_t before = set;

		OK(posix_trace_eventset_add(some_ids[i], &set));
		CHECK(tool_same_set(&set, &before));
		CHECK(memcmp(&set, &before, sizeof(set)) == 0);
	}
}

TEST(T_SET_09)
{
	open_some();
	for (size_t i = 0; i < ARRAY_LEN(some_ids); i++) {
		trace_event_set_t set = filled(POSIX_TRACE_ALL_EVENTS);

		OK(posix_trace_eventset_del(some_ids[i], &set));
		CHECK(!tool_member(&set, some_ids[i]));
	}
}

TEST(T_SET_10)
{
	open_some();
	for (size_t i = 0; i < ARRAY_LEN(some_ids); i++) {
		trace_event_set_t set = tool_set(1, some_ids[(i + 1) % ARRAY_LEN(some_ids)]);
		trace_event_set_t before = set;

		OK(posix_trace_eventset_del(some_ids[i], &set));
		CHECK(tool_same_set(&set, &before));
	}
}

/* Two sets differ in this type and in nothing else. */
static void differ_in(const trace_event_set_t *a, const trace_event_set_t *b, trace_event_id_t id)
{
	trace_event_set_t with = *a;
	trace_event_set_t without = *b;

	CHECK(tool_member(a, id) && !tool_member(b, id));
	OK(posix_trace_eventset_add(id, &without));
	CHECK(tool_same_set(&with, &without));
}

TEST(T_SET_11)
{
	open_some();
	for (size_t i = 0; i < ARRAY_LEN(some_ids); i++) {
		trace_event_set_t empty = tool_set(0);
		trace_event_set_t one = tool_set(1, some_ids[i]);
		trace_event_set_t all = filled(POSIX_TRACE_ALL_EVENTS);
		trace_event_set_t less = all;

		differ_in(&one, &empty, some_ids[i]);
		OK(posix_trace_eventset_del(some_ids[i], &less));
		differ_in(&all, &less, some_ids[i]);
		for (size_t k = 0; k < ARRAY_LEN(some_ids); k++) {
			EQ(tool_member(&one, some_ids[k]), k == i);
			EQ(tool_member(&less, some_ids[k]), k != i);
		}
	}
}

TEST(T_SET_12)
{
	trace_event_id_t user = tool_id("user");
	trace_event_set_t set = tool_set(2, user, (trace_event_id_t)POSIX_TRACE_STOP);
	trace_event_set_t assigned = set;
	trace_event_set_t copied;

	memcpy(&copied, &set, sizeof(copied));
	OK(posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS));
	CHECK(tool_same_set(&assigned, &copied));
	CHECK(tool_member(&assigned, user) && tool_member(&assigned, POSIX_TRACE_STOP));
	CHECK(!tool_member(&assigned, POSIX_TRACE_START));
	/* A copy is good as a filter. */
	trace_id_t trid = STREAM();
	OK(posix_trace_set_filter(trid, &copied, POSIX_TRACE_SET_EVENTSET));
	OK(posix_trace_get_filter(trid, &set));
	CHECK(tool_same_set(&set, &assigned));
}

TEST(T_SET_13)
{
	trace_event_id_t user = tool_id("user");
	trace_event_set_t set = tool_set(1, user);
	int member = 4711;

	OK(posix_trace_eventset_ismember(POSIX_TRACE_START, &set, &member));
	EQ(member, 0);
	member = 0;
	OK(posix_trace_eventset_ismember(user, &set, &member));
	CHECK(member != 0);
	/* An id that no type can have is refused, by all three, and changes nothing. */
	trace_event_set_t before = set;
	ERR(posix_trace_eventset_add(0xffffffffu, &set), EINVAL);
	ERR(posix_trace_eventset_del(0xffffffffu, &set), EINVAL);
	ERR(posix_trace_eventset_ismember(0xffffffffu, &set, &member), EINVAL);
	CHECK(memcmp(&set, &before, sizeof(set)) == 0);
}
