/* builtin_metrics - the rows of the agent "pmcd" and what they read (docs/spec/pmcd.md 11). */
#include "daemons/pmcd/builtin_rows.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum {
	TEXT_MAX = 256,
};

int builtin_text(const struct agent_call *call, const char *s, pmAtomValue *ret)
{
	ret->cp = arena_strndup(&builtin_request(call)->mem, s, strlen(s));
	return ret->cp != NULL ? 1 : -ENOMEM;
}

GET(host_name)
{
	char name[HOST_NAME_MAX + 1];

	if (gethostname(name, sizeof(name)) < 0)
		return -errno;
	name[sizeof(name) - 1] = '\0';
	return builtin_text(call, name, ret);
}

/*
 * Values: of the collector itself
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
	for (unsigned int i = 0; i < builtin_server(call)->agents.count; i++)
		ret->ul += builtin_server(call)->agents.all[i]->state >= AGENT_NOTREADY;
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

GET(hostname)
{
	if (builtin_server(call)->options->hostname != NULL)
		return builtin_text(call, builtin_server(call)->options->hostname, ret);
	return get_host_name(call, ret);
}

GET(pid)
{
	ret->ull = (uint64_t)getpid();
	return 1;
}

/* arg is the bit. */
GET(trace_bit)
{
	ret->l = (builtin_server(call)->trace.mask & call->metric->value.arg) != 0;
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
	struct client *c = builtin_request(call)->client;
	uint64_t now = cpu_us(), pdus = builtin_server(call)->counts.pdu_in_total;

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
	ret->ul = builtin_server(call)->options->require_account ||
		  access_wants_account(builtin_server(call)->access);
	return 1;
}

GET(unix_sockets)
{
	ret->ul = builtin_server(call)->listeners.unix_path != NULL;
	return 1;
}

GET(local)
{
	const struct options *o = builtin_server(call)->options;

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
	ret->ul = pdu_count(builtin_server(call)->counts.pdu_in, call->metric->item);
	return 1;
}

GET(pdu_out)
{
	ret->ul = pdu_count(builtin_server(call)->counts.pdu_out, call->metric->item);
	return 1;
}

/*
 * Values: of instances
 */

GET(register)
{
	ret->l = builtin_registers[call->inst];
	return 1;
}

GET(agent_type)
{
	const struct agent *a = call->from;

	ret->ul = a->ops->type;
	return 1;
}

GET(agent_status)
{
	const struct agent *a = call->from;

	if (a->state == AGENT_DOWN)
		ret->l = a->status;
	else
		ret->l = a->state == AGENT_READY ? 0 : 1;
	return 1;
}

GET(agent_fenced)
{
	const struct agent *a = call->from;

	ret->ul = a->fenced;
	return 1;
}

GET(agent_name)
{
	const struct agent *a = call->from;

	return builtin_text(call, a->config->label, ret);
}

GET(whoami)
{
	const struct client *c = call->from;

	return builtin_text(call, c->whoami != NULL ? c->whoami : "", ret);
}

GET(start_date)
{
	const struct client *c = call->from;
	char when[32];

	ctime_r(&c->start, when);
	when[strcspn(when, "\n")] = '\0';
	return builtin_text(call, when, ret);
}

GET(client_container)
{
	const struct client *c = call->from;

	return builtin_text(call, c->container != NULL ? c->container : "", ret);
}

/* A text that is an array in the struct: arg is its offset. */
GET(text_in)
{
	ret->cp = (char *)call->from + call->metric->value.arg;
	return 1;
}

/*
 * The rows
 */

