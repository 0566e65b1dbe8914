/*
 * builtin_own - the rows that PCP has no names for: pitot.*, what `pitot status` and `pitot doctor`
 * ask for (docs/pmcd-metrics.md). Their clusters are far from PCP's, which may still grow.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/builtin_rows.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"

enum {
	PMCD = 1000, /* clusters */
	AGENT = 1001,
	LISTENER = 1002,
};

/*
 * The collector
 */

GET(version)
{
	return builtin_text(call, PITOT_VERSION, ret);
}

GET(start_time)
{
	const struct timespec *start = &builtin_server(call)->start_time;

	ret->d = (double)start->tv_sec + (double)start->tv_nsec / 1e9;
	return 1;
}

GET(uptime)
{
	ret->ull = clock_boot_ms() - builtin_server(call)->start_ms;
	return 1;
}

GET(uid)
{
	ret->ul = (uint32_t)geteuid();
	return 1;
}

/* The folder's own descriptor is not counted. -errno without /proc. */
static long count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;
	long n = -1;

	if (d == NULL)
		return -errno;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Counting takes a microsecond a descriptor: it gets a hundredth of our time at most. */
GET(fd_open)
{
	static uint64_t again_ns;
	static long count;
	uint64_t now_ns = clock_mono_ns();

	if (now_ns >= again_ns) {
		count = count_descriptors();
		again_ns = now_ns + 100 * (clock_mono_ns() - now_ns);
	}
	if (count < 0)
		return (int)count;
	ret->ul = (uint32_t)count;
	return 1;
}

/* arg is 1 for the hard limit. */
GET(fd_limit)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	ret->ull = call->metric->value.arg != 0 ? limit.rlim_max : limit.rlim_cur;
	return 1;
}

GET(starved)
{
	ret->ul = listeners_were_short(&builtin_server(call)->listeners);
	return 1;
}

/* The client may have another working directory. */
static int absolute(const struct agent_call *call, const char *path, pmAtomValue *ret)
{
	char *full = realpath(path, NULL);
	int r = builtin_text(call, full != NULL ? full : path, ret);

	free(full);
	return r;
}

GET(config_file)
{
	return absolute(call, builtin_server(call)->options->config_path, ret);
}

GET(log_file)
{
	return absolute(call, builtin_server(call)->options->log_path, ret);
}

GET(run_dir)
{
	return absolute(call, pmGetConfig("PCP_RUN_DIR"), ret);
}

GET(tmp_dir)
{
	return absolute(call, pmGetConfig("PCP_TMP_DIR"), ret);
}

GET(var_dir)
{
	return absolute(call, pmGetConfig("PCP_VAR_DIR"), ret);
}

/*
 * Agents
 */

GET(agent_state)
{
	static const char *const states[] = {
	    [AGENT_DOWN] = "down",
	    [AGENT_STARTING] = "starting",
	    [AGENT_NOTREADY] = "notready",
	    [AGENT_READY] = "ready",
	};
	const struct agent *a = call->from;

	return builtin_text(call, states[a->state], ret);
}

GET(agent_pid)
{
	const struct agent *a = call->from;

	ret->ull = (uint64_t)a->pid;
	return ret->ull > 0;
}

GET(agent_uptime)
{
	const struct agent *a = call->from;

	if (a->state < AGENT_NOTREADY)
		return 0;
	ret->ull = loop_now_ms(&a->server->loop) - a->record.up_ms;
	return 1;
}

GET(agent_error)
{
	const struct agent *a = call->from;
	char text[AGENT_RECORD_TEXT];

	return builtin_text(call, agent_record_text(&a->record, text, sizeof(text)), ret);
}

GET(agent_error_age)
{
	const struct agent *a = call->from;

	if (a->record.error == NULL)
		return 0;
	ret->ull = loop_now_ms(&a->server->loop) - a->record.error_ms;
	return 1;
}

/*
 * Listeners
 */

GET(listener_address)
{
	const struct listener *one = call->from;

	return builtin_text(call, one->text != NULL ? one->text : "", ret);
}

GET(listener_port)
{
	const struct listener *one = call->from;

	ret->ul = one->port;
	return 1;
}

#define S(member) AGENT_FIELD(struct server, member)
#define A(member) AGENT_FIELD(struct agent, member)

