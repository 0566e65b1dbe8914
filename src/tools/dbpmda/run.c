/*
 * run - the commands (docs/spec/pmda.md 19.4 to 19.6), and their descriptions.
 */
#include "tools/dbpmda/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/libpcp.h>

#include "libwire/profile.h"
#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/command.h"

/*
 * help - the descriptions of dbpmda's commands (docs/spec/pmda.md 19.7).
 */

/* clang-format off */
static const struct {
	enum verb verb;
	const char *usage;
} usages[] = {
	{ VERB_ATTR,	  "attr name [value]" },
	{ VERB_ATTR,	  "attr attr# [value]" },
	{ VERB_CHILDREN,  "children metric-name" },
	{ VERB_CLOSE,	  "close" },
	{ VERB_DEBUG,	  "debug all | none" },
	{ VERB_DEBUG,	  "debug [-]flag [ [-]flag ... ] (- prefix to clear)" },
	{ VERB_DESC,	  "desc metric" },
	{ VERB_FETCH,	  "fetch metric [ metric ... ]" },
	{ VERB_GETDESC,	  "getdesc on | off" },
	{ VERB_GETINAME,  "getiname on | off" },
	{ VERB_INSTANCE,  "instance indom# [ number | name | \"name\" ]" },
	{ VERB_LABEL,	  "label context" },
	{ VERB_LABEL,	  "label domain" },
	{ VERB_LABEL,	  "label indom indom#" },
	{ VERB_LABEL,	  "label cluster cluster#" },
	{ VERB_LABEL,	  "label item metric" },
	{ VERB_LABEL,	  "label instances indom#" },
	{ VERB_NAME,	  "name pmid#" },
	{ VERB_NAMESPACE, "namespace fname" },
	{ VERB_OPEN,	  "open dso dsoname init_routine [ domain# ]" },
	{ VERB_OPEN,	  "open pipe execname [ arg ... ]" },
	{ VERB_OPEN,	  "open socket unix sockname" },
	{ VERB_OPEN,	  "open socket inet port#|service" },
	{ VERB_OPEN,	  "open socket ipv6 port#|service" },
	{ VERB_PMID,	  "pmid metric-name" },
	{ VERB_PROFILE,	  "profile indom# [ all | none ]" },
	{ VERB_PROFILE,	  "profile indom# [ add | delete ] number" },
	{ VERB_QUIT,	  "quit" },
	{ VERB_STATUS,	  "status" },
	{ VERB_STORE,	  "store metric \"value\"" },
	{ VERB_TEXT,	  "text metric" },
	{ VERB_TEXT,	  "text indom indom#" },
	{ VERB_TIMER,	  "timer on | off" },
	{ VERB_TRAVERSE,  "traverse metric-name" },
	{ VERB_WAIT,	  "wait seconds" },
	{ VERB_WATCH,	  "watch logfilename" },
};

static const char *const explanations[VERB_NVERB] = {
	[VERB_ATTR] =
	    "Tells the agent an attribute of its client: the attribute's name in quotes or\n"
	    "its number, and a value. Needs an agent of interface version 6 or later.\n",
	[VERB_CHILDREN] =
	    "Lists the names one level below a name that the agent itself makes (dynamic\n"
	    "names), each with \"leaf\" or \"non-leaf\".\n",
	[VERB_CLOSE] =
	    "Takes leave of the agent: the connection is closed, the library unloaded.\n",
	[VERB_DEBUG] =
	    "Switches debug output of the PCP libraries, by the names of \"pmdbg -l\" or by\n"
	    "number. A minus sign before a name switches that one off.\n",
	[VERB_DESC] =
	    "Shows what kind of values a metric has: type, instance domain, semantics,\n"
	    "units. A metric is named, or is a PMID: N, N.N (cluster and item) or N.N.N.\n",
	[VERB_FETCH] =
	    "Asks for the values of metrics and shows the result, with the instances that\n"
	    "\"profile\" leaves in. Values are shown by their type after \"getdesc on\".\n",
	[VERB_GETDESC] =
	    "Whether \"fetch\" first asks for descriptions, to show values by their type.\n",
	[VERB_GETINAME] =
	    "Whether \"fetch\" asks for the names of the instances that it shows.\n",
	[VERB_INSTANCE] =
	    "Lists the instances of a domain, or the one with a number or a name. A domain\n"
	    "is a number or N.N: the agent's domain and a serial number.\n",
	[VERB_NAME] =
	    "Asks the agent for the names of a metric that it names itself: N.N.N.\n",
	[VERB_NAMESPACE] =
	    "Reads names of metrics from another file from now on.\n",
	[VERB_OPEN] =
	    "Opens an agent, closing the one before: a library with the name of its\n"
	    "initialization function (and a domain number), a program that talks through\n"
	    "pipes with its arguments, or one that listens on a socket.\n",
	[VERB_PMID] =
	    "Asks the agent for the PMID of a name that it makes itself.\n",
	[VERB_PROFILE] =
	    "Chooses the instances of a domain that \"fetch\" is to give: all, none, one\n"
	    "more, or one less. The agent is told before the next fetch.\n",
	[VERB_QUIT] =
	    "Ends this program; so do \"q\", \"exit\", and the end of the input.\n",
	[VERB_STATUS] =
	    "Shows what is open, what is switched on, and the profile.\n",
	[VERB_STORE] =
	    "Fetches a metric and stores a value in its place, for every instance that the\n"
	    "profile leaves in.\n",
	[VERB_TEXT] =
	    "Shows the help texts of a metric or of an instance domain: one line, and all.\n",
	[VERB_TIMER] =
	    "Whether the time that the agent took is shown after each request.\n",
	[VERB_TRAVERSE] =
	    "Lists all names below a name that the agent itself makes (dynamic names).\n",
	[VERB_WAIT] =
	    "Does nothing for some seconds.\n",
	[VERB_WATCH] =
	    "Shows the lines that a file gains, such as the agent's log, between commands.\n",
};
/* clang-format on */

