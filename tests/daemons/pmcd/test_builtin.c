/* test_builtin - the tables of the agent "pmcd": rows are complete, and fields fit their types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemons/pmcd/builtin_rows.h"

struct expected {
	int type;
	enum agent_kind kind;
	unsigned int width;
};

static const struct expected fields[] = {
    {PM_TYPE_32, AGENT_KIND_INTEGER, 4},  {PM_TYPE_U32, AGENT_KIND_INTEGER, 4},
    {PM_TYPE_U64, AGENT_KIND_INTEGER, 8}, {PM_TYPE_FLOAT, AGENT_KIND_REAL, 4},
    {PM_TYPE_DOUBLE, AGENT_KIND_REAL, 8}, {PM_TYPE_STRING, AGENT_KIND_TEXT, sizeof(char *)},
};

static int fits(const struct agent_metric *m)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].type == m->type)
			return fields[i].kind == m->value.kind && fields[i].width == m->value.width;
	}
	return 0;
}

static int is_builtin_indom(const struct agent_indom *indom)
{
	return indom > builtin_indoms && indom < builtin_indoms + BUILTIN_INDOMS &&
	       indom == &builtin_indoms[indom->serial];
}

/* builtin.c copies a field without a look at its width. */
static void check_row(const struct agent_metric *m)
{
	if (m->value.get != NULL)
		assert_int_equal(m->value.kind, AGENT_KIND_CALL);
	else if (!fits(m))
		fail_msg("%s: the field does not fit the type", m->name);
	if (m->indom != NULL && !is_builtin_indom(m->indom))
		fail_msg("%s: unknown instance domain", m->name);
	if (m->oneline == NULL || m->oneline[0] == '\0')
		fail_msg("%s: no text", m->name);
}

static void test_rows(void **state)
{
	for (unsigned int i = 0; i < builtin_nmetric; i++)
		check_row(&builtin_metrics[i]);
	for (unsigned int i = 0; i < builtin_nown_metric; i++)
		check_row(&builtin_own_metrics[i]);
}

static const struct agent_metric *row(unsigned int i)
{
	return i < builtin_nmetric ? &builtin_metrics[i]
				   : &builtin_own_metrics[i - builtin_nmetric];
}

static void test_rows_differ(void **state)
{
	for (unsigned int i = 0; i < builtin_nmetric + builtin_nown_metric; i++) {
		for (unsigned int j = 0; j < i; j++) {
			assert_string_not_equal(row(i)->name, row(j)->name);
			assert_false(row(i)->cluster == row(j)->cluster &&
				     row(i)->item == row(j)->item);
		}
	}
}

/* The number of a register is its index. */
static void test_registers(void **state)
{
	const struct agent_indom *indom = &builtin_indoms[BUILTIN_REGISTERS];

	assert_int_equal(indom->nfixed, REGISTERS);
	for (unsigned int i = 0; i < indom->nfixed; i++)
		assert_int_equal(indom->fixed[i].id, i);
}

static void test_indoms(void **state)
{
	for (unsigned int i = 1; i < BUILTIN_INDOMS; i++) {
		assert_int_equal(builtin_indoms[i].serial, i);
		assert_non_null(builtin_indoms[i].oneline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_rows_differ),
	    cmocka_unit_test(test_registers),
	    cmocka_unit_test(test_indoms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
