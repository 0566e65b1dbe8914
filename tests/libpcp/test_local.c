/*
 * Local contexts: the list of agents, what goes wrong when they are loaded, everything that can be
 * asked, and the rule of one thread. The agent is local_dso, whose path is the argument.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"

enum { DOMAIN = 77 };

#define COUNT  ((pmID)DOMAIN << 22 | 0)
#define SEEN   ((pmID)DOMAIN << 22 | 1)
#define LOAD   ((pmID)DOMAIN << 22 | 2)
#define AGAIN  ((pmID)DOMAIN << 22 | 3)
#define STORED ((pmID)DOMAIN << 22 | 4)
#define INDOM  ((pmInDom)DOMAIN << 22 | 1)

static const char *object;
static char folder[] = "/tmp/local.XXXXXX";

static void write_file(const char *name, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

/* The messages since the last call. */
static const char *said(void)
{
	static char text[4096];
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/said", folder);
	f = fopen(path, "r");
	text[f == NULL ? 0 : fread(text, 1, sizeof(text) - 1, f)] = '\0';
	if (f != NULL)
		fclose(f);
	unlink(path);
	return text;
}

static const char *expand(const char *fmt)
{
	static char text[PATH_MAX];
	const char *at = strchr(fmt, '@');

	if (at == NULL)
		return fmt;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fmt), fmt, object, at + 1);
	return text;
}

static void test_specs(void **state)
{
	static const struct {
		const char *spec;
		const char *why; /* NULL: it is done */
	} rows[] = {
	    {"", "bad op in spec"},
	    {"add", "expected , after op in spec"},
	    {"add,", "missing domain in spec"},
	    {"add,x,y,z", "bad domain in spec"},
	    {"add,511,y,z", "bad domain in spec"},
	    {"add,1,", "missing dso-path in spec"},
	    {"add,1,y", "missing init-routine in spec"},
	    {"add,1,y,", "missing init-routine in spec"},
	    {"del,", "missing domain in spec"},
	    {"del,,", "missing domain and dso-path in spec"},
	    {"del,5", "__pmLocalPMDA: Unknown or illegal instance domain identifier"},
	    {"clear,x", "unexpected text after clear op in spec"},
	    {"add,5,y,z", NULL},
	    {"add,6,y,z", NULL},
	    {"del,5,x", NULL},
	    {"del,,y", NULL},
	    {"del,6", "__pmLocalPMDA: Unknown or illegal instance domain identifier"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *why = pmSpecLocalPMDA(rows[i].spec);

		if (rows[i].why == NULL)
			assert_null(why);
		else
			assert_string_equal(why, rows[i].why);
	}
}

/* Agents that can't be loaded are said and left out. */
static void test_loading(void **state)
{
	static const struct {
		const char *spec;
		const char *says;
	} rows[] = {
	    {"add,10,/no/such,x_init",
	     "Warning: cannot find DSO at \"/no/such.so\" or \"/no/such\"\n"},
	    {"add,10,/etc/passwd,x_init", "Warning: error attaching DSO \"/etc/passwd\"\n"},
	    {"add,10,@,x_init", "Warning: couldn't find init function \"x_init\" in DSO \"@\"\n"},
	    {"add,10,@,dso_failed_init",
	     "Warning: initialization routine \"dso_failed_init\" failed in DSO \"@\": "
	     "Functionality not yet implemented\n"},
	    {"add,10,@,dso_future_init", "Error: Unknown PMDA interface version 99 in \"@\" DSO\n"},
	    {"add,10,@,dso_future_api_init", "Error: Unknown PMAPI version 9 in \"@\" DSO\n"},
	};
	pmDesc desc;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int ctx;

		assert_null(pmSpecLocalPMDA(expand(rows[i].spec)));
		ctx = pmNewContext(PM_CONTEXT_LOCAL, NULL);
		assert_true(ctx >= 0);
		if (strstr(said(), expand(rows[i].says)) == NULL)
			fail_msg("%s", rows[i].spec);
		assert_int_equal(pmLookupDesc((pmID)10 << 22, &desc), PM_ERR_NOAGENT);
		assert_int_equal(pmDestroyContext(ctx), 0);
		assert_null(pmSpecLocalPMDA("clear"));
	}
}

static char *fetch_string(pmID pmid)
{
	static char text[512];
	pmResult *result;

	assert_int_equal(pmFetch(1, &pmid, &result), 0);
	assert_int_equal(result->vset[0]->numval, 1);
	snprintf(text, sizeof(text), "%s", result->vset[0]->vlist[0].value.pval->vbuf);
	pmFreeResult(result);
	return text;
}

static int fetch_number(pmID pmid)
{
	pmResult *result;
	int v;

	assert_int_equal(pmFetch(1, &pmid, &result), 0);
	assert_int_equal(result->vset[0]->numval, 1);
	v = result->vset[0]->vlist[0].value.lval;
	pmFreeResult(result);
	return v;
}

