/* desc - descriptors and labels, between their bytes and the host's form. */
#ifndef LIBVALUE_DESC_H
#define LIBVALUE_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libvalue/wire_form.h"

/* ---- a metric's descriptor, 20 bytes (docs/spec/pdu.md 5.6, archive.md 7.1) ---- */

enum { DESC_LEN = 20 };

/* Reads and writes DESC_LEN bytes: any are a descriptor. */
pmDesc desc_load(const uint8_t *p);
void desc_store(uint8_t *p, const pmDesc *desc);

/*
 * ---- labels of a set ----
 *
 * The labels of a set, 8 bytes each: the offsets of name and value in the set's text
 * (docs/spec/pdu.md 5.15, archive.md 7.3).
 */

struct arena;
struct reader;

enum { LABEL_LEN = 8 };

/*
 * Reads n labels, whose offsets are within a text of json_len bytes, into mem. NULL for no labels
 * (n <= 0), and after a failure, which is in the reader: its code, or -ENOMEM.
 */
const pmLabel *label_get(struct reader *r, struct arena *mem, int32_t n, uint32_t json_len);

/* True if the offsets of all labels of a set are within its text. */
bool label_fits(const struct wire_labelset *set);

/* Bytes of a set's labels. */
static inline size_t label_len(const struct wire_labelset *set)
{
	return set->nlabels > 0 ? (size_t)set->nlabels * LABEL_LEN : 0;
}

/* Writes label_len bytes to p. */
void label_put(uint8_t *p, const struct wire_labelset *set);

#endif