/* clang-format off */
const struct agent_metric builtin_own_metrics[] = {
	{ "pitot.pmcd.version",       PMCD, 0,  STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_version),     "version of Pitot that serves", NULL, 0 },
	{ "pitot.pmcd.start_time",    PMCD, 1,  F64, DISC, ONE, AGENT_SEC,   AGENT_GET(get_start_time),  "when pmcd started, by the clock of then, seconds since the epoch", NULL, 0 },
	{ "pitot.pmcd.uptime",        PMCD, 2,  U64, INST, ONE, AGENT_MSEC,  AGENT_GET(get_uptime),      "time since pmcd started, that of suspension included", NULL, 0 },
	{ "pitot.pmcd.requests",      PMCD, 3,  U64, CNT,  ONE, AGENT_COUNT, S(counts.requests),         "requests of clients", NULL, 0 },
	{ "pitot.pmcd.uid",           PMCD, 4,  U32, DISC, ONE, AGENT_NONE,  AGENT_GET(get_uid),         "user that pmcd runs as", NULL, 0 },
	{ "pitot.pmcd.fd.open",       PMCD, 5,  U32, INST, ONE, AGENT_COUNT, AGENT_GET(get_fd_open),     "descriptors that pmcd has open", NULL, 0 },
	{ "pitot.pmcd.fd.limit",      PMCD, 6,  U64, INST, ONE, AGENT_COUNT, AGENT_GET_ARG(get_fd_limit, 0), "descriptors that pmcd may have", NULL, 0 },
	{ "pitot.pmcd.fd.limit_hard", PMCD, 7,  U64, INST, ONE, AGENT_COUNT, AGENT_GET_ARG(get_fd_limit, 1), "descriptors that an administrator lets it have", NULL, 0 },
	{ "pitot.pmcd.fd.starved",    PMCD, 8,  U32, INST, ONE, AGENT_NONE,  AGENT_GET(get_starved),     "1: no descriptors were left for a new connection in the last minute", NULL, 0 },
	{ "pitot.pmcd.config",        PMCD, 9,  STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_config_file), "path of the configuration", NULL, 0 },
	{ "pitot.pmcd.log",           PMCD, 10, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_log_file),    "path of the log", NULL, 0 },
	{ "pitot.pmcd.run_dir",       PMCD, 11, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_run_dir),     "PCP_RUN_DIR of pmcd", NULL, 0 },
	{ "pitot.pmcd.tmp_dir",       PMCD, 12, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_tmp_dir),     "PCP_TMP_DIR of pmcd", NULL, 0 },
	{ "pitot.pmcd.var_dir",       PMCD, 13, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_var_dir),     "PCP_VAR_DIR of pmcd", NULL, 0 },
	{ "pitot.agent.state",     AGENT, 0, STR, INST, OF(AGENTS), AGENT_NONE,  AGENT_GET(get_agent_state),     "down, starting, notready or ready", NULL, 0 },
	{ "pitot.agent.pid",       AGENT, 1, U64, DISC, OF(AGENTS), AGENT_NONE,  AGENT_GET(get_agent_pid),       "process of an agent; none for one in pmcd's own", NULL, 0 },
	{ "pitot.agent.uptime",    AGENT, 2, U64, INST, OF(AGENTS), AGENT_MSEC,  AGENT_GET(get_agent_uptime),    "time since the last start", NULL, 0 },
	{ "pitot.agent.starts",    AGENT, 3, U32, CNT,  OF(AGENTS), AGENT_COUNT, A(record.starts),               "times that an agent was started with success", NULL, 0 },
	{ "pitot.agent.ends",      AGENT, 4, U32, CNT,  OF(AGENTS), AGENT_COUNT, A(record.ends),                 "times that an agent ended, or could not be started", NULL, 0 },
	{ "pitot.agent.timeouts",  AGENT, 5, U32, CNT,  OF(AGENTS), AGENT_COUNT, A(record.timeouts),             "requests that an agent did not answer in time", NULL, 0 },
	{ "pitot.agent.requests",  AGENT, 6, U64, CNT,  OF(AGENTS), AGENT_COUNT, A(record.asked),                "requests to an agent", NULL, 0 },
	{ "pitot.agent.late",      AGENT, 7, U32, INST, OF(AGENTS), AGENT_COUNT, A(nlate),                       "answers that an agent owes for longer than the time-out", NULL, 0 },
	{ "pitot.agent.error",     AGENT, 8, STR, DISC, OF(AGENTS), AGENT_NONE,  AGENT_GET(get_agent_error),     "what went wrong with an agent last; empty if nothing did", NULL, 0 },
	{ "pitot.agent.error_age", AGENT, 9, U64, INST, OF(AGENTS), AGENT_MSEC,  AGENT_GET(get_agent_error_age), "time since then", NULL, 0 },
	{ "pitot.listener.address", LISTENER, 0, STR, DISC, OF(LISTENERS), AGENT_NONE, AGENT_GET(get_listener_address), "address or path that pmcd listens at", NULL, 0 },
	{ "pitot.listener.port",    LISTENER, 1, U32, DISC, OF(LISTENERS), AGENT_NONE, AGENT_GET(get_listener_port),    "TCP port that pmcd listens at; 0: a Unix socket", NULL, 0 },
};
/* clang-format on */

const unsigned int builtin_nown_metric = ARRAY_SIZE(builtin_own_metrics);
