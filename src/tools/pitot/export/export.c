/*
 * export - `pitot trace export`: a log in a format of other programs, with metrics of the same
 * time.
 */
#include "tools/pitot/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/common/value.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/line.h"
#include "tools/pitot/trace/select.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/trace.h"

struct export
{
	pmOptions pm;
	const struct export_sink *sink;
	const char *path; /* the output */
	void *state;      /* state of the sink */
	const char *archive, *zone;
	struct wordlist metrics;
	bool raw, twice;
	struct trace_select select;
	struct trace_source source;
	struct trace_gaps gaps;
	struct posix_trace_counts_np counts;
	struct metric_tracks *tracks; /* NULL: no metrics */
	char name[TRACE_NAME_MAX];
	int log_policy;
	struct timespec created;
	int64_t last_ns;
	uint64_t events, samples; /* numbers written */
};

static void set_sink(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	static const struct export_sink *const sinks[] = {&ctf_sink, &perfetto_sink, &json_sink};
	struct export *x = target;

	x->twice |= x->sink != NULL;
	x->sink = sinks[row->bits];
	x->path = opts->optarg;
}

static void add_metrics(void *options)
{
	struct export *x = options;

	metric_tracks_split(&x->metrics, x->pm.optarg);
}

#define AT(member) offsetof(struct export, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "ctf",      1, 0, "DIR", "Common Trace Format, for babeltrace2 and Trace Compass: a new or empty directory" }, CMDLINE_SET, 0, 0, .set = set_sink },
	{ { "perfetto", 1, 0, "FILE", "for ui.perfetto.dev and its trace processor: a new file, or -" }, CMDLINE_SET, 0, 1, .set = set_sink },
	{ { "json",     1, 0, "FILE", "lines of JSON: a new file, or -" }, CMDLINE_SET, 0, 2, .set = set_sink },
	{ { "archive",  1, 'a', "FILE", "with metrics of this archive" }, CMDLINE_TEXT, AT(archive) },
	{ { "metrics",  1, 'm', "NAMES", "which: names, also of inner nodes; instances as NAME[INSTANCE,...]" }, CMDLINE_CALL, .call = add_metrics },
	{ { "raw",      0, 0, NULL, "counters as they are, not as rates" }, CMDLINE_FLAG, AT(raw) },
	{ { "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" }, CMDLINE_SET, AT(zone), .set = trace_set_zone },
	TRACE_SELECT_ROWS(AT(select)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "trace export",
    .purpose = "Writes a log in a format of other programs, with metrics of the same time.",
    .rows = rows,
    .operands = "FILE",
};

/* Checks the combination of options. Returns 0, or -1 after a message. */
static int export_judge(const struct export *x, int operands)
{
	const char *wrong = NULL;

	if (x->sink == NULL || x->twice)
		wrong = "expected one of --ctf DIR, --perfetto FILE and --json FILE";
	else if (operands != 1)
		wrong = "expected one FILE";
	else if ((x->archive != NULL) != (x->metrics.n > 0))
		wrong = "--archive and --metrics go together";
	else if (x->raw && x->archive == NULL)
		wrong = "--raw is for --metrics";
	if (wrong != NULL)
		pitot_complain("trace export: %s: see pitot trace export --help", wrong);
	return wrong != NULL ? -1 : 0;
}

static int64_t created_ns(const struct export *x)
{
	return (int64_t)x->created.tv_sec * 1000000000 + x->created.tv_nsec;
}

/* The first pass over the log. */
static int count_gaps(struct export *x)
{
	struct trace_event e;
	int r;

	while ((r = trace_source_next(&x->source, NULL, &e)) > 0) {
		x->last_ns = trace_event_ns(&e);
		trace_gaps_count(&x->gaps, &e);
	}
	trace_gaps_rewind(&x->gaps);
	return r == 0 ? -posix_trace_rewind(x->source.trid) : r;
}

/* Writes the samples up to a time. */
static int write_samples(struct export *x, int64_t until_ns)
{
	struct metric_sample sample;
	int r;

	if (x->tracks == NULL)
		return 0;
	while ((r = metric_tracks_next(x->tracks, until_ns, &sample)) > 0) {
		r = x->sink->sample(x->state, &sample);
		if (r < 0)
			return r;
		x->samples++;
	}
	return r;
}

static int write_event(struct export *x, const struct trace_event *e)
{
	int64_t from_ns;
	uint64_t lost;
	int r = write_samples(x, trace_event_ns(e));

	if (r == 0 && trace_gaps_ends(&x->gaps, e, &from_ns, &lost))
		r = x->sink->gap(x->state, from_ns, trace_event_ns(e), lost);
	if (r < 0 || !trace_select_wants(&x->select, e))
		return r;
	x->events++;
	return x->sink->event(x->state, &x->source, e);
}

