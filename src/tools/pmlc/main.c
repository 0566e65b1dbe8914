/*
 * pmlc - control of a running pmlogger (docs/spec/logger.md, Part C).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "tools/common/output.h"
#include "tools/common/finding.h"
#include "tools/pmlc/change.h"
#include "tools/pmlc/help.h"
#include "tools/pmlc/input.h"
#include "tools/pmlc/options.h"
#include "tools/pmlc/query.h"
#include "tools/pmlc/script.h"
#include "tools/pmlc/session.h"
#include "tools/pmlc/show.h"

enum { QA_REQUEST = 100, MS_PER_SEC = 1000, NS_PER_MS = 1000000 };

/* The argument of the functions that a script calls. */
struct reading {
	struct input input;
	struct session *session;
};

static char *next_line(void *arg, bool more)
{
	const struct reading *r = arg;

	return input_next(&r->input, more);
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

static void run(struct session *s, const struct command *c)
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

static void work(struct session *s, const struct options *o)
{
	struct reading reading = {
	    .input = {.prompts = o->interactive || isatty(STDIN_FILENO) == 1,
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
		run(s, &c);
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
	work(&session, &o);
	session_disconnect(&session);
	pmFreeOptions(&o.pm);
	return output_finish(finding_status(0));
}
