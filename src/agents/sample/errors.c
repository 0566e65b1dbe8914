/* errors - metrics without a value, without a descriptor, and with errors on request. */
#include "errors.h"
#include "sample.h"

static int error_code, not_ready, not_ready_told;

int errors_check(unsigned int number)
{
	return number == ERROR_CHECK && error_code < 0 ? error_code : 0;
}

int errors_not_ready(void)
{
	if (not_ready <= 0)
		return 0;
	not_ready_told = 1;
	return PM_ERR_PMDANOTREADY;
}

int errors_ready_after(void)
{
	int seconds = not_ready_told ? not_ready : 0;

	if (not_ready_told)
		not_ready = not_ready_told = 0;
	return seconds;
}

/* The callback returns the row's arg. */
static int answer(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	return (int)row->arg;
}

static int code(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = error_code;
	return PMDA_FETCH_STATIC;
}

static int store_code(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	error_code = atom->l;
	return 0;
}

static int checked(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = 0;
	return PMDA_FETCH_STATIC;
}

static int not_ready_value(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = not_ready;
	return PMDA_FETCH_STATIC;
}

static int store_not_ready(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	not_ready = atom->l;
	return 0;
}

/* clang-format off */
#define ONE(name, item, type, sem, value, store, arg, help) \
    {name, item, type, ONE_VALUE, sem, NO_UNITS, value, store, arg, help}

static const struct sample_metric rows[] = {
    ONE("noinst", 9, PM_TYPE_32, PM_SEM_INSTANT, answer, NULL, 0, "Never has a value"),
    {"darkness", 92, PM_TYPE_32, COLOURS, PM_SEM_INSTANT, NO_UNITS, answer, NULL, 0,
     "Has instances, none of them with a value"},
    ONE("bad.unknown", BAD_UNKNOWN, PM_TYPE_32, PM_SEM_INSTANT, NULL, NULL, 0,
        "A name whose metric does not exist"),
    ONE("bad.nosupport", 55, PM_TYPE_NOSUPPORT, 0, answer, NULL, PM_ERR_APPVERSION,
        "Not supported: no type and no value"),
    ONE("bad.novalues", 138, PM_TYPE_32, PM_SEM_INSTANT, answer, NULL, 0, "Never has a value"),
    ONE("bad.fetch.again", 154, PM_TYPE_32, PM_SEM_DISCRETE, answer, NULL, PM_ERR_AGAIN,
        "Always asks to try again"),
    ONE("not_ready", 56, PM_TYPE_32, PM_SEM_INSTANT, not_ready_value, store_not_ready, 0,
        "A store makes the agent be not ready for so many seconds"),
    ONE("error_code", 74, PM_TYPE_32, PM_SEM_INSTANT, code, store_code, 0,
        "The error that requests for sample.error_check answer, if it is below 0; can be stored"),
    ONE("error_check", ERROR_CHECK, PM_TYPE_32, PM_SEM_INSTANT, checked, NULL, 0,
        "Fails with sample.error_code, and with it each other metric of the fetch"),
};
/* clang-format on */

SAMPLE_GROUP(errors_group, rows);
