/* test_label_files - labels of this host and of an agent: docs/spec/pmda.md 11.2. */
#include <sys/stat.h>

#include "libbase/file.h"
#include "pcp_test.h"

static char dir[] = "/tmp/test_label_files.XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	pmsprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_dir(void **state)
{
	char path[64];

	if (mkdtemp(dir) == NULL)
		return -1;
	setenv("PCP_CONF", "/dev/null", 1);
	setenv("PCP_SYSCONF_DIR", dir, 1);
	pmsprintf(path, sizeof(path), "%s/labels/optional", dir);
	return file_mkdirs(path, 0755);
}

static int remove_dir(void **state)
{
	return file_remove_tree(dir);
}

static void of_this_host(void **state)
{
	pmLabelSet *set = NULL;

	assert_int_equal(__pmGetContextLabels(&set), 0);
	write_file("labels/a", "{\"x\":1,\"y\":1}\n");
	write_file("labels/b", "{\"y\":2}");
	write_file("labels/.hidden", "{\"h\":1}");
	write_file("labels/c", "nonsense"); /* reported, and skipped */
	write_file("labels/optional/o", "{\"z\":3}");
	assert_int_equal(__pmGetContextLabels(&set), 1);
	assert_string_equal(set->json, "{\"x\":1,\"y\":2,\"z\":3}");
	assert_int_equal(set->labels[1].flags, PM_LABEL_CONTEXT);
	assert_int_equal(set->labels[2].flags, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	pmFreeLabelSets(set, 1);
}

static void of_an_agent(void **state)
{
	pmLabelSet *set = NULL;

	assert_int_equal(__pmGetDomainLabels(30, "pmdasample DSO", &set), 1);
	assert_string_equal(set->json, "{\"agent\":\"sample\"}");
	pmFreeLabelSets(set, 1);
}

static void no_folder(void **state)
{
	pmLabelSet *set = NULL;

	setenv("PCP_SYSCONF_DIR", "/proc/nonexistent", 1);
	assert_int_equal(__pmGetContextLabels(&set), -ENOENT);
	assert_null(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_this_host),
	    cmocka_unit_test(of_an_agent),
	    cmocka_unit_test(no_folder),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
