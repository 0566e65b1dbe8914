/* test_name - names and ids of event types (docs/spec/posix-trace.md 7, 10.9, 10.10). */
#include "tool.h"

#define UNTOUCHED 0x5a5a5a5au
#define NAMES     (TRACE_USER_EVENT_MAX - 1) /* beside the unnamed event */

/* A name of this many bytes. */
static const char *name_of(size_t len, char last)
{
	static char names[4][TRACE_EVENT_NAME_MAX + 100];
	static int turn;
	char *name = names[turn++ % 4];

	for (size_t i = 0; i < len; i++)
		name[i] = (char)('a' + i % 26);
	name[len] = '\0';
	if (len > 0)
		name[len - 1] = last;
	return name;
}

static const char *numbered(int n)
{
	static char name[24];

	snprintf(name, sizeof(name), "event %d", n);
	return name;
}

static void named(trace_id_t trid, trace_event_id_t id, const char *should)
{
	char name[TRACE_EVENT_NAME_MAX + 1 + 8];

	memset(name, 0x5a, sizeof(name));
	OK(posix_trace_eventid_get_name(trid, id, name));
	if (strcmp(name, should) != 0)
		FAIL("%u is named %s, not %s", id, name, should);
	for (size_t i = TRACE_EVENT_NAME_MAX + 1; i < sizeof(name); i++)
		EQ(name[i], 0x5a);
}

static trace_event_id_t by_trid(trace_id_t trid, const char *name)
{
	trace_event_id_t id = UNTOUCHED;

	OK(posix_trace_trid_eventid_open(trid, name, &id));
	return id;
}

TEST(T_NAME_01)
{
	trace_event_id_t id = UNTOUCHED;

	OK(posix_trace_eventid_open("new", &id));
	CHECK(id != UNTOUCHED);
	OK(posix_trace_eventid_open("", &id)); /* a valid name */
	named(STREAM(), id, "");
}

TEST(T_NAME_02)
{
	trace_event_id_t id = tool_id("twice");

	tool_id("between");
	EQ(tool_id("twice"), id);
	trace_id_t trid = STREAM();
	EQ(tool_id("twice"), id);
	OK(posix_trace_shutdown(trid));
	EQ(tool_id("twice"), id);
}

