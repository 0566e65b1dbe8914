/*
 * fuzz_labels - the JSON texts of labels. A parsed set is written in canonical form; reading this
 * again gives the same set, and every label points into its text.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"
#include "libpcp/label.h"

static struct label_text first, again;
static struct label_merge merge;
static char text[PM_MAXLABELJSONLEN + 1];

static void check_label(const struct label_text *t, const pmLabel *l)
{
	FUZZ_REQUIRE(l->namelen > 0 && l->valuelen > 0);
	FUZZ_REQUIRE((size_t)l->value + l->valuelen < t->len);
	FUZZ_REQUIRE(t->json[l->name - 1] == '"' && t->json[l->name + l->namelen] == '"');
	FUZZ_REQUIRE(l->value == l->name + l->namelen + 2);
}

static void check_merge(void)
{
	int r;

	merge.n = 0;
	for (int i = 0; i < first.n; i++) {
		const pmLabel *l = &first.labels[i];
		struct label_item item = {
		    .name = first.json + l->name,
		    .value = first.json + l->value,
		    .namelen = l->namelen,
		    .valuelen = l->valuelen,
		};

		FUZZ_REQUIRE(label_merge_add(&merge, &item) == 0);
	}
	FUZZ_REQUIRE(merge.n == first.n);
	r = label_merge_write(&merge, text, sizeof(text), NULL);
	FUZZ_REQUIRE(r == (first.n > 0 ? (int)first.len : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int n = label_text_read(&first, (const char *)data, size, 0);

	FUZZ_REQUIRE(n == -EINVAL || n == -E2BIG || (n >= 0 && n <= PM_MAXLABELS));
	if (n <= 0)
		return 0;
	for (int i = 0; i < n; i++)
		check_label(&first, &first.labels[i]);
	FUZZ_REQUIRE(label_text_read(&again, first.json, first.len, 0) == n);
	FUZZ_REQUIRE(again.len == first.len && memcmp(again.json, first.json, first.len) == 0);
	check_merge();
	return 0;
}
