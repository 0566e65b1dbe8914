/* errors - requests that fail, and what an agent can do to its collector. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

/* ---- metrics without a value, without a descriptor, and with errors on request ---- */

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
static int answer(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return (int)call->metric->value.arg;
}

static int code(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = error_code;
	return PMDA_FETCH_STATIC;
}

static int store_code(const struct agent_call *call, const pmAtomValue *atom)
{
	error_code = atom->l;
	return 0;
}

static int checked(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = 0;
	return PMDA_FETCH_STATIC;
}

static int not_ready_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = not_ready;
	return PMDA_FETCH_STATIC;
}

static int store_not_ready(const struct agent_call *call, const pmAtomValue *atom)
{
	not_ready = atom->l;
	return 0;
}

static int store_unknown(const struct agent_call *call, const pmAtomValue *atom)
{
	return PM_ERR_PMID;
}

/* clang-format off */
#define ERROR_ONE(name, item, type, sem, value, store, arg, help) \
    {name, 0, item, type, sem, ONE_VALUE, NO_UNITS, AGENT_CALLS(value, store, arg), help, NULL, 0}

#define NO_VALUE_STORE(store) {0, 0, AGENT_KIND_NONE, NULL, store, 0}

static const struct agent_metric error_rows[] = {
    ERROR_ONE("noinst", 9, PM_TYPE_32, PM_SEM_INSTANT, answer, NULL, 0, "Never has a value"),
    {"darkness", 0, 92, PM_TYPE_32, PM_SEM_INSTANT, OF(COLOURS), NO_UNITS, AGENT_GET(answer),
     "Has instances, none of them with a value", NULL, 0},
    {"bad.unknown", ITEM(BAD_UNKNOWN), PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, NO_VALUE_STORE(store_unknown),
     "A name whose metric does not exist", NULL, 0},
    ERROR_ONE("bad.nosupport", 55, PM_TYPE_NOSUPPORT, 0, answer, NULL, PM_ERR_APPVERSION,
        "Not supported: no type and no value"),
    ERROR_ONE("bad.novalues", 138, PM_TYPE_32, PM_SEM_INSTANT, answer, NULL, 0, "Never has a value"),
    ERROR_ONE("bad.fetch.again", 154, PM_TYPE_32, PM_SEM_DISCRETE, answer, NULL, PM_ERR_AGAIN,
        "Always asks to try again"),
    ERROR_ONE("not_ready", 56, PM_TYPE_32, PM_SEM_INSTANT, not_ready_value, store_not_ready, 0,
        "A store makes the agent be not ready for so many seconds"),
    ERROR_ONE("error_code", 74, PM_TYPE_32, PM_SEM_INSTANT, code, store_code, 0,
        "The error that requests for sample.error_check answer, if it is below 0; can be stored"),
    ERROR_ONE("error_check", ERROR_CHECK, PM_TYPE_32, PM_SEM_INSTANT, checked, NULL, 0,
        "Fails with sample.error_code, and with it each other metric of the fetch"),
};
/* clang-format on */

ROWS_CLUSTER(errors, error_rows);

/*
 * ---- returns ----
 *
 * what an agent can do to its collector (not in PCP's sample): each answer of a fetch
 * callback, any error of one value, a slow answer, an end. As a DSO it neither waits nor ends.
 */

static int is_daemon;
static int error, delay_ms, control;
static int end_signal, end_status = -1;

enum { STATIC, DYNAMICALLY, NO_VALUE, AN_ERROR, CASES };

static pmdaInstid cases[CASES] = {
    {STATIC, "static"}, {DYNAMICALLY, "dynamic"}, {NO_VALUE, "novalues"}, {AN_ERROR, "error"}};

void returns_start(int is_process)
{
	is_daemon = is_process;
	sample_set_instances(RETURNS, cases, CASES);
}

void returns_end(void)
{
	if (end_signal > 0) {
		signal(end_signal, SIG_DFL);
		raise(end_signal);
	}
	if (end_status >= 0)
		_exit(end_status);
}

