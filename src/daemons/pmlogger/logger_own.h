/* logger_own - the recorder as a whole, for its own parts; others see logger.h. */
#ifndef PMLOGGER_LOGGER_OWN_H
#define PMLOGGER_LOGGER_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/link_host.h"
#include "daemons/pmlogger/logger.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/session.h"
#include "daemons/pmlogger/turn.h"
#include "libbase/list.h"

struct control_server;
struct options;
struct pmcd_link;

/* A name of the configuration that is not a metric yet (A2.5). */
struct dynamic_root {
	struct dynamic_root *next;
	const char *name; /* in the configuration */
	struct logging_request request;
};

struct logger {
	const struct options *options;
	uv_loop_t loop;
	struct pmcd_link *link;
	struct link_host host;
	struct config config;
	struct logging logging;
	struct dynamic_root *roots; /* in config.mem */
	struct recorder recorder;
	struct turn turn;
	struct keep keep;
	struct compress compress;
	struct session session;
	struct control_server *control;
	struct list requests; /* of control clients, that wait for the collector */
	struct list looks;    /* at names that were nothing, that wait for it too */
	char timezone[LINK_HOST_TEXT]; /* ours */

	uint64_t started_ms, volume_ms; /* since boot: when recording, and the volume, began */
	uint64_t samples, volume_samples; /* firings of tasks */
	struct timespec stop_at;        /* 0: never */
	uv_timer_t watch;               /* -p, -T, times of -s and -v, word to the manager */
	uv_signal_t signals[8];
	unsigned int nsignal;
	bool ending, again;
	int exit_status;
	char end_reason[64];
};

/* Looks at the configuration's names, and says what is wrong with it, in the link's thread while
 * the loop waits. 0; -EINVAL; -errno. */
int logger_apply_config(struct logger *l);

/* Names that were nothing before are looked at again. */
void logger_look_at_roots(struct logger *l);
/* When the link's thread is gone: what is still under way. */
void logger_drop_looks(struct logger *l);

/* Requests of the control port that are still waited for are answered with -ESHUTDOWN; their memory
 * is left alone while the link's thread may use it. */
void logger_drop_requests(struct logger *l, bool link_ended);

/* From options to a recorder that runs, until it ends. Exit status. */
int logger_run(struct logger *l);

/* Recording ends for this reason: "Caught signal 15". The first one counts. */
void logger_end(struct logger *l, const char *reason);

/* After a firing of a task: the sizes of -s and -v. */
void logger_count_sample(struct logger *l);

/* A line for each change of a control client, or of ourselves (docs/spec/logger.md B3.1). */
void logger_say_request(const char *client, const struct logging_request *r);
void logger_say_metric(const struct logging_metric *m);

#endif
