/*
 * options_usage - the usage message from the table of options: docs/spec/pmapi.md 19.4.
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/text.h"

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

void pmUsageMessage(pmOptions *opts)
{
	const pmLongOptions *l = opts->long_options;

	if ((opts->flags & (PM_OPTFLAG_RUNTIME_ERR | PM_OPTFLAG_EXIT)) == 0) {
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
	if ((opts->flags & PM_OPTFLAG_NOFLUSH) == 0)
		pmflush();
}
