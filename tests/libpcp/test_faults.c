/*
 * Each allocation fails once, in turn: the call fails with -ENOMEM, nothing leaks (ASan checks),
 * and the connection still matches requests and replies, or is closed and reports that.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "calls.h"
#include "fake.h"

enum { OFF = -1, ALLOCATIONS_MAX = 20, LOCAL_DOMAIN = 77 };

#define LOCAL_PMID(item) ((pmID)LOCAL_DOMAIN << 22 | (item))

/* The number of allocations of this thread that still succeed; threads of the fake collector are
 * not affected. */
static __thread int countdown = OFF;

static bool fails_now(void)
{
	return countdown != OFF && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails_now() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails_now() ? NULL : __real_strdup(s);
}

/* Runs a call whose nth allocation fails. True if it came to that. */
static bool with_fault(int n, int (*call)(void), int *ret_result)
{
	bool failed;

	countdown = n;
	*ret_result = call();
	failed = countdown == OFF;
	countdown = OFF;
	return failed;
}

static struct fake fake;

static void test_calls(void **state)
{
	int total = 0;

	for (size_t i = 0; i < ncalls; i++) {
		int faults = 0;

		for (;; faults++) {
			int handle = fake_context(&fake);
			int r;
			bool failed = with_fault(faults, calls[i].call, &r);

			if (!failed)
				assert_true(r >= 0);
			else
				assert_int_equal(r, -ENOMEM);
			if (pmGetPMNSLocation() < 0)
				assert_int_equal(pmReconnectContext(handle), handle);
			assert_true(calls[i].call() >= 0);
			assert_int_equal(pmDestroyContext(handle), 0);
			if (!failed)
				break;
		}
		print_message("%s: %d allocations\n", calls[i].name, faults);
		total += faults;
	}
	assert_in_range(total, ncalls, ncalls * ALLOCATIONS_MAX);
}

static int open_context(void)
{
	char spec[256];

	snprintf(spec, sizeof(spec), "%s?container=x", fake.spec);
	return pmNewContext(PM_CONTEXT_HOST, spec);
}

static int change_profile(void)
{
	int list[3] = {3, 1, 2};

	return pmAddProfile(FAKE_INDOM, 3, list);
}

static int connect_again(void)
{
	return pmReconnectContext(pmWhichContext());
}

/*
 * Functions that fetch the collector's own metrics: these are named after one that the fake has.
 */

static enum fake_verdict knows_itself(struct fake *f, const struct pdu_header *header,
				      const union pdu_body *request, struct buffer *out)
{
	const struct wire_str name = {.s = "fake.name", .len = 9};
	union pdu_body other = {.pmns_names = {.numname = 1, .names = &name}};

	if (header->type != PDU_PMNS_NAMES || request->pmns_names.names[0].s[0] != 'p')
		return FAKE_USUAL;
	fake_answer(f, header, &other, out);
	return FAKE_SEND;
}

static int new_zone(void)
{
	return pmNewContextZone();
}

static int host_name(void)
{
	char name[64];
	int r = pmGetHostName(pmWhichContext(), name, sizeof(name));

	assert_true(name[0] != '\0'); /* whatever happens */
	if (r >= 0)
		assert_string_equal(name, "seven");
	return r;
}

static int all_labels(void)
{
	pmLabelSet *sets;
	int r = pmLookupLabels(FAKE_LOAD, &sets);

	if (r > 0)
		pmFreeLabelSets(sets, r);
	return r;
}

static void test_itself(void **state)
{
	struct fake self = {.hook = knows_itself};
	int (*const asked[])(void) = {new_zone, host_name, all_labels};

	fake_start(&self);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		int handle = fake_context(&self);
		int n, r;

		for (n = 0; with_fault(n, asked[i], &r); n++) {
			assert_int_equal(r, -ENOMEM);
			if (pmGetPMNSLocation() < 0)
				assert_int_equal(pmReconnectContext(handle), handle);
			assert_true(asked[i]() >= 0);
		}
		assert_true(r >= 0 && n > 1);
		assert_int_equal(pmDestroyContext(handle), 0);
	}
	fake_stop(&self);
}

