/*
 * agent_check - each fault that the tables of an agent can have is one log line, which names the
 * row and what was expected, and the agent does not start.
 *
 * A case changes one thing of a right agent. The cases are the whole of what can be given: a field
 * of <pitot/agent.h> that is not here has no wrong value.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "captured_log.h"
#include "libbase/cleanup.h"
#include "pond.h"

/* ---- a right agent, to be spoiled ---- */

struct box {
	uint32_t narrow;
	uint64_t wide;
	double real;
	float small;
	const char *text;
	char array[8];
	char large[300];
};

static int refresh(struct agent_refresh *r, void *snapshot)
{
	return 0;
}

static int get(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return 0;
}

static void *find(const struct agent_indom *indom, int inst)
{
	return NULL;
}

static struct agent_instance instances[2];
static struct agent_indom fixed, filled, second, own;
static struct agent_metric rows[3], more[1];
static struct agent_cluster cluster, other;
static const struct agent_cluster *list[2];
static struct agent agent;

#define FIELD(member) ((struct agent_field)AGENT_FIELD(struct box, member))

static void make_right(void)
{
	instances[0] = (struct agent_instance){0, "red"};
	instances[1] = (struct agent_instance){1, "green"};
	fixed = (struct agent_indom){1, 1, instances, 2, "Colours", NULL};
	filled = (struct agent_indom){2, 0, NULL, 0, "Things", NULL};
	second = (struct agent_indom){3, 0, NULL, 0, "More things", NULL};
	own = (struct agent_indom){.serial = 4, .oneline = "Own things", .own = 1, .find = find};
	rows[0] = (struct agent_metric){"x.wide",       1,    0,          PM_TYPE_U64,
					PM_SEM_COUNTER, NULL, AGENT_BYTE, FIELD(wide),
					"Wide",         NULL, 0};
	rows[1] = (struct agent_metric){"x.colour",     1,      1,          PM_TYPE_U32,
					PM_SEM_INSTANT, &fixed, AGENT_NONE, FIELD(narrow),
					"Colour",       NULL,   0};
	rows[2] = (struct agent_metric){
	    "x.thing",  1,           2,       PM_TYPE_STRING, PM_SEM_DISCRETE,  &filled,
	    AGENT_NONE, FIELD(text), "Thing", NULL,           PM_ERR_APPVERSION};
	more[0] = (struct agent_metric){"x.more",       1,       3,         PM_TYPE_DOUBLE,
					PM_SEM_INSTANT, &filled, AGENT_SEC, FIELD(real),
					"More",         NULL,    0};
	cluster = (struct agent_cluster){
	    .name = "first",
	    .size = sizeof(struct box),
	    .refresh = refresh,
	    .metrics = rows,
	    .nmetrics = 3,
	    .fills = {{&fixed, sizeof(struct box), 1}, {&filled, sizeof(struct box), 1}},
	};
	other = (struct agent_cluster){
	    .name = "second",
	    .size = sizeof(struct box),
	    .refresh = refresh,
	    .metrics = more,
	    .nmetrics = 1,
	    .fills = {{&filled, sizeof(struct box), 0}},
	};
	list[0] = &cluster;
	list[1] = &other;
	agent = (struct agent){"box", 401, list, 2};
}

static int open_it(int domain)
{
	pmdaInterface d;

	captured_log_begin();
	memset(&d, 0, sizeof(d));
	d.domain = domain;
	agent_init(&agent, &d);
	captured_log_end();
	return d.status;
}

static void test_right(void **state)
{
	make_right();
	assert_int_equal(open_it(401), 0);
	assert_string_equal(captured_log, "");
}

/* Clusters whose rows have no field in a struct of their own need no refresh. */
static void test_right_calls(void **state)
{
	make_right();
	more[0].value = (struct agent_field)AGENT_GET(get);
	more[0].type = PM_TYPE_HIGHRES_EVENT;
	other = (struct agent_cluster){.name = "second", .metrics = more, .nmetrics = 1};
	assert_int_equal(open_it(401), 0);
	more[0].value = FIELD(real);
	more[0].type = PM_TYPE_DOUBLE;
	more[0].indom = &own;
	assert_int_equal(open_it(401), 0);
	assert_string_equal(captured_log, "");
}

