/*
 * The file may contain any bytes. An impossible length, a record that ends too early, or a trailing
 * word that differs is reported, and the dump ends there. The entries after the label of an index
 * have no frames: each is dumped as a record of the size of an entry.
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/member.h"

enum { WORD = 4, WORDS_A_LINE = 8 };

static void print_words(struct member *m, uint64_t at, uint64_t end)
{
	const uint8_t *p;
	size_t left;

	for (int n = 0; at < end; at++, n++) {
		p = member_at(m, at, 1, &left);
		if (p == NULL)
			break;
		if (n > 0 && n % (WORD * WORDS_A_LINE) == 0)
			putchar('\n');
		printf("%s%02x", n % WORD == 0 ? " " : "", *p);
	}
	putchar('\n');
}

/* Reads the word at an offset; false at the end of the file. */
static bool get_word(struct member *m, uint64_t at, uint32_t *ret_word)
{
	size_t left;
	const uint8_t *p = member_at(m, at, WORD, &left);

	if (p == NULL)
		return false;
	*ret_word = load_be32(p);
	return true;
}

/* Prints a record with its frame. Returns the offset of the next one, 0 if there is none. */
static uint64_t raw_print_record(struct member *m, uint64_t at)
{
	uint64_t size = member_size(m), end;
	uint32_t head, trailer;

	if (!get_word(m, at, &head)) {
		puts("Unexpected EOF");
		return 0;
	}
	printf("Dump ... record len: %d @ offset: %" PRIu64 "\n", (int32_t)head, at);
	if (head < 2 * WORD || head > INT32_MAX) {
		puts("Illegal record length");
		return 0;
	}
	end = at + head - WORD;
	print_words(m, at + WORD, end < size ? end : size);
	if (!get_word(m, end, &trailer)) {
		puts("Unexpected EOF");
		return 0;
	}
	if (trailer != head) {
		printf("Trailer botch: %d != %d\n", (int32_t)trailer, (int32_t)head);
		return 0;
	}
	return end + WORD;
}

static void print_entries(struct member *m, int version)
{
	uint64_t at = log_label_len(version), size = member_size(m);
	size_t len = index_entry_len(version);

	for (; at + len <= size; at += len) {
		printf("Dump ... record len: %zu @ offset: %" PRIu64 "\n", len, at);
		print_words(m, at, at + len);
	}
	if (at < size)
		puts("Unexpected EOF");
}

static bool is_index(struct member *m, int *ret_version)
{
	struct log_label label;
	size_t left;
	const uint8_t *p = member_at(m, 0, 1, &left);

	if (p == NULL || log_label_decode(p, left, &label) < 0 ||
	    label.volume != LOG_LABEL_VOL_INDEX)
		return false;
	*ret_version = label.version;
	return true;
}

bool raw_print(const char *path)
{
	char text[PM_MAXERRMSGLEN];
	struct member *m;
	uint64_t at = 0;
	int version = 0;
	int sts = member_open(path, &m);

	if (sts < 0) {
		fprintf(stderr, "%s: Cannot open \"%s\": %s\n", pmGetProgname(), path,
			pmErrStr_r(sts, text, sizeof(text)));
		return false;
	}
	printf("Raw dump of physical archive file \"%s\" ...\n", path);
	do
		at = raw_print_record(m, at);
	while (at > 0 && at < member_size(m) && !is_index(m, &version));
	if (at > 0 && version > 0)
		print_entries(m, version);
	member_close(m);
	return true;
}
