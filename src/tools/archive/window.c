#include "tools/archive/window.h"

#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "tools/archive/recording.h"
#include "tools/common/cmdline.h"

bool window_letter(int letter)
{
	return letter == 'S' || letter == 'z';
}

void window_options(pmOptions *opts, int argc, char **argv, const char *both_zones,
		    window_option set, void *arg)
{
	char *start = NULL;
	bool hostzone = false;
	int letter;

	while ((letter = pmGetOptions(argc, argv, opts)) != EOF) {
		if (letter == 'S')
			start = opts->optarg;
		else if (letter == 'z')
			hostzone = true;
		else
			set(arg, letter);
	}
	if (start != NULL)
		opts->start_optarg = start;
	if (hostzone)
		opts->tzflag = 1;
	if (hostzone && opts->timezone != NULL)
		cmdline_complain(opts, both_zones);
}

static bool failed(const char *what, const char *zone, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Cannot set %s to \"%s\": %s\n", pmGetProgname(), what, zone,
		pmErrStr_r(code, text, sizeof(text)));
	return false;
}

bool window_zone(const pmOptions *opts, const struct log_label *label)
{
	int sts = 0;

	if (opts->tzflag) {
		sts = pmNewZone(label->timezone);
		if (sts < 0)
			return failed("context timezone", label->timezone, sts);
		printf("Note: timezone set to local timezone of host \"%s\" from archive\n\n",
		       label->host);
	} else if (opts->timezone != NULL) {
		sts = pmNewZone(opts->timezone);
		if (sts < 0)
			return failed("timezone", opts->timezone, sts);
		printf("Note: timezone set to \"TZ=%s\"\n\n", opts->timezone);
	}
	return true;
}

bool window_choose(const pmOptions *opts, const struct recording *r, struct window *ret_window)
{
	struct timespec start = r->label->start, end = r->end, origin;
	char *message = NULL;
	int sts;

	if (!window_zone(opts, r->label))
		return false;
	sts = pmParseHighResTimeWindow(opts->start_optarg, opts->finish_optarg, opts->align_optarg,
				       opts->origin_optarg, &start, &end, &ret_window->start,
				       &ret_window->finish, &origin, &message);
	if (sts < 0)
		fprintf(stderr, "%s: invalid time window.\n%s\n", pmGetProgname(), message);
	free(message);
	return sts >= 0;
}
