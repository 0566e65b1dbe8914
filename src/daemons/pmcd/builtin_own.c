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
	const struct timespec *start = &call->server->start_time;

	ret->d = (double)start->tv_sec + (double)start->tv_nsec / 1e9;
	return 1;
}

GET(uptime)
{
	ret->ull = clock_boot_ms() - call->server->start_ms;
	return 1;
}

GET(requests)
{
	ret->ull = call->server->counts.requests;
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

static int fd_limit(bool hard, pmAtomValue *ret)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	ret->ull = hard ? limit.rlim_max : limit.rlim_cur;
	return 1;
}

GET(fd_limit)
{
	return fd_limit(false, ret);
}

GET(fd_limit_hard)
{
	return fd_limit(true, ret);
}

GET(starved)
{
	ret->ul = listeners_were_short(&call->server->listeners);
	return 1;
}

/* The client may have another working directory. */
static int absolute(const struct builtin_call *call, const char *path, pmAtomValue *ret)
{
	char *full = realpath(path, NULL);
	int r = builtin_text(call, full != NULL ? full : path, ret);

	free(full);
	return r;
}

GET(config_file)
{
	return absolute(call, call->server->options->config_path, ret);
}

GET(log_file)
{
	return absolute(call, call->server->options->log_path, ret);
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

static const struct agent *agent_of(const struct builtin_inst *inst)
{
	return inst->of;
}

GET(agent_state)
{
	static const char *const states[] = {
	    [AGENT_DOWN] = "down",
	    [AGENT_STARTING] = "starting",
	    [AGENT_NOTREADY] = "notready",
	    [AGENT_READY] = "ready",
	};

	return builtin_text(call, states[agent_of(inst)->state], ret);
}

GET(agent_pid)
{
	ret->ull = (uint64_t)agent_of(inst)->pid;
	return ret->ull > 0;
}

GET(agent_uptime)
{
	const struct agent *a = agent_of(inst);

	if (a->state < AGENT_NOTREADY)
		return 0;
	ret->ull = loop_now_ms(&a->server->loop) - a->record.up_ms;
	return 1;
}

GET(agent_starts)
{
	ret->ul = agent_of(inst)->record.starts;
	return 1;
}

GET(agent_ends)
{
	ret->ul = agent_of(inst)->record.ends;
	return 1;
}

GET(agent_timeouts)
{
	ret->ul = agent_of(inst)->record.timeouts;
	return 1;
}

GET(agent_requests)
{
	ret->ull = agent_of(inst)->record.asked;
	return 1;
}

GET(agent_late)
{
	ret->ul = agent_of(inst)->nlate;
	return 1;
}

GET(agent_error)
{
	char text[AGENT_RECORD_TEXT];

	return builtin_text(call, agent_record_text(&agent_of(inst)->record, text, sizeof(text)),
			    ret);
}

GET(agent_error_age)
{
	const struct agent *a = agent_of(inst);

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
	const struct listener *one = inst->of;

	return builtin_text(call, one->text != NULL ? one->text : "", ret);
}

GET(listener_port)
{
	ret->ul = ((const struct listener *)inst->of)->port;
	return 1;
}

/* clang-format off */
const struct builtin_metric builtin_own_metrics[] = {
	{ "pitot.pmcd.version",       PMCD, 0,  STR, ONE, DISC, NONE,  get_version,       NULL, "version of Pitot that serves" },
	{ "pitot.pmcd.start_time",    PMCD, 1,  F64, ONE, DISC, SEC,   get_start_time,    NULL, "when pmcd started, by the clock of then, seconds since the epoch" },
	{ "pitot.pmcd.uptime",        PMCD, 2,  U64, ONE, INST, MSEC,  get_uptime,        NULL, "time since pmcd started, that of suspension included" },
	{ "pitot.pmcd.requests",      PMCD, 3,  U64, ONE, CNT,  COUNT, get_requests,      NULL, "requests of clients" },
	{ "pitot.pmcd.uid",           PMCD, 4,  U32, ONE, DISC, NONE,  get_uid,           NULL, "user that pmcd runs as" },
	{ "pitot.pmcd.fd.open",       PMCD, 5,  U32, ONE, INST, COUNT, get_fd_open,       NULL, "descriptors that pmcd has open" },
	{ "pitot.pmcd.fd.limit",      PMCD, 6,  U64, ONE, INST, COUNT, get_fd_limit,      NULL, "descriptors that pmcd may have" },
	{ "pitot.pmcd.fd.limit_hard", PMCD, 7,  U64, ONE, INST, COUNT, get_fd_limit_hard, NULL, "descriptors that an administrator lets it have" },
	{ "pitot.pmcd.fd.starved",    PMCD, 8,  U32, ONE, INST, NONE,  get_starved,       NULL, "1: no descriptors were left for a new connection in the last minute" },
	{ "pitot.pmcd.config",        PMCD, 9,  STR, ONE, DISC, NONE,  get_config_file,   NULL, "path of the configuration" },
	{ "pitot.pmcd.log",           PMCD, 10, STR, ONE, DISC, NONE,  get_log_file,      NULL, "path of the log" },
	{ "pitot.pmcd.run_dir",       PMCD, 11, STR, ONE, DISC, NONE,  get_run_dir,       NULL, "PCP_RUN_DIR of pmcd" },
	{ "pitot.pmcd.tmp_dir",       PMCD, 12, STR, ONE, DISC, NONE,  get_tmp_dir,       NULL, "PCP_TMP_DIR of pmcd" },
	{ "pitot.pmcd.var_dir",       PMCD, 13, STR, ONE, DISC, NONE,  get_var_dir,       NULL, "PCP_VAR_DIR of pmcd" },
	{ "pitot.agent.state",     AGENT, 0, STR, BUILTIN_AGENTS, INST, NONE,  get_agent_state,     NULL, "down, starting, notready or ready" },
	{ "pitot.agent.pid",       AGENT, 1, U64, BUILTIN_AGENTS, DISC, NONE,  get_agent_pid,       NULL, "process of an agent; none for one in pmcd's own" },
	{ "pitot.agent.uptime",    AGENT, 2, U64, BUILTIN_AGENTS, INST, MSEC,  get_agent_uptime,    NULL, "time since the last start" },
	{ "pitot.agent.starts",    AGENT, 3, U32, BUILTIN_AGENTS, CNT,  COUNT, get_agent_starts,    NULL, "times that an agent was started with success" },
	{ "pitot.agent.ends",      AGENT, 4, U32, BUILTIN_AGENTS, CNT,  COUNT, get_agent_ends,      NULL, "times that an agent ended, or could not be started" },
	{ "pitot.agent.timeouts",  AGENT, 5, U32, BUILTIN_AGENTS, CNT,  COUNT, get_agent_timeouts,  NULL, "requests that an agent did not answer in time" },
	{ "pitot.agent.requests",  AGENT, 6, U64, BUILTIN_AGENTS, CNT,  COUNT, get_agent_requests,  NULL, "requests to an agent" },
	{ "pitot.agent.late",      AGENT, 7, U32, BUILTIN_AGENTS, INST, COUNT, get_agent_late,      NULL, "answers that an agent owes for longer than the time-out" },
	{ "pitot.agent.error",     AGENT, 8, STR, BUILTIN_AGENTS, DISC, NONE,  get_agent_error,     NULL, "what went wrong with an agent last; empty if nothing did" },
	{ "pitot.agent.error_age", AGENT, 9, U64, BUILTIN_AGENTS, INST, MSEC,  get_agent_error_age, NULL, "time since then" },
	{ "pitot.listener.address", LISTENER, 0, STR, BUILTIN_LISTENERS, DISC, NONE, get_listener_address, NULL, "address or path that pmcd listens at" },
	{ "pitot.listener.port",    LISTENER, 1, U32, BUILTIN_LISTENERS, DISC, NONE, get_listener_port,    NULL, "TCP port that pmcd listens at; 0: a Unix socket" },
};
/* clang-format on */

const unsigned int builtin_nown_metric = ARRAY_SIZE(builtin_own_metrics);
