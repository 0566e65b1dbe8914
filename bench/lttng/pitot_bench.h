/* The events of LTTng's side: one per payload size, with fields of constant length, which is its
 * best case. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER pitot_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./pitot_bench.h"

#if !defined(PITOT_BENCH_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PITOT_BENCH_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(pitot_bench, bytes4, LTTNG_UST_TP_ARGS(const unsigned char *, data),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, data, data, 4)))
LTTNG_UST_TRACEPOINT_EVENT(pitot_bench, bytes16, LTTNG_UST_TP_ARGS(const unsigned char *, data),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, data, data, 16)))
LTTNG_UST_TRACEPOINT_EVENT(pitot_bench, bytes64, LTTNG_UST_TP_ARGS(const unsigned char *, data),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, data, data, 64)))
LTTNG_UST_TRACEPOINT_EVENT(pitot_bench, bytes256, LTTNG_UST_TP_ARGS(const unsigned char *, data),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, data, data, 256)))

#endif

#include <lttng/tracepoint-event.h>
