#include "agents/common/cmdline.h"

#include <stdio.h>

#define HEADER PMDA_OPTIONS_HEADER("Options")

int cmdline_read(int argc, char **argv, pmdaInterface *dispatch, const pmLongOptions *own,
		 const char **ret_value)
{
	const pmLongOptions header = HEADER;
	pmLongOptions long_options[] = {
	    HEADER,
	    own != NULL ? *own : header,
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
	char letters[] = "D:d:i:l:pu:U:V6:?\0:";
	pmdaOptions opts = {
	    .short_options = letters,
	    .long_options = own != NULL ? long_options : long_options + 1,
	};
	int letter;

	if (own != NULL)
		letters[sizeof(letters) - 3] = (char)own->short_opt;
	while ((letter = pmdaGetOptions(argc, argv, &opts, dispatch)) != EOF) {
		if (letter == 'V') {
			printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
			       PITOT_VERSION);
			return 0;
		}
		if (own != NULL && letter == own->short_opt)
			*ret_value = opts.optarg;
	}
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	return -1;
}
