/*
 * dbpmda - the agent debugger: asks one agent what a collector would (docs/spec/pmda.md 19).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/output.h"
#include "tools/dbpmda/command.h"
#include "tools/dbpmda/input.h"
#include "tools/dbpmda/interrupt.h"
#include "tools/dbpmda/options.h"
#include "tools/dbpmda/run.h"
#include "tools/dbpmda/session.h"

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
	printf("%*s^ at or near here\n", input_indent(in) + e->column, "");
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

static void work(struct session *s, struct input *in)
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
	work(s, &in);
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
	};

	work(s, &in);
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