/* The number of values of the metric with instances. */
static int fetch_load(void)
{
	pmID pmids[5] = {LOAD, AGAIN, PM_ID_NULL, (pmID)9 << 22, (511u << 22) | 1};
	pmHighResResult *result;
	int n;

	assert_int_equal(pmFetchHighRes(5, pmids, &result), 0);
	assert_int_equal(result->vset[1]->numval, PM_ERR_AGAIN);
	assert_int_equal(result->vset[2]->numval, PM_ERR_NOAGENT);
	assert_int_equal(result->vset[3]->numval, PM_ERR_NOAGENT);
	assert_int_equal(result->vset[4]->numval, 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(result->vset[i]->pmid, pmids[i]);
	n = result->vset[0]->numval;
	pmFreeHighResResult(result);
	return n;
}

static void ask_names(void)
{
	const char *names[4] = {"dso.count", "dso.dynamic.b", "dso.dynamic", "dso.none"};
	char **list;
	int *status;
	char *name;
	pmID pmids[4];

	assert_int_equal(pmGetPMNSLocation(), PMNS_LOCAL);
	assert_int_equal(pmLookupName(4, names, pmids), 2);
	assert_int_equal(pmids[0], COUNT);
	assert_int_equal(pmids[1], (pmID)DOMAIN << 22 | 1 << 10 | 1);
	assert_int_equal(pmids[2], PM_ID_NULL);
	assert_int_equal(pmLookupName(1, names + 3, pmids), PM_ERR_NAME);
	assert_int_equal(pmNameID((pmID)DOMAIN << 22 | 1 << 10, &name), 0);
	assert_string_equal(name, "dso.dynamic.a");
	free(name);
	assert_int_equal(pmNameID((pmID)DOMAIN << 22 | 2 << 10, &name), PM_ERR_PMID);
	assert_int_equal(pmNameID((pmID)9 << 22, &name), PM_ERR_PMID);
	assert_int_equal(pmGetChildrenStatus("dso", &list, &status), 2);
	assert_string_equal(list[1], "dynamic");
	assert_int_equal(status[1], PMNS_NONLEAF_STATUS);
	free(list);
	free(status);
	assert_int_equal(pmGetChildren("dso.dynamic", &list), 2);
	assert_string_equal(list[0], "a");
	free(list);
}

static char walked[256];

static void walk(const char *name)
{
	strcat(strcat(walked, name), " ");
}

static void ask_metadata(void)
{
	pmLabelSet *sets;
	char **names;
	char *text;
	int *ids;
	pmDesc descs[2];
	pmID pmids[2] = {LOAD, (pmID)DOMAIN << 22 | 999};

	assert_int_equal(pmTraversePMNS("dso", walk), 3);
	assert_string_equal(walked, "dso.count dso.dynamic.a dso.dynamic.b ");
	assert_int_equal(pmLookupDescs(2, pmids, descs), 1);
	assert_int_equal(descs[0].type, PM_TYPE_DOUBLE);
	assert_int_equal(descs[1].pmid, PM_ID_NULL);
	assert_int_equal(pmLookupDesc(pmids[1], descs), PM_ERR_PMID);
	assert_int_equal(pmGetInDom(INDOM, &ids, &names), 2);
	assert_string_equal(names[1], "two");
	free(ids);
	free(names);
	assert_int_equal(pmLookupInDom(INDOM, "two"), 2);
	assert_int_equal(pmLookupInDom(INDOM, "three"), PM_ERR_INST);
	assert_int_equal(pmNameInDom(INDOM, 1, &text), 0);
	assert_string_equal(text, "one");
	free(text);
	assert_int_equal(pmGetInDom((pmInDom)9 << 22, &ids, &names), PM_ERR_NOAGENT);
	assert_int_equal(pmLookupText(LOAD, PM_TEXT_HELP, &text), 0);
	assert_string_equal(text, "a line");
	free(text);
	assert_int_equal(pmLookupText(LOAD, PM_TEXT_HELP | PM_TEXT_DIRECT, &text), PM_ERR_TEXT);
	assert_int_equal(pmGetDomainLabels(DOMAIN, &sets), 1);
	assert_non_null(strstr(sets[0].json, "\"agent\":"));
	pmFreeLabelSets(sets, 1);
	assert_int_equal(pmGetContextLabels(&sets), 1);
	assert_non_null(strstr(sets[0].json, "\"hostname\":"));
	assert_non_null(strstr(sets[0].json, "\"userid\":"));
	pmFreeLabelSets(sets, 1);
	assert_int_equal(pmGetItemLabels(LOAD, &sets), 0);
}

static void test_all(void **state)
{
	pmValueSet set = {.pmid = STORED, .numval = 1, .vlist = {{.inst = -1, .value.lval = 41}}};
	pmResult store = {.numpmid = 1, .vset = {&set}};
	int one = 1;
	int a, b;

	assert_null(pmSpecLocalPMDA("clear"));
	assert_null(pmSpecLocalPMDA(expand("add,77,@,dso_init")));
	a = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	assert_true(a >= 0);
	assert_string_equal(said(), "");
	assert_string_equal(fetch_string(SEEN), "attr 11 1;attr 12 1;attr 14 1;");
	ask_names();
	ask_metadata();
	/* Each context has a profile of its own. */
	assert_int_equal(fetch_load(), 2);
	assert_int_equal(pmAddProfile(INDOM, 1, &one), 0);
	assert_int_equal(fetch_load(), 1);
	b = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	assert_int_equal(fetch_load(), 2);
	pmUseContext(a);
	assert_int_equal(fetch_load(), 1);
	assert_int_equal(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	assert_int_equal(pmAddProfile(PM_INDOM_NULL, 0, NULL), 0);
	assert_int_equal(fetch_load(), 2);
	assert_int_equal(pmStore(&store), 0);
	assert_int_equal(fetch_number(STORED), 42);
	set.pmid = COUNT;
	assert_int_equal(pmStore(&store), PM_ERR_PERMISSION);
	set.pmid = (pmID)9 << 22;
	assert_int_equal(pmStore(&store), PM_ERR_NOAGENT);
	assert_int_equal(pmSetMode(PM_MODE_LIVE, NULL, 0), PM_ERR_MODE);
	assert_int_equal(pmReconnectContext(a), a);
	assert_int_equal(pmDupContext(), b + 1);
	assert_int_equal(pmDestroyContext(b + 1), 0);
	assert_int_equal(pmDestroyContext(b), 0);
	assert_int_equal(pmUseContext(a), 0);
	assert_int_equal(fetch_number(COUNT), 2);
	assert_non_null(strstr(fetch_string(SEEN), "end "));
	/* A local agent that is taken out of the list is no longer asked, and comes back as it was.
	 */
	assert_null(pmSpecLocalPMDA("clear"));
	assert_int_equal(pmStore(&store), PM_ERR_NOAGENT);
	assert_null(pmSpecLocalPMDA(expand("add,77,@,dso_init")));
	assert_int_equal(fetch_number(COUNT), 2);
	assert_true(pmNewContextZone() >= 0);
	assert_int_equal(pmDestroyContext(a), 0);
}

static void *in_another_thread(void *arg)
{
	pmID pmid = COUNT;
	const char *name = "dso.count";
	pmResult *result;
	pmDesc desc;

	assert_int_equal(pmNewContext(PM_CONTEXT_LOCAL, NULL), PM_ERR_THREAD);
	assert_int_equal(pmUseContext(*(int *)arg), 0);
	assert_int_equal(pmFetch(1, &pmid, &result), PM_ERR_THREAD);
	assert_int_equal(pmLookupDesc(COUNT, &desc), PM_ERR_THREAD);
	assert_int_equal(pmLookupName(1, &name, &pmid), PM_ERR_THREAD);
	assert_int_equal(pmGetPMNSLocation(), PM_ERR_THREAD);
	assert_string_equal(pmSpecLocalPMDA("clear"),
			    "__pmLocalPMDA: Operation not supported for multi-threaded "
			    "applications");
	return NULL;
}

static void test_threads(void **state)
{
	int ctx = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	pthread_t thread;

	assert_true(ctx >= 0);
	assert_int_equal(pthread_create(&thread, NULL, in_another_thread, &ctx), 0);
	pthread_join(thread, NULL);
	assert_int_equal(pmDestroyContext(ctx), 0);
}

static int group_setup(void **state)
{
	char path[PATH_MAX];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pmcd.conf", folder);
	setenv("PCP_PMCDCONF_PATH", path, 1);
	snprintf(path, sizeof(path), "%s/names", folder);
	setenv("PMNS_DEFAULT", path, 1);
	snprintf(path, sizeof(path), "%s/said", folder);
	setenv("PCP_STDERR", path, 1);
	setenv("PCP_SYSCONF_DIR", folder, 1);
	write_file("pmcd.conf", "# comment\npmcd 2 dso pmcd_init x.so\nother 3 pipe binary x\n"
				"[access]\nx 4 dso x_init x.so\n");
	write_file("names", "root { dso }\ndso { count %d:0:0 dynamic %d:*:* }\n", DOMAIN, DOMAIN);
	return 0;
}

static int group_teardown(void **state)
{
	return file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_specs),
	    cmocka_unit_test(test_loading),
	    cmocka_unit_test(test_all),
	    cmocka_unit_test(test_threads),
	};

	object = argv[1];
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
