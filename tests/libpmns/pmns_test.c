/* pmns_test - see pmns_test.h. */
#include "pmns_test.h"

#include <unistd.h>

#include "libbase/file.h"
#include "libpmns/build.h"

const char *test_folder(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/pitot-pmns-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

void test_folder_remove(const char *dir)
{
	assert_int_equal(file_remove_tree(dir), 0);
}

const char *test_file(const char *dir, const char *name, const char *text)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

void test_message(void *arg, const char *text)
{
	buffer_printf(arg, "%s\n", text);
}

static int put_leaf(void *arg, const struct pmns_entry *e)
{
	char id[BUILD_PMID_TEXT];

	buffer_printf(arg, "%s %s\n", e->name, build_pmid_text(e->pmid, id, sizeof(id)));
	return 0;
}

void test_leaves(const struct pmns *ns, struct buffer *out)
{
	assert_true(pmns_traverse(ns, "", 0, put_leaf, out) >= 0);
}