TEST(T_NAME_03)
{
	static const char *const names[] = {"a", "b", "A", "a ", " a", "", "ab", "\xc3\xa4"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		for (size_t k = 0; k < i; k++)
			CHECK(tool_id(names[i]) != tool_id(names[k]));
}

TEST(T_NAME_04)
{
	for (int n = 0; n < 100; n++)
		for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
			CHECK(tool_id(numbered(n)) != tool_predefined[i].id);
	/* A predefined name is its predefined id, and no other. */
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		EQ(tool_id(tool_predefined[i].name), tool_predefined[i].id);
}

TEST(T_NAME_05)
{
	trace_event_id_t x = tool_id(name_of(TRACE_EVENT_NAME_MAX, 'X'));
	trace_event_id_t y = tool_id(name_of(TRACE_EVENT_NAME_MAX, 'Y'));
	trace_id_t trid = STREAM();

	CHECK(x != y);
	named(trid, x, name_of(TRACE_EVENT_NAME_MAX, 'X'));
	named(trid, y, name_of(TRACE_EVENT_NAME_MAX, 'Y'));
	EQ(by_trid(trid, name_of(TRACE_EVENT_NAME_MAX, 'X')), x);
}

TEST(T_NAME_06)
{
	trace_event_id_t id = UNTOUCHED;

	ERR(posix_trace_eventid_open(name_of(TRACE_EVENT_NAME_MAX + 1, 'X'), &id), ENAMETOOLONG);
	ERR(posix_trace_eventid_open(name_of(TRACE_EVENT_NAME_MAX + 90, 'X'), &id), ENAMETOOLONG);
	EQ(id, UNTOUCHED);
}

TEST(T_NAME_07)
{
	trace_event_id_t id = UNTOUCHED;
	trace_id_t trid = STREAM();

	ERR(posix_trace_trid_eventid_open(trid, name_of(TRACE_EVENT_NAME_MAX + 1, 'X'), &id),
	    ENAMETOOLONG);
	ERR(posix_trace_trid_eventid_open(trid, name_of(TRACE_EVENT_NAME_MAX + 90, 'X'), &id),
	    ENAMETOOLONG);
	EQ(id, UNTOUCHED);
}

/* Opens all names there may be; gives their ids. */
static trace_event_id_t *open_all(void)
{
	static trace_event_id_t ids[NAMES];

	for (int n = 0; n < NAMES; n++)
		ids[n] = tool_id(numbered(n));
	return ids;
}

TEST(T_NAME_08)
{
	trace_event_id_t id;
	trace_id_t trid = STREAM();

	for (int i = 0; i < 100; i++) {
		ERR(posix_trace_eventid_open(name_of(TRACE_EVENT_NAME_MAX + 1, 'X'), &id),
		    ENAMETOOLONG);
		ERR(posix_trace_trid_eventid_open(trid, name_of(TRACE_EVENT_NAME_MAX + 1, 'X'),
						  &id),
		    ENAMETOOLONG);
	}
	CHECK(open_all()[NAMES - 1] != POSIX_TRACE_UNNAMED_USEREVENT);
	EQ(tool_id("one too many"), POSIX_TRACE_UNNAMED_USEREVENT);
}

static int by_value(const void *a, const void *b)
{
	trace_event_id_t x = *(const trace_event_id_t *)a;
	trace_event_id_t y = *(const trace_event_id_t *)b;

	return x < y ? -1 : x > y;
}

TEST(T_NAME_09)
{
	trace_event_id_t *ids;

	/* Predefined names count for nothing. */
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		tool_id(tool_predefined[i].name);
	ids = open_all();
	qsort(ids, NAMES, sizeof(*ids), by_value);
	for (int n = 0; n < NAMES; n++) {
		CHECK(ids[n] != POSIX_TRACE_UNNAMED_USEREVENT);
		CHECK(n == 0 || ids[n] != ids[n - 1]);
	}
}

TEST(T_NAME_10)
{
	open_all();
	EQ(tool_id("one too many"), POSIX_TRACE_UNNAMED_USEREVENT);
	EQ(tool_id("two too many"), POSIX_TRACE_UNNAMED_USEREVENT);
}

TEST(T_NAME_11)
{
	trace_event_id_t first = tool_id(numbered(0));
	trace_event_id_t *ids = open_all();
	trace_id_t trid;

	EQ(ids[0], first);
	tool_id("one too many");
	trid = STREAM();
	for (int n = 0; n < NAMES; n++) {
		EQ(tool_id(numbered(n)), ids[n]);
		named(trid, ids[n], numbered(n));
	}
	/* The last id works like the first. */
	OK(posix_trace_start(trid));
	tool_emit(ids[NAMES - 1], 1);
	struct events events = tool_drain(trid);
	EQ(tool_count(&events, ids[NAMES - 1]), 1);
}

TEST(T_NAME_12)
{
	trace_id_t trid = STREAM();
	trace_event_id_t *ids = open_all();

	EQ(by_trid(trid, "one too many"), POSIX_TRACE_UNNAMED_USEREVENT);
	EQ(by_trid(trid, numbered(17)), ids[17]);
}

TEST(T_NAME_13)
{
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_id_t trids[] = {STREAM(), tool_prerecorded(NULL)};

	for (size_t i = 0; i < ARRAY_LEN(trids); i++) {
		CHECK(posix_trace_eventid_equal(trids[i], a, a) != 0);
		EQ(posix_trace_eventid_equal(trids[i], a, b), 0);
		EQ(posix_trace_eventid_equal(trids[i], POSIX_TRACE_START, POSIX_TRACE_STOP), 0);
		CHECK(posix_trace_eventid_equal(trids[i], POSIX_TRACE_START, POSIX_TRACE_START) !=
		      0);
		EQ(posix_trace_eventid_equal(trids[i], POSIX_TRACE_UNNAMED_USEREVENT, a), 0);
	}
}

TEST(T_NAME_14)
{
	static const char *const names[] = {"x", "an event", "with\nnewline", "", "\xff\x01"};
	trace_id_t trid = STREAM();

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		named(trid, tool_id(names[i]), names[i]);
}

TEST(T_NAME_15)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("stable");

	for (int n = 0; n < 200; n++) {
		named(trid, id, "stable");
		tool_id(numbered(n));
	}
	OK(posix_trace_start(trid));
	tool_emit(id, 1);
	named(trid, id, "stable");
	OK(posix_trace_stop(trid));
	named(trid, id, "stable");
}

TEST(T_NAME_16)
{
	trace_id_t trids[] = {STREAM(), tool_prerecorded(NULL)};

	for (size_t k = 0; k < ARRAY_LEN(trids); k++)
		for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
			named(trids[k], tool_predefined[i].id, tool_predefined[i].name);
}

