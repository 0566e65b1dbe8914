/* test_attr - attribute objects (docs/spec/posix-trace.md 4, 10.1). */
#include "tool.h"

static trace_attr_t fresh(void)
{
	trace_attr_t attr;

	OK(posix_trace_attr_init(&attr));
	return attr;
}

static int inherited(const trace_attr_t *attr)
{
	int policy = -1;

	OK(posix_trace_attr_getinherited(attr, &policy));
	return policy;
}

static int stream_policy(const trace_attr_t *attr)
{
	int policy = -1;

	OK(posix_trace_attr_getstreamfullpolicy(attr, &policy));
	return policy;
}

static int log_policy(const trace_attr_t *attr)
{
	int policy = -1;

	OK(posix_trace_attr_getlogfullpolicy(attr, &policy));
	return policy;
}

static size_t stream_size(const trace_attr_t *attr)
{
	size_t size = 0;

	OK(posix_trace_attr_getstreamsize(attr, &size));
	return size;
}

static size_t log_size(const trace_attr_t *attr)
{
	size_t size = 0;

	OK(posix_trace_attr_getlogsize(attr, &size));
	return size;
}

static size_t data_size(const trace_attr_t *attr)
{
	size_t size = 0;

	OK(posix_trace_attr_getmaxdatasize(attr, &size));
	return size;
}

static size_t user_event_size(const trace_attr_t *attr, size_t len)
{
	size_t size = 0;

	OK(posix_trace_attr_getmaxusereventsize(attr, len, &size));
	return size;
}

TEST(T_ATTR_01)
{
	trace_attr_t attr;

	memset(&attr, 0xff, sizeof(attr));
	OK(posix_trace_attr_init(&attr));
	OK(posix_trace_attr_init(&attr)); /* harmless */
}

TEST(T_ATTR_02)
{
	trace_attr_t attr = fresh();

	OK(posix_trace_attr_destroy(&attr));
}

TEST(T_ATTR_03)
{
	trace_attr_t attr = fresh();

	OK(posix_trace_attr_setname(&attr, "first life"));
	OK(posix_trace_attr_destroy(&attr));
	OK(posix_trace_attr_init(&attr));
	char name[TRACE_NAME_MAX];
	OK(posix_trace_attr_getname(&attr, name));
	EQ(strlen(name), 0);
	OK(posix_trace_attr_destroy(&attr));
}

TEST(T_ATTR_04)
{
	trace_attr_t attr = fresh();

	EQ(inherited(&attr), POSIX_TRACE_CLOSE_FOR_CHILD);
}

TEST(T_ATTR_05)
{
	trace_attr_t attr = fresh();

	EQ(stream_policy(&attr), POSIX_TRACE_LOOP);
}

TEST(T_ATTR_06)
{
	trace_attr_t attr = fresh();

	EQ(log_policy(&attr), POSIX_TRACE_LOOP);
}

TEST(T_ATTR_07)
{
	trace_attr_t attr = fresh();
	char name[TRACE_NAME_MAX];

	memset(name, 'x', sizeof(name));
	OK(posix_trace_attr_getname(&attr, name));
	EQ(name[0], '\0');
}

TEST(T_ATTR_08)
{
	trace_attr_t attr = fresh();
	char version[TRACE_NAME_MAX];

	memset(version, 'x', sizeof(version));
	OK(posix_trace_attr_getgenversion(&attr, version));
	CHECK(memchr(version, '\0', sizeof(version)) != NULL);
	CHECK(version[0] != '\0');
}

TEST(T_ATTR_09)
{
	trace_attr_t attr = fresh();
	struct timespec resolution = {-1, -1};

	OK(posix_trace_attr_getclockres(&attr, &resolution));
	EQ(resolution.tv_sec, 0);
	CHECK(resolution.tv_nsec > 0 && resolution.tv_nsec <= 1000);
}

TEST(T_ATTR_10)
{
	trace_attr_t attr = fresh();

	/* The resolved minima (section 4), which are positive. */
	CHECK(stream_size(&attr) >= 64 * KIB);
	CHECK(data_size(&attr) >= 256);
	CHECK(log_size(&attr) >= MIB);
}

static void name_round_trip(const char *name)
{
	trace_attr_t attr = fresh();
	char back[TRACE_NAME_MAX];

	OK(posix_trace_attr_setname(&attr, name));
	OK(posix_trace_attr_getname(&attr, back));
	CHECK(strcmp(back, name) == 0);
}

TEST(T_ATTR_11)
{
	name_round_trip("short");
	name_round_trip("a");
	name_round_trip("");
	name_round_trip("with spaces, \xc3\xa4 and \x01");
}

