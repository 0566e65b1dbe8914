/* main - the tracing agent as a program. */
#include <stdio.h>
#include <stdlib.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "tracing.h"

static char config[MAXPATHLEN];

static int take_option(int letter, pmdaOptions *opts)
{
	if (letter == 'c')
		snprintf(config, sizeof(config), "%s", opts->optarg);
	return 0;
}

/* An exit code, or -1 to go on. */
static int get_options(int argc, char **argv, pmdaInterface *dispatch)
{
	pmLongOptions long_options[] = {
	    PMDA_OPTIONS_HEADER("Options"),
	    {"config", 1, 'c', "FILE", "configuration instead of PREFIX/etc/pcp/tracing/tracing.conf"},
	    PMOPT_DEBUG,
	    PMDAOPT_DOMAIN,
	    PMDAOPT_LOGFILE,
	    PMDAOPT_USERNAME,
	    PMOPT_VERSION,
	    PMOPT_HELP,
	    PMDA_OPTIONS_TEXT("\nExactly one of the following may be given:"),
	    PMDAOPT_INET,
	    PMDAOPT_PIPE,
	    PMDAOPT_UNIX,
	    PMDAOPT_IPV6,
	    PMDA_OPTIONS_END,
	};
	pmdaOptions opts = {.short_options = "c:D:d:i:l:pu:U:V6:?", .long_options = long_options};
	int letter;

	while ((letter = pmdaGetOptions(argc, argv, &opts, dispatch)) != EOF) {
		if (letter == 'V') {
			printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
			       PITOT_VERSION);
			return 0;
		}
		take_option(letter, &opts);
	}
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	return -1;
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	char log[MAXPATHLEN];
	int code;

	pmSetProgname(argv[0]);
	snprintf(config, sizeof(config), "%s/tracing/tracing.conf", pmGetConfig("PCP_SYSCONF_DIR"));
	snprintf(log, sizeof(log), "%s/tracing.log", pmGetConfig("PCP_LOG_DIR"));
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), TRACING_DOMAIN, log, NULL);
	code = get_options(argc, argv, &dispatch);
	if (code >= 0)
		return code;
	pmdaOpenLog(&dispatch);
	tracing_setup(&dispatch, config);
	tracing_start(&dispatch);
	if (dispatch.status == 0)
		pmdaConnect(&dispatch);
	if (dispatch.status == 0)
		pmdaMain(&dispatch);
	tracing_end();
	return dispatch.status < 0;
}
