/*
 * pmlogextract - archives merged, reduced, or brought to another version (docs/spec/logger.md D4).
 */
#include <stdio.h>

#include <pcp/pmapi.h>

#include "tools/archive/recording.h"
#include "tools/archive/stamp.h"
#include "tools/archive/window.h"
#include "tools/common/finding.h"
#include "tools/common/output.h"
#include "tools/pmlogextract/chosen.h"
#include "tools/pmlogextract/conflicts.h"
#include "tools/pmlogextract/copy.h"
#include "tools/pmlogextract/inputs.h"
#include "tools/pmlogextract/options.h"

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