/* Prints the usage of a command, or of every command. */
static void help_usage(enum verb verb)
{
	for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
		if (verb == VERB_NONE || usages[i].verb == verb)
			puts(usages[i].usage);
	}
}

static void help_all(void)
{
	printf("help [ command ]\n\n");
	help_usage(VERB_NONE);
	putchar('\n');
}

/* Prints the usage of a command with an explanation. */
static void help_about(enum verb verb)
{
	putchar('\n');
	help_usage(verb);
	putchar('\n');
	if (explanations[verb] != NULL)
		printf("%s\n", explanations[verb]);
}

/*
 * Commands
 */

enum { SECOND_NS = 1000000000 };

static int run_open(struct session *s, const struct command *c)
{
	struct agent *agent;

	session_open(s, NULL);
	profile_done(&s->profile);
	s->profile_changed = true; /* a new agent has no profile */
	if (c->form == FORM_DSO)
		agent = agent_dso_open(c, &s->settings);
	else if (c->form == FORM_PIPE)
		agent = agent_pipe_open(c, &s->settings);
	else
		agent = agent_socket_open(c, &s->settings);
	session_open(s, agent);
	return 0;
}

static int run_close(struct session *s, const struct command *c)
{
	session_open(s, NULL);
	return 0;
}

static int run_profile(struct session *s, const struct command *c)
{
	bool all = c->form == FORM_ALL || c->form == FORM_NOTHING;
	bool add = c->form == FORM_ALL || c->form == FORM_ADD;
	const int *list = all ? NULL : &c->number;
	int r = add ? profile_add(&s->profile, c->indom, !all, list)
		    : profile_del(&s->profile, c->indom, !all, list);

	if (r < 0)
		fprintf(stderr, "Error: %s\n", pmErrStr(r));
	else
		s->profile_changed = true;
	return r;
}

static int run_names(struct session *s, const struct command *c)
{
	if (session_load_names(s, c->text) == 0)
		return 0;
	if (s->names_path != NULL)
		fprintf(stderr, "dbpmda: Reload namespace from \"%s\"\n", s->names_path);
	else
		fprintf(stderr, "dbpmda: Reload default namespace\n");
	if (session_load_names(s, s->names_path) < 0)
		exit(1);
	return 0;
}

static int run_debug(struct session *s, const struct command *c)
{
	if (c->form == FORM_ALL)
		pmSetDebug("all");
	else if (c->form == FORM_NOTHING)
		pmClearDebug("all");
	return 0; /* named options were set when the line was read */
}

static int run_timer(struct session *s, const struct command *c)
{
	s->timer = c->form == FORM_ON;
	return 0;
}

static int run_getdesc(struct session *s, const struct command *c)
{
	s->getdesc = c->form == FORM_ON;
	return 0;
}

static int run_getiname(struct session *s, const struct command *c)
{
	s->getiname = c->form == FORM_ON;
	return 0;
}

static int run_wait(struct session *s, const struct command *c)
{
	interrupt_sleep(c->number);
	return 0;
}