TEST(T_ATTR_12)
{
	char name[TRACE_NAME_MAX];

	memset(name, 'n', sizeof(name));
	name[TRACE_NAME_MAX - 1] = '\0';
	name[TRACE_NAME_MAX - 2] = 'e';
	name_round_trip(name);
}

TEST(T_ATTR_13)
{
	static const size_t lengths[] = {TRACE_NAME_MAX, TRACE_NAME_MAX + 1, 1000};

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		trace_attr_t attr = fresh();
		char name[1001];
		char back[TRACE_NAME_MAX];

		for (size_t k = 0; k < lengths[i]; k++)
			name[k] = (char)('a' + k % 26);
		name[lengths[i]] = '\0';
		OK(posix_trace_attr_setname(&attr, name));
		OK(posix_trace_attr_getname(&attr, back));
		EQ(strlen(back), TRACE_NAME_MAX - 1);
		CHECK(memcmp(back, name, TRACE_NAME_MAX - 1) == 0);
	}
}

static void writes_no_further(int (*get)(const trace_attr_t *, char *), const trace_attr_t *attr)
{
	char room[TRACE_NAME_MAX + 64];

	memset(room, 0x5a, sizeof(room));
	OK(get(attr, room));
	CHECK(memchr(room, '\0', TRACE_NAME_MAX) != NULL);
	for (size_t i = TRACE_NAME_MAX; i < sizeof(room); i++)
		EQ(room[i], 0x5a);
}

TEST(T_ATTR_14)
{
	trace_attr_t attr = fresh();
	char name[200];

	writes_no_further(posix_trace_attr_getname, &attr);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	OK(posix_trace_attr_setname(&attr, name));
	writes_no_further(posix_trace_attr_getname, &attr);
}

TEST(T_ATTR_15)
{
	trace_attr_t attr = fresh();
	trace_id_t trid = STREAM();

	writes_no_further(posix_trace_attr_getgenversion, &attr);
	OK(posix_trace_get_attr(trid, &attr));
	writes_no_further(posix_trace_attr_getgenversion, &attr);
}

TEST(T_ATTR_16)
{
	trace_attr_t attr = fresh();

	OK(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED));
	EQ(inherited(&attr), POSIX_TRACE_INHERITED);
	OK(posix_trace_attr_setinherited(&attr, POSIX_TRACE_CLOSE_FOR_CHILD));
	EQ(inherited(&attr), POSIX_TRACE_CLOSE_FOR_CHILD);
}

static const int garbage[] = {-1, 0x40000000, 77, INT_MIN, INT_MAX};

static void refused(int (*set)(trace_attr_t *, int), int (*get)(const trace_attr_t *), int was,
		    int value)
{
	trace_attr_t attr = fresh();
	trace_attr_t before;

	OK(set(&attr, was));
	before = attr;
	ERR(set(&attr, value), EINVAL);
	EQ(get(&attr), was);
	CHECK(memcmp(&attr, &before, sizeof(attr)) == 0);
}

TEST(T_ATTR_17)
{
	for (size_t i = 0; i < ARRAY_LEN(garbage); i++) {
		refused(posix_trace_attr_setinherited, inherited, POSIX_TRACE_INHERITED,
			garbage[i]);
		refused(posix_trace_attr_setinherited, inherited, POSIX_TRACE_CLOSE_FOR_CHILD,
			garbage[i]);
	}
}

static void round_trip(int (*set)(trace_attr_t *, int), int (*get)(const trace_attr_t *),
		       const int *values, size_t count)
{
	trace_attr_t attr = fresh();

	for (size_t i = 0; i < 2 * count; i++) {
		OK(set(&attr, values[i % count]));
		EQ(get(&attr), values[i % count]);
	}
}

TEST(T_ATTR_18)
{
	static const int values[] = {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP, POSIX_TRACE_FLUSH};

	round_trip(posix_trace_attr_setstreamfullpolicy, stream_policy, values, 3);
}

TEST(T_ATTR_19)
{
	refused(posix_trace_attr_setstreamfullpolicy, stream_policy, POSIX_TRACE_UNTIL_FULL,
		POSIX_TRACE_APPEND);
	for (size_t i = 0; i < ARRAY_LEN(garbage); i++)
		refused(posix_trace_attr_setstreamfullpolicy, stream_policy, POSIX_TRACE_FLUSH,
			garbage[i]);
}

TEST(T_ATTR_20)
{
	static const int values[] = {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND};

	round_trip(posix_trace_attr_setlogfullpolicy, log_policy, values, 3);
}

