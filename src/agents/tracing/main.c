/* main - the tracing agent as a program. */
#include <malloc.h>
#include <stdio.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "agents/common/cmdline.h"
#include "tracing.h"

static const pmLongOptions config_option = {
    "config", 1, 'c', "FILE", "configuration instead of PREFIX/etc/pcp/tracing/tracing.conf"};

enum { MMAP_THRESHOLD = 128 << 10 };

/* Rings, queues and answers come and go with the events: what is free is the system's again. */
static void set_memory(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
#endif
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	char usual[MAXPATHLEN], log[MAXPATHLEN];
	const char *config = usual;
	int code;

	set_memory();
	pmSetProgname(argv[0]);
	snprintf(usual, sizeof(usual), "%s/tracing/tracing.conf", pmGetConfig("PCP_SYSCONF_DIR"));
	snprintf(log, sizeof(log), "%s/tracing.log", pmGetConfig("PCP_LOG_DIR"));
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), TRACING_DOMAIN, log, NULL);
	code = cmdline_read(argc, argv, &dispatch, &config_option, &config);
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
