/*
 * test_holes - an agent's process outlives what the agent forgot: a method that is NULL, and
 * answers with NULL where something should be. The collector gets an error, and the next request
 * its answer. Each case is a process of its own: the main loop looks at an interface once.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"

enum { EXIT_GOOD = 0, EXIT_NO_ANSWER = 100, EXIT_OTHER = 101, EXIT_NEXT = 102 };

/* ---- answers with holes ---- */

static int fetch_no_set(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = pmdaFetch(n, pmids, result, ext);

	if (r >= 0)
		(*result)->vset[0] = NULL; /* lost */
	return r;
}

static int fetch_no_block(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = pmdaFetch(n, pmids, result, ext);

	if (r < 0)
		return r;
	(*result)->vset[0]->valfmt = PM_VAL_SPTR;
	(*result)->vset[0]->vlist[0].value.pval = NULL;
	return r;
}

static int fetch_nothing(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	*result = NULL;
	return 0;
}

static int names_hole(pmID pmid, char ***names, pmdaExt *ext)
{
	*names = calloc(2, sizeof(**names));
	return 2;
}

static int names_nothing(pmID pmid, char ***names, pmdaExt *ext)
{
	return 3;
}

static int children_hole(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	*names = calloc(2, sizeof(**names));
	return 2;
}

static int instance_hole(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	*result = calloc(1, sizeof(**result));
	(*result)->numinst = 2;
	(*result)->namelist = calloc(2, sizeof(char *));
	return 0;
}

static int instance_minus(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	*result = calloc(1, sizeof(**result));
	(*result)->numinst = -1;
	return 0;
}

static int label_hole(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	*sets = calloc(1, sizeof(**sets));
	(*sets)->nlabels = 1;
	return 1;
}

static int label_callback_hole(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	return 1; /* and nothing in it */
}

/* ---- faults of the agent ---- */

#define SPOIL(name, place, value)                                                                  \
	static void name(pmdaInterface *d)                                                         \
	{                                                                                          \
		d->version.place = value;                                                          \
	}
SPOIL(no_profile, any.profile, NULL)
SPOIL(no_fetch, any.fetch, NULL)
SPOIL(no_desc, any.desc, NULL)
SPOIL(no_instance, any.instance, NULL)
SPOIL(no_text, any.text, NULL)
SPOIL(no_store, any.store, NULL)
SPOIL(no_pmid, four.pmid, NULL)
SPOIL(no_name, four.name, NULL)
SPOIL(no_children, four.children, NULL)
SPOIL(no_attribute, six.attribute, NULL)
SPOIL(no_label, seven.label, NULL)
SPOIL(no_set, any.fetch, fetch_no_set)
SPOIL(no_block, any.fetch, fetch_no_block)
SPOIL(no_result, any.fetch, fetch_nothing)
SPOIL(hole_in_names, four.name, names_hole)
SPOIL(no_list, four.name, names_nothing)
SPOIL(hole_in_children, four.children, children_hole)
SPOIL(hole_in_instances, any.instance, instance_hole)
SPOIL(minus_instances, any.instance, instance_minus)
SPOIL(hole_in_labels, seven.label, label_hole)

static void hole_of_callback(pmdaInterface *d)
{
	pmdaSetLabelCallBack(d, label_callback_hole);
}

static void no_fetch_callback(pmdaInterface *d)
{
	d->version.any.ext->e_fetchCallBack = NULL;
}

/* ---- one request ---- */

static void request(int fd, enum pdu_type type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	if (pdu_encode(&out, type, 3, body) < 0 || ftruncate(fd, 0) < 0 ||
	    pwrite(fd, buffer_head(&out), buffer_pending(&out), 0) != (ssize_t)buffer_pending(&out))
		_exit(EXIT_NO_ANSWER);
	lseek(fd, 0, SEEK_SET);
	buffer_done(&out);
}

/* The type of the one answer, and its code if that is an error; -1: none. */
static int answer(int fd, int *ret_code)
{
	static uint8_t bytes[1 << 16];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	struct arena mem = ARENA_INIT;
	struct pdu_header header;
	union pdu_body body;

	*ret_code = 0;
	if (n <= 0)
		return -1;
	if (pdu_header_get(bytes, &header) < 0 || header.len != (size_t)n ||
	    pdu_decode(bytes, header.len, &mem, &body) < 0)
		_exit(EXIT_NO_ANSWER);
	if (header.type == PDU_ERROR)
		*ret_code = body.error.code;
	arena_done(&mem);
	if (ftruncate(fd, 0) < 0)
		return -1;
	lseek(fd, 0, SEEK_SET);
	return (int)header.type;
}

struct row {
	void (*spoil)(pmdaInterface *d);
	enum pdu_type type;
	union pdu_body body;
	int answer; /* an error code; a type of PDU; -1: none is owed */
};

