/*
 * trace_account - where the events of a program are: kept + overwritten + lost = emitted, exactly.
 *
 *     kept         in the log; of a stream without log: read
 *     overwritten  by later ones, as a policy "loop" of memory or log has it
 *     lost         all others, each with its reason
 *     unread       of a stream that goes on: still in memory
 *
 * A log of policy "loop" counts what was overwritten in it and what could not be written to it in one:
 * here it is all overwritten.
 */
#ifndef PITOT_TRACE_ACCOUNT_H
#define PITOT_TRACE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trace_np.h>

struct trace_account {
	uint64_t emitted, kept, overwritten, lost, unread;
	const char *where; /* "kept", or "read" */
	struct {
		const char *reason;
		uint64_t count;
	} parts[6]; /* of overwritten and lost */
};

/* log_policy: 0: of a stream without log. */
struct trace_account trace_account(const struct posix_trace_counts_np *counts, int log_policy);

/* Of a stream or an opened log: 0, or an error number. */
int trace_account_get(trace_id_t trid, int log_policy, struct trace_account *ret);

/* "emitted 12: kept 9, overwritten 0, lost 3 (memory full 3)". text holds at least
 * TRACE_ACCOUNT_TEXT. */
enum { TRACE_ACCOUNT_TEXT = 384 };
const char *trace_account_text(const struct trace_account *a, char *text, size_t size);

#endif