/* ---- the faults ---- */

#define SPOIL(name, statement)                                                                     \
	static void name(void)                                                                     \
	{                                                                                          \
		statement;                                                                         \
	}

SPOIL(agent_unnamed, agent.name = "")
SPOIL(agent_dotted, agent.name = "a.b")
SPOIL(agent_no_clusters, agent.clusters = NULL)
SPOIL(cluster_null, list[1] = NULL)
SPOIL(cluster_unnamed, other.name = NULL)
SPOIL(cluster_empty_name, other.name = "")
SPOIL(cluster_twice, other.name = "first")
SPOIL(cluster_no_refresh, other.refresh = NULL)
SPOIL(cluster_hang, other.may_hang = 1)
SPOIL(cluster_no_metrics, other.metrics = NULL)
SPOIL(fill_gap, (cluster.fills[3] = cluster.fills[1], cluster.fills[1].indom = NULL))
SPOIL(fill_twice, cluster.fills[2] = cluster.fills[1])
SPOIL(fill_defined_twice, other.fills[0].defines = 1)
SPOIL(indom_serial, filled.serial = 1u << 22)
SPOIL(indom_self, filled.serial = AGENT_SELF)
SPOIL(indom_same, filled.serial = 1)
SPOIL(indom_help, filled.oneline = NULL)
SPOIL(indom_count, filled.nfixed = 3)
SPOIL(inst_negative, instances[1].id = -1)
SPOIL(inst_same, instances[1].id = 0)
SPOIL(inst_unnamed, instances[1].name = "")
SPOIL(inst_null, instances[1].name = NULL)
SPOIL(inst_same_name, instances[1].name = "red")
SPOIL(row_unnamed, rows[1].name = NULL)
SPOIL(row_empty_name, rows[1].name = "")
SPOIL(row_bad_name, rows[1].name = "x..y")
SPOIL(row_digit, rows[1].name = "x.1y")
SPOIL(row_space, rows[1].name = "x.a b")
SPOIL(row_dot_end, rows[1].name = "x.")
SPOIL(row_same_name, more[0].name = "x.thing")
SPOIL(row_parent, more[0].name = "x.thing.part")
SPOIL(row_self, more[0].name = "box.refresh.count")
SPOIL(row_same_number, more[0].item = 0)
SPOIL(row_cluster, more[0].cluster = 4096)
SPOIL(row_self_cluster, (more[0].cluster = AGENT_SELF, more[0].item = 9))
SPOIL(row_item, more[0].item = 1024)
SPOIL(row_negative_item, more[0].item = (unsigned short)-1)
SPOIL(row_type, more[0].type = PM_TYPE_EVENT)
SPOIL(row_no_type, more[0].type = 77)
SPOIL(row_sem, more[0].sem = 2)
SPOIL(row_counter, rows[2].sem = PM_SEM_COUNTER)
SPOIL(row_help, more[0].oneline = NULL)
SPOIL(row_absent, more[0].absent = 1)
SPOIL(row_units, more[0].units = (pmUnits)PMDA_PMUNITS(0, 0, 0, 0, PM_TIME_SEC, 0))
SPOIL(row_space_units, more[0].units = (pmUnits)PMDA_PMUNITS(1, 0, 0, 9, 0, 0))
SPOIL(row_time_units, more[0].units = (pmUnits)PMDA_PMUNITS(0, 1, 0, 0, 6, 0))
SPOIL(row_indom, more[0].indom = &second)
SPOIL(row_undefined, (other.fills[0].indom = &second, more[0].indom = &second))
SPOIL(row_outside, other.fills[0].size = 8)
SPOIL(field_narrow, rows[0].value = FIELD(narrow))
SPOIL(field_real, rows[0].value = FIELD(real))
SPOIL(field_text, rows[0].value = FIELD(text))
SPOIL(field_array, rows[0].value = FIELD(array))
SPOIL(field_large, rows[0].value = FIELD(large))
SPOIL(double_of_integer, more[0].value = FIELD(wide))
SPOIL(double_of_float, more[0].value = FIELD(small))
SPOIL(float_of_integer, (more[0].type = PM_TYPE_FLOAT, more[0].value = FIELD(narrow)))
SPOIL(text_of_array, rows[2].value = FIELD(array))
SPOIL(text_of_integer, rows[2].value = FIELD(wide))
SPOIL(u32_of_float, rows[1].value = FIELD(small))

