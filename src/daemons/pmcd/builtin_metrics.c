/* builtin_metrics - the rows of the agent "pmcd" and what they read (docs/spec/pmcd.md 11). */
#include "daemons/pmcd/builtin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/builtin_rows.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum {
	TEXT_MAX = 256,
};

/*
 * Reading: the collector itself
 */

GET(zero)
{
	ret->ull = 0;
	return 1;
}

GET(one)
{
	ret->ul = 1;
	return 1;
}

GET(debug)
{
	ret->l = control_debug_bits();
	return 1;
}

/* Data and stack, as the kernel counts them (field 6 of statm, in pages). */
GET(datasize)
{
	struct buffer b = BUFFER_INIT;
	unsigned long pages = 0;
	int r = file_read_all("/proc/self/statm", TEXT_MAX, &b);

	if (r == 0 && sscanf(buffer_str(&b), "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		r = PM_ERR_VALUE;
	buffer_done(&b);
	ret->ul = (uint32_t)(pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
	return r < 0 ? r : 1;
}

GET(numagents)
{
	for (unsigned int i = 0; i < call->server->agents.count; i++)
		ret->ul += call->server->agents.all[i]->state >= AGENT_NOTREADY;
	return 1;
}

GET(numclients)
{
	ret->ul = call->server->clients.count;
	return 1;
}

GET(timeout)
{
	ret->ul = call->server->timeout_s;
	return 1;
}

/* TZ, or the offset of now in POSIX form. */
GET(timezone)
{
	const char *tz = getenv("TZ");
	time_t now = time(NULL);
	struct tm tm;
	char buf[64];
	long west;

	if (tz != NULL && *tz != '\0')
		return builtin_text(call, tz, ret);
	localtime_r(&now, &tm);
	west = -tm.tm_gmtoff;
	if (west == 0)
		snprintf(buf, sizeof(buf), "%s", tm.tm_zone);
	else if (west % 3600 == 0)
		snprintf(buf, sizeof(buf), "%s%+ld", tm.tm_zone, west / 3600);
	else
		snprintf(buf, sizeof(buf), "%s%+ld:%02ld", tm.tm_zone, west / 3600,
			 labs(west % 3600) / 60);
	return builtin_text(call, buf, ret);
}

/* ":Area/City" from where /etc/localtime points to. */
GET(zoneinfo)
{
	char path[TEXT_MAX];
	ssize_t n = readlink("/etc/localtime", path, sizeof(path) - 1);
	char *at;

	if (n <= 0)
		return builtin_text(call, "", ret);
	path[n] = '\0';
	at = strstr(path, "zoneinfo/");
	if (at == NULL)
		return builtin_text(call, "", ret);
	at += strlen("zoneinfo/") - 1;
	*at = ':';
	return builtin_text(call, at, ret);
}

GET(simabi)
{
	struct utsname self;

	return builtin_text(call, uname(&self) == 0 ? self.machine : "", ret);
}

GET(version)
{
	return builtin_text(call, PCP_VERSION_STRING, ret);
}

GET(build)
{
	return builtin_text(call, "1", ret);
}

/* The number in a PID file, 0 for none. */
static long read_pid(const char *name)
{
	struct buffer b = BUFFER_INIT;
	char path[TEXT_MAX];
	long pid = 0;

	snprintf(path, sizeof(path), "%s/%s", pmGetConfig("PCP_RUN_DIR"), name);
	if (file_is_regular(path) && file_read_all(path, TEXT_MAX, &b) == 0)
		pid = atol(buffer_str(&b));
	buffer_done(&b);
	return pid;
}

/* pmproxy counts when its PID file names a process that lives. */
GET(services)
{
	long pid = read_pid("pmproxy.pid");
	bool proxy = pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);

	return builtin_text(call, proxy ? "pmcd pmproxy" : "pmcd", ret);
}

GET(openfds)
{
	ret->ul = (uint32_t)call->server->counts.highest_fd;
	return 1;
}

GET(hostname)
{
	if (call->server->options->hostname != NULL)
		return builtin_text(call, call->server->options->hostname, ret);
	return builtin_host_name(call, ret);
}

GET(sighups)
{
	ret->ul = call->server->counts.sighups;
	return 1;
}

GET(pid)
{
	ret->ull = (uint64_t)getpid();
	return 1;
}

GET(seqnum)
{
	ret->ul = call->server->counts.seqnum;
	return 1;
}

GET(labels)
{
	return builtin_text(call, call->server->labels.files_json, ret);
}

GET(traceconn)
{
	ret->l = (call->server->trace.mask & TRACE_CONNECTIONS) != 0;
	return 1;
}

GET(tracepdu)
{
	ret->l = (call->server->trace.mask & TRACE_PDUS) != 0;
	return 1;
}

GET(tracebufs)
{
	ret->l = (int)call->server->trace.size;
	return 1;
}

GET(tracenobuf)
{
	ret->l = (call->server->trace.mask & TRACE_UNBUFFERED) != 0;
	return 1;
}

static uint64_t cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

GET(cputime)
{
	ret->ull = cpu_us() / 1000;
	return 1;
}

/* Since this client asked last. */
GET(per_pdu)
{
	struct client *c = call->client;
	uint64_t now = cpu_us(), pdus = call->server->counts.pdu_in_total;

	if (c == NULL)
		return 0;
	ret->d = pdus > c->pdus_in ? (double)(now - c->cpu_us) / (double)(pdus - c->pdus_in) : 0;
	c->cpu_us = now;
	c->pdus_in = pdus;
	return 1;
}

GET(ipv6)
{
	ret->ul = access("/proc/net/if_inet6", F_OK) == 0;
	return 1;
}

GET(creds_required)
{
	ret->ul =
	    call->server->options->require_account || access_wants_account(call->server->access);
	return 1;
}

GET(unix_sockets)
{
	ret->ul = call->server->listeners.unix_path != NULL;
	return 1;
}

GET(local)
{
	const struct options *o = call->server->options;

	ret->ul = !o->any_address && o->ninterface == 0;
	return 1;
}

/* The item of a counter is that of its PDU type, but 16 is the sum (docs/spec/pmcd.md 11). */
static uint32_t pdu_count(const uint64_t *counts, unsigned int item)
{
	uint64_t sum = 0;

	if (item < 16)
		return (uint32_t)counts[item];
	if (item > 16)
		return (uint32_t)counts[item - 1];
	for (unsigned int i = 0; i < COUNTS_PDU_TYPES; i++)
		sum += counts[i];
	return (uint32_t)sum;
}

GET(pdu_in)
{
	ret->ul = pdu_count(call->server->counts.pdu_in, m->item);
	return 1;
}

GET(pdu_out)
{
	ret->ul = pdu_count(call->server->counts.pdu_out, m->item);
	return 1;
}

/*
 * The rows
 */

/* clang-format off */
/* One counter of each kind of PDU, for both directions. */
#define PDU_ROWS(X, dir, cluster) \
	X(dir, cluster, "error", 0) X(dir, cluster, "result", 1) X(dir, cluster, "profile", 2) \
	X(dir, cluster, "fetch", 3) X(dir, cluster, "desc_req", 4) X(dir, cluster, "desc", 5) \
	X(dir, cluster, "instance_req", 6) X(dir, cluster, "instance", 7) X(dir, cluster, "text_req", 8) \
	X(dir, cluster, "text", 9) X(dir, cluster, "control_req", 10) X(dir, cluster, "creds", 12) \
	X(dir, cluster, "pmns_ids", 13) X(dir, cluster, "pmns_names", 14) X(dir, cluster, "pmns_child", 15) \
	X(dir, cluster, "total", 16) X(dir, cluster, "pmns_traverse", 17) X(dir, cluster, "auth", 18) \
	X(dir, cluster, "label_req", 19) X(dir, cluster, "label", 20) X(dir, cluster, "highres_fetch", 21) \
	X(dir, cluster, "highres_result", 22) X(dir, cluster, "desc_ids", 23) X(dir, cluster, "descs", 24)
#define PDU_ROW(dir, cluster, name, item) \
	{ "pmcd." #dir "." name, cluster, item, U32, ONE, CNT, COUNT, get_##dir, NULL, "PDUs of this kind: " name },

const struct builtin_metric builtin_metrics[] = {
	{ "pmcd.datasize",    0, 1,  U32, ONE, INST, KBYTE, get_datasize,   NULL, "size of the data segment of pmcd" },
	{ "pmcd.numagents",   0, 2,  U32, ONE, INST, NONE,  get_numagents,  NULL, "agents that are connected" },
	{ "pmcd.numclients",  0, 3,  U32, ONE, INST, NONE,  get_numclients, NULL, "clients that are connected" },
	{ "pmcd.timezone",    0, 5,  STR, ONE, DISC, NONE,  get_timezone,   NULL, "time zone of this host, as TZ would say it" },
	{ "pmcd.zoneinfo",    0, 26, STR, ONE, DISC, NONE,  get_zoneinfo,   NULL, "time zone of this host, as :Area/City" },
	{ "pmcd.simabi",      0, 6,  STR, ONE, DISC, NONE,  get_simabi,     NULL, "the machine's architecture" },
	{ "pmcd.version",     0, 7,  STR, ONE, DISC, NONE,  get_version,    NULL, "version of PCP that pmcd stands for" },
	{ "pmcd.services",    0, 16, STR, ONE, INST, NONE,  get_services,   NULL, "services that run on this host" },
	{ "pmcd.openfds",     0, 17, U32, ONE, INST, NONE,  get_openfds,    NULL, "highest descriptor used so far" },
	{ "pmcd.build",       0, 20, STR, ONE, DISC, NONE,  get_build,      NULL, "build number of the package" },
	{ "pmcd.hostname",    0, 21, STR, ONE, DISC, NONE,  get_hostname,   NULL, "name of this host" },
	{ "pmcd.sighups",     0, 22, U32, ONE, CNT,  COUNT, get_sighups,    NULL, "hang-up signals received" },
	{ "pmcd.pid",         0, 23, U64, ONE, DISC, NONE,  get_pid,        NULL, "process id of pmcd" },
	{ "pmcd.seqnum",      0, 24, U32, ONE, DISC, NONE,  get_seqnum,     set_seqnum, "counts starts of agents" },
	{ "pmcd.labels",      0, 25, STR, ONE, INST, NONE,  get_labels,     NULL, "labels of the context that come from files" },
	{ "pmcd.control.debug",      0, 0,  I32, ONE, DISC, NONE, get_debug,     set_debug,     "debug bits" },
	{ "pmcd.control.timeout",    0, 4,  U32, ONE, DISC, NONE, get_timeout,   set_timeout,   "seconds to wait for a PDU" },
	{ "pmcd.control.register",   0, 8,  I32, BUILTIN_REGISTERS, DISC, NONE, get_register, set_register, "scratch registers" },
	{ "pmcd.control.traceconn",  0, 9,  I32, ONE, DISC, NONE, get_traceconn, set_traceconn, "1: trace connections" },
	{ "pmcd.control.tracepdu",   0, 10, I32, ONE, DISC, NONE, get_tracepdu,  set_tracepdu,  "1: trace PDUs" },
	{ "pmcd.control.tracenobuf", 0, 14, I32, ONE, DISC, NONE, get_tracenobuf, set_tracenobuf, "1: events are logged at once" },
	{ "pmcd.control.tracebufs",  0, 11, I32, ONE, DISC, NONE, get_tracebufs, set_tracebufs, "events kept" },
	{ "pmcd.control.dumptrace",  0, 12, I32, ONE, DISC, NONE, get_zero,      set_dumptrace,   "store: log the events kept" },
	{ "pmcd.control.dumpconn",   0, 13, I32, ONE, DISC, NONE, get_zero,      set_dumpconn,  "store: log the clients" },
	{ "pmcd.control.sighup",     0, 15, I32, ONE, DISC, NONE, get_zero,      set_sighup,    "store: reconfigure" },
	PDU_ROWS(PDU_ROW, pdu_in, 1)
	PDU_ROWS(PDU_ROW, pdu_out, 2)
	{ "pmcd.agent.type",   4, 0, U32, BUILTIN_AGENTS, DISC, NONE, get_agent_type,   builtin_set_ignored, "0 DSO, 2 socket, 4 pipe" },
	{ "pmcd.agent.status", 4, 1, I32, BUILTIN_AGENTS, DISC, NONE, get_agent_status, builtin_set_ignored, "0 connected, 1 not ready, else how it ended" },
	{ "pmcd.agent.fenced", 4, 2, U32, BUILTIN_AGENTS, INST, NONE, get_agent_fenced, set_fenced,  "1: kept from its clients" },
	{ "pmcd.agent.name",   4, 3, STR, BUILTIN_AGENTS, DISC, NONE, get_agent_name,   builtin_set_ignored, "label of an agent" },
	{ "pmcd.pmlogger.host",      3, 3, STR, BUILTIN_PMLOGGERS, DISC, NONE, get_logger_host,      NULL, "host where the pmlogger runs" },
	{ "pmcd.pmlogger.port",      3, 0, U32, BUILTIN_PMLOGGERS, DISC, NONE, get_logger_port,      NULL, "control port of a pmlogger" },
	{ "pmcd.pmlogger.archive",   3, 2, STR, BUILTIN_PMLOGGERS, DISC, NONE, get_logger_archive,   NULL, "archive that a pmlogger writes" },
	{ "pmcd.pmlogger.pmcd_host", 3, 1, STR, BUILTIN_PMLOGGERS, DISC, NONE, get_logger_pmcd_host, NULL, "host that a pmlogger records" },
	{ "pmcd.pmie.configfile",    5, 0, STR, BUILTIN_PMIES, DISC, NONE,  get_pmie_config, NULL, "rules of a pmie" },
	{ "pmcd.pmie.logfile",       5, 1, STR, BUILTIN_PMIES, DISC, NONE,  get_pmie_log,    NULL, "log of a pmie" },
	{ "pmcd.pmie.pmcd_host",     5, 2, STR, BUILTIN_PMIES, DISC, NONE,  get_pmie_host,   NULL, "default host of a pmie" },
	{ "pmcd.pmie.numrules",      5, 3, U32, BUILTIN_PMIES, DISC, NONE,  get_pmie_count,  NULL, "rules being evaluated" },
	{ "pmcd.pmie.actions",       5, 4, U32, BUILTIN_PMIES, CNT,  COUNT, get_pmie_count,  NULL, "actions taken" },
	{ "pmcd.pmie.eval.true",     5, 5, U32, BUILTIN_PMIES, CNT,  COUNT, get_pmie_count,  NULL, "rules found true" },
	{ "pmcd.pmie.eval.false",    5, 6, U32, BUILTIN_PMIES, CNT,  COUNT, get_pmie_count,  NULL, "rules found false" },
	{ "pmcd.pmie.eval.unknown",  5, 7, U32, BUILTIN_PMIES, CNT,  COUNT, get_pmie_count,  NULL, "rules that could not be decided" },
	{ "pmcd.pmie.eval.expected", 5, 8, F32, BUILTIN_PMIES, DISC, PER_SEC, get_pmie_expected, NULL, "evaluations expected a second" },
	{ "pmcd.pmie.eval.actual",   5, 9, U32, BUILTIN_PMIES, CNT,  COUNT, get_pmie_actual, NULL, "evaluations done" },
	{ "pmcd.buf.alloc", 0, 18, I32, BUILTIN_BUFFERS, INST, COUNT, get_zero, NULL, "pool buffers; this collector has no pool" },
	{ "pmcd.buf.free",  0, 19, I32, BUILTIN_BUFFERS, INST, COUNT, get_zero, NULL, "free pool buffers; this collector has no pool" },
	{ "pmcd.client.whoami",     6, 0, STR, BUILTIN_CLIENTS, DISC, NONE, get_whoami,           set_whoami,    "what a client says it is" },
	{ "pmcd.client.start_date", 6, 1, STR, BUILTIN_CLIENTS, DISC, NONE, get_start_date,       NULL,          "when a client came" },
	{ "pmcd.client.container",  6, 2, STR, BUILTIN_CLIENTS, INST, NONE, get_client_container, set_container, "container that a client looks at" },
	{ "pmcd.cputime.total",      7, 0, U64, ONE, CNT,  MSEC,     get_cputime, NULL, "processor time of pmcd" },
	{ "pmcd.cputime.per_pdu_in", 7, 1, F64, ONE, INST, USEC_PER, get_per_pdu, NULL, "processor time a PDU, since this client asked last" },
	{ "pmcd.feature.secure",               8, 0, U32, ONE, INST, NONE, get_zero, NULL, "1: TLS" },
	{ "pmcd.feature.compress",             8, 1, U32, ONE, INST, NONE, get_zero, NULL, "1: compression" },
	{ "pmcd.feature.ipv6",                 8, 2, U32, ONE, INST, NONE, get_ipv6, NULL, "1: IPv6" },
	{ "pmcd.feature.authentication",       8, 3, U32, ONE, INST, NONE, get_zero, NULL, "1: authentication" },
	{ "pmcd.feature.creds_required",       8, 4, U32, ONE, INST, NONE, get_creds_required, NULL, "1: clients must say who they are" },
	{ "pmcd.feature.unix_domain_sockets",  8, 5, U32, ONE, INST, NONE, get_unix_sockets, NULL, "1: a Unix socket is open" },
	{ "pmcd.feature.service_discovery",    8, 6, U32, ONE, INST, NONE, get_zero, NULL, "1: the service is advertised" },
	{ "pmcd.feature.containers",           8, 7, U32, ONE, INST, NONE, get_one, NULL, "1: containers" },
	{ "pmcd.feature.local",                8, 8, U32, ONE, INST, NONE, get_local, NULL, "1: loopback only" },
	{ "pmcd.feature.client_cert_required", 8, 9, U32, ONE, INST, NONE, get_zero, NULL, "1: clients must show a certificate" },
};
/* clang-format on */

const unsigned int builtin_nmetric = ARRAY_SIZE(builtin_metrics);
