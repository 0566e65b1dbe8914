/* print - the leaves of a name-space file, preprocessed, one a line: "name PMID: 1.2.3". */
#include <stdio.h>

#include "libpmns/build.h"
#include "libpmns/pmns.h"

static void put_message(void *arg, const char *text)
{
	printf("%s\n", text);
}

static int put_leaf(void *arg, const struct pmns_entry *e)
{
	char id[BUILD_PMID_TEXT];

	printf("%s PMID: %s\n", e->name, build_pmid_text(e->pmid, id, sizeof(id)));
	return 0;
}

int main(int argc, char **argv)
{
	struct pmns_options opt = {.flags = PMNS_PREPROCESS, .message = put_message};
	struct pmns *ns;

	if (argc != 2 || pmns_load_file(argv[1], &opt, &ns) < 0)
		return 1;
	pmns_traverse(ns, "", 0, put_leaf, NULL);
	pmns_free(ns);
	return 0;
}
