/*
 * fuzz_cache_file - any bytes as the file of a cache of instances.
 *
 * The instances that were read are in ascending order and are found by number, name and key;
 * writing and reading them again gives the same text.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/cache_file.h"

/* Discards the library's messages. */
void pmNotifyErr(int priority, const char *format, ...)
{
}

static void check_entries(struct cache *c)
{
	struct cache_entry *e;
	enum cache_match match;
	int last = -1;

	for (uint32_t pos = 0; (e = cache_order_at(c, pos)) != NULL; pos++) {
		FUZZ_REQUIRE(e->inst > last);
		last = e->inst;
		FUZZ_REQUIRE(cache_by_inst(c, e->inst) == e);
		FUZZ_REQUIRE(cache_by_name(c, e->name, &match) == e && match == CACHE_MATCH);
		if (e->key != NULL)
			FUZZ_REQUIRE(cache_by_key(c, e->key->bytes, e->key->len)->inst <= e->inst);
	}
	FUZZ_REQUIRE(c->highest == last);
}

/* Parses a copy that is followed by the byte that the parser requires. */
static int parse(struct cache *c, const void *data, size_t size)
{
	char *text = malloc(size + 1);
	int r;

	FUZZ_REQUIRE(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	r = cache_file_parse(c, "fuzz", text, size);
	free(text);
	return r;
}

static void check_text(struct cache *c)
{
	struct buffer first = BUFFER_INIT, second = BUFFER_INIT;
	struct cache again;
	int n = cache_file_format(c, &first, -1);

	cache_init(&again, 1);
	/* The format cannot represent a name that begins with a space or like a key. */
	if (parse(&again, first.data, first.len) == n) {
		FUZZ_REQUIRE(cache_file_format(&again, &second, -1) <= n);
		check_entries(&again);
	}
	cache_done(&again);
	buffer_done(&first);
	buffer_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cache c;

	cache_init(&c, 0);
	parse(&c, data, size);
	check_entries(&c);
	cache_reorganise(&c);
	check_text(&c);
	cache_done(&c);
	return 0;
}
