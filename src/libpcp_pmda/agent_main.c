/*
 * agent_main - an agent as a program: options, log, connection, main loop; and what its options
 * print.
 */
#include <stdlib.h>
#include <string.h>

#include <pitot/agent.h>

#include "libpcp_pmda/agent_names.h"
#include "libpcp_pmda/agent_request.h"
#include "libpcp_pmda/agent_table.h"
#include "libpcp_pmda/agent_text.h"

static int print_rows(const struct agent *agent, int domain, FILE *out,
		      int (*print)(const struct agent_state *s, FILE *out))
{
	struct agent_state *s;
	int r = agent_state_new(agent, domain, AGENT_STATIC_ONLY, &s);

	if (r < 0)
		return r;
	r = print(s, out);
	agent_state_free(s);
	return r;
}

int agent_print_pmns(const struct agent *agent, int domain, FILE *out)
{
	return print_rows(agent, domain, out, agent_names_print);
}

int agent_print_metrics(const struct agent *agent, FILE *out)
{
	return print_rows(agent, agent->domain, out, agent_text_print);
}

enum { OPT_VERSION = 'V', OPT_PMNS = 'n', OPT_METRICS = 'm', OPT_HELP = '?' };

static pmLongOptions long_options[] = {
    PMDA_OPTIONS_HEADER("Options"),
    PMDAOPT_DEBUG,
    PMDAOPT_DOMAIN,
    PMDAOPT_LOGFILE,
    PMDAOPT_USERNAME,
    {"version", 0, OPT_VERSION, NULL, "print the version and exit"},
    {"print-pmns", 0, OPT_PMNS, NULL, "print the agent's part of the name space and exit"},
    {"print-metrics", 0, OPT_METRICS, NULL, "print the list of metrics as Markdown and exit"},
    {"help", 0, OPT_HELP, NULL, "show this usage message and exit"},
    PMDA_OPTIONS_HEADER("Exactly one of the following options may appear"),
    PMDAOPT_INET,
    PMDAOPT_PIPE,
    PMDAOPT_UNIX,
    PMDAOPT_IPV6,
    PMDA_OPTIONS_END,
};

/* Options that print and end the program: its exit code, or -1 if c is not one of them. */
static int option_prints(const struct agent *agent, int c, int domain)
{
	int r = 0;

	switch (c) {
	case OPT_VERSION:
		printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
		       PITOT_VERSION);
		break;
	case OPT_PMNS:
		r = agent_print_pmns(agent, domain, stdout);
		break;
	case OPT_METRICS:
		r = agent_print_metrics(agent, stdout);
		break;
	default:
		return -1;
	}
	if (r == 0)
		return 0;
	fprintf(stderr, "%s: Cannot print: error=%s\n", pmGetProgname(), pmErrStr(r));
	return 1;
}

/* An exit code, or -1 to go on. */
static int parse_options(const struct agent *agent, int argc, char **argv, pmdaOptions *opts,
			 pmdaInterface *dispatch)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, opts, dispatch)) != -1) {
		int code = option_prints(agent, c, dispatch->domain);

		if (code >= 0)
			return code;
	}
	if (opts->errors == 0 && opts->optind == argc)
		return -1;
	pmdaUsageMessage(opts);
	return 1;
}

/* Before the log is opened: an author who starts the program by hand sees the faults at the
 * terminal, and below a collector they are in the collector's log. */
static bool tables_are_right(const struct agent *agent, int domain)
{
	struct agent_state *s;

	if (agent_state_new(agent, domain, AGENT_STATIC_ONLY, &s) < 0)
		return false;
	agent_state_free(s);
	return true;
}

int agent_main(const struct agent *agent, int argc, char **argv)
{
	pmdaOptions opts = {.short_options = "D:d:i:l:mnpu:U:V6:?", .long_options = long_options};
	pmdaInterface dispatch;
	struct agent_state *s;
	char log[80];
	int code;

	memset(&dispatch, 0, sizeof(dispatch));
	pmSetProgname(argv[0]);
	snprintf(log, sizeof(log), "%s.log", agent->name);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), agent->domain, log, NULL);
	code = parse_options(agent, argc, argv, &opts, &dispatch);
	if (code >= 0)
		return code;
	if (!tables_are_right(agent, dispatch.domain))
		return 1;
	pmdaOpenLog(&dispatch);
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	if (agent_state_new(agent, dispatch.domain, 0, &s) < 0)
		return 1;
	pmdaConnect(&dispatch);
	agent_install(s, &dispatch);
	pmdaMain(&dispatch);
	return 0;
}
