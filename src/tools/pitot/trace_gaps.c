/* trace_gaps - see trace_gaps.h. */
#include "trace_gaps.h"

#include <string.h>

static bool begins(const struct gap *g, const struct trace_event *e)
{
	int automatic = 0;

	if (e->info.posix_event_id != g->begin)
		return false;
	if (g->begin == POSIX_TRACE_STOP && e->length == sizeof(automatic))
		memcpy(&automatic, e->data, sizeof(automatic));
	return g->begin != POSIX_TRACE_STOP || automatic != 0;
}

void trace_gaps_init(struct trace_gaps *gaps, const struct posix_trace_counts_np *counts)
{
	*gaps = (struct trace_gaps){
	    .kinds = {{.begin = POSIX_TRACE_OVERFLOW,
		       .end = POSIX_TRACE_RESUME,
		       .lost = counts->lost_overwritten},
		      {.begin = POSIX_TRACE_STOP, .end = POSIX_TRACE_START, .lost = counts->lost_full}}};
}

void trace_gaps_count(struct trace_gaps *gaps, const struct trace_event *e)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++) {
		struct gap *g = &gaps->kinds[i];

		if (g->open && e->info.posix_event_id == g->end) {
			g->n++;
			g->open = false;
		} else if (begins(g, e)) {
			g->open = true;
		}
	}
}

void trace_gaps_rewind(struct trace_gaps *gaps)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++)
		gaps->kinds[i].open = false;
}

bool trace_gaps_ends(struct trace_gaps *gaps, const struct trace_event *e, int64_t *ret_from_ns,
		     uint64_t *ret_lost)
{
	for (int i = 0; i < TRACE_GAP_KINDS; i++) {
		struct gap *g = &gaps->kinds[i];

		if (g->open && e->info.posix_event_id == g->end) {
			*ret_lost = g->lost >= g->n ? 1 : 0;
			if (++g->seen == g->n)
				*ret_lost = g->lost - (g->seen - 1) * *ret_lost;
			*ret_from_ns = g->from_ns;
			g->open = false;
			return true;
		}
		if (begins(g, e)) {
			g->open = true;
			g->from_ns = trace_event_ns(e);
		}
	}
	return false;
}

uint64_t trace_gaps_unmarked(const struct trace_gaps *gaps)
{
	uint64_t lost = 0;

	for (int i = 0; i < TRACE_GAP_KINDS; i++)
		lost += gaps->kinds[i].n == 0 ? gaps->kinds[i].lost : 0;
	return lost;
}
