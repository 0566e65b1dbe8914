#include "tools/pminfo/sha1.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_LEN 64
#define N_WORDS   5

static uint32_t rotate(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The function and the constant of round t. */
static uint32_t mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t h[N_WORDS], const uint8_t *block)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int t = 0; t < 16; t++)
		w[t] = get_be32(block + 4 * t);
	for (int t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (int t = 0; t < 80; t++) {
		uint32_t next = rotate(a, 5) + mix(t, b, c, d) + e + w[t];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

/* Hashes the rest of the message, a one bit, zeroes, and the length in bits: one or two blocks. */
static void add_tail(uint32_t h[N_WORDS], const uint8_t *rest, size_t rest_len, uint64_t len)
{
	uint8_t tail[2 * BLOCK_LEN] = {0};
	size_t tail_len = rest_len < BLOCK_LEN - 8 ? BLOCK_LEN : 2 * BLOCK_LEN;

	memcpy(tail, rest, rest_len);
	tail[rest_len] = 0x80;
	for (int i = 0; i < 8; i++)
		tail[tail_len - 1 - i] = (uint8_t)(len * 8 >> (8 * i));
	for (size_t i = 0; i < tail_len; i += BLOCK_LEN)
		add_block(h, tail + i);
}

void sha1_hex(const void *bytes, size_t len, char hex[SHA1_HEX_LEN])
{
	uint32_t h[N_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; len - i >= BLOCK_LEN; i += BLOCK_LEN)
		add_block(h, p + i);
	add_tail(h, p + i, len - i, len);
	for (i = 0; i < N_WORDS; i++)
		snprintf(hex + 8 * i, 9, "%08x", h[i]);
}
