/*
 * tracing.h - what the files of the tracing agent agree on: numbers and limits.
 *
 * docs/spec/trace-agent.md is the contract, docs/tracing-agent.md says how it is kept.
 */
#ifndef TRACING_H
#define TRACING_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define TRACING_DOMAIN 487

/* Clusters of metrics. */
enum {
	TRACING_STREAM,
	TRACING_EVENT,
	TRACING_PARAM,
	TRACING_FIELD,
	TRACING_PROCESS,
	TRACING_AGENT,
	TRACING_CONTROL,
	TRACING_FIELD_MORE =
	    64, /* and the 14 after it: the fields that cluster 3 has no item for */
};

/* Serials of instance domains; the last one counts fields and has no metrics. */
enum { TRACING_STREAMS, TRACING_EVENTS, TRACING_PROCESSES, TRACING_FIELDS, TRACING_INDOMS = 3 };

/* Limits. */
enum {
	TRACING_LIVE_MAX = 240,     /* streams: a user may have 256 */
	TRACING_STREAMS_MAX = 1024, /* with those of processes that are gone */
	TRACING_PROCESSES_MAX = 4096,
	TRACING_TYPES_MAX = 65536,     /* event types, of all streams */
	TRACING_TYPES_FAIR = 256,      /* of each stream, when half of those are in use */
	TRACING_FIELDS_MAX = 15360,    /* parameter metrics, for ever */
	TRACING_FIELDS_USER = 4096,    /* of those, made for the processes of one user */
	TRACING_FIELDS_PROCESS = 1024, /* and for one process */
	TRACING_INSTANCES_MAX = 65536, /* names that are gone and still remembered, of a domain */
	TRACING_DATA_MAX = 65536,      /* bytes of an event's data */
	TRACING_TEXT = 512,            /* a list of event names, and the like */
};

/* ---- tracing.c ---- */

/* Fills dispatch, whose version is set; path: the configuration. */
void tracing_setup(pmdaInterface *dispatch, const char *path);

/* A program need not wait for a request: processes are attached from now on. */
void tracing_start(pmdaInterface *dispatch);

/* The end of a program: streams are shut down, numbers are saved. */
void tracing_end(void);

/* ---- the entry of pmda_tracing.so ---- */

__PMDA_INIT_CALL void tracing_init(pmdaInterface *dispatch);

#endif
