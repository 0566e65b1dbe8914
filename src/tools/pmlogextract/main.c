/*
 * pmlogextract - archives merged, reduced, or brought to another version (docs/spec/logger.md D4).
 */
#include "tools/pmlogextract/pmlogextract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/file.h"
#include "libdisk/limits.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The command line
 */

static void set_config(void *options)
{
	struct options *o = options;
	char text[4096];

	o->config = o->pm.optarg;
	if (file_is_regular(o->config))
		return;
	pmsprintf(text, sizeof(text), "%s - invalid file", o->config);
	cmdline_complain(&o->pm, text);
}

/* -w needs a window. */
static void check_daily(struct options *o)
{
	if (!o->daily || (o->pm.start_optarg != NULL && o->pm.finish_optarg != NULL))
		return;
	fprintf(stderr,
		"%s: Warning: -w flag requires that both -S and -T are specified.\n"
		"Ignoring -w flag.\n",
		pmGetProgname());
	o->daily = false;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "config", 1, 'c', "FILE", "file to load configuration from" }, CMDLINE_CALL, .call = set_config },
	{ { "desperate", 0, 'd', 0, "desperate, save output after fatal error" }, CMDLINE_FLAG, AT(desperate) },
	{ { "first", 0, 'f', 0, "use timezone from first archive [default is last]" }, CMDLINE_FLAG, AT(first_zone) },
	{ { "mark", 0, 'm', 0, "ignore prologue/epilogue records and <mark> between archives" }, CMDLINE_FLAG, AT(always_mark) },
	{ PMOPT_START, CMDLINE_START },
	{ { "samples", 1, 's', "NUM", "terminate after NUM log records have been written" }, CMDLINE_LONG, AT(samples), .max = LONG_MAX,
	  .complaint = "-s requires numeric argument" },
	{ PMOPT_FINISH },
	{ { "outputversion", 1, 'V', "VERSION", "output archive version" }, CMDLINE_INT, AT(version), .min = DISK_V2, .max = DISK_V3,
	  .complaint = "-V value must be 2 or 3" },
	{ { "", 1, 'v', "SAMPLES", "switch log volumes after this many samples" }, CMDLINE_LONG, AT(volsamples), .max = LONG_MAX,
	  .complaint = "-v requires numeric argument" },
	{ { "", 0, 'w', 0, "ignore day/month/year" }, CMDLINE_FLAG, AT(daily) },
	{ { "", 0, 'x', 0, "skip metrics with mismatched metadata" }, CMDLINE_FLAG, AT(skip) },
	FINDING_STRICT_ROWS,
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "at most one of -Z and/or -z allowed" },
	{ PMOPT_HELP },
	{ PMOPT_DEBUG, .form = CMDLINE_LETTER_ONLY },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* Returns false if the program is to end with *ret_status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int left;

	memset(o, 0, sizeof(*o));
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_usage = "[options] input-archive output-archive";
	cmdline_parse(o, rows, argc, argv);
	left = argc - o->pm.optind;
	if (o->pm.errors == 0 && left < 2 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, "Error: insufficient arguments");
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	check_daily(o);
	o->inputs = argv + o->pm.optind;
	o->ninputs = left - 1;
	o->output = argv[argc - 1];
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

static int not_created(const struct options *o)
{
	if (!o->desperate)
		fprintf(stderr, "Archive \"%s\" not created.\n", o->output);
	return 1;
}

/* The window that the options give, in the time of all inputs. */
static bool choose_window(const struct options *o, const struct inputs *in,
			  struct window *ret_window)
{
	size_t used = o->first_zone ? 0 : in->n - 1;
	struct log_label label = *in->list[used].recording.label;
	struct recording all = {.label = &label, .end = in->list[0].recording.end};
	bool ok;

	for (size_t i = 0; i < in->n; i++) {
		const struct recording *r = &in->list[i].recording;

		if (stamp_compare(&r->label->start, &label.start) < 0)
			label.start = r->label->start;
		if (stamp_compare(&r->end, &all.end) > 0)
			all.end = r->end;
	}
	ok = window_choose(&o->pm, &all, ret_window);
	fflush(stdout);
	return ok;
}

static int extract(const struct options *o, struct inputs *in, struct conflicts *conflicts)
{
	struct log_label label;
	struct chosen chosen;
	struct window window;
	int status;

	if (!inputs_label(in, o, &label) || !choose_window(o, in, &window) ||
	    !conflicts_find(conflicts, in, o->skip))
		return not_created(o);
	if (!chosen_read(&chosen, o->config, in, conflicts))
		status = 1;
	else
		status = copy_run(o, in, &chosen, &window, &label) ? 0 : 1;
	chosen_done(&chosen);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct inputs in = {0};
	struct conflicts conflicts = {0};
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status)) {
		if (inputs_open(&in, &o))
			status = extract(&o, &in, &conflicts);
		inputs_close(&in);
		conflicts_done(&conflicts);
	}
	options_done(&o);
	return output_finish(finding_status(status));
}
