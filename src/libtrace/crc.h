/* crc - CRC-32C (polynomial 0x1EDC6F41, reflected), the checksum of every part of a trace log. */
#ifndef LIBTRACE_CRC_H
#define LIBTRACE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of a byte range; crc: the checksum of the bytes before it, 0 at the start. Uses
 * the processor's instruction where there is one, else a table, with the same result. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The table version, for processors without the instruction. */
uint32_t crc32c_table(uint32_t crc, const void *data, size_t len);

#endif