TEST(T_ATTR_21)
{
	refused(posix_trace_attr_setlogfullpolicy, log_policy, POSIX_TRACE_APPEND,
		POSIX_TRACE_FLUSH);
	for (size_t i = 0; i < ARRAY_LEN(garbage); i++)
		refused(posix_trace_attr_setlogfullpolicy, log_policy, POSIX_TRACE_UNTIL_FULL,
			garbage[i]);
}

/* Sizes are judged when a stream is made, so any value comes back. */
static const size_t sizes[] = {1, 0, 4095, 65536, 1000003, SIZE_MAX / 2, SIZE_MAX};

static void size_round_trip(int (*set)(trace_attr_t *, size_t), size_t (*get)(const trace_attr_t *))
{
	trace_attr_t attr = fresh();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		OK(set(&attr, sizes[i]));
		CHECK(get(&attr) == sizes[i]);
	}
}

TEST(T_ATTR_22)
{
	size_round_trip(posix_trace_attr_setstreamsize, stream_size);
}

TEST(T_ATTR_23)
{
	size_round_trip(posix_trace_attr_setlogsize, log_size);
}

TEST(T_ATTR_24)
{
	size_round_trip(posix_trace_attr_setmaxdatasize, data_size);
}

TEST(T_ATTR_25)
{
	trace_attr_t attr = fresh();
	size_t size = 0;

	OK(posix_trace_attr_getmaxsystemeventsize(&attr, &size));
	CHECK(size >= 2 * sizeof(trace_event_set_t));
}

static const size_t data_maxima[] = {0, 1, 100, 256, 4096, 60000};

TEST(T_ATTR_26)
{
	trace_attr_t attr = fresh();

	for (size_t i = 0; i < ARRAY_LEN(data_maxima); i++) {
		size_t max = data_maxima[i];

		OK(posix_trace_attr_setmaxdatasize(&attr, max));
		for (size_t n = 0; n < 70000; n += n / 8 + 1) {
			size_t size = user_event_size(&attr, n);

			CHECK(size > 0);
			CHECK(size >= (n < max ? n : max));
		}
	}
}

TEST(T_ATTR_27)
{
	trace_attr_t attr = fresh();

	for (size_t i = 0; i < ARRAY_LEN(data_maxima); i++) {
		size_t last = 0;

		OK(posix_trace_attr_setmaxdatasize(&attr, data_maxima[i]));
		for (size_t n = 0; n < 5000; n++) {
			size_t size = user_event_size(&attr, n);

			CHECK(size >= last);
			last = size;
		}
	}
}

TEST(T_ATTR_28)
{
	trace_attr_t attr = fresh();

	for (size_t i = 0; i < ARRAY_LEN(data_maxima); i++) {
		size_t max = data_maxima[i];

		OK(posix_trace_attr_setmaxdatasize(&attr, max));
		EQ(user_event_size(&attr, max + 1), user_event_size(&attr, max));
		EQ(user_event_size(&attr, 10 * max + 7), user_event_size(&attr, max));
		EQ(user_event_size(&attr, SIZE_MAX), user_event_size(&attr, max));
	}
}

struct values {
	char name[TRACE_NAME_MAX], version[TRACE_NAME_MAX];
	struct timespec created, resolution;
	long ints[3];
	size_t sizes[3];
};

static struct values values_of(const trace_attr_t *attr)
{
	struct values v;

	memset(&v, 0, sizeof(v));
	OK(posix_trace_attr_getname(attr, v.name));
	OK(posix_trace_attr_getgenversion(attr, v.version));
	OK(posix_trace_attr_getcreatetime(attr, &v.created));
	OK(posix_trace_attr_getclockres(attr, &v.resolution));
	v.ints[0] = inherited(attr);
	v.ints[1] = stream_policy(attr);
	v.ints[2] = log_policy(attr);
	v.sizes[0] = stream_size(attr);
	v.sizes[1] = log_size(attr);
	v.sizes[2] = data_size(attr);
	return v;
}

static void same_values(const struct values *a, const struct values *b)
{
	CHECK(strcmp(a->name, b->name) == 0);
	CHECK(strcmp(a->version, b->version) == 0);
	EQ(tool_ns(a->created), tool_ns(b->created));
	EQ(tool_ns(a->resolution), tool_ns(b->resolution));
	for (size_t i = 0; i < 3; i++) {
		EQ(a->ints[i], b->ints[i]);
		EQ(a->sizes[i], b->sizes[i]);
	}
}

