/* logger - see logger.h. */
#include "daemons/pmlogger/logger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/config_file.h"
#include "daemons/pmlogger/control_recorder.h"
#include "daemons/pmlogger/control_server.h"
#include "daemons/pmlogger/folder.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/timing.h"
#include "daemons/pmlogger/worker.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/hostid.h"
#include "libbase/service.h"
#include "libbase/terminal.h"

enum {
	START_RETRY_MS = 10000, /* a collector that is just being started */
	START_NAP_US = 200000,
	END_PULSE_MS = 1500, /* for the collector's last word */
	END_WORKER_MS = 500,
};

/*
 * For the control port
 */

static int logger_new_volume(struct logger *l, const char *cause)
{
	return bounds_new_volume(&l->bounds, cause);
}

static struct wire_str logger_text(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

static const char *specification(const struct logger *l)
{
	return l->options->host != NULL ? l->options->host : "local:";
}

static void logger_status(struct logger *l, struct pdu_log_status *ret_status)
{
	struct archive_writer_state s = recorder_state(&l->recorder);
	struct timespec now = timing_now();
	bool anew = l->recorder.next_volume > s.volume; /* its file is made by the next record */

	*ret_status = (struct pdu_log_status){
	    .start_sec = s.start.tv_sec,
	    .start_nsec = (int32_t)s.start.tv_nsec,
	    .last_sec = s.last.tv_sec,
	    .last_nsec = (int32_t)s.last.tv_nsec,
	    .now_sec = now.tv_sec,
	    .now_nsec = (int32_t)now.tv_nsec,
	    .state = s.records > 0,
	    .volume = anew ? l->recorder.next_volume : s.volume,
	    .size = (int64_t)(anew ? log_label_len(l->options->version) : s.volume_size),
	    .pmcd_host = logger_text(l->host.host),
	    .fqdn = logger_text(specification(l)),
	    .pmcd_tz = logger_text(l->recorder.label.timezone),
	    .pmcd_zoneinfo = logger_text(l->recorder.label.zoneinfo),
	    .logger_tz = logger_text(l->timezone),
	};
}

static void logger_control(struct logger *l, const struct pdu_log_control *asked,
			   const char *client, control_answered answered, void *arg)
{
	requests_control(&l->requests, asked, client, answered, arg);
}

static void logger_about(const struct logger *l, struct control_about *ret_about)
{
	*ret_about = (struct control_about){.pmcd_host = l->host.host,
					    .archive = l->recorder.base.name,
					    .note = l->options->note,
					    .primary = l->options->primary};
}

static const struct control_recorder logger_for_control = {
    .control = logger_control,
    .new_volume = logger_new_volume,
    .status = logger_status,
    .about = logger_about,
};

/*
 * Start
 */

static int connect_once(struct logger *l)
{
	l->host.job = (struct worker_job){.run = worker_host_run};
	l->host.type = l->options->local ? PM_CONTEXT_LOCAL : PM_CONTEXT_HOST;
	l->host.name = l->options->local ? NULL : specification(l);
	l->host.specs = l->options->local_specs;
	l->host.nspec = l->options->nlocal_spec;
	return worker_call(l->worker, &l->host.job, 0);
}

/* A collector that is started together with us may need a moment. */
static int find_collector(struct logger *l)
{
	uint64_t began = clock_mono_ms();
	bool patient = l->options->primary || l->options->notify;
	int r = connect_once(l);

	while (r < 0 && patient && clock_mono_ms() - began < START_RETRY_MS) {
		usleep(START_NAP_US);
		r = connect_once(l);
	}
	if (r < 0 && l->options->local)
		fprintf(stderr, "%s: Cannot make standalone connection on localhost: %s\n",
			pmGetProgname(), pmErrStr(r));
	else if (r < 0)
		fprintf(stderr, "%s: Cannot connect to PMCD on host \"%s\": %s\n", pmGetProgname(),
			specification(l), pmErrStr(r));
	return r;
}

static int read_config(struct logger *l)
{
	struct buffer out = BUFFER_INIT;
	const char *name;
	int r = preprocess(l->options->config, &out, &name), err;

	if (r == 0)
		r = config_parse(&l->config, (const char *)out.data, out.len, name,
				 l->options->interval_ms);
	buffer_done(&out);
	if (r < 0 && r != -EINVAL)
		return r;
	err = apply_config(&l->apply, l->worker);
	if (r == -EINVAL)
		config_print_error(&l->config);
	if (r == 0 && err == 0)
		fprintf(stderr, "Config parsed\n");
	return r < 0 ? r : err;
}

static void fill_label(struct logger *l, struct log_label *label)
{
	const char *host = l->options->label_host != NULL ? l->options->label_host : l->host.host;
	const char *zone = l->host.timezone;

	*label = (struct log_label){.version = l->options->version, .pid = (int32_t)getpid()};
	snprintf(label->host, sizeof(label->host), "%s", host);
	snprintf(l->timezone, sizeof(l->timezone), "%s",
		 getenv("TZ") != NULL ? getenv("TZ") : "UTC");
	snprintf(label->timezone, sizeof(label->timezone), "%s",
		 zone[0] != '\0' ? zone : l->timezone);
	snprintf(label->zoneinfo, sizeof(label->zoneinfo), "%s", l->host.zoneinfo);
}

static void on_begun(void *arg)
{
	struct logger *l = arg;

	int r = 0;

	if (l->control != NULL)
		control_server_publish(l->control);
	if (l->options->daemon)
		r = folio_write(l->host.host, l->recorder.base.name);
	if (r < 0)
		pmNotifyErr(LOG_WARNING, "Cannot write the folio: error=%s", pmErrStr(r));
	keep_look(&l->keep);
	compress_look(&l->compress);
	turn_repeat_once(&l->turn);
}

/* The first archive. */
static int begin_recording(struct logger *l)
{
	struct worker_pulse *p = &l->turn.pulse;
	struct log_label label;
	int r;

	fill_label(l, &label);
	r = recorder_init(&l->recorder, &l->loop, l->options->base, &label);
	if (r < 0)
		return r;
	hostid_name(l->recorder.who.host, sizeof(l->recorder.who.host));
	l->recorder.who.port = (uint32_t)control_server_port(l->control);
	p->stamp = timing_now();
	if (worker_call(l->worker, &p->job, 0) == 0) {
		l->recorder.who.pmcd_pid = p->pid;
		l->recorder.who.pmcd_seqnum = p->seqnum;
	}
	l->recorder.begun = on_begun;
	l->recorder.arg = l;
	r = recorder_begin(&l->recorder, &p->stamp);
	if (r == 0)
		fprintf(stderr, "Archive basename: %s\n", l->recorder.base.name);
	if (r == 0) {
		compress_start(&l->compress, l->options, &l->recorder, &l->keep);
		keep_start(&l->keep, l->options, &l->recorder, &l->compress);
	}
	return r;
}

static bool has_work(const struct logger *l)
{
	return !list_empty(&l->logging.tasks);
}

static int logger_start(struct logger *l)
{
	const struct options *o = l->options;
	int r;

	fprintf(stderr, "Starting %slogger for host \"%s\" via \"%s\"\n",
		o->primary ? "primary " : "", l->host.host, specification(l));
	if (!has_work(l) && !o->primary && !o->linger) {
		fprintf(stderr,
			"Nothing to log, and not the primary logger instance ... good-bye\n");
		return -ENODATA;
	}
	r = control_server_new(&l->loop, &logger_for_control, l, &l->config, o->control_version,
			       &l->control);
	if (r < 0) {
		if (r != -EINVAL && r != -EEXIST)
			pmNotifyErr(LOG_ERR, "Cannot open the control port: %s", pmErrStr(r));
		return r;
	}
	turn_begin(&l->turn, l->worker);
	r = bounds_start(&l->bounds, l->host.timezone);
	if (r == 0)
		r = begin_recording(l);
	if (r == 0)
		turn_sync(&l->turn, true);
	if (r == 0)
		r = session_start(&l->session, &l->bounds, l->host.host);
	return r;
}

/*
 * End
 */

/* The last answer of the collector, if it answers at all now. */
static void end_recording(struct logger *l)
{
	struct worker_pulse *p = &l->turn.pulse;
	bool told = !l->turn.lost && worker_call(l->worker, &p->job, END_PULSE_MS) == 0;

	if (told) {
		l->recorder.who.pmcd_pid = p->pid;
		l->recorder.who.pmcd_seqnum = p->seqnum;
	}
	recorder_end(&l->recorder, told ? &p->stamp : NULL);
}

static void run_out(uv_loop_t *loop)
{
	for (int i = 0; i < 100 && uv_run(loop, UV_RUN_NOWAIT) != 0; i++)
		continue;
}

/* The last one to go is the worker thread; if it is stuck its memory stays. */
static void logger_finish(struct logger *l)
{
	bool ended = worker_end(l->worker, END_WORKER_MS) == 0;

	if (ended) {
		turn_done(&l->turn);
		apply_drop(&l->apply);
	}
	if (l->control != NULL)
		requests_drop(&l->requests, ended);
	control_server_free(l->control);
	turn_close(&l->turn);
	signals_close(&l->signals);
	run_out(&l->loop);
	uv_loop_close(&l->loop);
	if (!ended)
		return;
	logging_done(&l->logging);
	config_done(&l->config);
}

static void record(struct logger *l)
{
	service_ready();
	uv_run(&l->loop, UV_RUN_DEFAULT);
	service_stopping();
	turn_stop(&l->turn);
	bounds_stop(&l->bounds);
	if (l->bounds.again)
		session_hand_on(&l->session);
	else
		session_stop(&l->session);
	keep_stop(&l->keep);
	end_recording(l);
	compress_stop(&l->compress, l->bounds.again);
	pmNotifyErr(LOG_INFO, "%s: %s%s", pmGetProgname(), l->bounds.reason,
		    l->bounds.again ? "" : ", exiting");
}

static void logger_has_names(void *arg)
{
	apply_look(arg);
}

int logger_run(struct logger *l)
{
	int r;

	l->bounds = (struct bounds){.options = l->options,
				    .loop = &l->loop,
				    .recorder = &l->recorder,
				    .keep = &l->keep,
				    .compress = &l->compress,
				    .exit_status = EXIT_SUCCESS};
	logging_init(&l->logging);
	config_init(&l->config);
	turn_init(&l->turn, &l->bounds, &l->logging, &l->host);
	apply_init(&l->apply, &l->config, &l->turn);
	l->turn.on_names = logger_has_names;
	l->turn.arg = &l->apply;
	requests_init(&l->requests, &l->turn);
	r = uv_loop_init(&l->loop);
	if (r == 0)
		r = signals_watch(&l->signals, &l->bounds);
	if (r == 0)
		r = worker_new(&l->loop, &l->worker);
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "Cannot start: %s", pmErrStr(r));
		return EXIT_FAILURE;
	}
	r = find_collector(l);
	if (r == 0)
		r = read_config(l);
	if (r == 0 && !l->options->check_only) {
		r = logger_start(l);
		if (r == 0) {
			terminal_release();
			record(l);
		}
	}
	logger_finish(l);
	return r < 0 ? EXIT_FAILURE : l->bounds.exit_status;
}
