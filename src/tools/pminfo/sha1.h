/*
 * sha1 - the secure hash algorithm 1 (FIPS 180-4, RFC 3174): for names of series, not for secrets.
 */
#ifndef PMINFO_SHA1_H
#define PMINFO_SHA1_H

#include <stddef.h>

#define SHA1_HEX_LEN 41

/* Writes the hash of len bytes as 40 lower-case hexadecimal digits and a NUL. */
void sha1_hex(const void *bytes, size_t len, char hex[SHA1_HEX_LEN]);

#endif
