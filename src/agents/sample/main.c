/* main - the sample agent as a program. */
#include <stdio.h>
#include <unistd.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "errors.h"
#include "returns.h"
#include "sample.h"

/* An exit code, or -1 to go on. */
static int get_options(int argc, char **argv, pmdaInterface *dispatch)
{
	pmLongOptions long_options[] = {
	    PMDA_OPTIONS_HEADER("Options"),
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
	pmdaOptions opts = {.short_options = "D:d:i:l:pu:U:V6:?", .long_options = long_options};

	if (pmdaGetOptions(argc, argv, &opts, dispatch) == 'V') {
		printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
		       PITOT_VERSION);
		return 0;
	}
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	return -1;
}

/* As pmdaMain, but for what some stores ask for behind their answer. */
static void answer_requests(pmdaInterface *dispatch)
{
	while (__pmdaMainPDU(dispatch) >= 0) {
		unsigned int wait_s = (unsigned int)errors_ready_after();

		if (wait_s > 0) {
			sleep(wait_s);
			pmdaSendError(dispatch, PM_ERR_PMDAREADY);
		}
		returns_end();
	}
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	int code;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), SAMPLE_DOMAIN, "sample.log", NULL);
	code = get_options(argc, argv, &dispatch);
	if (code >= 0)
		return code;
	pmdaOpenLog(&dispatch);
	sample_setup(&dispatch);
	returns_start(1);
	pmdaConnect(&dispatch);
	answer_requests(&dispatch);
	return dispatch.status < 0;
}
