/*
 * control_recorder - the recorder, as its control port sees it: a table of functions that the
 * recorder gives.
 *
 * All calls and answers happen in the loop's thread. None of them waits: what needs the collector
 * is answered later, also when the collector is stuck.
 */
#ifndef PMLOGGER_CONTROL_RECORDER_H
#define PMLOGGER_CONTROL_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "libwire/pdu.h"

struct logger;

/*
 * The answer to a control request: n sets in the order of the request, statuses as values in place
 * (docs/spec/logger.md B3); or err < 0 for an ERROR PDU (PM_ERR_IPC, -EINVAL, -ENOMEM). sets is
 * borrowed for the call.
 */
typedef void (*control_answered)(void *arg, int err, const struct wire_vset *sets, uint32_t n);

/* For the port map file (A7). Borrowed; an archive that is restarted by day has another base: the
 * recorder then calls control_server_publish(). */
struct control_about {
	const char *pmcd_host; /* as the collector calls itself */
	const char *archive;   /* absolute base */
	const char *note;      /* -m; NULL: none */
	bool primary;          /* -P */
};

struct control_recorder {
	/*
	 * Serves one control request, ENQUIRE too. answered is called exactly once, possibly before
	 * this returns, and arg must be good until then. request is borrowed for this call alone.
	 * client is the name of the peer in the log (a host's name, an address or a socket's path).
	 * Rights are the caller's to check; the values of control, state and interval are checked
	 * here. When the recorder ends first, the answer is -ESHUTDOWN.
	 */
	void (*control)(struct logger *l, const struct pdu_log_control *request, const char *client,
			control_answered answered, void *arg);
	/* The next record begins a new volume, and the log has the cause ("pmlc request"). Its
	 * number, or a negative error. */
	int (*new_volume)(struct logger *l, const char *cause);
	/* The contents of a status PDU, of this moment. Strings are borrowed until the next call.
	 */
	void (*status)(struct logger *l, struct pdu_log_status *ret_status);
	void (*about)(const struct logger *l, struct control_about *ret_about);
};

#endif
