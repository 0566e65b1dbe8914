/* options - see options.h. */
#include "tools/pmlc/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"
#include "tools/common/finding.h"
#include "tools/common/source.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	PMOPT_DEBUG,
	{ "echo", 0, 'e', 0, "echo input" },
	{ "host", 1, 'h', "HOST", "connect to pmlogger using host specification" },
	{ "interactive", 0, 'i', 0, "be interactive and prompt" },
	PMOPT_NAMESPACE,
	{ "primary", 0, 'P', 0, "connect to primary pmlogger" },
	{ "port", 1, 'p', "N", "connect to pmlogger on this TCP/IP port" },
	FINDING_STRICT_ROWS,
	PMOPT_TIMEZONE,
	{ "logzone", 0, 'z', 0, "set reporting timezone to local time for pmlogger" },
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* True if the whole word is a number from 1 up. */
static bool number_of(const char *text, uint32_t *ret_number)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end != '\0' || n <= 0 || n > INT_MAX)
		return false;
	*ret_number = (uint32_t)n;
	return true;
}

/* The library reads hosts, time zones and name spaces, but a host is not a collector here. */
static int is_ours(int letter, pmOptions *opts)
{
	return letter == 'h' || letter == 'p' || letter == 'z' || letter == 'Z' || letter == FINDING_STRICT;
}

static bool has_path(const char *host)
{
	return (strncmp(host, "unix:", 5) == 0 && host[5] != '\0') ||
	       (strncmp(host, "local:", 6) == 0 && host[6] != '\0');
}

/* Notes one of several ways to name the recorder. */
static void choose(struct options *o, enum target target)
{
	if (o->connects)
		cmdline_complain(&o->pm,
				 "at most one of -P, -p, unix socket, or PID may be specified");
	o->connects = true;
	o->target = target;
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'e':
		o->echo = true;
		break;
	case 'h':
		o->host = o->pm.optarg;
		if (has_path(o->host))
			choose(o, TARGET_SOCKET);
		break;
	case 'i':
		o->interactive = true;
		break;
	case 'P':
		choose(o, TARGET_PRIMARY);
		break;
	case 'p':
		choose(o, TARGET_PORT);
		if (!number_of(o->pm.optarg, &o->number))
			cmdline_complain(&o->pm, "port must be numeric and greater than 0");
		break;
	case FINDING_STRICT:
		finding_be_strict();
		break;
	case 'Z':
		o->zone = o->pm.optarg;
		break;
	case 'z':
		o->logger_zone = true;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

static void take_pid(struct options *o, int argc, char **argv)
{
	if (o->pm.optind < argc) {
		choose(o, TARGET_PID);
		if (!number_of(argv[o->pm.optind], &o->number))
			cmdline_complain(&o->pm,
					 "PID must be a numeric process ID and greater than 0");
		o->pm.optind++;
	}
	if (o->pm.optind < argc)
		o->pm.errors++;
	if (o->host != NULL && !o->connects)
		cmdline_complain(&o->pm,
				 "-h may not be used without -P or -p or a socket path or a PID");
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	*o = (struct options){0};
	o->pm.long_options = long_options;
	o->pm.short_options = "D:eh:in:Pp:zZ:V?";
	o->pm.short_usage = "[options] [pid]";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (o->pm.errors == 0 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		take_pid(o, argc, argv);
	if (o->host == NULL)
		o->host = SOURCE_DEFAULT_HOST;
	if (o->zone != NULL && o->logger_zone)
		cmdline_complain(&o->pm, "at most one of -z and -Z may be specified");
	return cmdline_accept(&o->pm, ret_status);
}