#define S(member)              AGENT_FIELD(struct server, member)
#define S_STORE(member, store) AGENT_FIELD_STORE(struct server, member, store)
#define L(member)              AGENT_FIELD(struct logger, member)
#define P(member)              AGENT_FIELD(struct pmie, member)

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
	{ "pmcd." #dir "." name, cluster, item, U32, CNT, ONE, AGENT_COUNT, AGENT_GET(get_##dir), "PDUs of this kind: " name, NULL, 0 },

const struct agent_metric builtin_metrics[] = {
	{ "pmcd.datasize",   0, 1,  U32, INST, ONE, AGENT_KBYTE, AGENT_GET(get_datasize),            "size of the data segment of pmcd", NULL, 0 },
	{ "pmcd.numagents",  0, 2,  U32, INST, ONE, AGENT_NONE,  AGENT_GET(get_numagents),           "agents that are connected", NULL, 0 },
	{ "pmcd.numclients", 0, 3,  U32, INST, ONE, AGENT_NONE,  S(clients.count),                   "clients that are connected", NULL, 0 },
	{ "pmcd.timezone",   0, 5,  STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_timezone),            "time zone of this host, as TZ would say it", NULL, 0 },
	{ "pmcd.zoneinfo",   0, 26, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_zoneinfo),            "time zone of this host, as :Area/City", NULL, 0 },
	{ "pmcd.simabi",     0, 6,  STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_simabi),              "the machine's architecture", NULL, 0 },
	{ "pmcd.version",    0, 7,  STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_version),             "version of PCP that pmcd stands for", NULL, 0 },
	{ "pmcd.services",   0, 16, STR, INST, ONE, AGENT_NONE,  AGENT_GET(get_services),            "services that run on this host", NULL, 0 },
	{ "pmcd.openfds",    0, 17, U32, INST, ONE, AGENT_NONE,  S(counts.highest_fd),               "highest descriptor used so far", NULL, 0 },
	{ "pmcd.build",      0, 20, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_build),               "build number of the package", NULL, 0 },
	{ "pmcd.hostname",   0, 21, STR, DISC, ONE, AGENT_NONE,  AGENT_GET(get_hostname),            "name of this host", NULL, 0 },
	{ "pmcd.sighups",    0, 22, U32, CNT,  ONE, AGENT_COUNT, S(counts.sighups),                  "hang-up signals received", NULL, 0 },
	{ "pmcd.pid",        0, 23, U64, DISC, ONE, AGENT_NONE,  AGENT_GET(get_pid),                 "process id of pmcd", NULL, 0 },
	{ "pmcd.seqnum",     0, 24, U32, DISC, ONE, AGENT_NONE,  S_STORE(counts.seqnum, set_seqnum), "counts starts of agents", NULL, 0 },
	{ "pmcd.labels",     0, 25, STR, INST, ONE, AGENT_NONE,  S(labels.files_json),               "labels of the context that come from files", NULL, 0 },
	{ "pmcd.control.debug",      0, 0,  I32, DISC, ONE,           AGENT_NONE, AGENT_GET_STORE(get_debug, set_debug),                        "debug bits", NULL, 0 },
	{ "pmcd.control.timeout",    0, 4,  U32, DISC, ONE,           AGENT_NONE, S_STORE(timeout_s, set_timeout),                              "seconds to wait for a PDU", NULL, 0 },
	{ "pmcd.control.register",   0, 8,  I32, DISC, OF(REGISTERS), AGENT_NONE, AGENT_GET_STORE(get_register, set_register),                  "scratch registers", NULL, 0 },
	{ "pmcd.control.traceconn",  0, 9,  I32, DISC, ONE,           AGENT_NONE, AGENT_CALLS(get_trace_bit, set_trace_bit, TRACE_CONNECTIONS), "1: trace connections", NULL, 0 },
	{ "pmcd.control.tracepdu",   0, 10, I32, DISC, ONE,           AGENT_NONE, AGENT_CALLS(get_trace_bit, set_trace_bit, TRACE_PDUS),        "1: trace PDUs", NULL, 0 },
	{ "pmcd.control.tracenobuf", 0, 14, I32, DISC, ONE,           AGENT_NONE, AGENT_CALLS(get_trace_bit, set_trace_bit, TRACE_UNBUFFERED),  "1: events are logged at once", NULL, 0 },
	{ "pmcd.control.tracebufs",  0, 11, I32, DISC, ONE,           AGENT_NONE, S_STORE(trace.size, set_tracebufs),                           "events kept", NULL, 0 },
	{ "pmcd.control.dumptrace",  0, 12, I32, DISC, ONE,           AGENT_NONE, AGENT_GET_STORE(get_zero, set_dumptrace),                     "store: log the events kept", NULL, 0 },
	{ "pmcd.control.dumpconn",   0, 13, I32, DISC, ONE,           AGENT_NONE, AGENT_GET_STORE(get_zero, set_dumpconn),                      "store: log the clients", NULL, 0 },
	{ "pmcd.control.sighup",     0, 15, I32, DISC, ONE,           AGENT_NONE, AGENT_GET_STORE(get_zero, set_sighup),                        "store: reconfigure", NULL, 0 },
	PDU_ROWS(PDU_ROW, pdu_in, 1)
	PDU_ROWS(PDU_ROW, pdu_out, 2)
	{ "pmcd.agent.type",   4, 0, U32, DISC, OF(AGENTS), AGENT_NONE, AGENT_GET_STORE(get_agent_type, set_ignored),   "0 DSO, 2 socket, 4 pipe", NULL, 0 },
	{ "pmcd.agent.status", 4, 1, I32, DISC, OF(AGENTS), AGENT_NONE, AGENT_GET_STORE(get_agent_status, set_ignored), "0 connected, 1 not ready, else how it ended", NULL, 0 },
	{ "pmcd.agent.fenced", 4, 2, U32, INST, OF(AGENTS), AGENT_NONE, AGENT_GET_STORE(get_agent_fenced, set_fenced),  "1: kept from its clients", NULL, 0 },
	{ "pmcd.agent.name",   4, 3, STR, DISC, OF(AGENTS), AGENT_NONE, AGENT_GET_STORE(get_agent_name, set_ignored),   "label of an agent", NULL, 0 },
	{ "pmcd.pmlogger.host",      3, 3, STR, DISC, OF(PMLOGGERS), AGENT_NONE, AGENT_GET(get_host_name), "host where the pmlogger runs", NULL, 0 },
	{ "pmcd.pmlogger.port",      3, 0, U32, DISC, OF(PMLOGGERS), AGENT_NONE, L(port),                  "control port of a pmlogger", NULL, 0 },
	{ "pmcd.pmlogger.archive",   3, 2, STR, DISC, OF(PMLOGGERS), AGENT_NONE, L(archive),               "archive that a pmlogger writes", NULL, 0 },
	{ "pmcd.pmlogger.pmcd_host", 3, 1, STR, DISC, OF(PMLOGGERS), AGENT_NONE, L(pmcd_host),             "host that a pmlogger records", NULL, 0 },
	{ "pmcd.pmie.configfile",    5, 0, STR, DISC, OF(PMIES), AGENT_NONE,    AGENT_GET_ARG(get_text_in, offsetof(struct pmie, config)), "rules of a pmie", NULL, 0 },
	{ "pmcd.pmie.logfile",       5, 1, STR, DISC, OF(PMIES), AGENT_NONE,    AGENT_GET_ARG(get_text_in, offsetof(struct pmie, log)),    "log of a pmie", NULL, 0 },
	{ "pmcd.pmie.pmcd_host",     5, 2, STR, DISC, OF(PMIES), AGENT_NONE,    AGENT_GET_ARG(get_text_in, offsetof(struct pmie, host)),   "default host of a pmie", NULL, 0 },
	{ "pmcd.pmie.numrules",      5, 3, U32, DISC, OF(PMIES), AGENT_NONE,    P(numrules),                                               "rules being evaluated", NULL, 0 },
	{ "pmcd.pmie.actions",       5, 4, U32, CNT,  OF(PMIES), AGENT_COUNT,   P(actions),                                                "actions taken", NULL, 0 },
	{ "pmcd.pmie.eval.true",     5, 5, U32, CNT,  OF(PMIES), AGENT_COUNT,   P(true_),                                                  "rules found true", NULL, 0 },
	{ "pmcd.pmie.eval.false",    5, 6, U32, CNT,  OF(PMIES), AGENT_COUNT,   P(false_),                                                 "rules found false", NULL, 0 },
	{ "pmcd.pmie.eval.unknown",  5, 7, U32, CNT,  OF(PMIES), AGENT_COUNT,   P(unknown),                                                "rules that could not be decided", NULL, 0 },
	{ "pmcd.pmie.eval.expected", 5, 8, F32, DISC, OF(PMIES), AGENT_PER_SEC, P(expected),                                               "evaluations expected a second", NULL, 0 },
	{ "pmcd.pmie.eval.actual",   5, 9, U32, CNT,  OF(PMIES), AGENT_COUNT,   P(actual),                                                 "evaluations done", NULL, 0 },
	{ "pmcd.buf.alloc", 0, 18, I32, INST, OF(BUFFERS), AGENT_COUNT, AGENT_GET(get_zero), "pool buffers; this collector has no pool", NULL, 0 },
	{ "pmcd.buf.free",  0, 19, I32, INST, OF(BUFFERS), AGENT_COUNT, AGENT_GET(get_zero), "free pool buffers; this collector has no pool", NULL, 0 },
	{ "pmcd.client.whoami",     6, 0, STR, DISC, OF(CLIENTS), AGENT_NONE, AGENT_GET_STORE(get_whoami, set_whoami),              "what a client says it is", NULL, 0 },
	{ "pmcd.client.start_date", 6, 1, STR, DISC, OF(CLIENTS), AGENT_NONE, AGENT_GET(get_start_date),                            "when a client came", NULL, 0 },
	{ "pmcd.client.container",  6, 2, STR, INST, OF(CLIENTS), AGENT_NONE, AGENT_GET_STORE(get_client_container, set_container), "container that a client looks at", NULL, 0 },
	{ "pmcd.cputime.total",      7, 0, U64, CNT,  ONE, AGENT_MSEC,                                            AGENT_GET(get_cputime), "processor time of pmcd", NULL, 0 },
	{ "pmcd.cputime.per_pdu_in", 7, 1, F64, INST, ONE, PMDA_PMUNITS(0, 1, -1, 0, PM_TIME_USEC, PM_COUNT_ONE), AGENT_GET(get_per_pdu), "processor time a PDU, since this client asked last", NULL, 0 },
	{ "pmcd.feature.secure",               8, 0, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_zero),           "1: TLS", NULL, 0 },
	{ "pmcd.feature.compress",             8, 1, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_zero),           "1: compression", NULL, 0 },
	{ "pmcd.feature.ipv6",                 8, 2, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_ipv6),           "1: IPv6", NULL, 0 },
	{ "pmcd.feature.authentication",       8, 3, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_zero),           "1: authentication", NULL, 0 },
	{ "pmcd.feature.creds_required",       8, 4, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_creds_required), "1: clients must say who they are", NULL, 0 },
	{ "pmcd.feature.unix_domain_sockets",  8, 5, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_unix_sockets),   "1: a Unix socket is open", NULL, 0 },
	{ "pmcd.feature.service_discovery",    8, 6, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_zero),           "1: the service is advertised", NULL, 0 },
	{ "pmcd.feature.containers",           8, 7, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_one),            "1: containers", NULL, 0 },
	{ "pmcd.feature.local",                8, 8, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_local),          "1: loopback only", NULL, 0 },
	{ "pmcd.feature.client_cert_required", 8, 9, U32, INST, ONE, AGENT_NONE, AGENT_GET(get_zero),           "1: clients must show a certificate", NULL, 0 },
};
/* clang-format on */

const unsigned int builtin_nmetric = ARRAY_SIZE(builtin_metrics);
