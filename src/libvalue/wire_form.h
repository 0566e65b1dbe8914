/*
 * wire_form - what PDUs and archive records have in common, decoded: strings, instances, values and
 * labels that point into the bytes they came from.
 */
#ifndef LIBVALUE_WIRE_FORM_H
#define LIBVALUE_WIRE_FORM_H

#include <stdint.h>

#include <pcp/pmapi.h>

/* A counted string, not terminated; borrowed. */
struct wire_str {
	const char *s;
	uint32_t len;
};

struct wire_inst {
	int32_t inst;
	struct wire_str name;
};

/* One value: a word in place, or a value block in wire form (header word, bytes; no padding). */
struct wire_value {
	int32_t inst;
	uint32_t block_len; /* vlen of the block; 0: in situ */
	union {
		uint32_t insitu;
		const uint8_t *block;
	};
};

struct wire_vset {
	uint32_t pmid;
	int32_t numval; /* < 0 is the metric's error code, and values is NULL */
	int32_t valfmt; /* PM_VAL_INSITU, _DPTR or _SPTR; of no meaning if numval <= 0 */
	const struct wire_value *values;
};

struct wire_labelset {
	int32_t inst;
	int32_t nlabels; /* < 0: an error code */
	struct wire_str json;
	const pmLabel *labels; /* offsets into json, checked against its length */
};

#endif
