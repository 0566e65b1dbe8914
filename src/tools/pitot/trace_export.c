/*
 * trace_export - `pitot trace export`: a log in the Common Trace Format.
 *
 * Two passes: the first counts the gaps, because how many events were lost is known as a total for
 * each reason, not for each gap: every gap but the last of its kind shows one, the last the rest.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf.h"
#include "options.h"
#include "pitot.h"
#include "tools/common/output.h"
#include "trace_commands.h"
#include "trace_source.h"

/* Losses of one kind: where a pair of events marks them. */
struct gaps {
	trace_event_id_t begin, end;
	uint64_t lost, n; /* in all; gaps */
	uint64_t seen;
	bool open;
	int64_t from_ns;
};

enum { OVERWRITTEN, STOPPED, KINDS };

struct export {
	const char *dir;
	struct trace_source source;
	struct ctf ctf;
	struct gaps gaps[KINDS];
	struct posix_trace_counts_np counts;
	bool log_loops;
	int64_t created_ns, last_ns;
};

/* clang-format off */
enum { EXPORT_CTF = OPTIONS_NO_LETTER };

static const pmLongOptions rows[] = {
	{ "ctf", 1, EXPORT_CTF, "DIR", "a directory for the trace: new, or empty" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	((struct export *)arg)->dir = value;
	return 0;
}

static const struct options options = {
    .command = "trace export",
    .purpose = "Writes a log in the Common Trace Format, for babeltrace2, Trace Compass and others.",
    .rows = rows,
    .operands = "FILE",
    .take = take_option,
};

static bool begins(const struct gaps *g, const struct trace_event *e)
{
	int automatic = 0;

	if (e->info.posix_event_id != g->begin)
		return false;
	if (g->begin == POSIX_TRACE_STOP && e->length == sizeof(automatic))
		memcpy(&automatic, e->data, sizeof(automatic));
	return g->begin != POSIX_TRACE_STOP || automatic != 0;
}

static int count_gaps(struct export *x)
{
	struct trace_event e;
	int r;

	while ((r = trace_source_next(&x->source, NULL, &e)) > 0) {
		x->last_ns = trace_event_ns(&e);
		for (int i = 0; i < KINDS; i++) {
			struct gaps *g = &x->gaps[i];

			if (g->open && e.info.posix_event_id == g->end) {
				g->n++;
				g->open = false;
			} else if (begins(g, &e)) {
				g->open = true;
			}
		}
	}
	for (int i = 0; i < KINDS; i++)
		x->gaps[i].open = false;
	return r == 0 ? -posix_trace_rewind(x->source.trid) : r;
}

/* At the end of a gap, before the event that ends it. */
static int write_gap(struct export *x, struct gaps *g, const struct trace_event *e)
{
	uint64_t lost = g->lost >= g->n ? 1 : 0;

	if (++g->seen == g->n)
		lost = g->lost - (g->seen - 1) * lost;
	g->open = false;
	return ctf_gap(&x->ctf, g->from_ns, trace_event_ns(e), lost);
}

static int write_events(struct export *x)
{
	struct trace_event e;
	int r, w = 0;

	while (w == 0 && (r = trace_source_next(&x->source, NULL, &e)) > 0) {
		for (int i = 0; i < KINDS && w == 0; i++) {
			struct gaps *g = &x->gaps[i];

			if (g->open && e.info.posix_event_id == g->end) {
				w = write_gap(x, g, &e);
			} else if (begins(g, &e)) {
				g->open = true;
				g->from_ns = trace_event_ns(&e);
			}
		}
		if (w == 0)
			w = ctf_event(&x->ctf, &e);
	}
	return w < 0 ? w : r;
}

/* Losses that no pair of events marks: of a log that begins again they lie before its first event,
 * all others behind the last. */
static int write_losses(struct export *x, bool end)
{
	uint64_t lost = x->log_loops != end ? x->counts.lost_log : 0;

	if (end)
		lost += x->counts.lost_attach;
	for (int i = 0; end && i < KINDS; i++)
		lost += x->gaps[i].n == 0 ? x->gaps[i].lost : 0;
	if (lost == 0)
		return 0;
	return end ? ctf_gap(&x->ctf, x->last_ns, x->last_ns, lost)
		   : ctf_gap(&x->ctf, x->created_ns, x->created_ns, lost);
}

static int prepare(struct export *x, trace_id_t trid)
{
	struct timespec created = {0};
	trace_attr_t attr;
	int error = trace_source_init(&x->source, trid, false), policy = 0;

	if (error == 0)
		error = posix_trace_get_counts_np(trid, &x->counts);
	if (error == 0)
		error = posix_trace_get_attr(trid, &attr);
	if (error != 0)
		return -error;
	posix_trace_attr_getcreatetime(&attr, &created);
	posix_trace_attr_getlogfullpolicy(&attr, &policy);
	x->created_ns = (int64_t)created.tv_sec * 1000000000 + created.tv_nsec;
	x->log_loops = policy == POSIX_TRACE_LOOP;
	x->gaps[OVERWRITTEN] = (struct gaps){.begin = POSIX_TRACE_OVERFLOW,
					     .end = POSIX_TRACE_RESUME,
					     .lost = x->counts.lost_overwritten};
	x->gaps[STOPPED] = (struct gaps){.begin = POSIX_TRACE_STOP,
					 .end = POSIX_TRACE_START,
					 .lost = x->counts.lost_full};
	return count_gaps(x);
}

static int write_trace(struct export *x)
{
	int r = write_losses(x, false);

	if (r == 0)
		r = write_events(x);
	if (r == 0)
		r = write_losses(x, true);
	return r < 0 ? r : ctf_finish(&x->ctf, &x->source, &x->counts);
}

static int export_log(struct export *x, const char *path)
{
	char text[TRACE_COUNTS_TEXT];
	trace_id_t trid;
	int r;

	if (trace_open_log("export", path, &trid) < 0)
		return PITOT_FAILED;
	r = prepare(x, trid);
	if (r < 0) {
		trace_failed("export", path, -r);
	} else {
		r = ctf_open(&x->ctf, x->dir);
		if (r == 0)
			r = write_trace(x);
		if (r < 0)
			trace_failed("export", x->dir, -r);
		else if (isatty(STDERR_FILENO) || trace_lost(&x->counts) > 0)
			pitot_complain("trace export: %s: %" PRIu64 " events; %s", x->dir,
				       x->ctf.events,
				       trace_counts_text(&x->counts, text, sizeof(text)));
		ctf_close(&x->ctf);
	}
	trace_source_done(&x->source);
	posix_trace_close(trid);
	return r < 0 ? PITOT_FAILED : PITOT_OK;
}

int trace_export_run(int argc, char **argv)
{
	struct export *x = calloc(1, sizeof(*x));
	int status = x != NULL ? options_parse(&options, argc, argv, x) : PITOT_FAILED;

	if (status >= 0) {
		status = status == PITOT_OK ? output_finish(status) : status;
	} else if (x->dir == NULL || argc - optind != 1) {
		pitot_complain("trace export: expected --ctf DIR and one FILE: see pitot trace "
			       "export --help");
		status = PITOT_USAGE;
	} else {
		status = export_log(x, argv[optind]);
	}
	free(x);
	return status;
}
