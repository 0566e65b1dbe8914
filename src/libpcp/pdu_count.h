/*
 * pdu_count - how many PDUs of each type this process has received and sent (pmprobe -V shows it).
 *
 * The arrays at __pmPDUCntIn and __pmPDUCntOut have one counter a type from 0x7000 on. They are
 * counted without a lock: relaxed atomics, so that no thread's count is lost.
 */
#ifndef LIBPCP_PDU_COUNT_H
#define LIBPCP_PDU_COUNT_H

#include <stdint.h>

/* Counts one PDU; types outside the counted range are not. */
void pdu_count_in(uint32_t type);
void pdu_count_out(uint32_t type);

#endif
