/* wire_test - see wire_test.h. */
#include "wire_test.h"

#include <ctype.h>

int wire_test_setup(void **state)
{
	*state = calloc(1, sizeof(struct wire_test));
	return *state == NULL;
}

int wire_test_teardown(void **state)
{
	struct wire_test *t = *state;

	arena_done(&t->mem);
	buffer_done(&t->out);
	free(t->pdu);
	free(t);
	return 0;
}

static uint8_t hex_digit(char c)
{
	return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

uint8_t *wire_test_hex(const char *text, size_t *ret_len)
{
	uint8_t *bytes = malloc(strlen(text) / 2 + 1);
	size_t digits = 0;

	assert_non_null(bytes);
	for (; *text != '\0'; text++) {
		if (*text == '#')
			text += strcspn(text, "\n");
		if (!isxdigit((unsigned char)*text))
			continue;
		if (digits % 2 == 0)
			bytes[digits / 2] = (uint8_t)(hex_digit(*text) << 4);
		else
			bytes[digits / 2] |= hex_digit(*text);
		digits++;
	}
	assert_int_equal(digits % 2, 0);
	*ret_len = digits / 2;
	return bytes;
}

int wire_test_decode_bytes(struct wire_test *t, const uint8_t *pdu, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	assert_non_null(copy);
	memcpy(copy, pdu, len);
	free(t->pdu);
	t->pdu = copy;
	t->len = len;
	arena_reset(&t->mem);
	return pdu_decode(copy, len, &t->mem, &t->body);
}

int wire_test_decode(struct wire_test *t, uint32_t type, const char *hex)
{
	size_t len;
	AUTO_FREE uint8_t *bytes = wire_test_hex(hex, &len);
	AUTO_FREE uint8_t *pdu = calloc(1, PDU_HEADER_LEN + len);

	assert_non_null(pdu);
	store_be32(pdu, (uint32_t)(PDU_HEADER_LEN + len));
	store_be32(pdu + 4, type);
	memcpy(pdu + PDU_HEADER_LEN, bytes, len);
	return wire_test_decode_bytes(t, pdu, PDU_HEADER_LEN + len);
}

void wire_test_encode(struct wire_test *t, enum pdu_type type, const union pdu_body *body,
		      const char *hex)
{
	size_t len;
	AUTO_FREE uint8_t *bytes = wire_test_hex(hex, &len);
	struct pdu_header header;

	buffer_reset(&t->out);
	assert_int_equal(pdu_encode(&t->out, type, 7, body), 0);
	assert_int_equal(pdu_header_get(t->out.data, &header), 0);
	assert_int_equal(header.len, t->out.len);
	assert_int_equal(header.type, type);
	assert_int_equal(header.from, 7);
	assert_int_equal(t->out.len, PDU_HEADER_LEN + len);
	assert_memory_equal(t->out.data + PDU_HEADER_LEN, bytes, len);
}

void wire_test_refuse(struct wire_test *t, enum pdu_type type, const union pdu_body *body, int err)
{
	buffer_reset(&t->out);
	buffer_put(&t->out, "before", 6);
	assert_int_equal(pdu_encode(&t->out, type, 0, body), err);
	assert_int_equal(buffer_pending(&t->out), 6);
	assert_memory_equal(buffer_head(&t->out), "before", 6);
	assert_int_equal(t->out.err, 0);
}

struct wire_str wire_test_str(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

void wire_test_str_equal(struct wire_str str, const char *s)
{
	assert_int_equal(str.len, strlen(s));
	if (str.len > 0)
		assert_memory_equal(str.s, s, str.len);
}

void wire_test_cases(struct wire_test *t, const struct wire_test_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int r = wire_test_decode(t, cases[i].type, cases[i].hex);

		if (r != cases[i].err)
			fail_msg("%s: %d instead of %d", cases[i].what, r, cases[i].err);
	}
}
