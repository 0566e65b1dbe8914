/*
 * setup - pmdaDaemon, pmdaDSO and the setters of an agent's interface (docs/spec/pmda.md 5); the
 * command line of an agent (6).
 *
 * pmdaOptions begins like pmOptions, so libpcp's pmgetopt_r does the parsing; the letters that
 * every agent knows are a table here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pitot/agent.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"

/* All agents of the process: there is no call that ends one. */
static struct ext *agents;

/* Members beyond the requested version are not written: an older structure is shorter. */
static void setup_methods(pmdaInterface *dispatch, int version)
{
	dispatch->version.any.profile = pmdaProfile;
	dispatch->version.any.fetch = pmdaFetch;
	dispatch->version.any.desc = pmdaDesc;
	dispatch->version.any.instance = pmdaInstance;
	dispatch->version.any.text = pmdaText;
	dispatch->version.any.store = pmdaStore;
	if (version >= PMDA_INTERFACE_4) {
		dispatch->version.four.pmid = pmdaPMID;
		dispatch->version.four.name = pmdaName;
		dispatch->version.four.children = pmdaChildren;
	}
	if (version >= PMDA_INTERFACE_6)
		dispatch->version.six.attribute = pmdaAttribute;
	if (version >= PMDA_INTERFACE_7)
		dispatch->version.seven.label = pmdaLabel;
}

static void setup_ext(pmdaInterface *dispatch, pmdaExt *ext, const char *name)
{
	ext->e_name = name;
	ext->e_domain = dispatch->domain;
	ext->e_infd = -1;
	ext->e_outfd = -1;
	ext->e_port = -1;
	ext->e_singular = -1;
	ext->e_ordinal = -1;
	ext->e_help = -1;
	ext->e_io = pmdaUnknown;
}

static void setup(pmdaInterface *dispatch, int version, const char *name)
{
	pmdaExt *ext;
	struct ext *own;

	if (!interface_supported(version)) {
		DISPATCH_FAIL(dispatch,
			      "__pmdaSetup: %s PMDA: interface version %d not supported "
			      "(domain=%d)",
			      name, version, dispatch->domain);
		return;
	}
	ext = calloc(1, sizeof(*ext));
	if (ext == NULL) {
		pmNotifyErr(LOG_ERR,
			    "%s: Unable to allocate memory for pmdaExt structure (%d bytes)", name,
			    (int)sizeof(*ext));
		dispatch->status = PM_ERR_GENERIC;
		return;
	}
	dispatch->status = 0;
	dispatch->comm.pmda_interface = (unsigned int)version & 0xff;
	dispatch->comm.pmapi_version = 2;
	dispatch->comm.flags = 0;
	setup_methods(dispatch, version);
	setup_ext(dispatch, ext, name);
	dispatch->version.any.ext = ext;
	own = calloc(1, sizeof(*own));
	if (own == NULL) {
		pmNotifyErr(LOG_ERR,
			    "%s: Unable to allocate memory for e_ext_t structure (%d bytes)", name,
			    (int)sizeof(*own));
		dispatch->version.any.ext = NULL;
		dispatch->status = PM_ERR_GENERIC;
		free(ext);
		return;
	}
	own->dispatch = dispatch;
	own->public = ext;
	own->next = agents;
	agents = own;
	ext->e_ext = own;
	ext->e_resultCallBack = __pmFreeResultValues;
	ext->e_flags |= PMDA_EXT_SETUPDONE;
}

/* A copy, or NULL of NULL; without memory the set-up has failed. */
static const char *dup_or_null(pmdaInterface *dispatch, const char *s)
{
	const char *copy = s == NULL ? NULL : strdup(s);

	if (copy == NULL && s != NULL) {
		pmNotifyErr(LOG_ERR, "%s: Unable to allocate memory for \"%s\"",
			    dispatch->version.any.ext->e_name, s);
		dispatch->status = -ENOMEM;
	}
	return copy;
}

void pmdaDaemon(pmdaInterface *dispatch, int version, const char *name, int domain,
		const char *logfile, const char *helptext)
{
	pmdaExt *ext;

	dispatch->domain = domain;
	setup(dispatch, version, name);
	if (dispatch->status < 0)
		return;
	ext = dispatch->version.any.ext;
	ext->e_logfile = dup_or_null(dispatch, logfile);
	ext->e_helptext = dup_or_null(dispatch, helptext);
	__pmSetInternalState(PM_STATE_PMCS);
}

void pmdaDSO(pmdaInterface *dispatch, int version, char *name, char *helptext)
{
	setup(dispatch, version, name);
	if (dispatch->status < 0)
		return;
	dispatch->version.any.ext->e_helptext = dup_or_null(dispatch, helptext);
}

void pmdaInterfaceMoved(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;

	if (ext != NULL && ext->e_ext != NULL)
		ext_of(ext)->dispatch = dispatch;
}

