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
	CTF_PACKET = 1 << 20,	   /* a packet is closed when it has so many bytes */
	CTF_UUID = 16,
	CTF_EVENTS = 0, /* stream classes */
	CTF_METRICS = 1,
	CTF_FORMS = TRACE_BYTES + 1, /* classes of an event type: one a form of its data */
};

struct ctf_file {
	FILE *out;
	uint8_t *bytes; /* of the packet that is open, its head included */
	size_t used, room;
	int64_t first_ns, last_ns; /* of its events */
	uint64_t discarded, packets;
	uint32_t class; /* of the stream: CTF_EVENTS or CTF_METRICS */
	bool empty; /* nothing in the packet */
};

/* A class of events that are values. */
struct ctf_metric {
	char *name;
	bool whole, instances; /* integers; has a field for the instance */
};

struct ctf {
	int dir; /* descriptor */
	uint8_t uuid[CTF_UUID];
	struct ctf_file files[CTF_FILES_MAX];
	unsigned nfile;
	uint64_t events;
	uint8_t *classes; /* which ids occurred: a bit a form */
	size_t nclasses;
	struct ctf_file samples;
	struct ctf_metric *metrics;
	size_t nmetric, *of_track, ntrack; /* which of them a track is of */
};

/* Makes the directory, or takes an empty one. 0 or -errno. */
int ctf_open(struct ctf *c, const char *path);

/* Adds an event. 0 or -errno. */
int ctf_event(struct ctf *c, const struct trace_event *e);

/* Between the events before and those to come, from and to these times, so many were lost. */
int ctf_gap(struct ctf *c, int64_t from_ns, int64_t to_ns, uint64_t lost);

/* Writes what is left and the metadata. 0 or -errno. */
int ctf_finish(struct ctf *c, struct trace_source *source, const struct posix_trace_counts_np *n);

/* Frees; files stay. */
void ctf_close(struct ctf *c);

/*
 * ctf_payload - the data of an event in the Common Trace Format: its bytes, and their description.
 *
 * Both come from the same walk over the fields, so that what is written is what is described. A
 * field is called as the program calls it with "_" in front, which readers take away again: that
 * way no name is a word of the language.
 */

/* The most that the data of an event take. */
size_t ctf_payload_max(const struct trace_event *e);

/* Writes them; returns the end. */
uint8_t *ctf_payload_put(uint8_t *p, const struct trace_event *e);

/*
 * ctf_metadata - the description of a trace, in the language of the Common Trace Format (TSDL).
 */

/* The number of the class of events of a type with a form of data. */
uint32_t ctf_class(trace_event_id_t id, enum trace_form form);

void ctf_metadata_print(FILE *out, const struct ctf *c, struct trace_source *source,
			const struct posix_trace_counts_np *n);

#endif
