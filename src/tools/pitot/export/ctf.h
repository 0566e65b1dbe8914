/*
 * ctf - a trace in the Common Trace Format: its files, packets and description.
 */
#ifndef PITOT_EXPORT_CTF_H
#define PITOT_EXPORT_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <trace_np.h>

#include "tools/pitot/trace/source.h"

/*
 * ctf - events as a trace in the Common Trace Format 1.8: a directory with a file `metadata` and
 * files of packets, for babeltrace2, Trace Compass and others.
 *
 *     stream_0, 1 ...   packets: header, context, events; integers of this machine's byte order,
 *                       aligned to bytes
 *     metadata          their description (TSDL), written last: it has the types that occurred
 *
 * Time does not go back within a stream of packets. Events come nearly in order of time; one that
 * is older than the last goes to the first stream file that has nothing younger, so there are as
 * many files as the longest run backwards, and every time stamp is exact.
 *
 * Lost events are discarded events of stream 0: an empty packet for each gap.
 *
 * Metrics are events, too, of a stream class of their own (file metrics_0): a class a metric, an
 * event a value, with the instance it is of.
 */

enum {
	CTF_FILES_MAX = 64,
	CTF_PACKET = 1 << 20, /* a packet is closed when it has this many bytes */
	CTF_UUID = 16,
	CTF_EVENTS = 0, /* stream classes */
	CTF_METRICS = 1,
	CTF_FORMS = TRACE_BYTES + 1, /* classes of an event type: one for each form of its data */
};

struct ctf_file {
	FILE *out;
	uint8_t *bytes; /* bytes of the open packet, including its header */
	size_t used, room;
	int64_t first_ns, last_ns; /* times of its events */
	uint64_t discarded, packets;
	uint32_t class; /* id of the stream: CTF_EVENTS or CTF_METRICS */
	bool empty;     /* the packet is empty */
};

/* A class of events that are values of a metric. */
struct ctf_metric {
	char *name;
	bool whole, instances; /* the values are integers; the class has a field for the instance */
};

struct ctf {
	int dir; /* descriptor */
	uint8_t uuid[CTF_UUID];
	struct ctf_file files[CTF_FILES_MAX];
	unsigned nfile;
	uint64_t events;
	uint8_t *classes; /* the ids that occurred: a bit for each form */
	size_t nclasses;
	struct ctf_file samples;
	struct ctf_metric *metrics;
	size_t nmetric, *of_track, ntrack; /* the ids that have a track */
};

/* Makes the directory, or uses an empty one. Returns 0 or -errno. */
int ctf_open(struct ctf *c, const char *path);

/* Adds an event. Returns 0 or -errno. */
int ctf_event(struct ctf *c, const struct trace_event *e);

/*
 * Adds a gap: so many events were lost between the events before and after, from and to these
 * times.
 */
int ctf_gap(struct ctf *c, int64_t from_ns, int64_t to_ns, uint64_t lost);

/* Writes the open packets and the metadata. Returns 0 or -errno. */
int ctf_finish(struct ctf *c, struct trace_source *source, const struct posix_trace_counts_np *n);

/* Frees the memory; the files are kept. */
void ctf_close(struct ctf *c);

/*
 * ctf_payload - the data of an event in the Common Trace Format: its bytes, and their description.
 *
 * Both are made by the same walk over the fields, so that they agree. The name of a field is the
 * program's name with "_" before it, which readers remove: so a name cannot be a keyword of the
 * language.
 */

/* The largest size of an event's data. */
size_t ctf_payload_max(const struct trace_event *e);

/* Writes the data. Returns the end. */
uint8_t *ctf_payload_put(uint8_t *p, const struct trace_event *e);

/*
 * ctf_metadata - the description of a trace, in the language of the Common Trace Format (TSDL).
 */

/* The number of the event class for a type and a form of data. */
uint32_t ctf_class(trace_event_id_t id, enum trace_form form);

void ctf_metadata_print(FILE *out, const struct ctf *c, struct trace_source *source,
			const struct posix_trace_counts_np *n);

#endif
