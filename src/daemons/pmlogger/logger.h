/*
 * logger - the recorder as a whole: joins its parts, from the options to the end. The picture of
 * the parts is in docs/pmlogger-internals.md.
 */
#ifndef PMLOGGER_LOGGER_H
#define PMLOGGER_LOGGER_H

#include <uv.h>

#include "daemons/pmlogger/apply.h"
#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/request.h"
#include "daemons/pmlogger/session.h"
#include "daemons/pmlogger/turn.h"
#include "daemons/pmlogger/worker.h"

struct control_server;
struct options;
struct worker;

struct logger {
	const struct options *options;
	uv_loop_t loop;
	struct worker *worker;
	struct worker_host host;
	struct config config;
	struct apply apply;
	struct logging logging;
	struct bounds bounds;
	struct recorder recorder;
	struct turn turn;
	struct keep keep;
	struct compress compress;
	struct session session;
	struct signals signals;
	struct control_server *control;
	struct requests requests;      /* of control clients, that wait for the collector */
	char timezone[LINK_HOST_TEXT]; /* ours */
};

/* From options to a recorder that runs, until it ends. Exit status. */
int logger_run(struct logger *l);

#endif
