/* crc - see crc.h. */
#include "libtrace/crc.h"

#include <string.h>

/* The checksum is linear: the entry of a byte is the exclusive or of the entries of its bits. */
#define BIT(byte, bit, value) ((byte) & (bit) ? (value) : 0u)
#define ENTRY(b)                                                                                   \
	(BIT(b, 1, 0xf26b8303u) ^ BIT(b, 2, 0xe13b70f7u) ^ BIT(b, 4, 0xc79a971fu) ^                \
	 BIT(b, 8, 0x8ad958cfu) ^ BIT(b, 16, 0x105ec76fu) ^ BIT(b, 32, 0x20bd8edeu) ^              \
	 BIT(b, 64, 0x417b1dbcu) ^ BIT(b, 128, 0x82f63b78u))
#define ENTRIES_4(b)  ENTRY(b), ENTRY((b) + 1), ENTRY((b) + 2), ENTRY((b) + 3)
#define ENTRIES_16(b) ENTRIES_4(b), ENTRIES_4((b) + 4), ENTRIES_4((b) + 8), ENTRIES_4((b) + 12)
#define ENTRIES_64(b)                                                                              \
	ENTRIES_16(b), ENTRIES_16((b) + 16), ENTRIES_16((b) + 32), ENTRIES_16((b) + 48)

static const uint32_t table[256] = {ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128),
				    ENTRIES_64(192)};

uint32_t crc32c_table(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	crc = ~crc;
	while (len-- > 0)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
	return ~crc;
}

#ifdef __x86_64__
enum {
	LANE = 4096, /* bytes */
};

/* The effect of LANE zero bytes on each bit of a checksum. */
static const uint32_t lane_zeros[32] = {
    0xc2a5b65eu, 0x80a71a4du, 0x04a2426bu, 0x094484d6u, 0x128909acu, 0x25121358u, 0x4a2426b0u,
    0x94484d60u, 0x2d7cec31u, 0x5af9d862u, 0xb5f3b0c4u, 0x6e0b1779u, 0xdc162ef2u, 0xbdc02b15u,
    0x7e6c20dbu, 0xfcd841b6u, 0xfc5cf59du, 0xfd559dcbu, 0xff474d67u, 0xfb62ec3fu, 0xf329ae8fu,
    0xe3bf2befu, 0xc292212fu, 0x80c834afu, 0x047c1fafu, 0x08f83f5eu, 0x11f07ebcu, 0x23e0fd78u,
    0x47c1faf0u, 0x8f83f5e0u, 0x1aeb9d31u, 0x35d73a62u,
};

static uint32_t append_lane(uint32_t sum)
{
	uint32_t appended = 0;

	for (unsigned i = 0; i < 32; i++)
		appended ^= lane_zeros[i] & -(sum >> i & 1);
	return appended;
}

/* Three lanes in parallel: the processor can start one CRC instruction per cycle, and each takes
 * three cycles. */
__attribute__((target("sse4.2"))) static uint32_t three_lanes(uint32_t sum, const uint8_t *p)
{
	uint64_t a = sum, b = 0, c = 0;

	for (size_t i = 0; i < LANE; i += 8) {
		uint64_t words[3];

		memcpy(&words[0], p + i, 8);
		memcpy(&words[1], p + LANE + i, 8);
		memcpy(&words[2], p + 2 * LANE + i, 8);
		a = __builtin_ia32_crc32di(a, words[0]);
		b = __builtin_ia32_crc32di(b, words[1]);
		c = __builtin_ia32_crc32di(c, words[2]);
	}
	return append_lane(append_lane((uint32_t)a) ^ (uint32_t)b) ^ (uint32_t)c;
}

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse(uint32_t crc, const void *data,
							     size_t len)
{
	const uint8_t *p = data;
	uint64_t sum = (uint32_t)~crc;

	for (; len >= 3 * LANE; len -= 3 * LANE, p += 3 * LANE)
		sum = three_lanes((uint32_t)sum, p);
	for (; len >= 8; len -= 8, p += 8) {
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		sum = __builtin_ia32_crc32di(sum, word);
	}
	while (len-- > 0)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *p++);
	return ~(uint32_t)sum;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse(crc, data, len);
#endif
	return crc32c_table(crc, data, len);
}
