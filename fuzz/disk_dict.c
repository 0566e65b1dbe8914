/*
 * disk_dict - prints a libFuzzer dictionary of archives, from the table of metadata records: a word
 * for each type's number, and the words that affect decoders.
 */
#include <stdint.h>
#include <stdio.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"

static void print_word(const char *what, const char *name, uint32_t word)
{
	printf("%s_%s=\"\\x%02x\\x%02x\\x%02x\\x%02x\"\n", what, name, word >> 24,
	       word >> 16 & 0xff, word >> 8 & 0xff, word & 0xff);
}

int main(void)
{
	/* clang-format off */
	static const struct {
		const char *name;
		uint32_t word;
	} words[] = {
		{"null", PM_ID_NULL},
		{"insitu", PM_VAL_INSITU},
		{"dptr", PM_VAL_DPTR},
		{"sptr", PM_VAL_SPTR},
		{"magic_v2", LOG_LABEL_MAGIC | DISK_V2},
		{"magic_v3", LOG_LABEL_MAGIC | DISK_V3},
		{"length_v2", LOG_LABEL_LEN_V2},
		{"length_v3", LOG_LABEL_LEN_V3},
		{"block_64", (uint32_t)PM_TYPE_64 << 24 | 12},
		{"block_string", (uint32_t)PM_TYPE_STRING << 24 | 6},
		{"block_event", (uint32_t)PM_TYPE_EVENT << 24 | 24},
		{"text", PM_TEXT_HELP | PM_TEXT_PMID},
	};
	/* clang-format on */

	for (uint32_t type = 1; type <= META_LAST; type++)
		print_word("type", meta_name(type), type);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		print_word("word", words[i].name, words[i].word);
	return 0;
}
