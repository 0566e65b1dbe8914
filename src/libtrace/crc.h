/*
 * crc - CRC-32C (polynomial 0x1EDC6F41, reflected), what every part of a trace log is checked by.
 */
#ifndef LIBTRACE_CRC_H
#define LIBTRACE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of a stretch of bytes; crc is that of what stands before it, 0 at the start. The
 * processor's instruction where there is one, a table elsewhere: the same result. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* By the table alone: what a processor without the instruction does. */
uint32_t crc32c_table(uint32_t crc, const void *data, size_t len);

#endif