SPOIL(get_type, (more[0].value = (struct agent_field)AGENT_GET(get), more[0].type = 77))
SPOIL(get_null, more[0].value = (struct agent_field)AGENT_GET(NULL))
SPOIL(get_and_none, (more[0].value = (struct agent_field)AGENT_NO_VALUE, more[0].value.get = get))
SPOIL(get_undefined, (more[0].value = (struct agent_field)AGENT_GET(get), more[0].indom = &second))
SPOIL(own_serial, (more[0].indom = &own, own.serial = 2))
SPOIL(own_filled, (filled.own = 1, filled.find = find))
SPOIL(own_fixed, (more[0].indom = &own, own.fixed = instances, own.nfixed = 2))
SPOIL(own_no_structs, (more[0].indom = &own, own.find = NULL))
SPOIL(find_of_other, filled.find = find)

static const struct {
	void (*spoil)(void);
	const char *line; /* after "agent NAME: " */
} cases[] = {
    {agent_unnamed, "expected a name of letters, digits and _ that begins with a letter"},
    {agent_dotted, "expected a name of letters, digits and _ that begins with a letter"},
    {agent_no_clusters, "2 clusters (nclusters), but no table of them (clusters)"},
    {cluster_null, "clusters[1] is NULL"},
    {cluster_unnamed, "clusters[1] has no name"},
    {cluster_empty_name, "clusters[1] has no name"},
    {cluster_twice, "two clusters have the name first"},
    {cluster_no_refresh, "cluster second has no refresh function"},
    {cluster_hang, "cluster second may hang: expected a wait_ms above 0"},
    {cluster_no_metrics, "cluster second: 1 metrics (nmetrics), but no table of them (metrics)"},
    {fill_gap, "cluster first: fills[3] comes after an empty entry"},
    {fill_twice, "cluster first fills instance domain 2 twice"},
    {fill_defined_twice,
     "instance domain 2 is defined by the clusters first and second: expected one"},
    {indom_serial, "instance domain 4194304: expected a serial number of 0 to 4194303"},
    {indom_self, "two instance domains have the serial number 4095: expected one"},
    {indom_same, "two instance domains have the serial number 1: expected one"},
    {indom_help, "instance domain 2 has no help text (oneline)"},
    {indom_count, "instance domain 2: 3 instances (nfixed), but no table of them (fixed)"},
    {inst_negative, "instance domain 1: instance \"green\" has number -1: expected 0 or more"},
    {inst_same, "instance domain 1: two instances have the number 0"},
    {inst_unnamed, "instance domain 1: instance 1 has no name"},
    {inst_null, "instance domain 1: instance 1 has no name"},
    {inst_same_name, "instance domain 1: two instances have the name \"red\""},
    {row_unnamed, "cluster first: metric 1 has no name"},
    {row_empty_name, "cluster first: metric 1 has no name"},
    {row_bad_name, "metric x..y: expected a name of words"},
    {row_digit, "metric x.1y: expected a name of words"},
    {row_space, "metric x.a b: expected a name of words"},
    {row_dot_end, "metric x.: expected a name of words"},
    {row_same_name, "two metrics have the name x.thing"},
    {row_parent, "metric x.thing is also the parent of metric x.thing.part"},
    {row_self, "two metrics have the name box.refresh.count"},
    {row_same_number, " have the same number: cluster 1, item 0"},
    {row_cluster, "metric x.more: cluster 4096: expected 0 to 4094"},
    {row_self_cluster, "metric x.more: cluster 4095: expected 0 to 4094"},
    {row_item, "metric x.more: item 1024: expected 0 to 1023"},
    {row_negative_item, "metric x.more: item 65535: expected 0 to 1023"},
    {row_type, "metric x.more: type 9: expected PM_TYPE_32, U32, 64, U64, FLOAT, DOUBLE or STRING"},
    {row_no_type, "metric x.more: type 77: expected PM_TYPE_32"},
    {row_sem, "metric x.more: semantics 2: expected PM_SEM_COUNTER, _INSTANT or _DISCRETE"},
    {row_counter, "metric x.thing: a string is not a counter"},
    {row_help, "metric x.more has no help text (oneline)"},
    {row_absent, "metric x.more: absent is 1: expected 0 or an error code"},
    {row_units, "metric x.more: its units have a scale without its dimension"},
    {row_space_units, "metric x.more: the scale of its units is not a PM_SPACE_ or PM_TIME_ code"},
    {row_time_units, "metric x.more: the scale of its units is not a PM_SPACE_ or PM_TIME_ code"},
    {row_indom, "metric x.more: cluster second does not have instance domain 3 in its fills"},
    {row_undefined, "metric x.more: no cluster defines its instance domain 3"},
    {row_outside, "metric x.more: its field ends at byte 24 of a structure of 8 bytes"},
    {field_narrow,
     "metric x.wide: its field is of 4 bytes, integer: type U64 expects an integer of "
     "8 bytes"},
    {field_real,
     "metric x.wide: its field is of 8 bytes, floating-point number: type U64 expects an "
     "integer of 8 bytes"},
    {field_text,
     "metric x.wide: its field is of 8 bytes, const char *: type U64 expects an integer "
     "of 8 bytes"},
    {field_array, "metric x.wide: its field is of 8 bytes, array, structure or pointer: type U64"},
    {field_large,
     "metric x.wide: its field is of 255 bytes, array, structure or pointer: type U64"},
    {double_of_integer, "metric x.more: its field is of 8 bytes, integer: type DOUBLE expects a "
			"double"},
    {double_of_float, "metric x.more: its field is of 4 bytes, floating-point number: type DOUBLE"},
    {float_of_integer,
     "metric x.more: its field is of 4 bytes, integer: type FLOAT expects a float"},
    {text_of_array, "metric x.thing: its field is of 8 bytes, array, structure or pointer: type "
		    "STRING expects a const char *"},
    {text_of_integer, "metric x.thing: its field is of 8 bytes, integer: type STRING"},
    {u32_of_float, "metric x.colour: its field is of 4 bytes, floating-point number: type U32"},
    {get_type, "metric x.more: type 77: expected one of PM_TYPE_"},
    {get_null, "metric x.more: expected its value as AGENT_FIELD, AGENT_GET or AGENT_NO_VALUE"},
    {get_and_none, "metric x.more: expected its value as AGENT_FIELD, AGENT_GET or AGENT_NO_VALUE"},
    {get_undefined, "metric x.more: no cluster defines its instance domain 3"},
    {own_serial, "two instance domains have the serial number 2: expected one"},
    {own_filled, "clusters fill instance domain 2, which the agent keeps itself (own)"},
    {own_fixed, "instance domain 4 has fixed instances: the agent can't keep them itself (own)"},
    {own_no_structs, "metric x.more: instance domain 4 has no structs (find) for fields"},
    {find_of_other, "instance domain 2 has a find function, but the agent does not keep it itself"},
};