TEST(T_NAME_17)
{
	trace_event_id_t known = tool_id("known");
	trace_event_id_t unknown[] = {0,     known + 1, known + 50, 4104,        4105,
				      65536, 999999,    0x7fffffff, 0x80000000u, 0xffffffffu};
	char name[TRACE_EVENT_NAME_MAX + 1] = "untouched";
	trace_id_t trid = STREAM();

	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		ERR(posix_trace_eventid_get_name(trid, unknown[i], name), EINVAL);
	named(trid, known, "known");
}

TEST(T_NAME_18)
{
	trace_id_t trid = tool_stale();
	char name[TRACE_EVENT_NAME_MAX + 1];

	ERR(posix_trace_eventid_get_name(trid, POSIX_TRACE_START, name), EINVAL);
	ERR(posix_trace_eventid_get_name(trid, tool_id("known"), name), EINVAL);
}

TEST(T_NAME_19)
{
	trace_event_id_t id = tool_id("before");

	named(STREAM(), id, "before");
}

TEST(T_NAME_20)
{
	trace_id_t trid = STREAM();

	named(trid, tool_id("after"), "after");
	OK(posix_trace_start(trid));
	named(trid, tool_id("while running"), "while running");
}

TEST(T_NAME_21)
{
	trace_event_id_t before = tool_id("first by the process");
	trace_id_t trid = STREAM();
	trace_event_id_t id;

	EQ(by_trid(trid, "first by the process"), before);
	id = by_trid(trid, "first by the trid");
	EQ(tool_id("first by the trid"), id);
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		EQ(by_trid(trid, tool_predefined[i].name), tool_predefined[i].id);
	/* And it can be recorded. */
	OK(posix_trace_start(trid));
	tool_emit(id, 1);
	struct events events = tool_drain(trid);
	EQ(tool_count(&events, id), 1);
}

TEST(T_NAME_22)
{
	trace_id_t a = STREAM();
	trace_id_t b = STREAM();

	EQ(by_trid(a, "shared"), by_trid(b, "shared"));
	EQ(by_trid(b, "other"), by_trid(a, "other"));
	CHECK(by_trid(a, "shared") != by_trid(b, "other"));
}

TEST(T_NAME_23)
{
	trace_event_id_t id = UNTOUCHED;

	ERR(posix_trace_trid_eventid_open(tool_stale(), "name", &id), EINVAL);
	ERR(posix_trace_trid_eventid_open(0xdeadbeef, "name", &id), EINVAL);
	EQ(id, UNTOUCHED);
}

TEST(T_NAME_24)
{
	trace_event_id_t id = UNTOUCHED;

	ERR(posix_trace_trid_eventid_open(tool_prerecorded(NULL), "name", &id), EINVAL);
	EQ(id, UNTOUCHED);
}

struct told {
	struct gate go, done;
	trace_event_id_t id, own;
};

static void open_when_told(void *arg)
{
	struct told *told = arg;

	told->own = tool_id("of the target alone");
	tool_gate_open(told->done);
	tool_gate_wait(told->go);
	told->id = tool_id("of the controller");
	tool_gate_open(told->done);
	tool_gate_wait(told->go);
}

TEST(T_NAME_25)
{
	struct told *told = tool_shared(sizeof(*told));
	trace_event_id_t id;
	trace_id_t trid;
	pid_t pid;

	told->go = tool_gate();
	told->done = tool_gate();
	/* The controller's own names are another family's. */
	for (int n = 0; n < 10; n++)
		tool_id(numbered(n));
	pid = tool_fork(open_when_told, told);
	tool_gate_wait(told->done);
	trid = STREAM(.pid = pid);
	id = by_trid(trid, "of the controller");
	tool_gate_open(told->go);
	tool_gate_wait(told->done);
	EQ(told->id, id);
	named(trid, id, "of the controller");
	named(trid, told->own, "of the target alone");
	EQ(by_trid(trid, "of the target alone"), told->own);
	tool_gate_open(told->go);
	runner_reap(pid);
}

/* The bytes that name_of() adds to a longer name. */
#define PREFIX_LAST ((char)('a' + (TRACE_EVENT_NAME_MAX - 2) % 26))

TEST(T_NAME_26)
{
	trace_id_t trid = STREAM();
	trace_event_id_t longer = tool_id("prefix and more");
	trace_event_id_t shorter = tool_id("prefix");
	trace_event_id_t full = tool_id(name_of(TRACE_EVENT_NAME_MAX, 'X'));
	trace_event_id_t nearly = tool_id(name_of(TRACE_EVENT_NAME_MAX - 1, PREFIX_LAST));

	CHECK(longer != shorter);
	CHECK(full != nearly);
	EQ(by_trid(trid, "prefix"), shorter);
	named(trid, longer, "prefix and more");
	named(trid, shorter, "prefix");
}