static int write_events(struct export *x)
{
	struct trace_event e;
	int r, w = 0;

	while (w == 0 && (r = trace_source_next(&x->source, NULL, &e)) > 0)
		w = write_event(x, &e);
	return w < 0 ? w : r;
}

/*
 * Writes losses that are not marked by a pair of events: those of a log that wraps before its first
 * event, all others after the last.
 */
static int write_losses(struct export *x, bool end)
{
	uint64_t lost = (x->log_policy == POSIX_TRACE_LOOP) != end ? x->counts.lost_log : 0;
	int64_t ns = end ? x->last_ns : created_ns(x);

	if (end)
		lost += x->counts.lost_attach + trace_gaps_unmarked(&x->gaps);
	return lost > 0 ? x->sink->gap(x->state, ns, ns, lost) : 0;
}

static int export_prepare(struct export *x, trace_id_t trid)
{
	trace_attr_t attr;
	int error = trace_source_init(&x->source, trid, false), policy = 0;

	if (error == 0)
		error = posix_trace_get_counts_np(trid, &x->counts);
	if (error == 0)
		error = posix_trace_get_attr(trid, &attr);
	if (error != 0)
		return -error;
	posix_trace_attr_getcreatetime(&attr, &x->created);
	posix_trace_attr_getlogfullpolicy(&attr, &policy);
	posix_trace_attr_getname(&attr, x->name);
	x->log_policy = policy;
	x->last_ns = created_ns(x);
	trace_gaps_init(&x->gaps, &x->counts);
	return count_gaps(x);
}

static int write_trace(struct export *x)
{
	const struct export_about about = {.name = x->name, .created_ns = created_ns(x)};
	int r = x->sink->open(x->state, x->path, &about);

	if (r == 0)
		r = write_losses(x, false);
	if (r == 0)
		r = write_events(x);
	if (r == 0)
		r = write_samples(x, INT64_MAX);
	if (r == 0)
		r = write_losses(x, true);
	return r < 0 ? r : x->sink->finish(x->state, &x->source, &x->counts);
}

/*
 * Opens the metrics of the log's time, with a second before and after. Returns 0, or -1 after a
 * message.
 */
static int open_tracks(struct export *x)
{
	if (x->archive == NULL)
		return 0;
	x->tracks = metric_tracks_open("export", x->archive, &x->metrics, x->raw,
				       created_ns(x) - 1000000000, x->last_ns + 1000000000);
	return x->tracks != NULL ? 0 : -1;
}

static void export_summarise(const struct export *x)
{
	const struct trace_account account = trace_account(&x->counts, x->log_policy);
	char text[TRACE_ACCOUNT_TEXT], samples[64] = "";

	if (!isatty(STDERR_FILENO) && account.kept == account.emitted)
		return;
	if (x->tracks != NULL)
		snprintf(samples, sizeof(samples), ", %" PRIu64 " values of metrics", x->samples);
	pitot_complain("trace export: %s: %" PRIu64 " events%s; %s", x->path, x->events, samples,
		       trace_account_text(&account, text, sizeof(text)));
}

static int write_export(struct export *x)
{
	bool nothing = false;
	int r;

	if (trace_select_times(&x->select, &x->created) < 0)
		return PITOT_USAGE;
	if (open_tracks(x) < 0)
		return PITOT_FAILED;
	x->state = calloc(1, x->sink->size);
	r = x->state != NULL ? write_trace(x) : -ENOMEM;
	if (r < 0)
		trace_failed("export", x->path, -r);
	else
		nothing = trace_nothing_selected("export", x->source.trid, &x->select);
	if (r == 0)
		export_summarise(x);
	if (x->state != NULL)
		x->sink->close(x->state);
	metric_tracks_free(x->tracks);
	free(x->state);
	return r < 0 || nothing ? PITOT_FAILED : PITOT_OK;
}

static int export_log(struct export *x, const char *path)
{
	trace_id_t trid;
	int status, r;

	if (trace_open_log("export", path, &trid) < 0)
		return PITOT_FAILED;
	r = export_prepare(x, trid);
	status = r < 0 ? trace_failed("export", path, -r) : write_export(x);
	trace_source_done(&x->source);
	posix_trace_close(trid);
	return status;
}

int trace_export_run(int argc, char **argv)
{
	struct export *x = calloc(1, sizeof(*x));
	int status = x != NULL ? options_parse(&options, argc, argv, x) : PITOT_FAILED;

	if (status >= 0) {
		status = status == PITOT_OK ? output_finish(status) : status;
	} else if (export_judge(x, argc - optind) < 0) {
		status = PITOT_USAGE;
	} else {
		trace_zone(x->zone);
		status = export_log(x, argv[optind]);
		if (status == PITOT_OK)
			status = output_finish(status);
	}
	if (x != NULL) {
		trace_select_done(&x->select);
		wordlist_done(&x->metrics);
	}
	free(x);
	return status;
}