/* The agent's ext if its interface is at least as new; else says what can't be set. */
static pmdaExt *setter_ext(pmdaInterface *dispatch, int oldest, const char *what)
{
	int version = dispatch->comm.pmda_interface;

	if (interface_supported(version) && version >= oldest)
		return dispatch->version.any.ext;
	DISPATCH_FAIL(dispatch, "Unable to set %s callback for PMDA interface version %d.", what,
		      version);
	return NULL;
}

void pmdaSetResultCallBack(pmdaInterface *dispatch, pmdaResultCallBack callback)
{
	pmdaExt *ext = setter_ext(dispatch, PMDA_INTERFACE_2, "result");

	if (ext != NULL)
		ext->e_resultCallBack = callback;
}

void pmdaSetFetchCallBack(pmdaInterface *dispatch, pmdaFetchCallBack callback)
{
	pmdaExt *ext = setter_ext(dispatch, PMDA_INTERFACE_2, "fetch");

	if (ext != NULL)
		ext->e_fetchCallBack = callback;
}

void pmdaSetCheckCallBack(pmdaInterface *dispatch, pmdaCheckCallBack callback)
{
	pmdaExt *ext = setter_ext(dispatch, PMDA_INTERFACE_2, "check");

	if (ext != NULL)
		ext->e_checkCallBack = callback;
}

void pmdaSetDoneCallBack(pmdaInterface *dispatch, pmdaDoneCallBack callback)
{
	pmdaExt *ext = setter_ext(dispatch, PMDA_INTERFACE_2, "done");

	if (ext != NULL)
		ext->e_doneCallBack = callback;
}

void pmdaSetEndContextCallBack(pmdaInterface *dispatch, pmdaEndContextCallBack callback)
{
	/* Taking the callback away is allowed at any version (5.4). */
	int oldest = callback == NULL ? PMDA_INTERFACE_2 : PMDA_INTERFACE_5;
	pmdaExt *ext = setter_ext(dispatch, oldest, "end context");

	if (ext != NULL)
		ext->e_endCallBack = callback;
}

void pmdaSetLabelCallBack(pmdaInterface *dispatch, pmdaLabelCallBack callback)
{
	pmdaExt *ext = setter_ext(dispatch, PMDA_INTERFACE_7, "label");

	if (ext != NULL)
		ext->e_labelCallBack = callback;
}

void pmdaExtSetFlags(pmdaExt *ext, int flags)
{
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaExtSetFlags: flags=%x", (unsigned int)flags);
	ext->e_flags |= (unsigned int)flags;
}

/* The agent's ext, or NULL after a message. */
static pmdaExt *ready_ext(pmdaInterface *dispatch, const char *who)
{
	pmdaExt *ext = dispatch->version.any.ext;

	if (!interface_supported(dispatch->comm.pmda_interface)) {
		DISPATCH_FAIL(dispatch, "%s: PMDA interface version %d not supported (domain=%d)",
			      who, dispatch->comm.pmda_interface, dispatch->domain);
		return NULL;
	}
	if (ext == NULL)
		DISPATCH_FAIL(dispatch, "%s: need to call pmdaDaemon() or pmdaDSO() first", who);
	return ext;
}

void pmdaSetFlags(pmdaInterface *dispatch, int flags)
{
	pmdaExt *ext = ready_ext(dispatch, "pmdaSetFlags");

	if (ext != NULL)
		pmdaExtSetFlags(ext, flags);
}

void pmdaSetCommFlags(pmdaInterface *dispatch, int flags)
{
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaSetCommFlags: flags=%x", (unsigned int)flags);
	dispatch->comm.flags |= (unsigned int)flags & 0xffff;
}

void pmdaExtSetData(pmdaExt *ext, void *data)
{
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaExtSetData: data=%p", data);
	ext_of(ext)->data = data;
}

void *pmdaExtGetData(pmdaExt *ext)
{
	return ext_of(ext)->data;
}

void pmdaSetData(pmdaInterface *dispatch, void *data)
{
	pmdaExt *ext = ready_ext(dispatch, "pmdaSetData");

	if (ext != NULL)
		pmdaExtSetData(ext, data);
}

void setup_set_refresh(pmdaInterface *dispatch, int (*refresh)(int, pmID *, pmdaExt *))
{
	pmdaExt *ext = ready_ext(dispatch, "agent_set_refresh");

	if (ext != NULL)
		ext_of(ext)->refresh = refresh;
}

void agent_set_refresh(pmdaInterface *dispatch, int (*refresh)(int, pmID *, pmdaExt *))
{
	setup_set_refresh(dispatch, refresh);
}