static void test_faults(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char line[256];

		make_right();
		cases[i].spoil();
		assert_int_equal(open_it(401), -EINVAL);
		snprintf(line, sizeof(line), "Critical: agent %s: %s", agent.name,
			 cases[i].line[0] == ' ' ? "metrics x." : cases[i].line);
		if (captured_log_count(line) != 1 || captured_log_count(cases[i].line) != 1 ||
		    captured_log_count("\n") != 1)
			fail_msg("case %zu: expected \"%s\", got: %s", i, line, captured_log);
	}
}

static void test_domains(void **state)
{
	static const struct {
		int domain;
		int status;
	} domains[] = {{0, -EINVAL},   {1, 0},         {510, 0},     {511, -EINVAL},
		       {512, -EINVAL}, {902, -EINVAL}, {-1, -EINVAL}};

	for (size_t i = 0; i < ARRAY_SIZE(domains); i++) {
		char line[64];

		make_right();
		assert_int_equal(open_it(domains[i].domain), domains[i].status);
		snprintf(line, sizeof(line), "agent box: domain %d: expected 1 to 510",
			 domains[i].domain);
		assert_int_equal(captured_log_count(line), domains[i].status != 0);
	}
}

/* Every fault has a line, up to a number that can be read. */
static void test_many_faults(void **state)
{
	static struct agent_metric many[100];

	make_right();
	rows[0].item = 2000;
	rows[1].sem = 0;
	other.refresh = NULL;
	assert_int_equal(open_it(401), -EINVAL);
	assert_int_equal(captured_log_count("\n"), 3);
	make_right();
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = rows[0];
		many[i].item = 2000;
		many[i].name = "y.same";
	}
	other.metrics = many;
	other.nmetrics = ARRAY_SIZE(many);
	assert_int_equal(open_it(401), -EINVAL);
	assert_int_equal(captured_log_count("\n"), 21);
	assert_int_equal(captured_log_count("agent box: 278 more faults of its tables\n"), 1);
}

