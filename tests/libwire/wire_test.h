/*
 * wire_test - PDUs as hex text, for the tests of the codec.
 *
 * Bytes to decode are in memory of exactly their length, so that a sanitizer detects a read beyond
 * them. A decoded body is valid until the fixture's next decode or its end.
 */
#ifndef TESTS_WIRE_TEST_H
#define TESTS_WIRE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libwire/pdu.h"

struct wire_test {
	struct arena mem;
	struct buffer out;
	uint8_t *pdu; /* the last one decoded */
	size_t len;
	union pdu_body body;
};

/* cmocka set-up and tear-down: *state is a struct wire_test. */
int wire_test_setup(void **state);
int wire_test_teardown(void **state);

/* Bytes of hex digits; white space and lines from '#' are skipped. Returns malloc'd memory. */
uint8_t *wire_test_hex(const char *text, size_t *ret_len);

/* Decodes a PDU of this type whose bytes after the header are given; into t->body. */
int wire_test_decode(struct wire_test *t, uint32_t type, const char *hex);

/* Decodes a whole PDU. */
int wire_test_decode_bytes(struct wire_test *t, const uint8_t *pdu, size_t len);

/* Encodes; fails the test unless the bytes after the header are these. */
void wire_test_encode(struct wire_test *t, enum pdu_type type, const union pdu_body *body,
		      const char *hex);

/* Encodes; fails the test unless that gives this error and leaves the buffer as it was. */
void wire_test_refuse(struct wire_test *t, enum pdu_type type, const union pdu_body *body, int err);

/* A counted string from a literal. */
struct wire_str wire_test_str(const char *s);

/* Fails unless a counted string is this one. */
void wire_test_str_equal(struct wire_str str, const char *s);

/* A decode that must give err: one row of a table of malformed PDUs. */
struct wire_test_case {
	const char *what;
	uint32_t type;
	const char *hex;
	int err;
};

void wire_test_cases(struct wire_test *t, const struct wire_test_case *cases, size_t n);

#define WIRE_TEST(fn) cmocka_unit_test_setup_teardown(fn, wire_test_setup, wire_test_teardown)

#endif
