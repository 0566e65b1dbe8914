/*
 * utf8 - text that should be UTF-8 but may contain any bytes.
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length of the UTF-8 sequence at p, where n bytes are available; 0 if it is not valid. */
size_t utf8_length(const uint8_t *p, size_t n);

/* True if a sequence of len bytes is a control character, of ASCII or of Latin-1's second half. */
bool utf8_is_control(const uint8_t *p, size_t len);

/* Writes n bytes of text. Each byte that is not UTF-8, and each null byte, becomes U+FFFD. */
void utf8_print(FILE *out, const char *text, size_t n);

/* A copy of n bytes of text, as utf8_print writes it. The caller frees it; NULL: no memory. */
char *utf8_copy(const char *text, size_t n);

/*
 * Writes n bytes of text as a JSON string, with quotes. Each byte that is not UTF-8 becomes U+FFFD;
 * control characters are escaped.
 */
void utf8_print_json(FILE *out, const char *text, size_t n);

#endif
