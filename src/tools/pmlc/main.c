/*
 * pmlc - control of a running pmlogger (docs/spec/logger.md, Part C).
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/input.h"
#include "tools/pmlc/pmlc.h"
#include "tools/pmlc/script.h"

/*
 * options - the command line of pmlc (docs/spec/logger.md C1).
 */

struct options {
	pmOptions pm;
	const char *host; /* "local:" if none is given */
	bool connects;    /* the recorder to connect to before the first command: */
	enum target target;
	uint32_t number; /* process id or port */
	bool echo, interactive, logger_zone;
	const char *zone; /* NULL: not given */
};

/* True if the whole word is a number from 1 up. */
static bool pmlc_number_of(const char *text, uint32_t *ret_number)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end != '\0' || n <= 0 || n > INT_MAX)
		return false;
	*ret_number = (uint32_t)n;
	return true;
}

static bool has_path(const char *host)
{
	return (strncmp(host, "unix:", 5) == 0 && host[5] != '\0') ||
	       (strncmp(host, "local:", 6) == 0 && host[6] != '\0');
}

/* Notes one of several ways to name the recorder. */
static void pmlc_choose(struct options *o, enum target target)
{
	if (o->connects)
		cmdline_complain(&o->pm,
				 "at most one of -P, -p, unix socket, or PID may be specified");
	o->connects = true;
	o->target = target;
}

static void set_host(void *options)
{
	struct options *o = options;

	o->host = o->pm.optarg;
	if (has_path(o->host))
		pmlc_choose(o, TARGET_SOCKET);
}

static void choose_primary(void *options)
{
	pmlc_choose(options, TARGET_PRIMARY);
}

static void choose_port(void *options)
{
	struct options *o = options;

	pmlc_choose(o, TARGET_PORT);
	if (!pmlc_number_of(o->pm.optarg, &o->number))
		cmdline_complain(&o->pm, "port must be numeric and greater than 0");
}