static int error_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = error;
	return error < 0 ? error : PMDA_FETCH_STATIC;
}

static int store_error(const struct agent_call *call, const pmAtomValue *atom)
{
	error = atom->l;
	return 0;
}

/* An instance for each answer of a callback. */
static int callback(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static char words[] = "static";

	switch (call->inst) {
	case STATIC:
		ret_atom->cp = words;
		return PMDA_FETCH_STATIC;
	case DYNAMICALLY:
		ret_atom->cp = strdup("dynamic");
		return ret_atom->cp != NULL ? PMDA_FETCH_DYNAMIC : -ENOMEM;
	case NO_VALUE:
		return PMDA_FETCH_NOVALUES;
	default:
		return PM_ERR_VALUE;
	}
}

static int delay(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = delay_ms;
	return PMDA_FETCH_STATIC;
}

static int store_delay(const struct agent_call *call, const pmAtomValue *atom)
{
	if (atom->l < 0 || atom->l > 600000)
		return PM_ERR_BADSTORE;
	delay_ms = atom->l;
	return 0;
}

static int delayed(const struct agent_call *call, pmAtomValue *ret_atom)
{
	struct timespec span = {delay_ms / 1000, delay_ms % 1000 * 1000000L};

	while (is_daemon && nanosleep(&span, &span) < 0 && errno == EINTR)
		;
	ret_atom->l = delay_ms;
	return PMDA_FETCH_STATIC;
}

static int zero(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = 0;
	return PMDA_FETCH_STATIC;
}

static int store_exit(const struct agent_call *call, const pmAtomValue *atom)
{
	if (!is_daemon)
		return PM_ERR_PERMISSION;
	if (atom->l < 0 || atom->l > 255)
		return PM_ERR_BADSTORE;
	_exit(atom->l);
}

static int store_signal(const struct agent_call *call, const pmAtomValue *atom)
{
	if (!is_daemon)
		return PM_ERR_PERMISSION;
	if (atom->l <= 0 || atom->l >= NSIG)
		return PM_ERR_BADSTORE;
	end_signal = atom->l;
	returns_end();
	return 0;
}

static int control_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = control;
	return PMDA_FETCH_STATIC;
}

/* -1: ends, but only after the answer. */
static int store_control(const struct agent_call *call, const pmAtomValue *atom)
{
	control = atom->l;
	if (is_daemon && control == -1)
		end_status = 0;
	return 0;
}

/* clang-format off */
#define RETURN_ONE(name, number, units, value, store, help) \
    {name, number, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, units, AGENT_GET_STORE(value, store), help, NULL, 0}

static const struct agent_metric return_rows[] = {
    RETURN_ONE("control", ITEM(0), NO_UNITS, control_value, store_control,
     "-1 ends the agent; else without effect"),
    RETURN_ONE("returns.error", OWN(0), NO_UNITS, error_value, store_error,
        "Fails with what was stored, if that is below 0; other metrics of the fetch do not"),
    {"returns.callback", OWN(1), PM_TYPE_STRING, PM_SEM_INSTANT, OF(RETURNS), NO_UNITS,
     AGENT_GET(callback),
     "An instance for each answer of a fetch callback: a value, one to be freed, none, an error", NULL, 0},
    RETURN_ONE("delay.msec", OWN(2), MSEC, delay, store_delay,
     "How long sample.delay.value takes; can be stored"),
    RETURN_ONE("delay.value", OWN(3), MSEC, delayed, NULL, "Takes so long, if the agent is a process"),
    RETURN_ONE("end.exit", OWN(4), NO_UNITS, zero, store_exit,
     "A store ends the agent with this status, unanswered"),
    RETURN_ONE("end.signal", OWN(5), NO_UNITS, zero, store_signal,
     "A store ends the agent by this signal, unanswered"),
};
/* clang-format on */

ROWS_CLUSTER(returns, return_rows);
