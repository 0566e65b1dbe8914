/* derived - the calls that define derived metrics (docs/spec/pmapi.md 18.1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/derive/register.h"
#include "libpcp/trace.h"

/* ---- Messages ------------------------------------------------------------------------------- */

/* The head, the expression, a mark below the mistake, and the reason. NULL: no memory. */
static char *explain(const char *head, const char *call, const char *name, const char *expr, int at)
{
	struct buffer text = BUFFER_INIT;
	const char *reason = register_reason();
	char *copy;

	buffer_printf(&text, "%s: %s(\"%s\", ...)\n%s\n", head, call, name, expr);
	/* Before the first byte is as after it. */
	buffer_printf(&text, "%*s^\n", at < 0 ? 1 : at, "");
	if (reason != NULL)
		buffer_printf(&text, "%s\n", reason);
	copy = text.err != 0 ? NULL : strdup(buffer_str(&text));
	buffer_done(&text);
	return copy;
}

/* A failure that is not about the expression. */
static char *explain_code(const char *name, int code)
{
	const char *reason = register_reason();
	char *text;

	if (asprintf(&text, "Error: pmAddDerivedMetric(\"%s\", ...): returns %d\n%s%s", name, code,
		     reason == NULL ? "" : reason, reason == NULL ? "" : "\n") < 0)
		return NULL;
	return text;
}

static void note_error(int code)
{
	char text[PM_MAXERRMSGLEN];

	if (register_reason() == NULL && code != PM_ERR_BADDERIVE)
		register_set_reason(pmErrStr_r(code, text, sizeof(text)));
}

/* ---- For all contexts ----------------------------------------------------------------------- */

static int add_global(const char *name, const char *expr, int *ret_at)
{
	int r;

	register_start();
	r = register_global(name, expr, ret_at);
	if (r < 0)
		note_error(r);
	trace_call(r, "pmRegisterDerived(%s)", name);
	return r;
}

char *pmRegisterDerived(const char *name, const char *expr)
{
	int at;

	return add_global(name, expr, &at) < 0 ? (char *)expr + at : NULL;
}

int pmRegisterDerivedMetric(const char *name, const char *expr, char **errmsg)
{
	int at;

	*errmsg = NULL;
	if (add_global(name, expr, &at) == 0)
		return 0;
	*errmsg = explain("Error", "pmRegisterDerivedMetric", name, expr, at);
	return -1;
}

int pmLoadDerivedConfig(const char *path)
{
	int r;

	register_start();
	r = load_paths(path, false);
	trace_call(r, "pmLoadDerivedConfig(%s)", path);
	return r;
}

/* ---- For one context ------------------------------------------------------------------------ */

static int add_own(const char *name, const char *expr, int *ret_at, enum fault *ret_fault)
{
	struct context *ctx;
	int r;

	register_start();
	register_set_reason(NULL);
	*ret_at = 0;
	*ret_fault = FAULT_OTHER;
	ctx = context_hold_current();
	if (ctx == NULL) {
		r = PM_ERR_NOCONTEXT;
	} else {
		r = register_own(ctx, name, expr, ret_at, ret_fault);
		context_release(ctx);
	}
	if (r < 0)
		note_error(r);
	trace_call(r, "pmAddDerived(%s)", name);
	return r;
}

char *pmAddDerived(const char *name, const char *expr)
{
	enum fault fault;
	int at;

	return add_own(name, expr, &at, &fault) < 0 ? (char *)expr + at : NULL;
}

int pmAddDerivedMetric(const char *name, const char *expr, char **errmsg)
{
	enum fault fault;
	int at;
	int r = add_own(name, expr, &at, &fault);

	*errmsg = NULL;
	if (r == 0)
		return 0;
	if (fault == FAULT_OTHER)
		*errmsg = explain_code(name, r);
	else
		*errmsg = explain(fault == FAULT_SYNTAX ? "Syntax Error" : "Semantic Error",
				  "pmAddDerivedMetric", name, expr, at);
	return r;
}

char *pmDerivedErrStr(void)
{
	return (char *)register_reason();
}

/* ---- Limits and switches -------------------------------------------------------------------- */

static int *debug_switch(int what)
{
	switch (what) {
	case PCP_DERIVED_DEBUG_SYNTAX:
		return &pmDebugOptions.appl0;
	case PCP_DERIVED_DEBUG_SEMANTICS:
		return &pmDebugOptions.appl1;
	case PCP_DERIVED_DEBUG_EVAL:
		return &pmDebugOptions.appl2;
	default:
		return NULL;
	}
}

int pmGetDerivedControl(int what, int *value)
{
	const int *debug = debug_switch(what);

	if (what == PCP_DERIVED_GLOBAL_LIMIT || what == PCP_DERIVED_CONTEXT_LIMIT)
		*value = registry_limit(what == PCP_DERIVED_GLOBAL_LIMIT);
	else if (debug != NULL)
		*value = pmDebugOptions.derive && *debug;
	else
		return PM_ERR_BADDERIVE;
	return 0;
}

int pmSetDerivedControl(int what, int value)
{
	int *debug = debug_switch(what);

	if (what == PCP_DERIVED_GLOBAL_LIMIT || what == PCP_DERIVED_CONTEXT_LIMIT) {
		registry_set_limit(what == PCP_DERIVED_GLOBAL_LIMIT, value);
		return 0;
	}
	if (debug == NULL)
		return PM_ERR_BADDERIVE;
	pmDebugOptions.derive = value != 0;
	*debug = value != 0;
	return 0;
}
