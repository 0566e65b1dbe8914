/* register - see register.h. */
#include "libpcp/derive/register.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/parse.h"
#include "libpcp/message.h"

/* ---- The reason of a failure ---------------------------------------------------------------- */

static __thread char reason_text[PARSE_REASON_MAX];
static __thread bool has_reason;

const char *register_reason(void)
{
	return has_reason ? reason_text : NULL;
}

void register_set_reason(const char *reason)
{
	has_reason = reason != NULL && *reason != '\0';
	if (has_reason)
		pmstrncpy(reason_text, sizeof(reason_text), reason);
}

/* ---- Definitions ---------------------------------------------------------------------------- */

/* A definition without an id. As register_global. */
static int parse_definition(const char *name, const char *text, struct definition **ret_def,
			    int *ret_at)
{
	struct definition *def = definition_new(name);
	struct parse parse = {0};
	int r;

	register_set_reason(NULL);
	*ret_at = 0;
	if (def == NULL)
		return -ENOMEM;
	parse.e = &def->expr;
	r = parse_run(&parse, text);
	if (r < 0) {
		*ret_at = parse.at;
		register_set_reason(parse.reason);
		definition_free(def);
		return r;
	}
	*ret_def = def;
	return 0;
}

static int refuse(int refusal, bool global)
{
	static const char *const reasons[][2] = {
	    [REGISTRY_DUPLICATE] = {"Duplicate per-context derived metric name",
				    "Duplicate global derived metric name"},
	    [REGISTRY_LIMIT] = {"Too many per-context derived metrics",
				"Too many global derived metrics"},
	    [REGISTRY_FULL] = {"per-context PMID space exhausted", "global PMID space exhausted"},
	};

	register_set_reason(reasons[refusal][global]);
	return PM_ERR_BADDERIVE;
}

int register_global(const char *name, const char *text, int *ret_at)
{
	struct definition *def;
	int r = parse_definition(name, text, &def, ret_at);

	if (r < 0)
		return r;
	r = special_by_name(name) != NULL ? REGISTRY_DUPLICATE : registry_add(def);
	if (r != 0)
		definition_free(def);
	return r > 0 ? refuse(r, true) : r;
}

/* Gives the definition its id and binds it, so that the rules are checked at once. */
static int bind_own(struct context *ctx, struct derive *d, struct definition *def,
		    enum fault *ret_fault)
{
	size_t index = d->own.n;
	struct bound *b;
	int r;

	def->pmid = registry_own_pmid(index);
	b = bound_get(&d->own_bounds, index, def);
	r = b == NULL ? -ENOMEM : bound_bind(&d->global_bounds, ctx, &b, 1, false);
	if (r == 0 && b->reason != NULL) {
		register_set_reason(b->reason);
		*ret_fault = FAULT_SEMANTIC;
		r = PM_ERR_BADDERIVE;
	}
	if (r == 0)
		r = deflist_add(&d->own, def);
	if (r < 0)
		bound_drop(&d->own_bounds, index);
	return r;
}

static int check_own(const struct derive *d, const char *name)
{
	int limit = registry_limit(false);

	if (limit >= 0 && d->own.n >= (size_t)limit)
		return REGISTRY_LIMIT;
	if (deflist_find(&d->own, name) != NULL)
		return REGISTRY_DUPLICATE;
	return registry_own_pmid(d->own.n) == PM_ID_NULL ? REGISTRY_FULL : 0;
}

int register_own(struct context *ctx, const char *name, const char *text, int *ret_at,
		 enum fault *ret_fault)
{
	struct derive *d = derive_of(ctx);
	struct definition *def;
	int r;

	*ret_fault = FAULT_OTHER;
	if (d == NULL)
		return -ENOMEM;
	r = parse_definition(name, text, &def, ret_at);
	if (r == PM_ERR_BADDERIVE)
		*ret_fault = FAULT_SYNTAX;
	if (r < 0)
		return r;
	r = check_own(d, name);
	if (r == 0)
		r = bind_own(ctx, d, def, ret_fault);
	if (r != 0)
		definition_free(def);
	return r > 0 ? refuse(r, false) : r;
}

/* ---- The initial configuration -------------------------------------------------------------- */

/* The configuration is that of clients: an agent serves the metrics of its own source alone. */
static void load_initial(void)
{
	const char *paths = getenv("PCP_DERIVED_CONFIG");
	const char *var;
	AUTO_FREE char *folder = NULL;

	if (message_program_is_agent())
		return;
	if (paths != NULL) {
		load_paths(paths, true);
		return;
	}
	var = pmGetOptionalConfig("PCP_VAR_DIR");
	if (var == NULL || asprintf(&folder, "%s/config/derived", var) < 0) {
		folder = NULL;
		return;
	}
	if (access(folder, F_OK) == 0)
		load_paths(folder, true);
}

void register_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_initial);
}
