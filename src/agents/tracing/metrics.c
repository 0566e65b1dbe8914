/* metrics - see metrics.h. */
#include <stdint.h>
#include <string.h>

#include "collector.h"
#include "control.h"
#include "metrics.h"

#define NONE    PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNT   PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define BYTE    PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)
#define PER_SEC PMDA_PMUNITS(0, -1, 1, 0, PM_TIME_SEC, PM_COUNT_ONE)

#define S(member) ((int)offsetof(struct stream, values.member))
#define T(member) ((int)offsetof(struct type, member))
#define P(member) ((int)offsetof(struct process, member))
#define A(member) ((int)offsetof(struct metrics_agent, member))

#define ALONE METRICS_NO_INDOM

/* clang-format off */
const struct metrics_row metrics_rows[] = {
    {"stream.events", TRACING_STREAM, 0, PM_TYPE_HIGHRES_EVENT, PM_SEM_INSTANT, TRACING_STREAMS, NONE, -1, NULL,
     "Trace events since this client's last fetch"},
    {"stream.recorded", TRACING_STREAM, 1, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(recorded), NULL,
     "Events that entered the stream"},
    {"stream.reported", TRACING_STREAM, 2, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(reported), NULL,
     "Events that the agent took out of the stream"},
    {"stream.lost.full", TRACING_STREAM, 3, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(lost_full), NULL,
     "Events that found the stream full"},
    {"stream.lost.overwritten", TRACING_STREAM, 4, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT,
     S(lost_overwritten), NULL, "Events that were overwritten unread"},
    {"stream.lost.attach", TRACING_STREAM, 5, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(lost_attach), NULL,
     "Events of a process that could not map the stream"},
    {"stream.discarded", TRACING_STREAM, 6, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(discarded), NULL,
     "Events thrown away by a clear, or recorded while the stream was being stopped"},
    {"stream.lost.queue", TRACING_STREAM, 7, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(lost_queue), NULL,
     "Events that left the agent's queue before every client had them"},
    {"stream.emitted", TRACING_STREAM, 8, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, COUNT, S(emitted), NULL,
     "Events that the process made: recorded + lost.full + lost.attach"},
    {"stream.bytes", TRACING_STREAM, 9, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_STREAMS, BYTE, S(bytes), NULL,
     "Bytes of data of the events that were taken out"},
    {"stream.status", TRACING_STREAM, 10, PM_TYPE_U32, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(status), NULL,
     "1: running, 2: stopped, 3: ended"},
    {"stream.full", TRACING_STREAM, 11, PM_TYPE_U32, PM_SEM_INSTANT, TRACING_STREAMS, NONE, S(full), NULL,
     "1 if the stream is full"},
    {"stream.flush_error", TRACING_STREAM, 12, PM_TYPE_32, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(flush_error), NULL,
     "Error number of the last flush; 0 for streams without a log"},
    {"stream.size", TRACING_STREAM, 13, PM_TYPE_U64, PM_SEM_DISCRETE, TRACING_STREAMS, BYTE, S(size), NULL,
     "Size of the stream"},
    {"stream.queue.bytes", TRACING_STREAM, 14, PM_TYPE_U64, PM_SEM_INSTANT, TRACING_STREAMS, BYTE, S(queue_bytes), NULL,
     "Bytes of events held for clients"},
    {"stream.queue.clients", TRACING_STREAM, 15, PM_TYPE_U32, PM_SEM_INSTANT, TRACING_STREAMS, COUNT, S(queue_clients),
     NULL, "Clients that fetch the events"},
    {"stream.pid", TRACING_STREAM, 16, PM_TYPE_U32, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(pid), NULL,
     "Process that is traced"},
    {"stream.policy", TRACING_STREAM, 17, PM_TYPE_STRING, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(policy), NULL,
     "Why the process is attached: a line of tracing.conf, environment or control"},

    {"event.count", TRACING_EVENT, 0, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_EVENTS, COUNT, T(count), NULL,
     "Events of this type that were taken out"},
    {"event.bytes", TRACING_EVENT, 1, PM_TYPE_U64, PM_SEM_COUNTER, TRACING_EVENTS, BYTE, T(bytes), NULL,
     "Bytes of data of the events of this type"},
    {"event.rate", TRACING_EVENT, 2, PM_TYPE_DOUBLE, PM_SEM_INSTANT, TRACING_EVENTS, PER_SEC, T(rate), NULL,
     "Events of this type in the last whole second"},

    {"param.event", TRACING_PARAM, 0, PM_TYPE_STRING, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: name of its type"},
    {"param.pid", TRACING_PARAM, 1, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: process that recorded it"},
    {"param.tid", TRACING_PARAM, 2, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: thread that recorded it"},
    {"param.address", TRACING_PARAM, 3, PM_TYPE_U64, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: address of the trace point"},
    {"param.truncation", TRACING_PARAM, 4, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: its data was cut, 1 when it was recorded, 2 when it was read"},
    {"param.data", TRACING_PARAM, 5, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: its data, if it is not described"},
    {"param.type", TRACING_PARAM, 6, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, NONE, -1, NULL,
     "Parameter of an event: 0 of the program, 1 of the system"},

    {"process.uid", TRACING_PROCESS, 0, PM_TYPE_U32, PM_SEM_DISCRETE, TRACING_PROCESSES, NONE, P(uid), NULL,
     "User of a process that can be traced"},
    {"process.start", TRACING_PROCESS, 1, PM_TYPE_U64, PM_SEM_DISCRETE, TRACING_PROCESSES, NONE, P(start), NULL,
     "Start of the process in clock ticks after boot"},
    {"process.event_types", TRACING_PROCESS, 2, PM_TYPE_U32, PM_SEM_INSTANT, TRACING_PROCESSES, COUNT, P(event_types),
     NULL, "Event types that the process has opened"},
    {"process.streams", TRACING_PROCESS, 3, PM_TYPE_U32, PM_SEM_INSTANT, TRACING_PROCESSES, COUNT, P(streams), NULL,
     "Streams that trace the process, whoever has them"},
    {"process.attached", TRACING_PROCESS, 4, PM_TYPE_U32, PM_SEM_INSTANT, TRACING_PROCESSES, NONE, P(attached), NULL,
     "1 if this agent traces the process"},

    {"agent.streams", TRACING_AGENT, 0, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, COUNT, A(streams), NULL,
     "Streams that are under way"},
    {"agent.processes", TRACING_AGENT, 1, PM_TYPE_U32, PM_SEM_INSTANT, ALONE, COUNT, A(processes), NULL,
     "Processes that can be traced"},
    {"agent.memory", TRACING_AGENT, 2, PM_TYPE_U64, PM_SEM_INSTANT, ALONE, BYTE, A(memory), NULL,
     "Bytes of memory held for clients, of all streams: events and what is made of them"},
    {"agent.memory_max", TRACING_AGENT, 3, PM_TYPE_U64, PM_SEM_DISCRETE, ALONE, BYTE, A(memory_max), NULL,
     "Bytes of memory that may be held for clients"},
    {"agent.attach_errors", TRACING_AGENT, 4, PM_TYPE_U64, PM_SEM_COUNTER, ALONE, COUNT, A(attach_errors), NULL,
     "Attempts to attach a process that failed"},
    {"agent.last_error", TRACING_AGENT, 5, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, NONE, A(last_error), NULL,
     "What went wrong last; empty if nothing did"},

    {"control.attach", TRACING_CONTROL, 0, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, NONE, A(empty), control_attach,
     "Store PID, or PID EVENT,EVENT to see only those: the process is traced"},
    {"control.detach", TRACING_CONTROL, 1, PM_TYPE_STRING, PM_SEM_DISCRETE, ALONE, NONE, A(empty), control_detach,
     "Store PID: the process is no longer traced"},
    {"control.running", TRACING_CONTROL, 2, PM_TYPE_U32, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(running),
     control_running, "1: the stream is running, 0: it is stopped; can be stored"},
    {"control.filter", TRACING_CONTROL, 3, PM_TYPE_STRING, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(filter),
     control_filter, "Names of event types, by commas, that are not recorded; can be stored"},
    {"control.only", TRACING_CONTROL, 4, PM_TYPE_STRING, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(only),
     control_only, "Names of event types, by commas, that alone are recorded; can be stored"},
    {"control.clear", TRACING_CONTROL, 5, PM_TYPE_U32, PM_SEM_DISCRETE, TRACING_STREAMS, NONE, S(zero),
     control_clear, "Store any number: what is unread in the stream is thrown away"},
};
/* clang-format on */

const size_t metrics_nrows = sizeof(metrics_rows) / sizeof(metrics_rows[0]);

const struct metrics_row *metrics_find(pmID pmid)
{
	for (size_t i = 0; i < metrics_nrows; i++)
		if (metrics_rows[i].cluster == pmID_cluster(pmid) &&
		    metrics_rows[i].item == pmID_item(pmid))
			return &metrics_rows[i];
	return NULL;
}

const char *metrics_indom_help(int serial)
{
	static const char *const help[TRACING_INDOMS] = {
	    [TRACING_STREAMS] = "Processes that are or were traced",
	    [TRACING_EVENTS] = "Event types of traced processes",
	    [TRACING_PROCESSES] = "Processes that can be traced",
	};

	return serial >= 0 && serial < TRACING_INDOMS ? help[serial] : NULL;
}

int metrics_value(const struct metrics_row *row, const void *thing, pmAtomValue *atom)
{
	const char *at = (const char *)thing + row->place;

	if (thing == NULL || row->place < 0)
		return PMDA_FETCH_NOVALUES;
	if (row->type == PM_TYPE_STRING)
		memcpy(&atom->cp, at, sizeof(atom->cp));
	else if (row->type == PM_TYPE_U64 || row->type == PM_TYPE_DOUBLE)
		memcpy(&atom->ull, at, sizeof(atom->ull));
	else
		memcpy(&atom->ul, at, sizeof(atom->ul));
	return PMDA_FETCH_STATIC;
}

const struct metrics_agent *metrics_look(void)
{
	static struct metrics_agent agent;

	agent = (struct metrics_agent){
	    .streams = collector.nlive,
	    .processes = (uint32_t)collector.nprocesses,
	    .memory = collector.budget.used,
	    .memory_max = collector.budget.memory,
	    .attach_errors = collector.attach_errors,
	    .last_error = collector.last_error,
	    .empty = "",
	};
	return &agent;
}
