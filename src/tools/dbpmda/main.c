/*
 * dbpmda - the agent debugger: asks one agent what a collector would (docs/spec/pmda.md 19).
 */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/input.h"
#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/command.h"
#include "tools/dbpmda/session.h"

/*
 * options - the command line of dbpmda (docs/spec/pmda.md 19.1).
 */

struct options {
	pmOptions pm;
	const char *names_path;
	const char *user;
	int creds_timeout_s;
	bool no_rc, keep_dso, echo, interactive;
};

enum { CREDS_TIMEOUT_S = 3 };

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_DEBUG },
	{ PMOPT_NAMESPACE, CMDLINE_TEXT, AT(names_path) },
	{ { "norc", 0, 'f', 0, "skip .dbpmdarc processing" }, CMDLINE_FLAG, AT(no_rc) },
	{ { "creds-timeout", 1, 'q', "N", "initial negotiation timeout (seconds)" }, CMDLINE_INT, AT(creds_timeout_s), .min = 1, .max = INT_MAX / 1000,
	  .complaint = "-q requires a positive numeric argument" },
	{ { "username", 1, 'U', "USER", "run under named user account" }, CMDLINE_TEXT, AT(user) },
	{ { "valgrind", 0, 'v', 0, "running under valgrind, don't dlclose() dso PMDAs" }, CMDLINE_FLAG, AT(keep_dso) },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Input options") },
	{ { "echo-input", 0, 'e', 0, "echo input" }, CMDLINE_FLAG, AT(echo) },
	{ { "interactive", 0, 'i', 0, "be interactive and prompt" }, CMDLINE_FLAG, AT(interactive) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* Returns true if the program is to go on, otherwise *ret_status is its exit status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	*o = (struct options){.creds_timeout_s = CREDS_TIMEOUT_S};
	o->pm.short_usage = "[options]";
	o->pm.flags = PM_OPTFLAG_POSIX;
	cmdline_parse(o, rows, argc, argv);
	if (o->pm.optind < argc)
		o->pm.errors++;
	return cmdline_accept(&o->pm, ret_status);
}

/*
 * The program
 */

/* The verbs of the language, for completion. */
/* clang-format off */
static const char *const verbs[] = {
	"attr", "children", "close", "debug", "desc", "fetch", "getdesc", "getiname",
	"help", "instance", "label", "name", "namespace", "open", "pmid", "profile",
	"quit", "status", "store", "text", "timer", "traverse", "wait", "watch", NULL,
};
/* clang-format on */

static int look_up(void *arg, const char *name, pmID *ret_pmid)
{
	return session_lookup(arg, name, ret_pmid);
}

static void check_name(void *arg, pmID pmid)
{
	char text[80];
	char id[32];

	if (session_named(arg, pmid))
		return;
	snprintf(text, sizeof(text), "PMID (%s) is not defined in the PMNS",
		 pmIDStr_r(pmid, id, sizeof(id)));
	session_warn(arg, text);
}

static void warn(void *arg, const char *text)
{
	session_warn(arg, text);
}

static void print_error(const struct input *in, const struct command_error *e)
{
	/* Column 0 is that of the last character of the prompt. */
	printf("%*s^ at or near here\n", (int)strlen(in->prompt) - 1 + e->column, "");
	fflush(stdout);
	if (in->file != stdin)
		fprintf(stderr, "Error [%s, line %u]: %s\n", SESSION_RC_FILE, in->line, e->text);
	else
		fprintf(stderr, "Error: %s\n", e->text);
	fprintf(stderr, "Type 'help' for a list of commands.\n");
}

static void work_line(struct session *s, const struct input *in, const char *line,
		      struct command *c)
{
	const struct command_context ctx = {look_up, check_name, warn, s};
	struct command_error error;

	if (command_parse(line, &ctx, c, &error) < 0) {
		print_error(in, &error);
		return;
	}
	run_command(s, c);
	command_done(c);
}

static void dbpmda_work(struct session *s, struct input *in)
{
	struct command *c = malloc(sizeof(*c)); /* too large for the stack of a small thread */
	char *line;

	if (c == NULL)
		pmNoMem("command", sizeof(*c), PM_FATAL_ERR);
	while (!s->quit && !ferror(stdout) && (line = input_next(in)) != NULL) {
		s->rc_line = in->file != stdin ? in->line : 0;
		if (s->settings.interactive)
			interrupt_begin();
		work_line(s, in, line, c);
		if (s->settings.interactive)
			interrupt_end();
		watch_show(&s->watch, stdout);
		fflush(stdout);
		free(line);
	}
	free(c);
}

/* The commands of a file that was found in the current directory are printed as they are read. */
static void work_rc(struct session *s)
{
	struct input in = {.prompt = SESSION_RC_FILE "> ", .prompts = true, .echoes = true};

	in.file = fopen(SESSION_RC_FILE, "re");
	if (in.file == NULL)
		return;
	dbpmda_work(s, &in);
	fclose(in.file);
}

static void work_stdin(struct session *s, const struct options *o)
{
	bool terminal = isatty(STDIN_FILENO) == 1;
	struct input in = {
	    .file = stdin,
	    .prompt = "dbpmda> ",
	    .prompts = o->interactive || terminal,
	    .edits = terminal,
	    .echoes = o->echo,
	    .words = verbs,
	    .verbs = true,
	};

	dbpmda_work(s, &in);
}

int main(int argc, char **argv)
{
	struct session session = {0};
	struct options o;
	int status;

	pmSetProgname(argv[0]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stderr, NULL, _IOLBF, 0);
	if (!options_parse(&o, argc, argv, &status))
		return output_finish(status);
	signal(SIGPIPE, SIG_IGN);
	if (o.user != NULL && pmSetProcessIdentity(o.user) < 0)
		return output_finish(1);
	session.settings.creds_timeout_s = o.creds_timeout_s;
	session.settings.keep_dso = o.keep_dso;
	session.settings.interactive = o.interactive || isatty(STDIN_FILENO) == 1;
	if (session_load_names(&session, o.names_path) < 0)
		return output_finish(1);
	if (!o.no_rc)
		work_rc(&session);
	work_stdin(&session, &o);
	session_done(&session);
	pmFreeOptions(&o.pm);
	return output_finish(0);
}