TEST(T_ATTR_29)
{
	trace_attr_t attr = fresh();
	struct values should = values_of(&attr);
	struct values is;

#define STEP(call, change)                                                                         \
	OK(call);                                                                                  \
	change;                                                                                    \
	is = values_of(&attr);                                                                     \
	same_values(&is, &should)
	STEP(posix_trace_attr_setname(&attr, "n"), strcpy(should.name, "n"));
	STEP(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED),
	     should.ints[0] = POSIX_TRACE_INHERITED);
	STEP(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL),
	     should.ints[1] = POSIX_TRACE_UNTIL_FULL);
	STEP(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND),
	     should.ints[2] = POSIX_TRACE_APPEND);
	STEP(posix_trace_attr_setstreamsize(&attr, 123456), should.sizes[0] = 123456);
	STEP(posix_trace_attr_setlogsize(&attr, 7654321), should.sizes[1] = 7654321);
	STEP(posix_trace_attr_setmaxdatasize(&attr, 99), should.sizes[2] = 99);
	STEP(posix_trace_attr_setname(&attr, "other"), strcpy(should.name, "other"));
#undef STEP
}

TEST(T_ATTR_30)
{
	trace_attr_t a = fresh();
	trace_attr_t b = fresh();
	struct values before = values_of(&b);
	struct values after;

	OK(posix_trace_attr_setname(&a, "a"));
	OK(posix_trace_attr_setinherited(&a, POSIX_TRACE_INHERITED));
	OK(posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_UNTIL_FULL));
	OK(posix_trace_attr_setlogfullpolicy(&a, POSIX_TRACE_APPEND));
	OK(posix_trace_attr_setstreamsize(&a, 1));
	OK(posix_trace_attr_setlogsize(&a, 2));
	OK(posix_trace_attr_setmaxdatasize(&a, 3));
	after = values_of(&b);
	same_values(&after, &before);
	OK(posix_trace_attr_destroy(&a));
	after = values_of(&b);
	same_values(&after, &before);
}

/* Every get and set function says EINVAL for this object. */
static void unusable(trace_attr_t *attr)
{
	struct timespec time;
	char text[TRACE_NAME_MAX];
	size_t size;
	int value;

	ERR(posix_trace_attr_getclockres(attr, &time), EINVAL);
	ERR(posix_trace_attr_getcreatetime(attr, &time), EINVAL);
	ERR(posix_trace_attr_getgenversion(attr, text), EINVAL);
	ERR(posix_trace_attr_getinherited(attr, &value), EINVAL);
	ERR(posix_trace_attr_getlogfullpolicy(attr, &value), EINVAL);
	ERR(posix_trace_attr_getlogsize(attr, &size), EINVAL);
	ERR(posix_trace_attr_getmaxdatasize(attr, &size), EINVAL);
	ERR(posix_trace_attr_getmaxsystemeventsize(attr, &size), EINVAL);
	ERR(posix_trace_attr_getmaxusereventsize(attr, 8, &size), EINVAL);
	ERR(posix_trace_attr_getname(attr, text), EINVAL);
	ERR(posix_trace_attr_getstreamfullpolicy(attr, &value), EINVAL);
	ERR(posix_trace_attr_getstreamsize(attr, &size), EINVAL);
	ERR(posix_trace_attr_setinherited(attr, POSIX_TRACE_INHERITED), EINVAL);
	ERR(posix_trace_attr_setlogfullpolicy(attr, POSIX_TRACE_LOOP), EINVAL);
	ERR(posix_trace_attr_setlogsize(attr, 1), EINVAL);
	ERR(posix_trace_attr_setmaxdatasize(attr, 1), EINVAL);
	ERR(posix_trace_attr_setname(attr, "n"), EINVAL);
	ERR(posix_trace_attr_setstreamfullpolicy(attr, POSIX_TRACE_LOOP), EINVAL);
	ERR(posix_trace_attr_setstreamsize(attr, 1), EINVAL);
}

TEST(T_ATTR_31)
{
	trace_attr_t attr;

	memset(&attr, 0, sizeof(attr));
	unusable(&attr);
	attr = fresh();
	OK(posix_trace_attr_destroy(&attr));
	unusable(&attr);
}

TEST(T_ATTR_32)
{
	trace_attr_t attr;

	memset(&attr, 0, sizeof(attr));
	ERR(posix_trace_attr_destroy(&attr), EINVAL);
	attr = fresh();
	OK(posix_trace_attr_destroy(&attr));
	ERR(posix_trace_attr_destroy(&attr), EINVAL);
}
