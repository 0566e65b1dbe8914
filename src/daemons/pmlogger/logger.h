/*
 * logger - the recorder, as its control port sees it.
 *
 * All calls and answers happen in the loop's thread. None of them waits: what needs the collector
 * is answered later, also when the collector is stuck.
 */
#ifndef PMLOGGER_LOGGER_H
#define PMLOGGER_LOGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "libwire/pdu.h"

struct logger;

/*
 * The answer to a control request: n sets in the order of the request, statuses as values in place
 * (docs/spec/logger.md B3); or err < 0 for an ERROR PDU (PM_ERR_IPC, -EINVAL, -ENOMEM). sets is
 * borrowed for the call.
 */
typedef void (*logger_answered)(void *arg, int err, const struct wire_vset *sets, uint32_t n);

/*
 * Serves one control request, ENQUIRE too. answered is called exactly once, possibly before this
 * returns, and arg must be good until then. request is borrowed for this call alone. client is the
 * name of the peer in the log (a host's name, an address or a socket's path). Rights are the
 * caller's to check; the values of control, state and interval are checked here. When the logger
 * ends first, the answer is -ESHUTDOWN.
 */
void logger_control(struct logger *l, const struct pdu_log_control *request, const char *client,
		    logger_answered answered, void *arg);

/* The next record begins a new volume, and the log says who wanted it ("pmlc request"). Its
 * number, or a negative error. */
int logger_new_volume(struct logger *l, const char *cause);

/* The contents of a status PDU, of this moment. Strings are borrowed until the next call. */
void logger_status(struct logger *l, struct pdu_log_status *ret_status);

/* For the port map file (A7). Borrowed; an archive that is restarted by day has another base: the
 * logger then calls control_map_changed(). */
const char *logger_pmcd_host(const struct logger *l); /* as the collector calls itself */
const char *logger_archive(const struct logger *l);   /* absolute base */
const char *logger_note(const struct logger *l);      /* -m; NULL: none */
bool logger_is_primary(const struct logger *l);       /* -P */

#endif
