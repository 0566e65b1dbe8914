/* main - the sample agent as a program. */
#include <unistd.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "agents/common/cmdline.h"
#include "sample.h"

/* As pmdaMain, except for actions that some stores request after their answer. */
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
	code = cmdline_read(argc, argv, &dispatch, NULL, NULL);
	if (code >= 0)
		return code;
	pmdaOpenLog(&dispatch);
	sample_setup(&dispatch);
	returns_start(1);
	pmdaConnect(&dispatch);
	answer_requests(&dispatch);
	return dispatch.status < 0;
}
