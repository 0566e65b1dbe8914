/* test_sha1 - the vectors of FIPS 180 and RFC 3174, and lengths around the edges of a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pminfo/pminfo.h"

/* clang-format off */
static const struct {
	const char *text;
	int times;
	const char *hex;
} vectors[] = {
	{ "", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
	{ "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
	{ "a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f" },
	{ "0123456701234567012345670123456701234567012345670123456701234567", 10,
	  "dea356a2cddd90c7a7ecedc5ebb563934f460452" },
	{ "a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a" },
	{ "a", 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699" },
	{ "a", 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5" },
	{ "a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d" },
	{ "a", 65, "11655326c708d70319be2610e8a57d9a5b959d3b" },
};
/* clang-format on */

static void hashes(void **state)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		size_t len = strlen(vectors[i].text), total = len * vectors[i].times;
		char *text = malloc(total + 1), hex[SHA1_HEX_LEN];

		for (int t = 0; t < vectors[i].times; t++)
			memcpy(text + t * len, vectors[i].text, len);
		sha1_hex(text, total, hex);
		assert_string_equal(hex, vectors[i].hex);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