static int run_watch(struct session *s, const struct command *c)
{
	int r = watch_begin(&s->watch, c->text);

	if (r < 0)
		fprintf(stderr, "Error: Cannot watch \"%s\": %s\n", c->text, pmErrStr(r));
	return r;
}

static int run_quit(struct session *s, const struct command *c)
{
	s->quit = true;
	return 0;
}

static int run_help(struct session *s, const struct command *c)
{
	if (c->about == VERB_NONE)
		help_all();
	else
		help_about(c->about);
	return 0;
}

static bool all_debug(void)
{
	const int *option = (const int *)&pmDebugOptions;

	for (size_t i = 0; i < sizeof(pmDebugOptions) / sizeof(option[0]); i++) {
		if (option[i] == 0)
			return false;
	}
	return true;
}

/*
 * The names of the options, taken from the library's list: the text after a colon, without commas.
 */
static void print_debug(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *names = NULL;

	if (f != NULL) {
		__pmDumpDebug(f);
		fclose(f);
		names = strchr(text, ':');
	}
	printf("Debug options:         ");
	if (all_debug())
		printf(" (all)");
	else if (names == NULL || strspn(names, ": \n") == strlen(names))
		printf(" (none)");
	else
		for (const char *at = names + 1; *at != '\0'; at++) {
			if (*at != ',' && *at != '\n')
				putchar(*at);
		}
	putchar('\n');
	free(text);
}

static int run_status(struct session *s, const struct command *c)
{
	printf("\nNamespace:              %s\n",
	       s->names_path != NULL ? s->names_path : "(default)");
	if (s->agent == NULL) {
		printf("PMDA:                   none\n");
	} else {
		printf("PMDA:                   %s\n", s->agent->path);
		s->agent->ops->status(s->agent);
	}
	print_debug();
	printf("Timer:                  %s\n", s->timer ? "on" : "off");
	printf("Getdesc:                %s\n", s->getdesc ? "on" : "off");
	printf("Getiname:               %s\n\n", s->getiname ? "on" : "off");
	dump_profile(&s->profile);
	putchar('\n');
	return 0;
}

struct verb_row {
	int (*run)(struct session *s, const struct command *c);
	bool asks; /* a question to the agent: needs an open agent, and is timed */
};

/* clang-format off */
static const struct verb_row rows[VERB_NVERB] = {
	[VERB_ATTR]	 = { ask_attribute, true },
	[VERB_CHILDREN]	 = { ask_children, true },
	[VERB_CLOSE]	 = { run_close, false },
	[VERB_DEBUG]	 = { run_debug, false },
	[VERB_DESC]	 = { ask_desc, true },
	[VERB_FETCH]	 = { ask_fetch, true },
	[VERB_GETDESC]	 = { run_getdesc, false },
	[VERB_GETINAME]	 = { run_getiname, false },
	[VERB_HELP]	 = { run_help, false },
	[VERB_INSTANCE]	 = { ask_instance, true },
	[VERB_LABEL]	 = { ask_label, true },
	[VERB_NAME]	 = { ask_name, true },
	[VERB_NAMESPACE] = { run_names, false },
	[VERB_OPEN]	 = { run_open, false },
	[VERB_PMID]	 = { ask_pmid, true },
	[VERB_PROFILE]	 = { run_profile, false },
	[VERB_QUIT]	 = { run_quit, false },
	[VERB_STATUS]	 = { run_status, false },
	[VERB_STORE]	 = { ask_store, true },
	[VERB_TEXT]	 = { ask_text, true },
	[VERB_TIMER]	 = { run_timer, false },
	[VERB_TRAVERSE]	 = { ask_traverse, true },
	[VERB_WAIT]	 = { run_wait, false },
	[VERB_WATCH]	 = { run_watch, false },
};
/* clang-format on */

static double seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begin->tv_sec) +
	       (double)(now.tv_nsec - begin->tv_nsec) / SECOND_NS;
}

void run_command(struct session *s, const struct command *c)
{
	const struct verb_row *row = &rows[c->verb];
	struct timespec begin;
	int r;

	if (c->verb == VERB_NONE)
		return;
	if (c->form == FORM_USAGE) {
		help_usage(c->verb);
		return;
	}
	if ((row->asks || c->verb == VERB_CLOSE) && s->agent == NULL) {
		session_warn(s, "No PMDA currently opened");
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	r = row->run(s, c);
	if (r >= 0 && row->asks && s->timer)
		printf("Timer: %f seconds\n", seconds_since(&begin));
}
