/* status - the commands `pitot status` and `pitot doctor`: gather, examine, print, and again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "doctor.h"
#include "facts.h"
#include "options.h"
#include "paint.h"
#include "pitot.h"
#include "status_json.h"
#include "status_text.h"
#include "tools/common/cmdline.h"

static const double window_max_s = 3600;

struct status {
	const char *host; /* NULL: the user's own */
	double window_s;
	bool json, watch;
	bool findings_only; /* doctor */
};

/* clang-format off */
#define ROW_HOST     { "host",     1, 'h', "HOST", "the collector at HOST, as pminfo -h has it" }
#define ROW_INTERVAL { "interval", 1, 't', "N",    "measure for N seconds [1]; 0: do not" }
#define ROW_JSON     { "json",     0, 'j', NULL,   "one JSON object on one line, for programs" }
#define ROW_WATCH    { "watch",    0, 'w', NULL,   "again and again until interrupted" }
#define ROW_END      { NULL, 0, 0, NULL, NULL }

static const pmLongOptions status_rows[] = { ROW_HOST, ROW_INTERVAL, ROW_JSON, ROW_WATCH, ROW_END };
static const pmLongOptions doctor_rows[] = { ROW_HOST, ROW_INTERVAL, ROW_JSON, ROW_END };
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct status *s = arg;

	switch (letter) {
	case 'h':
		s->host = value;
		return 0;
	case 't':
		return options_number("interval", value, 0, window_max_s, &s->window_s);
	case 'j':
		s->json = true;
		return 0;
	default:
		s->watch = true;
		return 0;
	}
}

static void print_doctor(const struct doctor *d, const struct paint *p)
{
	if (d->n > 0)
		status_text_findings(d, SEVERITY_NOTE, p);
	if (doctor_count(d, SEVERITY_WARNING) == 0)
		puts(d->n > 0 ? "\nnothing is wrong" : "nothing is wrong");
}

static void print_status(const struct facts *f, const struct doctor *d, const struct paint *p)
{
	status_text_print(f, d, p);
	if (doctor_count(d, SEVERITY_WARNING) == 0)
		return;
	if (f->reach == 0)
		putchar('\n');
	status_text_findings(d, SEVERITY_WARNING, p);
}

static int exit_status(const struct doctor *d)
{
	if (strcmp(status_verdict(d), "nothing") == 0)
		return PITOT_NOTHING;
	return doctor_count(d, SEVERITY_WARNING) > 0 ? PITOT_FAILED : PITOT_OK;
}

/* One look. The exit status. */
static int look(const struct status *s, bool again)
{
	struct facts *f = malloc(sizeof(*f));
	struct doctor d = {0};
	struct paint p;
	int status = PITOT_FAILED;

	if (f == NULL || facts_gather(f, s->host, s->window_s) < 0) {
		free(f);
		return PITOT_FAILED;
	}
	doctor_examine(&d, f);
	paint_init(&p);
	if (s->watch && !s->json)
		paint_home(&p);
	if (again && !s->json && !p.colours)
		putchar('\n');
	if (!s->json && s->findings_only)
		print_doctor(&d, &p);
	else if (!s->json)
		print_status(f, &d, &p);
	if (!s->json || status_json_print(f, &d, s->findings_only) == 0)
		status = exit_status(&d);
	doctor_free(&d);
	facts_free(f);
	free(f);
	return status;
}

static int run(const struct options *o, struct status *s, int argc, char **argv)
{
	int status = options_parse(o, argc, argv, s);

	if (status >= 0)
		return status;
	if (s->watch && s->window_s < 0.1)
		s->window_s = 0.1;
	status = look(s, false);
	while (s->watch && output_flush())
		status = look(s, true);
	return output_finish(status);
}

int status_run(int argc, char **argv)
{
	static const struct options options = {
	    .command = "status",
	    .purpose = "Tells what runs, since when and where, what it costs, and what is wrong.",
	    .rows = status_rows,
	    .take = take_option,
	};
	struct status s = {.window_s = 1};

	return run(&options, &s, argc, argv);
}

int doctor_run(int argc, char **argv)
{
	static const struct options options = {
	    .command = "doctor",
	    .purpose = "Tells what is wrong, why it matters, and the command that mends it.",
	    .rows = doctor_rows,
	    .take = take_option,
	};
	struct status s = {.window_s = 1, .findings_only = true};

	return run(&options, &s, argc, argv);
}