void pmdaOpenLog(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	int status;

	if (dispatch->status < 0 || ext == NULL)
		return;
	if (pmDebugOptions.libpmda && pmDebugOptions.desperate)
		setlinebuf(stderr);
	pmOpenLog(ext->e_name, ext->e_logfile, stderr, &status);
}

/* ---- The command line ----------------------------------------------------------------------- */

static void option_domain(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	char *end;

	dispatch->domain = (int)strtol(opts->optarg, &end, 10);
	if (*end != '\0') {
		pmprintf("%s: -d requires numeric domain number\n", ext->e_name);
		opts->errors++;
	}
	ext->e_domain = dispatch->domain;
}

static void option_debug(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	if (pmSetDebug(opts->optarg) >= 0)
		return;
	pmprintf("%s: unrecognized debug options specification (%s)\n",
		 dispatch->version.any.ext->e_name, opts->optarg);
	opts->errors++;
}

static char *option_copy(pmdaOptions *opts, const pmdaInterface *dispatch)
{
	char *copy = strdup(opts->optarg);

	if (copy == NULL) {
		pmprintf("%s: %s\n", dispatch->version.any.ext->e_name, strerror(ENOMEM));
		opts->errors++;
	}
	return copy;
}

static void option_help(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	dispatch->version.any.ext->e_helptext = option_copy(opts, dispatch);
}

static void option_log(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	dispatch->version.any.ext->e_logfile = option_copy(opts, dispatch);
}

/* The four ways to pmcd; one excludes the others. */
static const struct {
	char letter;
	pmdaIoType io;
} ways[] = {
    {'p', pmdaPipe},
    {'i', pmdaInet},
    {'6', pmdaIPv6},
    {'u', pmdaUnix},
};

static pmdaIoType way_io(int c)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].letter == c)
			return ways[i].io;
	}
	return pmdaUnknown;
}

static void option_way(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	pmdaIoType io = way_io(c);
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].io == ext->e_io && ext->e_io != io) {
			pmprintf("%s: -%c option clashes with -%c option\n", ext->e_name, c,
				 ways[i].letter);
			opts->errors++;
			return;
		}
	}
	ext->e_io = io;
	if (io == pmdaUnix)
		ext->e_sockname = opts->optarg;
	if (io == pmdaInet || io == pmdaIPv6) {
		ext->e_port = (int)strtol(opts->optarg, &end, 10);
		if (*end != '\0')
			ext->e_sockname = opts->optarg;
	}
}

static void option_username(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	opts->username = opts->optarg;
}

static void option_unknown(int c, pmdaOptions *opts, pmdaInterface *dispatch)
{
	opts->errors++;
}

static const struct option {
	char letter;
	void (*take)(int c, pmdaOptions *opts, pmdaInterface *dispatch);
} options[] = {
    {'d', option_domain},   {'D', option_debug},   {'h', option_help}, {'l', option_log},
    {'i', option_way},      {'6', option_way},     {'u', option_way},  {'p', option_way},
    {'U', option_username}, {'?', option_unknown},
};

static const struct option *option_find(int c)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].letter == c)
			return &options[i];
	}
	return NULL;
}

int pmdaGetOptions(int argc, char *const *argv, pmdaOptions *opts, pmdaInterface *dispatch)
{
	if (dispatch->status != 0 || dispatch->version.any.ext == NULL) {
		opts->errors++;
		return EOF;
	}
	if (!interface_supported(dispatch->comm.pmda_interface)) {
		pmNotifyErr(LOG_CRIT,
			    "pmdaGetOptions: PMDA interface version %d not supported (domain=%d)",
			    dispatch->comm.pmda_interface, dispatch->domain);
		opts->errors++;
		return EOF;
	}
	opts->version = 0;
	for (;;) {
		int c = pmgetopt_r(argc, argv, (pmOptions *)opts);
		const struct option *option = option_find(c);

		if (c == EOF || (opts->override != NULL && opts->override(c, opts) != 0) ||
		    option == NULL)
			return c;
		option->take(c, opts, dispatch);
	}
}

void pmdaUsageMessage(pmdaOptions *opts)
{
	pmUsageMessage((pmOptions *)opts);
}

/* pmdaGetOpt returns -U to its caller, which handles it (6.3). */
static int getopt_override(int c, pmdaOptions *opts)
{
	return c == 'U';
}

int pmdaGetOpt(int argc, char *const *argv, const char *optstring, pmdaInterface *dispatch,
	       int *err)
{
	static pmdaOptions opts;
	int c;

	opts.flags |= PM_OPTFLAG_POSIX;
	opts.short_options = optstring;
	opts.override = getopt_override;
	opts.errors = 0;
	c = pmdaGetOptions(argc, argv, &opts, dispatch);
	optind = opts.optind;
	opterr = opts.opterr;
	optopt = opts.optopt;
	optarg = opts.optarg;
	*err += opts.errors;
	return c;
}
