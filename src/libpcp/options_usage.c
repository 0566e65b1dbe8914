/*
 * options_usage - the usage message from the table of options: docs/spec/pmapi.md 19.4.
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/text.h"
#include "libpcp/message.h"
#include "libpcp/options.h"

#define MESSAGE_COLUMN 24

/* "  -c ARG, --long=ARG" or as much of it as there is. */
static void add_option(struct text *t, const pmLongOptions *l)
{
	bool has_long = l->long_opt != NULL && *l->long_opt != '\0';

	text_add(t, "  ");
	if (l->short_opt != 0) {
		text_printf(t, "-%c", l->short_opt);
		if (l->argname != NULL)
			text_printf(t, " %s", l->argname);
	}
	if (l->short_opt != 0 && has_long)
		text_add(t, ", ");
	if (has_long) {
		text_printf(t, "--%s", l->long_opt);
		if (l->argname != NULL)
			text_printf(t, "=%s", l->argname);
	}
}

static void print_option(const pmLongOptions *l)
{
	char buf[256];
	struct text t = text_in(buf, sizeof(buf));

	add_option(&t, l);
	if (t.len < MESSAGE_COLUMN)
		pmprintf("%-*s%s\n", MESSAGE_COLUMN, buf, l->message);
	else
		pmprintf("%s\n%*s%s\n", buf, MESSAGE_COLUMN, "", l->message);
}

static bool has_help(const pmOptions *opts)
{
	const pmLongOptions *l = opts->long_options;

	for (; l != NULL && l->long_opt != NULL; l++) {
		if (strcmp(l->long_opt, "help") == 0)
			return true;
	}
	return false;
}

static void print_usage(const pmOptions *opts)
{
	const pmLongOptions *l = opts->long_options;

	pmprintf("Usage: %s %s\n", pmGetProgname(),
		 opts->short_usage != NULL ? opts->short_usage : "[options]");
	for (; l != NULL && l->long_opt != NULL; l++) {
		if (l->message == NULL)
			continue;
		if (l->short_opt == '-')
			pmprintf("\n%s:\n", l->message);
		else if (l->short_opt == '|')
			pmprintf("%s\n", l->message);
		else
			print_option(l);
	}
}

/*
 * After a complaint, a user at a terminal gets a hint instead of the table: forty lines would push
 * the complaint off the screen. Scripts get the table, as PCP prints it.
 */
void pmUsageMessage(pmOptions *opts)
{
	if ((opts->flags & (PM_OPTFLAG_RUNTIME_ERR | PM_OPTFLAG_EXIT)) == 0) {
		if ((opts->flags & OPTIONS_HELP_ASKED) == 0 && has_help(opts) &&
		    message_pending() && message_goes_to_terminal())
			pmprintf("%s: `%s --help` lists the options.\n", pmGetProgname(),
				 pmGetProgname());
		else
			print_usage(opts);
	}
	if ((opts->flags & PM_OPTFLAG_NOFLUSH) == 0)
		pmflush();
}
