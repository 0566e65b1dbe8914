/* The output of each debug option for a few calls; without options there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "fake.h"
#include "libbase/cleanup.h"

static struct fake fake;

/* A bit of everything that is shown. */
static void calls(void)
{
	const char *name = "fake.load";
	int list[2] = {1, 3};
	pmHighResResult *result;
	pmLabelSet *sets;
	pmAtomValue atom;
	char **names;
	char *text;
	pmDesc desc;
	pmID pmid;
	int *ids;
	int ctx = fake_context(&fake);

	assert_int_equal(pmLookupName(1, &name, &pmid), 1);
	assert_int_equal(pmAddProfile(FAKE_INDOM, 2, list), 0);
	assert_int_equal(pmFetchHighRes(1, &pmid, &result), 0);
	pmExtractValue(PM_VAL_DPTR, &result->vset[0]->vlist[0], PM_TYPE_DOUBLE, &atom, PM_TYPE_32);
	pmFreeHighResResult(result);
	assert_int_equal(pmGetInDom(FAKE_INDOM, &ids, &names), 3);
	free(ids);
	free(names);
	assert_int_equal(pmLookupDesc(pmid, &desc), 0);
	assert_int_equal(pmLookupText(FAKE_COUNT, PM_TEXT_ONELINE, &text), 0);
	free(text);
	assert_int_equal(pmLookupDesc(PM_ID_NULL, &desc), PM_ERR_PMID);
	assert_int_equal(pmGetContextLabels(&sets), 1);
	pmFreeLabelSets(sets, 1);
	assert_int_equal(pmDestroyContext(ctx), 0);
}

/* Their output on stderr. */
static const char *shown(const char *options)
{
	static char text[65536];
	FILE *f = tmpfile();
	int own = dup(STDERR_FILENO);
	size_t n;

	assert_true(f != NULL && own >= 0);
	assert_int_equal(pmSetDebug(options), 0);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	calls();
	fflush(stderr);
	dup2(own, STDERR_FILENO);
	close(own);
	pmClearDebug("all");
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void test_options(void **state)
{
	static const struct {
		const char *option;
		const char *shows[8];
	} rows[] = {
	    {"pdu",
	     {"]pmXmitPDU: CREDS fd=", "]pmXmitPDU: PMNS_NAMES fd=",
	      "]pmGetPDU: HIGHRES_RESULT fd=", "\n000: "}},
	    {"fetch",
	     {"pmFetch returns ...\n__pmResult dump from ", " timestamp: 1000.000005000 ",
	      "  1.0.2 (fake.load): numval: 3 valfmt: 1 vlist[]:\n",
	      "    inst [3 or \"three men\"] value 2.5\n"}},
	    {"context", {"pmNewContext(1, unix:", "pmDestroyContext("}},
	    {"profile",
	     {"pmAddProfile()\n", "Dump Instance Profile state=INCLUDE, 1 profiles\n",
	      "\tProfile [0] indom=4194305 [1.1] state=EXCLUDE 2 instances\n\t\tInstances: [1] "
	      "[3]\n",
	      "pmFetch: sending the profile\n"}},
	    {"pmns", {"pmLookupName: [0] fake.load -> 1.0.2\npmLookupName(1, ...) -> 1\n"}},
	    {"indom", {"InDom 1.1 (0x400001), numinst=3\n", "  [1] inst=2 name=\"two\"\n"}},
	    {"value", {"pmExtractValue: [DOUBLE] -> 0 [32]\n"}},
	    {"pmapi",
	     {"pmNewContext(1, unix:", "pmLookupName(1) -> 1\n", "pmAddProfile(0x400001, 2) -> 0\n",
	      "pmFetch(1) -> 0\n", "pmGetInDom(0x400001, -1, NULL) -> 3\n",
	      "pmLookupDesc(0xffffffff) -> -12358\n", "pmLookupText(0x400000, 1) -> 0\n",
	      "pmGetLabels(0xffffffff, 0x1) -> 1\n"}},
	    {"labels", {"    Context labels (7 bytes): {\"a\":1}\n"}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = shown(rows[i].option);

		for (size_t j = 0; j < 8 && rows[i].shows[j] != NULL; j++) {
			if (strstr(text, rows[i].shows[j]) == NULL)
				fail_msg("%s: no %s in:\n%s", rows[i].option, rows[i].shows[j],
					 text);
		}
	}
	assert_string_equal(shown("appl0,lock,auth,attr,optfetch,pdubuf"), "");
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_options)};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