static void take_pid(struct options *o, int argc, char **argv)
{
	if (o->pm.optind < argc) {
		pmlc_choose(o, TARGET_PID);
		if (!pmlc_number_of(argv[o->pm.optind], &o->number))
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

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_DEBUG },
	{ { "echo", 0, 'e', 0, "echo input" }, CMDLINE_FLAG, AT(echo) },
	{ { "host", 1, 'h', "HOST", "connect to pmlogger using host specification" }, CMDLINE_CALL, .call = set_host },
	{ { "interactive", 0, 'i', 0, "be interactive and prompt" }, CMDLINE_FLAG, AT(interactive) },
	{ PMOPT_NAMESPACE },
	{ { "primary", 0, 'P', 0, "connect to primary pmlogger" }, CMDLINE_CALL, .call = choose_primary },
	{ { "port", 1, 'p', "N", "connect to pmlogger on this TCP/IP port" }, CMDLINE_CALL, .call = choose_port },
	FINDING_STRICT_ROWS,
	{ PMOPT_TIMEZONE, CMDLINE_TEXT, AT(zone) },
	{ { "logzone", 0, 'z', 0, "set reporting timezone to local time for pmlogger" }, CMDLINE_FLAG, AT(logger_zone) },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* Returns false if the program is to end with *ret_status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	*o = (struct options){0};
	o->pm.short_usage = "[options] [pid]";
	cmdline_parse(o, rows, argc, argv);
	if (o->pm.errors == 0 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		take_pid(o, argc, argv);
	if (o->host == NULL)
		o->host = SOURCE_DEFAULT_HOST;
	if (o->zone != NULL && o->logger_zone)
		cmdline_complain(&o->pm, "at most one of -z and -Z may be specified");
	return cmdline_accept(&o->pm, ret_status);
}

/*
 * help - the descriptions of the commands.
 */

static const char help_text[] =
    "pmlc commands\n"
    "\n"
    "  show loggers [@<host>]             display <pid>s of running pmloggers\n"
    "  connect _logger_id [@<host>]       connect to designated pmlogger\n"
    "  status                             information about connected pmlogger\n"
    "  query metric-list                  show logging state of metrics\n"
    "  new volume                         start a new log volume\n"
    "  disconnect                         disconnect from pmlogger\n"
    "\n"
    "  log { mandatory | advisory } on <interval> _metric-list\n"
    "  log { mandatory | advisory } off _metric-list\n"
    "  log mandatory maybe _metric-list\n"
    "\n"
    "  timezone local|logger|'<timezone>' change reporting timezone\n"
    "  help                               print this help message\n"
    "  sleep <n>                          pause for <n> milliseconds\n"
    "  quit                               exit from pmlc\n"
    "\n"
    "  _logger_id   is  primary | <pid> | port <n>\n"
    "  _metric-list is  _metric-spec | { _metric-spec ... }\n"
    "  _metric-spec is  <metric-name> | <metric-name> [ <instance> ... ]\n"
    "\n";

static void help_print(void)
{
	fputs(help_text, stdout);
}

/*
 * The program
 */

/* The words of the language, for completion. */
/* clang-format off */
static const char *const words[] = {
    "advisory", "connect", "disconnect", "every",     "flush",   "help", "hour",     "local",
    "log",      "logger",  "loggers",    "mandatory", "maybe",   "min",  "msec",     "new",
    "off",      "on",      "once",       "port",      "primary", "qa",   "query",    "quit",
    "sec",      "show",    "sleep",      "socket",    "status",  "sync", "timezone", "volume", NULL,
};
/* clang-format on */

enum { QA_REQUEST = 100, MS_PER_SEC = 1000, NS_PER_MS = 1000000 };

/* The argument of the functions that a script calls. */
struct reading {
	struct input input;
	struct session *session;
};

static char *next_line(void *arg, bool more)
{
	struct reading *r = arg;

	r->input.prompt = more ? "? " : "pmlc> "; /* more: a list goes on */
	return input_next(&r->input);
}

static bool is_connected(void *arg)
{
	const struct reading *r = arg;

	return r->session->fd >= 0;
}

static void say_error(void *arg, unsigned int line, const char *text)
{
	fflush(stdout);
	fprintf(finding(), "Error [<stdin>, line %u]\n%s\n", line, text);
}

/* "Unable to connect to …" */
static void say_not_connected(const struct session *s, bool first, int error)
{
	char text[PM_MAXERRMSGLEN];

	fflush(stdout);
	fprintf(finding(), "Unable to connect to ");
	session_print_target(s, first, stderr);
	fprintf(stderr, ": %s\n", pmErrStr_r(error, text, sizeof(text)));
}

static void run_connect(struct session *s, const struct command *c)
{
	int r = session_connect(s, c->target, c->number, c->text);

	if (r < 0)
		say_not_connected(s, false, r);
}

/*
 * Handles a request whose answer is a number. Returns that number, or -1 after reporting a failure.
 */
static int request(struct session *s, int type)
{
	int r = pitot_logger_request(s->fd, type, NULL);

	if (r < 0)
		session_failed(s, "Error: ", r);
	return r < 0 ? -1 : r;
}

static void run_new_volume(struct session *s)
{
	int volume = request(s, LOG_REQUEST_NEWVOLUME);

	if (volume >= 0)
		fprintf(stderr, "New log volume %d\n", volume);
}

static void run_qa(struct session *s, uint32_t number)
{
	if (request(s, QA_REQUEST + (int)(number % 1000)) < 0)
		return;
	if (number == 0)
		fprintf(stderr, "QA Test Case deactivated\n");
	else
		fprintf(stderr, "QA Test Case #%u activated\n", number);
}

static void run_sleep(uint32_t ms)
{
	struct timespec left = {ms / MS_PER_SEC, (long)(ms % MS_PER_SEC) * NS_PER_MS};

	fflush(stdout);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static void run_timezone(struct session *s, const struct command *c)
{
	s->zone = c->zone;
	if (c->text != NULL)
		pmsprintf(s->zone_text, sizeof(s->zone_text), "%s", c->text);
}

static void pmlc_run(struct session *s, const struct command *c)
{
	switch (c->verb) {
	case VERB_CONNECT:
		run_connect(s, c);
		break;
	case VERB_DISCONNECT:
		session_disconnect(s);
		break;
	case VERB_HELP:
		help_print();
		break;
	case VERB_LOG:
		change_run(s, c);
		break;
	case VERB_NEW_VOLUME:
		run_new_volume(s);
		break;
	case VERB_QA:
		run_qa(s, c->number);
		break;
	case VERB_QUERY:
		query_run(s, c);
		break;
	case VERB_SHOW:
		show_loggers(s, c->text);
		break;
	case VERB_SLEEP:
		run_sleep(c->number);
		break;
	case VERB_STATUS:
		show_status(s);
		break;
	case VERB_SYNC:
		request(s, LOG_REQUEST_SYNC);
		break;
	case VERB_TIMEZONE:
		run_timezone(s, c);
		break;
	case VERB_QUIT:
	case VERB_NONE:
		break;
	}
	fflush(stdout);
}

static void pmlc_work(struct session *s, const struct options *o)
{
	struct reading reading = {
	    .input = {.file = stdin,
		      .words = words,
		      .prompts = o->interactive || isatty(STDIN_FILENO) == 1,
		      .edits = isatty(STDIN_FILENO) == 1,
		      .echoes = o->echo},
	    .session = s,
	};
	const struct script_source source = {next_line, is_connected, say_error, &reading};
	struct script *script = script_new(&source);
	struct command c = {0};
	int r;

	if (script == NULL)
		pmNoMem("script", sizeof(source), PM_FATAL_ERR);
	while (!ferror(stdout) && (r = script_next(script, &c)) >= 0) {
		if (r == 0)
			continue;
		if (c.verb == VERB_QUIT) {
			printf("Goodbye\n");
			break;
		}
		pmlc_run(s, &c);
	}
	command_done(&c);
	script_free(script);
}

/* Connects to the recorder that the command line names. */
static void connect_first(struct session *s, const struct options *o)
{
	int r = session_connect(s, o->target, o->number, o->host);

	if (r < 0) {
		say_not_connected(s, true, r);
		return;
	}
	printf("Connected to ");
	session_print_target(s, false, stdout);
	putchar('\n');
}

static void greet(void)
{
	printf("Performance Co-Pilot Logger Control (pmlc), Version %s\n\n", PCP_VERSION_STRING);
	help_print();
}

int main(int argc, char **argv)
{
	struct session session = {.fd = -1};
	struct options o;
	int status;

	pmSetProgname(argv[0]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!options_parse(&o, argc, argv, &status))
		return output_finish(status);
	signal(SIGPIPE, SIG_IGN);
	session.default_host = o.host;
	if (o.logger_zone)
		session.zone = ZONE_LOGGER;
	if (o.zone != NULL) {
		session.zone = ZONE_GIVEN;
		pmsprintf(session.zone_text, sizeof(session.zone_text), "%s", o.zone);
	}
	if (o.interactive || isatty(STDIN_FILENO) == 1)
		greet();
	if (o.connects)
		connect_first(&session, &o);
	pmlc_work(&session, &o);
	session_disconnect(&session);
	pmFreeOptions(&o.pm);
	return output_finish(finding_status(0));
}