/* ---- refreshes that fail ---- */

static int failing_status;

static int failing(struct agent_refresh *r, void *snapshot)
{
	const char *text;
	long n = failing_status == -ENOENT ? agent_read(r, "no/such/file", &text) : failing_status;

	return n < 0 ? (int)n : 0;
}

static void fetch_one(pmdaInterface *d)
{
	pmID pmid = pmID_build(401, 1, 0);
	pmResult *result;

	assert_int_equal(d->version.four.fetch(1, &pmid, &result, d->version.four.ext), 0);
	d->version.four.ext->e_resultCallBack(result);
}

static void check_failing(int status, int optional, const char *line)
{
	pmdaInterface d;

	make_right();
	cluster.refresh = failing;
	cluster.optional = optional;
	memset(&d, 0, sizeof(d));
	d.domain = 401;
	agent_init(&agent, &d);
	assert_int_equal(d.status, 0);
	captured_log_begin();
	for (int i = 0; i < 10; i++) {
		failing_status = i % 2 == 0 ? status : 0; /* a success in between is not logged */
		fetch_one(&d);
	}
	captured_log_end();
	assert_int_equal(captured_log_count("\n"), line != NULL);
	assert_int_equal(captured_log_count("agent box: cluster first: Cannot "), line != NULL);
	if (line != NULL)
		assert_int_equal(captured_log_count(line), 1);
}

static void test_failing(void **state)
{
	setenv("PITOT_BOX_ROOT", "/proc/self/", 1);
	check_failing(-ENOENT, 0,
		      "Cannot read: path=\"/proc/self/no/such/file\", error=No such file");
	unsetenv("PITOT_BOX_ROOT");
	check_failing(-ENOENT, 0, "Cannot read: path=\"/no/such/file\", error=No such file");
	check_failing(-ENOENT, 1, NULL);
	check_failing(-EINVAL, 1, "Cannot refresh: error=Invalid argument");
	check_failing(-EACCES, 0, NULL); /* clients see these two */
	check_failing(-EAGAIN, 0, NULL);
	check_failing(0, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_right),       cmocka_unit_test(test_right_calls),
	    cmocka_unit_test(test_faults),      cmocka_unit_test(test_domains),
	    cmocka_unit_test(test_many_faults), cmocka_unit_test(test_failing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
