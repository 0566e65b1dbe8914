/* status - see status.h. */
#include "libtrace/status.h"

#include "libtrace/run.h"

enum {
	TRIES = 8, /* to get a consistent set of counts while a writer overwrites */
};

static uint64_t status_overwritten(const struct segment *seg)
{
	uint64_t n = 0;

	for (uint32_t c = 0; c < seg->g.chunks; c++)
		n += atomic_load(&seg->lostc[c]) & (((uint64_t)1 << LOSTC_BITS) - 1);
	return n;
}

void status_counts(struct reader *reader, struct posix_trace_counts_np *ret_counts)
{
	const struct control *ctl = reader->ctl;
	const struct segment *seg = reader->seg;
	uint64_t unread, before = status_overwritten(seg), after;

	for (int i = 0;; i++) {
		unread = reader_unread(reader);
		after = status_overwritten(seg);
		if (after == before || i == TRIES)
			break;
		before = after;
	}
	*ret_counts = (struct posix_trace_counts_np){
	    .reported = atomic_load(&ctl->reported) - atomic_load(&ctl->lost_log),
	    .lost_full = atomic_load(&seg->state->lost[LOST_FULL]) + atomic_load(&ctl->lost_late),
	    .lost_overwritten = after + atomic_load(&ctl->lost_overwritten),
	    .lost_attach = atomic_load(&seg->state->lost[LOST_ATTACH]),
	    .lost_log = atomic_load(&ctl->lost_log) + atomic_load(&seg->state->lost[LOST_LOG]),
	    .discarded = atomic_load(&ctl->discarded),
	};
	/* Events recorded after an automatic stop were taken back: they count in lost_full only. */
	ret_counts->recorded = ret_counts->reported + ret_counts->lost_log + unread +
			       ret_counts->lost_overwritten + ret_counts->discarded;
}

/* All user events that have ever entered the stream. */
static uint64_t recorded(struct reader *reader)
{
	struct posix_trace_counts_np counts;

	status_counts(reader, &counts);
	return counts.recorded;
}

/* Chunks are dropped ahead of need, so every event that is recorded while the stream is full
 * counts as overwriting (docs/spec/posix-trace.md 5). */
static bool overran(struct reader *reader, bool full, bool reset)
{
	struct control *ctl = reader->ctl;
	bool yes = atomic_load(&reader->seg->state->overrun) != 0 || atomic_load(&ctl->overrun);
	uint64_t now;

	if (full && reader->seg->g.policy == POSIX_TRACE_LOOP) {
		now = recorded(reader);
		yes = yes || now != ctl->seen;
		if (reset)
			ctl->seen = now;
	}
	if (reset) {
		atomic_store(&reader->seg->state->overrun, 0);
		atomic_store(&ctl->overrun, 0);
	}
	return yes;
}

void status_read(struct reader *reader, bool reset, struct posix_trace_status_info *ret_status)
{
	struct control *ctl = reader->ctl;
	uint32_t word = atomic_load(&reader->seg->state->ctl);
	bool full = reader->seg->g.policy == POSIX_TRACE_LOOP
			? atomic_load(&reader->seg->state->full) != 0
			: run_full_tick(reader->seg, ctl) != 0;

	ret_status->posix_stream_status =
	    word & CTL_RUNNING && (!full || reader->seg->g.policy == POSIX_TRACE_LOOP)
		? POSIX_TRACE_RUNNING
		: POSIX_TRACE_SUSPENDED;
	ret_status->posix_stream_full_status = full ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL;
	ret_status->posix_stream_overrun_status =
	    overran(reader, full, reset) ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN;
	ret_status->posix_log_full_status =
	    atomic_load(&ctl->log_full) ? POSIX_TRACE_FULL : POSIX_TRACE_NOT_FULL;
	ret_status->posix_log_overrun_status =
	    (reset ? atomic_exchange(&ctl->log_overrun, 0) : atomic_load(&ctl->log_overrun))
		? POSIX_TRACE_OVERRUN
		: POSIX_TRACE_NO_OVERRUN;
	ret_status->posix_stream_flush_error =
	    reset ? atomic_exchange(&ctl->flush_error, 0) : atomic_load(&ctl->flush_error);
	ret_status->posix_stream_flush_status =
	    run_has(ctl, RUN_FLUSHING) ? POSIX_TRACE_FLUSHING : POSIX_TRACE_NOT_FLUSHING;
}
