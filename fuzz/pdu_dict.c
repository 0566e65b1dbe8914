/*
 * pdu_dict - prints a libFuzzer dictionary of the protocol, from the table of PDUs.
 *
 * A word for each type's number, a header for each type's shortest PDU, and the words that affect
 * decoders: header words of value blocks, flags of event records, special identifiers.
 */
#include <stdint.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libwire/pdu.h"
#include "libwire/pdu_inner.h"

static void print_word(uint32_t word)
{
	printf("\\x%02x\\x%02x\\x%02x\\x%02x", word >> 24, word >> 16 & 0xff, word >> 8 & 0xff,
	       word & 0xff);
}

static void print_entry(const char *name, const char *what, const uint32_t *words, size_t n)
{
	printf("%s_%s=\"", name, what);
	for (size_t i = 0; i < n; i++)
		print_word(words[i]);
	printf("\"\n");
}

int main(void)
{
	/* clang-format off */
	static const struct {
		const char *name;
		uint32_t word;
	} words[] = {
		{"null", PM_ID_NULL},
		{"error_ipc", (uint32_t)PM_ERR_IPC},
		{"insitu", PM_VAL_INSITU},
		{"dptr", PM_VAL_DPTR},
		{"sptr", PM_VAL_SPTR},
		{"block_64", (uint32_t)PM_TYPE_64 << 24 | 12},
		{"block_float", (uint32_t)PM_TYPE_FLOAT << 24 | 8},
		{"block_double", (uint32_t)PM_TYPE_DOUBLE << 24 | 12},
		{"block_string", (uint32_t)PM_TYPE_STRING << 24 | 6},
		{"block_event", (uint32_t)PM_TYPE_EVENT << 24 | 24},
		{"block_highres_event", (uint32_t)PM_TYPE_HIGHRES_EVENT << 24 | 32},
		{"param_32", (uint32_t)PM_TYPE_32 << 24 | 8},
		{"event_point", PM_EVENT_FLAG_POINT},
		{"event_missed", PM_EVENT_FLAG_MISSED},
	};
	/* clang-format on */

	for (uint32_t type = pdu_kind_next(0); type != 0; type = pdu_kind_next(type)) {
		const struct pdu_kind *kind = pdu_kind(type);
		const uint32_t header[] = {kind->min_len, type, 0};

		print_entry(kind->name, "type", &type, 1);
		print_entry(kind->name, "header", header, ARRAY_SIZE(header));
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		print_entry("word", words[i].name, &words[i].word, 1);
	return 0;
}