/* Functions that create a context, and calls on a context that need no request. */
static void test_contexts(void **state)
{
	int (*const makers[])(void) = {open_context, pmDupContext};
	int first = open_context();
	int r;

	assert_int_equal(change_profile(), 0);
	for (int i = 0; i < 2; i++) {
		for (int n = 0; with_fault(n, makers[i], &r); n++) {
			assert_int_equal(r, -ENOMEM);
			assert_int_equal(pmWhichContext(), first);
		}
		assert_true(r > first);
		assert_int_equal(pmDestroyContext(r), 0);
		assert_int_equal(pmUseContext(first), 0);
	}
	assert_int_equal(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	for (int n = 0; with_fault(n, change_profile, &r); n++)
		assert_int_equal(r, -ENOMEM);
	assert_int_equal(r, 0);
	/* A reconnection does not report causes. */
	for (int n = 0; with_fault(n, connect_again, &r) && n < 2; n++)
		assert_true(r == -ETIMEDOUT || r == first);
	assert_int_equal(pmDestroyContext(first), 0);
}

/*
 * A fetch group is a context and a list: each step is tried until nothing fails in it any more.
 */

static pmFG group;

static struct {
	pmAtomValue name, loads[3], count;
	char *names[3];
	unsigned int nloads;
	int status;
	struct timespec stamp;
} outputs;

static int group_create(void)
{
	return pmCreateFetchGroup(&group, PM_CONTEXT_HOST, fake.spec);
}

static int group_stamp(void)
{
	return pmExtendFetchGroup_timespec(group, &outputs.stamp);
}

static int group_item(void)
{
	return pmExtendFetchGroup_item(group, "fake.name", NULL, NULL, &outputs.name,
				       PM_TYPE_STRING, &outputs.status);
}

static int group_number(void)
{
	return pmExtendFetchGroup_item(group, "fake.count", NULL, "instant", &outputs.count,
				       PM_TYPE_STRING, &outputs.status);
}

static int group_indom(void)
{
	return pmExtendFetchGroup_indom(group, "fake.load", NULL, NULL, outputs.names,
					outputs.loads, PM_TYPE_STRING, NULL, 3, &outputs.nloads,
					&outputs.status);
}

/* Tries a step until it needs no more memory than there is. */
static void until_it_works(int (*step)(void))
{
	int r;

	for (int n = 0; with_fault(n, step, &r); n++) {
		assert_int_equal(r, -ENOMEM);
		if (group != NULL && pmGetPMNSLocation() < 0)
			pmReconnectContext(pmGetFetchGroupContext(group));
	}
	assert_true(r >= 0);
}

static int group_fetch(void)
{
	return pmFetchGroup(group);
}

/* An item without memory has no value; the next fetch has it. */
static void test_groups(void **state)
{
	int (*const steps[])(void) = {group_create, group_stamp, group_item, group_number,
				      group_indom};
	bool failed = true;
	int r;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		until_it_works(steps[i]);
	for (int n = 0; failed; n++) {
		failed = with_fault(n, group_fetch, &r);
		assert_true(r == 0 || (failed && r == -ENOMEM));
		assert_true(r == 0 || outputs.name.cp == NULL);
		if (pmGetPMNSLocation() < 0)
			pmReconnectContext(pmGetFetchGroupContext(group));
		assert_int_equal(pmFetchGroup(group), 0);
		assert_string_equal(outputs.name.cp, "seven");
		assert_string_equal(outputs.count.cp, "7");
		assert_int_equal(outputs.nloads, 3);
		assert_string_equal(outputs.names[1], "two");
	}
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

/*
 * Local contexts: the agent is local_dso.
 */

static const char *local_spec;

static int local_context(void)
{
	return pmNewContext(PM_CONTEXT_LOCAL, NULL);
}

static int local_add(void)
{
	return pmSpecLocalPMDA(local_spec) == NULL ? 0 : -ENOMEM;
}

static int local_names(void)
{
	const char *names[2] = {"dso.count", "dso.dynamic.a"};
	pmID pmids[2];

	return pmLookupName(2, names, pmids);
}

static void ignore(const char *name, void *closure)
{
}

static int local_traverse(void)
{
	return pmTraversePMNS_r("dso", ignore, NULL);
}

static int local_fetch(void)
{
	pmID pmids[3] = {LOCAL_PMID(0), LOCAL_PMID(1), LOCAL_PMID(2)};
	pmResult *result;
	int r = pmFetch(3, pmids, &result);

	if (r == 0)
		pmFreeResult(result);
	return r;
}

static int local_instances(void)
{
	char **names;
	int *ids;
	int r = pmGetInDom((pmInDom)LOCAL_DOMAIN << 22 | 1, &ids, &names);

	if (r > 0) {
		free(ids);
		free(names);
	}
	return r;
}

static int local_text(void)
{
	char *text;
	int r = pmLookupText(LOCAL_PMID(0), PM_TEXT_ONELINE, &text);

	if (r == 0)
		free(text);
	return r;
}

static int local_labels(void)
{
	pmLabelSet *sets;
	int r = pmLookupLabels(LOCAL_PMID(0), &sets);

	if (r > 0)
		pmFreeLabelSets(sets, r);
	return r;
}

static void test_local(void **state)
{
	int (*const steps[])(void) = {local_add,   local_context,   local_names, local_traverse,
				      local_fetch, local_instances, local_text,  local_labels};
	char names[] = "/tmp/names.XXXXXX";
	static const char text[] = "root { dso }\ndso { count 77:0:0 dynamic 77:*:* }\n";
	int fd = mkstemp(names);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	setenv("PMNS_DEFAULT", names, 1);
	setenv("PCP_PMCDCONF_PATH", "/dev/null", 1);
	group = NULL;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int r;

		for (int n = 0; with_fault(n, steps[i], &r); n++) {
			/* Names that can't be loaded now are asked for again. */
			if (r != -ENOMEM && r != PM_ERR_NOPMNS)
				assert_true(r >= 0);
			assert_true(n < 1000);
		}
		assert_true(r >= 0);
	}
	assert_int_equal(pmDestroyContext(pmWhichContext()), 0);
	unlink(names);
}

static int group_setup(void **state)
{
	fake_start(&fake);
	return 0;
}

static int group_teardown(void **state)
{
	fake_stop(&fake);
	return 0;
}

int main(int argc, char **argv)
{
	char spec[512];
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_calls),    cmocka_unit_test(test_itself),
	    cmocka_unit_test(test_contexts), cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_local),
	};

	snprintf(spec, sizeof(spec), "add,%d,%s,dso_init", LOCAL_DOMAIN, argv[1]);
	local_spec = spec;

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
