/*
 * options - the command line of an agent (docs/spec/pmda.md 6).
 *
 * pmdaOptions begins like pmOptions, so libpcp's pmgetopt_r does the parsing; the letters that
 * every agent knows are a table here.
 */
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"

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

/* pmdaGetOpt hands -U back to its caller, which knows what to do with it (6.3). */
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
