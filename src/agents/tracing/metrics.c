/* metrics - see metrics.h. */
#include <stdint.h>
#include <stdio.h>

#include "collector.h"
#include "control.h"
#include "fields.h"
#include "instances.h"
#include "metrics.h"
#include "names.h"
#include "queues.h"

enum { NAME = 256 };

/* The values of metrics without instances. */
struct agent_values {
	uint32_t streams, processes;
	uint64_t memory, memory_max, attach_errors;
	const char *last_error;
};

static int look(struct agent_refresh *r, void *snapshot)
{
	*(struct agent_values *)snapshot = (struct agent_values){
	    .streams = collector.nlive,
	    .processes = (uint32_t)collector.nprocesses,
	    .memory = collector.budget.used,
	    .memory_max = collector.budget.memory,
	    .attach_errors = collector.attach_errors,
	    .last_error = collector.last_error,
	};
	return 0;
}

static int empty(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static char text[] = "";

	ret_atom->cp = text;
	return PMDA_FETCH_STATIC;
}

static void *find(const struct agent_indom *indom, int inst)
{
	return instances_find((int)indom->serial, (unsigned int)inst);
}

#define DOMAIN(serial_, text)                                                                      \
	[serial_] = {.serial = serial_, .oneline = text, .own = 1, .find = find}

static const struct agent_indom domains[TRACING_INDOMS] = {
    DOMAIN(TRACING_STREAMS, "Processes that are or were traced"),
    DOMAIN(TRACING_EVENTS, "Event types of traced processes"),
    DOMAIN(TRACING_PROCESSES, "Processes that can be traced"),
};

#define ALONE     NULL
#define STREAMS   (&domains[TRACING_STREAMS])
#define TYPES     (&domains[TRACING_EVENTS])
#define PROCESSES (&domains[TRACING_PROCESSES])

#define S(member)              AGENT_FIELD(struct stream, values.member)
#define S_STORE(member, store) AGENT_FIELD_STORE(struct stream, values.member, store)
#define T(member)              AGENT_FIELD(struct type, member)
#define P(member)              AGENT_FIELD(struct process, member)
#define A(member)              AGENT_FIELD(struct agent_values, member)

