/* sha256 - the hash of FIPS 180-4, of bytes that are all there. */
#ifndef LIBBASE_SHA256_H
#define LIBBASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum {
	SHA256_LEN = 32,
	SHA256_HEX_LEN = 2 * SHA256_LEN + 1, /* with the NUL */
};

void sha256(const void *bytes, size_t len, uint8_t ret_hash[SHA256_LEN]);

/* As lower-case hexadecimal digits. */
void sha256_hex(const void *bytes, size_t len, char ret_text[SHA256_HEX_LEN]);

#endif
