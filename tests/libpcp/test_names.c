/* Names from a collector, from a loaded name space, and the special ones in both. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "fake.h"

#define FLAGS  (511u << 22 | 1)
#define MISSED (511u << 22 | 2)

static char walked[1024];

static void walk(const char *name)
{
	snprintf(walked + strlen(walked), sizeof(walked) - strlen(walked), "%s ", name);
}

static const char *traverse(const char *name, int want)
{
	walked[0] = '\0';
	assert_int_equal(pmTraversePMNS(name, walk), want);
	return walked;
}

static const char *children(const char *name, int want)
{
	static char text[1024];
	char **names = NULL;
	int *status = NULL;
	int n = pmGetChildrenStatus(name, &names, &status);

	assert_int_equal(n, want);
	text[0] = '\0';
	for (int i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s ", names[i],
			 status[i] == PMNS_LEAF_STATUS ? "" : "/");
	if (n >= 0) {
		free(names);
		free(status);
		assert_int_equal(pmGetChildren(name, &names), want);
		free(names);
	}
	return text;
}

static void test_special_alone(void **state)
{
	const char *names[3] = {"event.flags", "event.missed", "x"};
	char **all;
	pmID pmids[3];

	assert_int_equal(pmLookupName(2, names, pmids), 2);
	assert_int_equal(pmids[0], FLAGS);
	assert_int_equal(pmids[1], MISSED);
	assert_int_equal(pmLookupName(3, names, pmids), PM_ERR_NOPMNS);
	assert_int_equal(pmLookupName(0, names, pmids), PM_ERR_TOOSMALL);
	assert_int_equal(pmNameAll(FLAGS, &all), 1);
	assert_string_equal(all[0], "event.flags");
	free(all);
	assert_int_equal(pmGetPMNSLocation(), PM_ERR_NOPMNS);
	assert_int_equal(pmGetChildren("", &all), PM_ERR_NOPMNS);
	assert_int_equal(pmTraversePMNS("", walk), PM_ERR_NOPMNS);
	assert_int_equal(pmTrimNameSpace(), PM_ERR_NOPMNS);
}

static void test_remote(void **state)
{
	const char *names[5] = {"fake.count", "", "nosuch", "event.flags", "fake.load"};
	struct fake fake = {0};
	char **all;
	char *name;
	pmID pmids[5];
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmGetPMNSLocation(), PMNS_REMOTE);
	assert_int_equal(pmTrimNameSpace(), 0);
	assert_int_equal(pmLookupName(5, names, pmids), 3);
	assert_int_equal(pmids[0], FAKE_COUNT);
	assert_int_equal(pmids[1], PM_ID_NULL);
	assert_int_equal(pmids[2], PM_ID_NULL);
	assert_int_equal(pmids[3], FLAGS);
	assert_int_equal(pmids[4], FAKE_LOAD);
	assert_int_equal(pmLookupName(1, names, pmids), 1);
	assert_int_equal(pmLookupName(1, names + 1, pmids), PM_ERR_NAME);
	assert_int_equal(pmLookupName(1, names + 2, pmids), PM_ERR_NAME);
	assert_int_equal(pmids[0], PM_ID_NULL);
	assert_int_equal(pmNameID(FAKE_LOAD, &name), 0);
	assert_string_equal(name, "fake.load");
	free(name);
	assert_int_equal(pmNameID(999, &name), PM_ERR_PMID);
	assert_int_equal(pmNameAll(FAKE_LOAD, &all), 1);
	free(all);
	assert_string_equal(children("", 2), "fake/ event/ ");
	assert_string_equal(children("fake", 3), "count name load ");
	assert_string_equal(children("event", 2), "flags missed ");
	assert_int_equal(pmGetChildren("nosuch", &all), PM_ERR_NAME);
	assert_int_equal(pmGetChildren(NULL, &all), PM_ERR_NAME);
	assert_string_equal(traverse("", 5),
			    "fake.count fake.name fake.load event.flags event.missed ");
	assert_string_equal(traverse("event", 2), "event.flags event.missed ");
	assert_string_equal(traverse("event.missed", 1), "event.missed ");
	traverse("event.miss", PM_ERR_NAME);
	traverse("nosuch", PM_ERR_NAME);
	traverse(NULL, PM_ERR_NAME);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static enum fake_verdict check_size(struct fake *f, const struct pdu_header *h,
				    const union pdu_body *q, struct buffer *out)
{
	if (h->type == PDU_PMNS_NAMES)
		assert_true(h->len <= PDU_NAMES_REQUEST_MAX);
	return h->type == PDU_CREDS ? FAKE_SEND : FAKE_USUAL;
}

/* More than one request may carry; the last one alone in its batch is unknown. */
static void test_batches(void **state)
{
	enum { N = 20001 };
	struct fake fake = {.hook = check_size};
	const char **names = calloc(N, sizeof(names[0]));
	pmID *pmids = calloc(N, sizeof(pmids[0]));
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	for (int i = 0; i < N; i++)
		names[i] = i % 2 == 0 ? "fake.count" : "some.name.of.another.length";
	assert_int_equal(pmLookupName(N, names, pmids), N / 2 + 1);
	for (int i = 0; i < N; i++)
		assert_int_equal(pmids[i], i % 2 == 0 ? FAKE_COUNT : PM_ID_NULL);
	assert_true(fake.requests > 5);
	pmDestroyContext(handle);
	fake_stop(&fake);
	free(names);
	free(pmids);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_loaded(void **state)
{
	static const char text[] =
	    "root {\n a\n}\na {\n b 1:2:3\n b2 1:2:3\n c 1:2:4\n d 5:*:*\n}\n";
	const char *names[6] = {"a.b", "a", "a.d.x", "nosuch", "event.flags", "a.c"};
	struct fake fake = {0};
	char path[64];
	char **all;
	char *name;
	pmID pmids[6];
	int handle;

	snprintf(path, sizeof(path), "/tmp/test_names.%d", (int)getpid());
	unlink(path);
	assert_int_equal(pmLoadNameSpace(path), -ENOENT);
	assert_int_equal(pmGetPMNSLocation(), PM_ERR_NOPMNS);
	assert_int_equal(pmLookupName(1, names, pmids), PM_ERR_NOPMNS);
	pmUnloadNameSpace();
	write_file(path, "root {\n a 1:2\n}\n");
	assert_int_equal(pmLoadNameSpace(path), PM_ERR_PMNS);
	write_file(path, text);
	assert_int_equal(pmLoadASCIINameSpace(path, 0), PM_ERR_PMNS);
	assert_int_equal(pmLoadNameSpace(path), 0);
	assert_int_equal(pmLoadNameSpace(path), PM_ERR_DUPPMNS);
	unlink(path);
	assert_int_equal(pmTrimNameSpace(), PM_ERR_NOCONTEXT);

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmGetPMNSLocation(), PMNS_LOCAL);
	assert_int_equal(pmTrimNameSpace(), 0);
	assert_int_equal(pmLookupName(6, names, pmids), 4);
	assert_int_equal(pmids[0], 1u << 22 | 2 << 10 | 3);
	assert_int_equal(pmids[1], PM_ID_NULL);
	assert_int_equal(pmids[2], 511u << 22 | 5 << 10);
	assert_int_equal(pmids[3], PM_ID_NULL);
	assert_int_equal(pmids[4], FLAGS);
	assert_int_equal(pmLookupName(1, names + 1, pmids), PM_ERR_NONLEAF);
	assert_int_equal(pmLookupName(1, names + 3, pmids), PM_ERR_NAME);
	assert_string_equal(children("", 2), "a/ event/ ");
	assert_string_equal(children("a", 4), "b b2 c d/ ");
	assert_int_equal(pmGetChildren("a.b", &all), 0);
	assert_null(all);
	assert_int_equal(pmGetChildren("a.x", &all), PM_ERR_NAME);
	assert_string_equal(traverse("a", 4), "a.b a.b2 a.c a.d ");
	assert_int_equal(pmNameAll(1u << 22 | 2 << 10 | 3, &all), 2);
	free(all);
	assert_int_equal(pmNameID(1u << 22 | 2 << 10 | 4, &name), 0);
	assert_string_equal(name, "a.c");
	free(name);
	assert_int_equal(pmNameID(FAKE_COUNT, &name), PM_ERR_PMID);
	assert_int_equal(fake.requests, 0);
	pmUnloadNameSpace();
	assert_int_equal(pmGetPMNSLocation(), PMNS_REMOTE);
	assert_string_equal(children("fake", 3), "count name load ");
	pmDestroyContext(handle);
	fake_stop(&fake);
}