/* clang-format off */
static const struct agent_metric rows[] = {
    {"stream.events", TRACING_STREAM, 0, PM_TYPE_HIGHRES_EVENT, PM_SEM_INSTANT, STREAMS, AGENT_NONE,
     AGENT_GET(queues_records), "Trace events since this client's last fetch", NULL, 0},
    {"stream.recorded", TRACING_STREAM, 1, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(recorded),
     "Events that entered the stream", NULL, 0},
    {"stream.reported", TRACING_STREAM, 2, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(reported),
     "Events that the agent took out of the stream", NULL, 0},
    {"stream.lost.full", TRACING_STREAM, 3, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(lost_full),
     "Events that found the stream full", NULL, 0},
    {"stream.lost.overwritten", TRACING_STREAM, 4, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT,
     S(lost_overwritten), "Events that were overwritten unread", NULL, 0},
    {"stream.lost.attach", TRACING_STREAM, 5, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(lost_attach),
     "Events of a process that could not map the stream", NULL, 0},
    {"stream.discarded", TRACING_STREAM, 6, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(discarded),
     "Events thrown away by a clear, or recorded while the stream was being stopped", NULL, 0},
    {"stream.lost.queue", TRACING_STREAM, 7, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(lost_queue),
     "Events that left the agent's queue before every client had them", NULL, 0},
    {"stream.emitted", TRACING_STREAM, 8, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_COUNT, S(emitted),
     "Events that the process made: recorded + lost.full + lost.attach", NULL, 0},
    {"stream.bytes", TRACING_STREAM, 9, PM_TYPE_U64, PM_SEM_COUNTER, STREAMS, AGENT_BYTE, S(bytes),
     "Bytes of data of the events that were taken out", NULL, 0},
    {"stream.status", TRACING_STREAM, 10, PM_TYPE_U32, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S(status),
     "1: running, 2: stopped, 3: ended", NULL, 0},
    {"stream.full", TRACING_STREAM, 11, PM_TYPE_U32, PM_SEM_INSTANT, STREAMS, AGENT_NONE, S(full),
     "1 if the stream is full", NULL, 0},
    {"stream.flush_error", TRACING_STREAM, 12, PM_TYPE_32, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S(flush_error),
     "Error number of the last flush; 0 for streams without a log", NULL, 0},
    {"stream.size", TRACING_STREAM, 13, PM_TYPE_U64, PM_SEM_DISCRETE, STREAMS, AGENT_BYTE, S(size),
     "Size of the stream", NULL, 0},
    {"stream.queue.bytes", TRACING_STREAM, 14, PM_TYPE_U64, PM_SEM_INSTANT, STREAMS, AGENT_BYTE, S(queue_bytes),
     "Bytes of events held for clients", NULL, 0},
    {"stream.queue.clients", TRACING_STREAM, 15, PM_TYPE_U32, PM_SEM_INSTANT, STREAMS, AGENT_COUNT, S(queue_clients),
     "Clients that fetch the events", NULL, 0},
    {"stream.pid", TRACING_STREAM, 16, PM_TYPE_U32, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S(pid),
     "Process that is traced", NULL, 0},
    {"stream.policy", TRACING_STREAM, 17, PM_TYPE_STRING, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S(policy),
     "Why the process is attached: a line of tracing.conf, environment or control", NULL, 0},

    {"event.count", TRACING_EVENT, 0, PM_TYPE_U64, PM_SEM_COUNTER, TYPES, AGENT_COUNT, T(count),
     "Events of this type that were taken out", NULL, 0},
    {"event.bytes", TRACING_EVENT, 1, PM_TYPE_U64, PM_SEM_COUNTER, TYPES, AGENT_BYTE, T(bytes),
     "Bytes of data of the events of this type", NULL, 0},
    {"event.rate", TRACING_EVENT, 2, PM_TYPE_DOUBLE, PM_SEM_INSTANT, TYPES, AGENT_PER_SEC, T(rate),
     "Events of this type in the last whole second", NULL, 0},

    {"param.event", TRACING_PARAM, 0, PM_TYPE_STRING, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: name of its type", NULL, 0},
    {"param.pid", TRACING_PARAM, 1, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: process that recorded it", NULL, 0},
    {"param.tid", TRACING_PARAM, 2, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: thread that recorded it", NULL, 0},
    {"param.address", TRACING_PARAM, 3, PM_TYPE_U64, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: address of the trace point", NULL, 0},
    {"param.truncation", TRACING_PARAM, 4, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: its data was cut, 1 when it was recorded, 2 when it was read", NULL, 0},
    {"param.data", TRACING_PARAM, 5, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: its data, if it is not described", NULL, 0},
    {"param.type", TRACING_PARAM, 6, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_NONE, AGENT_NO_VALUE,
     "Parameter of an event: 0 of the program, 1 of the system", NULL, 0},

    {"process.uid", TRACING_PROCESS, 0, PM_TYPE_U32, PM_SEM_DISCRETE, PROCESSES, AGENT_NONE, P(uid),
     "User of a process that can be traced", NULL, 0},
    {"process.start", TRACING_PROCESS, 1, PM_TYPE_U64, PM_SEM_DISCRETE, PROCESSES, AGENT_NONE, P(start),
     "Start of the process in clock ticks after boot", NULL, 0},
    {"process.event_types", TRACING_PROCESS, 2, PM_TYPE_U32, PM_SEM_INSTANT, PROCESSES, AGENT_COUNT, P(event_types),
     "Event types that the process has opened", NULL, 0},
    {"process.streams", TRACING_PROCESS, 3, PM_TYPE_U32, PM_SEM_INSTANT, PROCESSES, AGENT_COUNT, P(streams),
     "Streams that trace the process, whoever has them", NULL, 0},
    {"process.attached", TRACING_PROCESS, 4, PM_TYPE_U32, PM_SEM_INSTANT, PROCESSES, AGENT_NONE, P(attached),
     "1 if this agent traces the process", NULL, 0},

    {"agent.streams", TRACING_AGENT, 0, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_COUNT, A(streams),
     "Streams that are under way", NULL, 0},
    {"agent.processes", TRACING_AGENT, 1, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, AGENT_COUNT, A(processes),
     "Processes that can be traced", NULL, 0},
    {"agent.memory", TRACING_AGENT, 2, PM_TYPE_U64, PM_SEM_INSTANT, ALONE, AGENT_BYTE, A(memory),
     "Bytes of memory held for clients, of all streams: events and what is made of them", NULL, 0},
    {"agent.memory_max", TRACING_AGENT, 3, PM_TYPE_U64, PM_SEM_DISCRETE, ALONE, AGENT_BYTE, A(memory_max),
     "Bytes of memory that may be held for clients", NULL, 0},
    {"agent.attach_errors", TRACING_AGENT, 4, PM_TYPE_U64, PM_SEM_COUNTER, ALONE, AGENT_COUNT, A(attach_errors),
     "Attempts to attach a process that failed", NULL, 0},
    {"agent.last_error", TRACING_AGENT, 5, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, AGENT_NONE, A(last_error),
     "What went wrong last; empty if nothing did", NULL, 0},

    {"control.attach", TRACING_CONTROL, 0, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, AGENT_NONE, AGENT_GET_STORE(empty, control_attach),
     "Store PID, or PID EVENT,EVENT to see only those: the process is traced", NULL, 0},
    {"control.detach", TRACING_CONTROL, 1, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, AGENT_NONE, AGENT_GET_STORE(empty, control_detach),
     "Store PID: the process is no longer traced", NULL, 0},
    {"control.running", TRACING_CONTROL, 2, PM_TYPE_U32, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S_STORE(running, control_running),
     "1: the stream is running, 0: it is stopped; can be stored", NULL, 0},
    {"control.filter", TRACING_CONTROL, 3, PM_TYPE_STRING, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S_STORE(filter, control_filter),
     "Names of event types, by commas, that are not recorded; can be stored", NULL, 0},
    {"control.only", TRACING_CONTROL, 4, PM_TYPE_STRING, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S_STORE(only, control_only),
     "Names of event types, by commas, that alone are recorded; can be stored", NULL, 0},
    {"control.clear", TRACING_CONTROL, 5, PM_TYPE_U32, PM_SEM_DISCRETE, STREAMS, AGENT_NONE, S_STORE(zero, control_clear),
     "Store any number: what is unread in the stream is thrown away", NULL, 0},
};
/* clang-format on */

const struct agent_cluster metrics_cluster = {
    .name = "tracing",
    .size = sizeof(struct agent_values),
    .refresh = look,
    .metrics = rows,
    .nmetrics = sizeof(rows) / sizeof(rows[0]),
};

/* ---- fields --------------------------------------------------------------------------------- */

static const char *field_help(const struct field *field)
{
	static char text[NAME];
	char event[NAME / 2];

	names_json(field->event, event, sizeof(event));
	snprintf(text, sizeof(text), "Parameter of an event: field %s of %s", field->name, event);
	return text;
}

const struct agent_metric *metrics_field(unsigned int cluster, unsigned int item, pmdaExt *ext)
{
	static struct agent_metric row;
	int number = fields_number(pmID_build((unsigned int)ext->e_domain, cluster, item));

	if (number < 0)
		return NULL;
	row = (struct agent_metric){
	    .cluster = (unsigned short)cluster,
	    .item = (unsigned short)item,
	    .type = fields[number].type,
	    .sem = PM_SEM_INSTANT,
	    .value = AGENT_NO_VALUE,
	    .oneline = field_help(&fields[number]),
	};
	return &row;
}

void metrics_names(pmdaNameSpace *tree, pmdaExt *ext)
{
	char name[NAME];

	for (unsigned int i = 0; i < nfields; i++) {
		if (fields[i].metric == NULL)
			continue;
		snprintf(name, sizeof(name), "tracing.field.%s", fields[i].metric);
		pmdaTreeInsert(tree, fields_pmid(ext->e_domain, (int)i), name);
	}
	agent_insert_names(ext, tree, "tracing");
}
