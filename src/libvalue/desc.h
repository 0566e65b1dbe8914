/* desc - a metric's descriptor, 20 bytes (docs/spec/pdu.md 5.6, archive.md 7.1). */
#ifndef LIBVALUE_DESC_H
#define LIBVALUE_DESC_H

#include <stdint.h>

#include <pcp/pmapi.h>

enum { DESC_LEN = 20 };

/* Reads and writes DESC_LEN bytes: any are a descriptor. */
pmDesc desc_load(const uint8_t *p);
void desc_store(uint8_t *p, const pmDesc *desc);

#endif