/* The connection ends after the tenth request, and in the middle of an answer. */
static enum fake_verdict hang_up_at_ten(struct fake *f, const struct pdu_header *header,
					const union pdu_body *request, struct buffer *out)
{
	if (header->type != PDU_PMNS_IDS || f->requests < 10)
		return FAKE_USUAL;
	fake_answer(f, header, request, out);
	out->len -= 4;
	return FAKE_HANG_UP;
}

static void check_names_all(int n, int answered)
{
	static const char *const known[] = {"fake.count", "fake.name", "fake.load"};
	pmID pmids[1000];
	char **names[1000];
	int counts[1000];

	for (int i = 0; i < n; i++) {
		pmids[i] = i % 5 < 3 ? FAKE_COUNT + (pmID)(i % 5) : 999u + (pmID)i;
		if (i % 5 == 4)
			pmids[i] = MISSED;
	}
	assert_int_equal(pitot_names_all(n, pmids, names, counts), 0);
	for (int i = 0; i < n; i++) {
		bool special = i % 5 == 4, unknown = i % 5 == 3;

		if (!special && i >= answered) {
			assert_int_equal(counts[i], PM_ERR_IPC);
		} else if (unknown) {
			assert_int_equal(counts[i], PM_ERR_PMID);
		} else {
			assert_int_equal(counts[i], 1);
			assert_string_equal(names[i][0], special ? "event.missed" : known[i % 5]);
			free(names[i]);
			continue;
		}
		assert_null(names[i]);
	}
}

static void test_names_all(void **state)
{
	struct fake fake = {.features = FAKE_FEATURES};
	pmID pmid = FAKE_COUNT;
	char **name;
	int count;
	int handle;

	assert_int_equal(pitot_names_all(1, &pmid, &name, &count), PM_ERR_NOPMNS);
	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pitot_names_all(0, &pmid, &name, &count), PM_ERR_TOOSMALL);
	check_names_all(1, 1);
	check_names_all(64, 64);
	check_names_all(1000, 1000);
	fake.hook = hang_up_at_ten;
	fake.requests = 0;
	check_names_all(200, 9);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_special_alone), cmocka_unit_test(test_remote),
	    cmocka_unit_test(test_batches),       cmocka_unit_test(test_names_all),
	    cmocka_unit_test(test_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
