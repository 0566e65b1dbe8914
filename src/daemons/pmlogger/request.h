/*
 * request - what a control client asks, on its way (docs/spec/logger.md A3, B3).
 *
 *     copied --> questions for pmcd --> state changes --> lines in the log --> answer
 *     request.c  in the worker thread  request.c         request_say.c        request.c
 *
 * Change and answer are made in one go.
 */
#ifndef PMLOGGER_REQUEST_H
#define PMLOGGER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/control_recorder.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libbase/list.h"

struct turn;
struct wire_str;

struct request_set {
	pmID pmid;
	int numval; /* <= 0: all */
	int *insts;
	int err; /* of its descriptor, or of its domain */
	pmDesc desc;
	size_t desc_item;  /* its question; SIZE_MAX: none */
	size_t indom_item; /* its question; SIZE_MAX: none */
	bool unnamed;      /* of instances that the archive has no name of: for the log */
};

struct request {
	struct list in_list;
	struct worker_job job;
	struct turn *turn; /* its state of what is logged, its worker and archive */
	const char *client;
	control_answered answered;
	void *arg;
	int control;
	struct logging_request change;
	uint32_t n;
	struct request_set *sets;
	struct meta_query descs, indoms;
	struct hash asked; /* numbers of questions for descriptors, from 1, by pmid */
	bool descs_known;
	struct arena mem;
};

/* All that are on their way. */
struct requests {
	struct turn *turn;
	struct list all;
};

void requests_init(struct requests *all, struct turn *turn);

/* The function control of struct control_recorder. */
void requests_control(struct requests *all, const struct pdu_log_control *asked, const char *client,
		      control_answered answered, void *arg);

/* Those that still wait are answered with -ESHUTDOWN; their memory is left alone while the worker
 * may use it. */
void requests_drop(struct requests *all, bool worker_ended);

/* True if the change makes metrics known that were not. */
static inline bool request_creates(const struct request *q)
{
	return q->control != LOGGING_ENQUIRE &&
	       (q->change.wish == LOGGING_ON ||
		(q->change.mandatory && q->change.wish == LOGGING_OFF));
}

/* The archive's name of an instance; NULL: it has none. */
const struct wire_str *request_inst_name(const struct request *q, pmInDom indom, int inst);

/* A line for each change of a control client, or of ourselves (docs/spec/logger.md B3.1). */
void request_say_change(const char *client, const struct logging_request *r);
void request_say_metric(const struct logging_metric *m);

/* The lines of the log for a metric, of which this was to be changed. m is NULL for one that was
 * never logged, and still is not. */
void request_say(struct request *q, const struct logging_metric *m, const struct request_set *s);

#endif
