/*
 * pmevent - events of event metrics: in the form of pmval(1), or one a line (docs/spec/tools.md
 * 4.1).
 */
#include "tools/pmevent/pmevent.h"

#include <stddef.h>
#include <string.h>

#include "tools/common/cmdline.h"
#include "tools/pmval/pmval.h"

/*
 * The command line
 */

#define OUR_LETTERS "ljFePW"

static void add_condition(void *options)
{
	struct command *c = options;

	if (filter_add_condition(&c->filter, c->pm.optarg) < 0) {
		pmprintf("%s: -W \"%s\": expected NAME=VALUE, or another of != < <= > >= ~\n",
			 pmGetProgname(), c->pm.optarg);
		c->pm.errors++;
	}
}

/* An option of pmval that has no meaning here. */
static void refuse(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	(void)target;
	cmdline_complain(opts, row->complaint);
}

#define AT(member)    offsetof(struct command, member)
#define REFUSED(text) CMDLINE_SET, .set = refuse, .complaint = (text)

/* clang-format off */
#define NO_GUI "time control by a graphical program is not available"
#define OUR_ROWS \
	{ PMAPI_OPTIONS_HEADER("One line an event, of any number of metrics [tracing.stream.events]") }, \
	{ { "line", 0, 'l', 0, "time, instance, event and its fields" }, CMDLINE_IGNORED }, \
	{ { "json", 0, 'j', 0, "one JSON object a line, for programs" }, CMDLINE_FLAG, AT(json) }, \
	{ { "follow", 0, 'F', 0, "go on when the collector has gone and comes back" }, CMDLINE_FLAG, AT(follow) }, \
	{ { "event", 1, 'e', "NAMES", "events of these names; *, ? and [] match" }, CMDLINE_WORDS, AT(filter.events) }, \
	{ { "process", 1, 'P', "NAMES", "of instances with these process ids or commands" }, CMDLINE_WORDS, AT(filter.processes) }, \
	{ { "where", 1, 'W', "COND", "whose field fits: NAME=VALUE, or with != < <= > >= ~" }, CMDLINE_CALL, .call = add_condition }, \
	{ PMAPI_OPTIONS_END }

/* As pmval, whose command line has none of our options. */
static const struct cmdline_row pmval_rows[] = { PMVAL_ROWS, OUR_ROWS };

/* One line an event. */
static const struct cmdline_row line_rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_ALIGN },
	{ PMOPT_ARCHIVE },
	{ PMOPT_DEBUG },
	{ PMOPT_GUIMODE, REFUSED(NO_GUI) },
	{ PMOPT_HOST },
	{ PMOPT_NAMESPACE },
	{ PMOPT_ORIGIN },
	{ PMOPT_GUIPORT, REFUSED(NO_GUI) },
	{ PMOPT_START },
	{ PMOPT_SAMPLES },
	{ PMOPT_FINISH },
	{ PMOPT_INTERVAL },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMOPT_SPECLOCAL },
	{ PMOPT_LOCALPMDA },
	{ PMOPT_CONTAINER },
	{ PMOPT_DERIVED },
	{ PMAPI_OPTIONS_HEADER("Reporting options") },
	{ PMVAL_DELAY, REFUSED("delay can't be used with one line an event") },
	{ PMVAL_PRECISION, CMDLINE_IGNORED }, /* for columns, which events do not have */
	{ PMVAL_INSTANCES, CMDLINE_WORDS, AT(instances) },
	{ PMVAL_RAW, CMDLINE_IGNORED },
	{ PMVAL_NOINTERP, REFUSED("-U can't be used with one line an event: -a reads every record") },
	{ PMVAL_VERBOSE, CMDLINE_FLAG, AT(all) },
	{ PMVAL_WIDTH, CMDLINE_IGNORED },
	{ PMVAL_FILTER, REFUSED("-x can't be used with one line an event") },
	{ PMVAL_TIMESTAMP, CMDLINE_FLAG, AT(date) },
	OUR_ROWS,
};
/* clang-format on */

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool command_parse(struct command *c, int argc, char **argv, int *ret_status)
{
	memset(c, 0, sizeof(*c));
	c->pm.version = PMAPI_VERSION_3;
	c->pm.flags = PM_OPTFLAG_BOUNDARIES; /* no note about the time zone among the events */
	c->pm.samples = COMMAND_ALL_SAMPLES;
	c->pm.short_usage = "[options] metricname";
	cmdline_parse(c, line_rows, argc, argv);
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

	if (!cmdline_has(pmval_rows, argc, argv, OUR_LETTERS))
		return pmval_run(argc, argv, pmval_rows);
	if (command_parse(&c, argc, argv, &status))
		status = feed_run(&c, argc, argv);
	command_done(&c);
	return output_finish(status);
}
