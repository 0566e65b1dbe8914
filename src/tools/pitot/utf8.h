/* utf8 - text that should be UTF-8 and may be anything. */
#ifndef PITOT_UTF8_H
#define PITOT_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the UTF-8 sequence at p, of which n bytes are there; 0 where it is none. */
size_t utf8_length(const uint8_t *p, size_t n);

/* Writes n bytes of text; bytes that are not UTF-8 become U+FFFD, one by one, and so do nulls. */
void utf8_print(FILE *out, const char *text, size_t n);

#endif