/* The exit status: that of a good one, or what was wrong. */
static void try_row(const struct row *row)
{
	const union pdu_body names = {.pmns_child = {.name = {"fix", 3}}};
	int in = memfd_create("in", 0), out = memfd_create("out", 0), code, type;
	struct fixture f;

	fixture_methods_init(&f, PMDA_INTERFACE_7);
	f.dispatch.version.any.ext->e_infd = in;
	f.dispatch.version.any.ext->e_outfd = out;
	row->spoil(&f.dispatch);
	request(in, row->type, &row->body);
	if (__pmdaMainPDU(&f.dispatch) < 0)
		_exit(EXIT_NO_ANSWER);
	type = answer(out, &code);
	if (type == PDU_ERROR ? code != row->answer : type != row->answer)
		_exit(EXIT_OTHER);
	/* The next one is answered: traversal is what no row but its own spoils. */
	request(in, PDU_PMNS_TRAVERSE, &names);
	if (__pmdaMainPDU(&f.dispatch) < 0)
		_exit(EXIT_NEXT);
	type = answer(out, &code);
	_exit(type == PDU_PMNS_NAMES || type == PDU_ERROR ? EXIT_GOOD : EXIT_NEXT);
}

static void test_rows(void **state)
{
	const pmID pmids[] = {fixture_pmid(ITEM_U32)};
	const union pdu_body fetch = {.fetch = {0, 1, pmids}};
	const union pdu_body desc = {.desc_req = {pmids[0]}};
	const union pdu_body insts = {
	    .instance_req = {.indom = fixture_indom(FIXTURE_TABLE), .inst = -1}};
	const union pdu_body text = {.text_req = {pmids[0], PM_TEXT_ONELINE | PM_TEXT_PMID}};
	const struct wire_str one_name = {"fix.b", 5};
	const union pdu_body names = {.pmns_names = {.numname = 1, .names = &one_name}};
	const union pdu_body ids = {.pmns_ids = {.numpmid = 1, .pmids = pmids}};
	const union pdu_body child = {.pmns_child = {.name = {"fix", 3}}};
	const union pdu_body attr = {.attr = {.key = PMDA_ATTR_USERID, .value = {"1", 1}}};
	const union pdu_body item = {.label_req = {pmids[0], PM_LABEL_ITEM}};
	const union pdu_body insts_labels = {
	    .label_req = {fixture_indom(FIXTURE_TABLE), PM_LABEL_INSTANCES}};
	const union pdu_body all = {.profile = {.profile = {0}}};
	const struct row rows[] = {
	    {no_profile, PDU_PROFILE, all, -1},
	    {no_fetch, PDU_FETCH, fetch, PM_ERR_NYI},
	    {no_desc, PDU_DESC_REQ, desc, PM_ERR_NYI},
	    {no_instance, PDU_INSTANCE_REQ, insts, PM_ERR_NYI},
	    {no_text, PDU_TEXT_REQ, text, PM_ERR_NYI},
	    {no_pmid, PDU_PMNS_NAMES, names, PM_ERR_NYI},
	    {no_name, PDU_PMNS_IDS, ids, PM_ERR_NYI},
	    {no_children, PDU_PMNS_CHILD, child, PM_ERR_NYI},
	    {no_attribute, PDU_ATTR, attr, -1},
	    {no_label, PDU_LABEL_REQ, item, PM_ERR_NYI},
	    {no_set, PDU_FETCH, fetch, PM_ERR_GENERIC},
	    {no_block, PDU_FETCH, fetch, PM_ERR_GENERIC},
	    {no_result, PDU_FETCH, fetch, PM_ERR_GENERIC},
	    {no_fetch_callback, PDU_FETCH, fetch, PM_ERR_NYI},
	    {hole_in_names, PDU_PMNS_IDS, ids, PM_ERR_GENERIC},
	    {no_list, PDU_PMNS_IDS, ids, PM_ERR_GENERIC},
	    {hole_in_children, PDU_PMNS_CHILD, child, PM_ERR_GENERIC},
	    {hole_in_children, PDU_PMNS_TRAVERSE, child, PM_ERR_GENERIC},
	    {hole_in_instances, PDU_INSTANCE_REQ, insts, PM_ERR_GENERIC},
	    {minus_instances, PDU_INSTANCE_REQ, insts, PM_ERR_GENERIC},
	    {hole_in_labels, PDU_LABEL_REQ, item, PM_ERR_GENERIC},
	    {hole_of_callback, PDU_LABEL_REQ, insts_labels, PDU_LABEL},
	    {no_store, PDU_DESC_REQ, desc, PDU_DESC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGSEGV, SIG_DFL); /* cmocka's would go on with the next row */
			try_row(&rows[i]);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status != 0)
			fail_msg("row %zu: status %x", i, (unsigned int)status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	};

	pmSetProgname("test_holes");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
