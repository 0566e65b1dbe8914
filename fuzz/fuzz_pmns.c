/*
 * fuzz_pmns - any bytes as a name space, then as a name to look up in it.
 *
 * A name space that loads can be walked, each leaf is found by its name and by its PMID, and all
 * leaves can be added to an empty name space one by one.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "libpmns/pmns.h"

struct check {
	const struct pmns *ns;
	struct pmns *copy;
};

static int same_name(void *arg, const struct pmns_entry *e)
{
	return strcmp(arg, e->name) == 0;
}

static int check_leaf(void *arg, const struct pmns_entry *e)
{
	const struct check *c = arg;
	struct pmns_entry found;

	FUZZ_REQUIRE(pmns_lookup(c->ns, e->name, e->name_len, &found) == 0);
	FUZZ_REQUIRE(found.name == e->name && found.pmid == e->pmid);
	FUZZ_REQUIRE(pmns_names(c->ns, e->pmid, same_name, (void *)e->name) == 1);
	FUZZ_REQUIRE(pmns_add(c->copy, e->name, e->name_len, e->pmid) == 1);
	return 0;
}

static void ignore(void *arg, const char *text)
{
	FUZZ_REQUIRE(text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct pmns_options opt = {.message = ignore};
	struct check c = {0};
	struct pmns *ns;
	struct pmns_entry e;
	int r, n;

	/* The first byte selects how it is loaded. */
	if (size > 0)
		opt.flags = data[0] & 1 ? PMNS_UNIQUE_PMIDS : 0;
	r = pmns_load_text(text, size, "f", &opt, &ns);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_PMNS);
	if (r < 0)
		return 0;
	c.ns = ns;
	c.copy = pmns_new();
	FUZZ_REQUIRE(c.copy != NULL);
	n = pmns_traverse(ns, "", 0, check_leaf, &c);
	FUZZ_REQUIRE(n >= 0 && (size_t)n == pmns_count(ns));
	FUZZ_REQUIRE(pmns_traverse(c.copy, "", 0, NULL, NULL) == n);
	if (pmns_lookup(ns, text, size, &e) < 0)
		pmns_lookup_dynamic(ns, text, size, &e);
	pmns_add(c.copy, text, size < PMNS_NAME_MAX ? size : PMNS_NAME_MAX, 1);
	pmns_free(c.copy);
	pmns_free(ns);
	return 0;
}
