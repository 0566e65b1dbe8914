/* sha256 - see sha256.h. */
#include "libbase/sha256.h"

#include <stdio.h>
#include <string.h>

#include "libbase/endian_be.h"

enum {
	BLOCK = 64,
	ROUNDS = 64,
	LENGTH_AT = 56, /* in the last block: the length of the message in bits */
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
/* clang-format off */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* ... and of the square roots of the first 8. */
static const uint32_t start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
/* clang-format on */

static uint32_t rotate(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static void expand(const uint8_t *block, uint32_t w[ROUNDS])
{
	for (int i = 0; i < 16; i++)
		w[i] = load_be32(block + 4 * i);
	for (int i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void take_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[ROUNDS], s[8];

	expand(block, w);
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t t1 = s[7] + sum1 + choice + constants[i] + w[i];
		uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + sum0 + majority;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void sha256(const void *bytes, size_t len, uint8_t ret_hash[SHA256_LEN])
{
	const uint8_t *at = bytes;
	uint8_t last[2 * BLOCK] = {0};
	size_t left = len % BLOCK;
	size_t tail = left < LENGTH_AT ? BLOCK : 2 * BLOCK;
	uint32_t state[8];

	memcpy(state, start, sizeof(state));
	for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
		take_block(state, at + i);
	if (left > 0)
		memcpy(last, at + len - left, left);
	last[left] = 0x80;
	store_be64(last + tail - 8, (uint64_t)len * 8);
	for (size_t i = 0; i < tail; i += BLOCK)
		take_block(state, last + i);
	for (int i = 0; i < 8; i++)
		store_be32(ret_hash + 4 * i, state[i]);
}

void sha256_hex(const void *bytes, size_t len, char ret_text[SHA256_HEX_LEN])
{
	uint8_t hash[SHA256_LEN];

	sha256(bytes, len, hash);
	for (int i = 0; i < SHA256_LEN; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", hash[i]);
}
