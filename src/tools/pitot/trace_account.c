/* trace_account - see trace_account.h. */
#include "trace_account.h"

#include <inttypes.h>
#include <stdio.h>

enum { OVERWRITTEN_PARTS = 2 }; /* the first of them */

static uint64_t unread(const struct posix_trace_counts_np *n)
{
	uint64_t gone = n->reported + n->lost_overwritten + n->lost_log + n->discarded;

	return n->recorded > gone ? n->recorded - gone : 0;
}

struct trace_account trace_account(const struct posix_trace_counts_np *n, int log_policy)
{
	const bool loops = log_policy == POSIX_TRACE_LOOP;
	struct trace_account a = {
	    .kept = n->reported,
	    .unread = unread(n),
	    .where = log_policy != 0 ? "kept" : "read",
	    .parts = {{"overwritten in memory", n->lost_overwritten},
		      {"overwritten in the log", loops ? n->lost_log : 0},
		      {"not kept in the log", loops ? 0 : n->lost_log},
		      {"memory full", n->lost_full},
		      {"not attached", n->lost_attach},
		      {"at a stop", n->discarded}},
	};

	for (size_t i = 0; i < sizeof(a.parts) / sizeof(a.parts[0]); i++)
		*(i < OVERWRITTEN_PARTS ? &a.overwritten : &a.lost) += a.parts[i].count;
	a.emitted = a.kept + a.overwritten + a.lost + a.unread;
	return a;
}

int trace_account_get(trace_id_t trid, int log_policy, struct trace_account *ret)
{
	struct posix_trace_counts_np counts = {0};
	int error = posix_trace_get_counts_np(trid, &counts);

	if (error == 0)
		*ret = trace_account(&counts, log_policy);
	return error;
}

const char *trace_account_text(const struct trace_account *a, char *text, size_t size)
{
	const char *separator = " (";
	int len = snprintf(text, size,
			   "emitted %" PRIu64 ": %s %" PRIu64 ", overwritten %" PRIu64
			   ", lost %" PRIu64,
			   a->emitted, a->where, a->kept, a->overwritten, a->lost);

	for (size_t i = 0; i < sizeof(a->parts) / sizeof(a->parts[0]); i++) {
		if (a->parts[i].count == 0)
			continue;
		len += snprintf(text + len, size - (size_t)len, "%s%s %" PRIu64, separator,
				a->parts[i].reason, a->parts[i].count);
		separator = ", ";
	}
	if (separator[0] == ',')
		len += snprintf(text + len, size - (size_t)len, ")");
	if (a->unread != 0)
		snprintf(text + len, size - (size_t)len, ", unread %" PRIu64, a->unread);
	return text;
}
