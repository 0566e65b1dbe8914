/*
 * Tests of an agent without memory: whatever it is asked, each allocation fails once in turn. The
 * answer is an error or right, and right the next time.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/libpcp.h>

#include "fixture.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"
#include "libwire/pdu.h"
#include "starve.h"

static struct fixture f;

static pmdaExt *ext(void)
{
	return f.dispatch.version.any.ext;
}

/* ---- what is asked: 0 or more with a right answer, or an error ---- */

static int ask_fetch(void)
{
	pmID pmids[ITEM_COUNT + 1];
	pmResult *result;
	int r;

	for (int i = 0; i <= ITEM_COUNT; i++)
		pmids[i] = fixture_pmid(i);
	r = pmdaFetch(ITEM_COUNT + 1, pmids, &result, ext());
	starve_left = -1;
	if (r < 0)
		return r;
	assert_int_equal(result->numpmid, ITEM_COUNT + 1);
	assert_int_equal(result->vset[ITEM_COLOR]->numval, 3);
	assert_int_equal(result->vset[ITEM_COLOR]->vlist[2].value.lval, 105);
	assert_int_equal(result->vset[ITEM_DISK]->numval, 2);
	/* The callback needs memory of its own for this one. */
	if (result->vset[ITEM_STRING_DYNAMIC]->numval != PM_ERR_CONV)
		assert_string_equal(result->vset[ITEM_STRING_DYNAMIC]->vlist[0].value.pval->vbuf,
				    "dynamic");
	assert_int_equal(result->vset[ITEM_COUNT]->numval, PM_ERR_PMID);
	__pmFreeResultValues(result);
	return r;
}

static int ask_instance(int serial, int inst, const char *name, int numinst)
{
	pmInResult *result;
	int r = pmdaInstance(fixture_indom(serial), inst, (char *)name, &result, ext());

	starve_left = -1;
	if (r < 0)
		return r;
	assert_int_equal(result->numinst, numinst);
	__pmFreeInResult(result);
	return r;
}

static int ask_instances(void)
{
	return ask_instance(FIXTURE_TABLE, PM_IN_NULL, NULL, 3);
}

static int ask_cached_instances(void)
{
	return ask_instance(FIXTURE_CACHE, PM_IN_NULL, NULL, 2);
}

static int ask_name(void)
{
	return ask_instance(FIXTURE_TABLE, 5, NULL, 1);
}

static int ask_number(void)
{
	return ask_instance(FIXTURE_CACHE, PM_IN_NULL, "disk1", 1);
}

static int ask_label(int ident, int type, int nsets)
{
	pmLabelSet *sets = NULL;
	int r = f.dispatch.version.seven.label(ident, type, &sets, ext());

	starve_left = -1;
	if (r < 0)
		return r;
	assert_int_equal(r, nsets);
	if (sets != NULL)
		pmFreeLabelSets(sets, nsets);
	return r;
}

static int ask_instance_labels(void)
{
	return ask_label((int)fixture_indom(FIXTURE_TABLE), PM_LABEL_INSTANCES, 3);
}

static int ask_children(int traverse)
{
	char **names = NULL;
	int *status = NULL;
	int n = f.dispatch.version.four.children("fix", traverse, &names, &status, ext());

	starve_left = -1;
	if (n < 0)
		return n;
	assert_int_equal(n, 2);
	/* In no order that is promised. */
	assert_true(strcmp(names[0], traverse ? "fix.b" : "b") == 0 ||
		    strcmp(names[1], traverse ? "fix.b" : "b") == 0);
	free(names);
	free(status);
	return 0;
}

static int ask_offspring(void)
{
	return ask_children(0);
}

static int ask_descendants(void)
{
	return ask_children(1);
}

static int ask_names(void)
{
	char **names = NULL;
	int n = f.dispatch.version.four.name(fixture_pmid(ITEM_U32), &names, ext());

	starve_left = -1;
	if (n < 0)
		return n;
	assert_string_equal(names[0], "fix.a.one");
	free(names);
	return 0;
}

/* A hash that cannot be made leaves a search that finds the same. */
static int ask_rehash(void)
{
	pmDesc desc;

	pmdaRehash(ext(), f.metrics, ITEM_COUNT);
	assert_int_equal(pmdaDesc(fixture_pmid(ITEM_STRING), &desc, ext()), 0);
	starve_left = -1;
	assert_int_equal(desc.type, PM_TYPE_STRING);
	return 0;
}

static int fetch_nothing(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	return PMDA_FETCH_NOVALUES;
}

/* Set-up from the start; the agent is another's. */
static int ask_setup(void)
{
	static pmdaMetric metrics[] = {
	    {NULL, {PMDA_PMID(7, 3), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}}};
	pmdaInterface d = {.domain = FIXTURE_DOMAIN};
	pmDesc desc;

	pmdaDaemon(&d, PMDA_INTERFACE_7, "starved", FIXTURE_DOMAIN, "log",
		   "/proc/nonexistent/help");
	if (d.status < 0)
		return d.version.any.ext == NULL || d.status == PM_ERR_GENERIC ? -ENOMEM : d.status;
	assert_string_equal(d.version.any.ext->e_logfile, "log");
	assert_string_equal(d.version.any.ext->e_helptext, "/proc/nonexistent/help");
	pmdaSetFetchCallBack(&d, fetch_nothing);
	pmdaSetFlags(&d, PMDA_EXT_FLAG_HASHED);
	pmdaInit(&d, NULL, 0, metrics, 1);
	assert_int_equal(d.status, 0);
	assert_int_equal(pmdaDesc(metrics[0].m_desc.pmid, &desc, d.version.any.ext), 0);
	return 0;
}

