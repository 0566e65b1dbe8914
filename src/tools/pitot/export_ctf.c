/* export_ctf - the Common Trace Format as a place for exports. */
#include "ctf.h"
#include "export_sink.h"

static int open_ctf(void *state, const char *path, const struct export_about *about)
{
	(void)about;
	return ctf_open(state, path);
}

static int put_event(void *state, struct trace_source *source, const struct trace_event *e)
{
	(void)source;
	return ctf_event(state, e);
}

static int put_gap(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost)
{
	return ctf_gap(state, from_ns, to_ns, lost);
}

static int put_sample(void *state, const struct metric_sample *sample)
{
	return ctf_sample(state, sample);
}

static int finish(void *state, struct trace_source *source,
		  const struct posix_trace_counts_np *counts)
{
	return ctf_finish(state, source, counts);
}

static void close_ctf(void *state)
{
	ctf_close(state);
}

const struct export_sink ctf_sink = {
    .option = "ctf",
    .size = sizeof(struct ctf),
    .open = open_ctf,
    .event = put_event,
    .gap = put_gap,
    .sample = put_sample,
    .finish = finish,
    .close = close_ctf,
};
