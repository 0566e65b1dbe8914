/* pdu_vset - value sets out of a PDU, and room for those that go into one (docs/spec/pdu.md 5.2). */
#ifndef LIBWIRE_PDU_VSET_H
#define LIBWIRE_PDU_VSET_H

#include <stdbool.h>
#include <stdint.h>

struct pdu_in;
struct pdu_out;
struct vset_cursor;
struct vset_len;
struct wire_vset;

/*
 * Reads numpmid sets and the blocks after them, to the end of the PDU. The blocks fill the rest
 * exactly. NULL after a failure.
 */
const struct wire_vset *vset_get_all(struct pdu_in *in, uint32_t numpmid);

/* Room for what was measured, after what the PDU holds already. False: the PDU has failed. */
bool vset_cursor_init(struct vset_cursor *c, struct pdu_out *out, const struct vset_len *total);

#endif