static int ask_options(void)
{
	char *argv[] = {(char *)"starved", (char *)"-h",  (char *)"help",
			(char *)"-l",      (char *)"log", NULL};
	pmdaOptions opts = {.short_options = PMDA_OPTIONS};

	while (pmdaGetOptions(5, argv, &opts, &f.dispatch) != EOF)
		;
	starve_left = -1;
	pmflush();
	if (opts.errors == 0) {
		assert_string_equal(ext()->e_helptext, "help");
		assert_string_equal(ext()->e_logfile, "log");
	}
	free((char *)ext()->e_helptext); /* an agent keeps them for good */
	free((char *)ext()->e_logfile);
	ext()->e_helptext = NULL;
	ext()->e_logfile = NULL;
	return opts.errors > 0 ? -ENOMEM : 0;
}

static void test_calls(void **state)
{
	static const struct {
		const char *name;
		int (*ask)(void);
	} cases[] = {
	    {"fetch", ask_fetch},
	    {"instances", ask_instances},
	    {"cached instances", ask_cached_instances},
	    {"name", ask_name},
	    {"number", ask_number},
	    {"instance labels", ask_instance_labels},
	    {"offspring", ask_offspring},
	    {"descendants", ask_descendants},
	    {"names", ask_names},
	    {"rehash", ask_rehash},
	    {"set-up", ask_setup},
	    {"options", ask_options},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool more = true;

		for (long n = 0; more; n++) {
			int r;

			if (cases[i].ask != ask_setup)
				fixture_methods_init(&f, PMDA_INTERFACE_7);
			starve_left = n;
			r = cases[i].ask();
			starve_left = -1;
			if (r < 0 && r != -ENOMEM)
				fail_msg("%s: %d", cases[i].name, r);
			/* As many allocations as there could be of a healthy answer. */
			more = n < 40;
			if (cases[i].ask() < 0)
				fail_msg("%s: not the next time", cases[i].name);
		}
	}
}

/* ---- the main loop ---- */

static int in_fd, out_fd;

static void request(enum pdu_type type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	assert_int_equal(pdu_encode(&out, type, 3, body), 0);
	assert_int_equal(ftruncate(in_fd, 0), 0);
	assert_int_equal(ftruncate(out_fd, 0), 0);
	assert_int_equal(pwrite(in_fd, buffer_head(&out), buffer_pending(&out), 0),
			 buffer_pending(&out));
	lseek(in_fd, 0, SEEK_SET);
	lseek(out_fd, 0, SEEK_SET);
	buffer_done(&out);
}

/* The type of the one answer, which is whole; -1: there is none. */
static int answer(int *ret_code)
{
	static uint8_t bytes[1 << 16];
	ssize_t n = pread(out_fd, bytes, sizeof(bytes), 0);
	struct pdu_header header;
	struct arena mem = {0};
	union pdu_body body;

	if (n == 0)
		return -1;
	assert_int_equal(pdu_header_get(bytes, &header), 0);
	assert_int_equal(header.len, n);
	assert_int_equal(pdu_decode(bytes, header.len, &mem, &body), 0);
	*ret_code = header.type == PDU_ERROR ? body.error.code : 0;
	arena_done(&mem);
	return (int)header.type;
}

/* Each request is answered, be it with -ENOMEM, and rightly when it is repeated. */
static void test_main_loop(void **state)
{
	const pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR),
			      fixture_pmid(ITEM_STRING_DYNAMIC)};
	const struct wire_str fix = {"fix", 3};
	const struct {
		enum pdu_type type;
		enum pdu_type answer;
		union pdu_body body;
	} cases[] = {
	    {PDU_FETCH, PDU_RESULT, {.fetch = {0, 3, pmids}}},
	    {PDU_DESC_REQ, PDU_DESC, {.desc_req = {fixture_pmid(ITEM_U64)}}},
	    {PDU_INSTANCE_REQ,
	     PDU_INSTANCE,
	     {.instance_req = {.indom = fixture_indom(FIXTURE_TABLE), .inst = -1}}},
	    {PDU_TEXT_REQ,
	     PDU_TEXT,
	     {.text_req = {fixture_pmid(ITEM_U64), PM_TEXT_ONELINE | PM_TEXT_PMID}}},
	    {PDU_LABEL_REQ,
	     PDU_LABEL,
	     {.label_req = {fixture_indom(FIXTURE_TABLE), PM_LABEL_INSTANCES}}},
	    {PDU_PMNS_TRAVERSE, PDU_PMNS_NAMES, {.pmns_child = {.name = fix}}},
	};

	in_fd = memfd_create("in", MFD_CLOEXEC);
	out_fd = memfd_create("out", MFD_CLOEXEC);
	assert_true(in_fd >= 0 && out_fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (long n = 0; n < 40; n++) {
			int type, code, r;

			fixture_methods_init(&f, PMDA_INTERFACE_7);
			ext()->e_infd = in_fd;
			ext()->e_outfd = out_fd;
			request(cases[i].type, &cases[i].body);
			starve_left = n;
			r = __pmdaMainPDU(&f.dispatch);
			starve_left = -1;
			if (r == -ENOMEM) /* nothing was read: it may be called again */
				r = __pmdaMainPDU(&f.dispatch);
			assert_int_equal(r, 0);
			type = answer(&code);
			if (type == PDU_ERROR)
				assert_int_equal(code, -ENOMEM);
			else
				assert_int_equal(type, cases[i].answer);
			request(cases[i].type, &cases[i].body);
			assert_int_equal(__pmdaMainPDU(&f.dispatch), 0);
			assert_int_equal(answer(&code), cases[i].answer);
		}
	}
	close(in_fd);
	close(out_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_main_loop),
	};

	pmSetProgname("test_starved");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
