/*
 * init_check - what pmdaInit says of tables that are wrong: one warning for each fault, and the
 * agent starts as it does with PCP's library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "captured_log.h"
#include "libbase/cleanup.h"

#define NO_UNITS PMDA_PMUNITS(0, 0, 0, 0, 0, 0)

static pmdaInstid colours[3];
static pmdaIndom indoms[2];
static pmdaMetric metrics[3];
static int domain;

static void make_right(void)
{
	static char *const names[] = {"red", "green", "blue"};

	domain = 400;
	for (int i = 0; i < 3; i++)
		colours[i] = (pmdaInstid){i, names[i]};
	indoms[0] = (pmdaIndom){0, 3, colours};
	indoms[1] = (pmdaIndom){1, 0, NULL};
	for (unsigned int i = 0; i < 3; i++)
		metrics[i] = (pmdaMetric){NULL,
					  {PMDA_PMID(0, i), PM_TYPE_U32, i == 1 ? 0 : PM_INDOM_NULL,
					   PM_SEM_INSTANT, NO_UNITS}};
}

static int value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	return 0;
}

static int text(int ident, int type, char **ret_text, pmdaExt *ext)
{
	return PM_ERR_TEXT;
}

static int init_it(void)
{
	pmdaInterface d;

	memset(&d, 0, sizeof(d));
	captured_log_begin();
	d.domain = domain;
	pmdaDSO(&d, PMDA_INTERFACE_7, "box", NULL);
	d.version.any.text = text;
	pmdaSetFetchCallBack(&d, value);
	pmdaInit(&d, indoms, 2, metrics, 3);
	captured_log_end();
	return d.status;
}

#define SPOIL(name, statement)                                                                     \
	static void name(void)                                                                     \
	{                                                                                          \
		statement;                                                                         \
	}

SPOIL(nothing, (void)0)
SPOIL(no_support, (metrics[2].m_desc.type = PM_TYPE_NOSUPPORT, metrics[2].m_desc.sem = 0))
SPOIL(bad_domain, domain = 902)
SPOIL(dynamic_domain, domain = 511)
SPOIL(bad_type, metrics[2].m_desc.type = 11)
SPOIL(bad_sem, metrics[2].m_desc.sem = 2)
SPOIL(bad_space, metrics[2].m_desc.units.scaleSpace = 9)
SPOIL(bad_time, metrics[2].m_desc.units.scaleTime = 6)
SPOIL(same_pmid, metrics[2].m_desc.pmid = PMDA_PMID(0, 0))
SPOIL(item_1024, metrics[2].m_desc.pmid = PMDA_PMID(0, 1024))
SPOIL(cluster_4096, metrics[2].m_desc.pmid = PMDA_PMID(4096, 0))
SPOIL(same_serial, (indoms[1] = indoms[0]))
SPOIL(unused_slot, indoms[1].it_indom = 0)
SPOIL(no_names, colours[0].i_name = colours[1].i_name = colours[2].i_name = NULL)
SPOIL(large_serial, (indoms[1] = indoms[0], indoms[1].it_indom = 1u << 22))
SPOIL(no_set, indoms[1].it_numinst = 2)
SPOIL(no_name, colours[1].i_name = NULL)
SPOIL(same_number, colours[2].i_inst = 1)
SPOIL(same_name, colours[2].i_name = "red")
SPOIL(negative, colours[2].i_inst = -2)

static const struct {
	void (*spoil)(void);
	const char *line; /* NULL: nothing is wrong */
} cases[] = {
    {nothing, NULL},
    {no_support, NULL},
    {unused_slot, NULL},
    {no_names, NULL},
    {bad_domain, "domain 902: expected 0 to 510: metrics get domain 390"},
    {dynamic_domain, "domain 511: expected 0 to 510: metrics get domain 511"},
    {bad_type, "metrics[2] 400.0.2: type 11 is not a PM_TYPE_ code"},
    {bad_sem, "metrics[2] 400.0.2: semantics 2 is not a PM_SEM_ code"},
    {bad_space, "metrics[2] 400.0.2: the scale of its units is not a PM_SPACE_ or PM_TIME_ code"},
    {bad_time, "metrics[2] 400.0.2: the scale of its units is not a PM_SPACE_ or PM_TIME_ code"},
    {same_pmid, "metrics[0] and metrics[2] have the same PMID 400.0.0"},
    {item_1024, "metrics[0] and metrics[2] have the same PMID 400.0.0"},
    {cluster_4096, "metrics[0] and metrics[2] have the same PMID 400.0.0"},
    {same_serial, "indoms[0] and indoms[1] have the same serial number: 400.0"},
    {large_serial, "indoms[0] and indoms[1] have the same serial number: 400.0"},
    {no_set, "instance domain 400.1: 2 instances (it_numinst), but no it_set"},
    {no_name, "instance domain 400.0: 1 of its 3 instances have no name"},
    {same_number, "instance domain 400.0: two instances have the number 1"},
    {same_name, "instance domain 400.0: two instances have the name \"red\""},
    {negative, "instance domain 400.0: instance \"blue\" has number -2: expected 0 or more"},
};

static void test_faults(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char line[256];

		make_right();
		cases[i].spoil();
		assert_int_equal(init_it(), 0);
		snprintf(line, sizeof(line), "Warning: pmdaInit: PMDA box: %s\n",
			 cases[i].line != NULL ? cases[i].line : "");
		if (captured_log_count("\n") != (cases[i].line != NULL) ||
		    captured_log_count(line) != (cases[i].line != NULL))
			fail_msg("case %zu: expected \"%s\", got: %s", i, line, captured_log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
