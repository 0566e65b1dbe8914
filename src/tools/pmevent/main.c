/*
 * pmevent - events of event metrics: in the form of pmval(1), or one a line (docs/spec/tools.md
 * 4.1).
 */
#include "tools/pmevent/pmevent.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"
#include "tools/pmval/pmval.h"

/*
 * The command line
 */

#define OUR_LETTERS "ljFe:P:W:"

const char command_letters[] = OPTIONS_LETTERS OUR_LETTERS;

/* clang-format off */
static const pmLongOptions ours[] = {
	PMAPI_OPTIONS_HEADER("One line an event, of any number of metrics [tracing.stream.events]"),
	{ "line", 0, 'l', 0, "time, instance, event and its fields" },
	{ "json", 0, 'j', 0, "one JSON object a line, for programs" },
	{ "follow", 0, 'F', 0, "go on when the collector has gone and comes back" },
	{ "event", 1, 'e', "NAMES", "events of these names; *, ? and [] match" },
	{ "process", 1, 'P', "NAMES", "of instances with these process ids or commands" },
	{ "where", 1, 'W', "COND", "whose field fits: NAME=VALUE, or with != < <= > >= ~" },
	PMAPI_OPTIONS_END
};

/* Options of pmval that have no meaning here. */
static const struct {
	char letter;
	const char *why;
} refused[] = {
	{ 'd', "delay can't be used with one line an event" },
	{ 'g', "time control by a graphical program is not available" },
	{ 'p', "time control by a graphical program is not available" },
	{ 'U', "-U can't be used with one line an event: -a reads every record" },
	{ 'x', "-x can't be used with one line an event" },
};
/* clang-format on */

static pmLongOptions *command_rows(void)
{
	static pmLongOptions *rows;
	size_t theirs = 0;

	if (rows != NULL)
		return rows;
	while (options_rows[theirs].long_opt != NULL)
		theirs++;
	rows = calloc(theirs + sizeof(ours) / sizeof(ours[0]), sizeof(rows[0]));
	if (rows == NULL)
		pmNoMem("options", sizeof(ours), PM_FATAL_ERR);
	memcpy(rows, options_rows, theirs * sizeof(rows[0]));
	memcpy(rows + theirs, ours, sizeof(ours));
	return rows;
}

/* True if the command line has one of our options. */
static bool command_is_ours(int argc, char **argv)
{
	/* pmGetOptions() permutes its arguments, so it gets a copy. */
	char **copy = calloc((size_t)argc + 1, sizeof(copy[0]));
	pmOptions pm = {.version = PMAPI_VERSION_3,
			.flags = PM_OPTFLAG_QUIET,
			.short_options = command_letters,
			.long_options = command_rows()};
	bool found = false;
	int letter;

	if (copy == NULL)
		pmNoMem("arguments", (size_t)argc * sizeof(copy[0]), PM_FATAL_ERR);
	memcpy(copy, argv, (size_t)argc * sizeof(copy[0]));
	while (!found && (letter = pmgetopt_r(argc, copy, &pm)) != EOF)
		found = letter > 0 && letter != ':' && strchr(OUR_LETTERS, letter) != NULL;
	free(copy);
	return found;
}

static void refuse(struct command *c, int letter)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].letter == letter)
			cmdline_complain(&c->pm, refused[i].why);
}

static void add_condition(struct command *c)
{
	if (filter_add_condition(&c->filter, c->pm.optarg) < 0) {
		pmprintf("%s: -W \"%s\": expected NAME=VALUE, or another of != < <= > >= ~\n",
			 pmGetProgname(), c->pm.optarg);
		c->pm.errors++;
	}
}

static void set_option(struct command *c, int letter)
{
	switch (letter) {
	case 'l':
		break; /* chooses this form, and was seen already */
	case 'j':
		c->json = true;
		break;
	case 'F':
		c->follow = true;
		break;
	case 'e':
		wordlist_add(&c->filter.events, c->pm.optarg);
		break;
	case 'P':
		wordlist_add(&c->filter.processes, c->pm.optarg);
		break;
	case 'W':
		add_condition(c);
		break;
	case 'i':
		wordlist_add(&c->instances, c->pm.optarg);
		break;
	case 'X':
		c->date = true;
		break;
	case 'v':
		c->all = true;
		break;
	case 'f':
	case 'r':
	case 'w':
		break; /* options for columns, which events do not have */
	case '?':
		c->pm.errors++;
		break;
	default:
		refuse(c, letter);
		break;
	}
}

/* Options that the library would accept. */
static int is_refused(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'g' || letter == 'p';
}

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool command_parse(struct command *c, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(c, 0, sizeof(*c));
	c->pm.version = PMAPI_VERSION_3;
	c->pm.flags = PM_OPTFLAG_BOUNDARIES; /* no note about the time zone among the events */
	c->pm.samples = COMMAND_ALL_SAMPLES;
	c->pm.short_options = command_letters;
	c->pm.long_options = command_rows();
	c->pm.short_usage = "[options] metricname";
	c->pm.override = is_refused;
	while ((letter = pmGetOptions(argc, argv, &c->pm)) != EOF)
		set_option(c, letter);
	c->metrics = argv + c->pm.optind;
	c->n_metrics = argc - c->pm.optind;
	if (c->follow && (c->pm.context == PM_CONTEXT_ARCHIVE || c->pm.Lflag))
		cmdline_complain(&c->pm, "-F is for collectors only");
	if (c->pm.interval.tv_sec == 0 && c->pm.interval.tv_nsec == 0)
		c->pm.interval.tv_sec = 1;
	return cmdline_accept(&c->pm, ret_status);
}

/* Also called for a command line that was refused. */
static void command_done(struct command *c)
{
	pmFreeOptions(&c->pm);
	wordlist_done(&c->instances);
	filter_done(&c->filter);
}

/*
 * The program
 */

int main(int argc, char **argv)
{
	struct command c;
	int status;

	if (!command_is_ours(argc, argv))
		return pmval_run(argc, argv, command_rows(), command_letters);
	if (command_parse(&c, argc, argv, &status))
		status = feed_run(&c, argc, argv);
	command_done(&c);
	return output_finish(status);
}
