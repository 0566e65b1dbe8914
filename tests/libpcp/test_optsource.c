/* test_optsource - hosts and archives: docs/spec/pmapi.md 19.3. */
#include "libpcp/options.h"
#include "pcp_test.h"

static char dir[] = "/tmp/test_optsource.XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	setenv("PCP_STDERR", "/dev/null", 1);
	setenv("PCP_CONF", "/dev/null", 1);
	return mkdtemp(dir) == NULL ? -1 : 0;
}

static int remove_dir(void **state)
{
	unlink(path);
	pmflush();
	return rmdir(dir);
}

static char *write_file(const char *text)
{
	FILE *f;

	pmsprintf(path, sizeof(path), "%s/file", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void archives(void **state)
{
	char one[] = "one", two[] = "two", list[] = "one,three";
	pmOptions o = {.flags = 0}, multi = {.flags = PM_OPTFLAG_MULTI};

	__pmAddOptArchive(&o, one);
	__pmAddOptArchive(&o, two);
	__pmAddOptArchive(&o, two);
	__pmAddOptArchiveList(&o, list);
	assert_int_equal(o.narchives, 1);
	assert_string_equal(o.archives[0], "one,two,three");
	__pmAddOptArchive(&multi, one);
	__pmAddOptArchiveList(&multi, list);
	assert_int_equal(multi.narchives, 2);
	assert_string_equal(multi.archives[1], "three");
	assert_int_equal(o.errors + multi.errors, 0);
	__pmAddOptHost(&o, one);
	assert_int_equal(o.errors, 1);
	pmFreeOptions(&o);
	pmFreeOptions(&multi);
}

static void hosts_file(void **state)
{
	pmOptions o = {.flags = PM_OPTFLAG_MULTI};

	options_add_hosts_file(&o, write_file("# comment\nalpha\n\n  beta  # more\n"));
	assert_int_equal(o.nhosts, 2);
	assert_string_equal(o.hosts[0], "alpha");
	assert_string_equal(o.hosts[1], "beta");
	options_add_hosts_file(&o, "/proc/nonexistent");
	assert_int_equal(o.errors, 1);
	assert_true(o.flags & PM_OPTFLAG_RUNTIME_ERR);
	pmFreeOptions(&o);
}

static void folios(void **state)
{
	static const char *const bad[] = {"",
					  "Nonsense\n",
					  "PCPFolio\n",
					  "PCPFolio\nVersion: 2\n",
					  "PCPFolio\nVersion: 1\nArchive:\n",
					  "PCPFolio\nVersion: 1\nArchive: host\n"};
	pmOptions o = {.flags = PM_OPTFLAG_MULTI};
	char relative[128];

	__pmAddOptArchiveFolio(
	    &o, write_file("PCPFolio\nVersion: 1\n# c\nArchive: h a/b\nArchive: h /c\n"));
	assert_int_equal(o.narchives, 2);
	pmsprintf(relative, sizeof(relative), "%s/a/b", dir);
	assert_string_equal(o.archives[0], relative);
	assert_string_equal(o.archives[1], "/c");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		__pmAddOptArchiveFolio(&o, write_file(bad[i]));
		assert_int_equal(o.errors, i + 1);
	}
	pmFreeOptions(&o);
}

static void others(void **state)
{
	pmOptions o = {.flags = 0};
	char name[] = "c1", hosts[] = "a,b";

	__pmAddOptContainer(&o, name);
	assert_string_equal(getenv("PCP_CONTAINER"), "c1");
	unsetenv("PCP_CONTAINER");
	setenv("PCP_ARCHIVE_DIR", "/some/where", 1);
	__pmAddOptArchivePath(&o);
	assert_memory_equal(o.archives[0], "/some/where/", 12);
	pmFreeOptions(&o);
	__pmAddOptHostList(&o, hosts);
	assert_int_equal(o.errors, 1); /* two, without MULTI */
	pmFreeOptions(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(archives),
	    cmocka_unit_test(hosts_file),
	    cmocka_unit_test(folios),
	    cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
