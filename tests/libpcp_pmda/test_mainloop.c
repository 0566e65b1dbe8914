/* Tests of mainloop.c and channel.c: a daemon in a child process, and each PDU that it may get. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libbase/file.h"
#include "libwire/pdu.h"
#include "libwire/result.h"

/* The collector's side of one daemon. */
struct peer {
	pid_t pid;
	int fd;
	struct arena mem;
	uint8_t *pdu; /* last one received */
	struct pdu_header header;
	union pdu_body body;
};

/* Takes the next PDU in, decoded. */
static void get(struct peer *p)
{
	uint8_t head[PDU_HEADER_LEN];

	assert_int_equal(file_read_full(p->fd, head, sizeof(head)), 0);
	assert_int_equal(pdu_header_get(head, &p->header), 0);
	free(p->pdu);
	p->pdu = malloc(p->header.len);
	memcpy(p->pdu, head, sizeof(head));
	assert_int_equal(file_read_full(p->fd, p->pdu + sizeof(head), p->header.len - sizeof(head)),
			 0);
	arena_reset(&p->mem);
	assert_int_equal(pdu_decode(p->pdu, p->header.len, &p->mem, &p->body), 0);
}

static void put(struct peer *p, enum pdu_type type, int from, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	assert_int_equal(pdu_encode(&out, type, from, body), 0);
	assert_int_equal(file_write_full(p->fd, buffer_head(&out), buffer_pending(&out)), 0);
	buffer_done(&out);
}

/* Sends a request and takes the answer, which must be of a type. */
static void ask(struct peer *p, enum pdu_type type, const union pdu_body *body,
		enum pdu_type answer)
{
	put(p, type, 7, body);
	get(p);
	assert_int_equal(p->header.type, answer);
	assert_int_equal(p->header.from, 0);
}

static void ask_error(struct peer *p, enum pdu_type type, const union pdu_body *body, int code)
{
	ask(p, type, body, PDU_ERROR);
	assert_int_equal(p->body.error.code, code);
}

static void start(struct peer *p, int version)
{
	uint32_t cred = pdu_cred_version(PDU_VERSION, PDU_FEATURE_AUTH);
	union pdu_body creds = {.creds = {1, &cred}};

	memset(p, 0, sizeof(*p));
	p->pid = fixture_daemon(version, &p->fd);
	assert_true(p->pid > 0);
	get(p);
	assert_int_equal(p->header.type, PDU_CREDS);
	assert_int_equal(p->header.from, p->pid);
	assert_int_equal(p->header.len, 20);
	assert_int_equal(p->body.creds.creds[0], cred);
	put(p, PDU_CREDS, 1, &creds);
}

/* At the end of its input the daemon goes. */
static void stop(struct peer *p, int code)
{
	int status;

	close(p->fd);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	arena_done(&p->mem);
	free(p->pdu);
}

/* The values of some metrics; p->body has them. */
static void fetch(struct peer *p, uint32_t n, const pmID *pmids)
{
	union pdu_body body = {.fetch = {0, n, pmids}};

	ask(p, PDU_FETCH, &body, PDU_RESULT);
	assert_int_equal(p->body.result.numpmid, n);
}

/* ITEM_STRING has the daemon's last notification. */
static void check_told(struct peer *p, const char *text)
{
	const pmID pmid = fixture_pmid(ITEM_STRING);
	const struct wire_value *value;

	/* Twice: a method sees the context that the library's own ones set before (9.3). */
	fetch(p, 1, &pmid);
	fetch(p, 1, &pmid);
	value = p->body.result.vsets[0].values;
	assert_int_equal(value->block_len, VALUE_BLOCK_HEADER + strlen(text) + 1);
	assert_string_equal((const char *)value->block + VALUE_BLOCK_HEADER, text);
}

static void test_fetch(void **state)
{
	const pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR),
			      fixture_pmid(ITEM_NO_VALUE), fixture_pmid(999),
			      fixture_pmid(ITEM_EVENT)};
	const uint8_t u64[] = {PM_TYPE_U64, 0,    0,    12,   0xfe, 0xdc,
			       0xba,        0x98, 0x76, 0x54, 0x32, 0x10};
	const struct wire_vset *vsets;
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	fetch(&p, ARRAY_SIZE(pmids), pmids);
	assert_int_equal(p.body.result.sec, 0);
	vsets = p.body.result.vsets;
	for (size_t i = 0; i < ARRAY_SIZE(pmids); i++)
		assert_int_equal(vsets[i].pmid, pmids[i]);
	assert_memory_equal(vsets[0].values[0].block, u64, sizeof(u64));
	assert_int_equal(vsets[1].numval, 3);
	assert_int_equal(vsets[1].values[2].inst, 5);
	assert_int_equal(vsets[1].values[2].insitu, 105);
	assert_int_equal(vsets[2].numval, 0);
	assert_int_equal(vsets[3].numval, PM_ERR_PMID);
	assert_int_equal(vsets[4].values[0].block_len, 8);
	check_told(&p, "fetch 7");
	stop(&p, 0);
}

static void test_profile(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_COLOR);
	int insts[] = {5};
	pmInDomProfile entry = {fixture_indom(FIXTURE_TABLE), PM_PROFILE_EXCLUDE, 1, insts};
	union pdu_body only = {.profile = {0, {PM_PROFILE_INCLUDE, 1, &entry}}};
	union pdu_body all = {.profile = {0, {PM_PROFILE_INCLUDE, 0, NULL}}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	for (int i = 0; i < 3; i++) {
		put(&p, PDU_PROFILE, 7, &only);
		fetch(&p, 1, &pmid);
		assert_int_equal(p.body.result.vsets[0].numval, 1);
		put(&p, PDU_PROFILE, 7, &all);
		fetch(&p, 1, &pmid);
		assert_int_equal(p.body.result.vsets[0].numval, 3);
	}
	stop(&p, 0);
}

static void test_desc(void **state)
{
	union pdu_body body = {.desc_req = {fixture_pmid(ITEM_COLOR)}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	ask(&p, PDU_DESC_REQ, &body, PDU_DESC);
	assert_int_equal(p.body.desc.desc.pmid, fixture_pmid(ITEM_COLOR));
	assert_int_equal(p.body.desc.desc.indom, fixture_indom(FIXTURE_TABLE));
	body.desc_req.pmid = fixture_pmid(999);
	ask_error(&p, PDU_DESC_REQ, &body, PM_ERR_PMID);
	stop(&p, 0);
}

static struct wire_str str(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

static void check_str(const struct wire_str *s, const char *text)
{
	assert_int_equal(s->len, strlen(text));
	assert_memory_equal(s->s, text, s->len);
}

static void test_instance(void **state)
{
	const pmInDom table = fixture_indom(FIXTURE_TABLE), cache = fixture_indom(FIXTURE_CACHE);
	const struct {
		pmInDom indom;
		int inst;
		const char *name;
		int n; /* of the answer, or the error */
		int first;
		const char *first_name;
	} cases[] = {
	    {table, PM_IN_NULL, "", 3, 0, "red"},
	    {table, 5, "", 1, -1, "blue"},
	    {table, PM_IN_NULL, "green", 1, 1, ""},
	    {table, PM_IN_NULL, "green leaf", 1, 1, ""},
	    {table, PM_IN_NULL, "green x", PM_ERR_INST, 0, NULL},
	    {table, 4, "", PM_ERR_INST, 0, NULL},
	    {table, 5, "blue", PM_ERR_INST, 0, NULL},
	    {cache, PM_IN_NULL, "", 2, 1, "disk1 foo"},
	    {cache, PM_IN_NULL, "disk1", 1, 1, ""},
	    {cache, PM_IN_NULL, "disk0", PM_ERR_INST, 0, NULL},
	    {cache, 0, "", PM_ERR_INST, 0, NULL},
	    {table + 9, PM_IN_NULL, "", PM_ERR_INDOM, 0, NULL},
	};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		union pdu_body body = {
		    .instance_req = {cases[i].indom, cases[i].inst, str(cases[i].name)}};

		if (cases[i].n < 0) {
			ask_error(&p, PDU_INSTANCE_REQ, &body, cases[i].n);
			continue;
		}
		ask(&p, PDU_INSTANCE_REQ, &body, PDU_INSTANCE);
		assert_int_equal(p.body.instance.numinst, cases[i].n);
		assert_int_equal(p.body.instance.insts[0].inst, cases[i].first);
		check_str(&p.body.instance.insts[0].name, cases[i].first_name);
	}
	stop(&p, 0);
}

static void test_text(void **state)
{
	const int line = PM_TEXT_PMID | PM_TEXT_ONELINE;
	union pdu_body body = {.text_req = {fixture_pmid(0), line}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	ask(&p, PDU_TEXT_REQ, &body, PDU_TEXT);
	check_str(&p.body.text.text, "One line");
	body.text_req.type = PM_TEXT_PMID | PM_TEXT_HELP;
	ask(&p, PDU_TEXT_REQ, &body, PDU_TEXT);
	check_str(&p.body.text.text, "");
	body.text_req.type = PM_TEXT_INDOM | PM_TEXT_HELP;
	ask_error(&p, PDU_TEXT_REQ, &body, PM_ERR_TEXT);
	stop(&p, 0);
}

static void test_store(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_U32);
	struct wire_value value = {.inst = -1, .insitu = 77};
	struct wire_vset vset = {pmid, 1, PM_VAL_INSITU, &value};
	union pdu_body body = {.result = {.numpmid = 1, .vsets = &vset}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	ask_error(&p, PDU_RESULT, &body, 0);
	fetch(&p, 1, &pmid);
	assert_int_equal(p.body.result.vsets[0].values[0].insitu, 77);
	vset.pmid = fixture_pmid(ITEM_U64);
	ask_error(&p, PDU_RESULT, &body, PM_ERR_PERMISSION);
	stop(&p, 0);
}

static void test_names(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_COLOR);
	struct wire_str name = str("fix.b"), two[] = {name, name};
	union pdu_body names = {.pmns_names = {1, &name, NULL}};
	union pdu_body ids = {.pmns_ids = {0, 1, &pmid}};
	union pdu_body child = {.pmns_child = {1, str("fix")}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	ask(&p, PDU_PMNS_NAMES, &names, PDU_PMNS_IDS);
	assert_int_equal(p.body.pmns_ids.status, 0);
	assert_int_equal(p.body.pmns_ids.pmids[0], pmid);
	name = str("fix.a");
	ask_error(&p, PDU_PMNS_NAMES, &names, PM_ERR_NAME);
	names.pmns_names.numname = 2;
	names.pmns_names.names = two;
	ask_error(&p, PDU_PMNS_NAMES, &names, PM_ERR_IPC);
	ask(&p, PDU_PMNS_IDS, &ids, PDU_PMNS_NAMES);
	assert_int_equal(p.body.pmns_names.numname, 1);
	check_str(&p.body.pmns_names.names[0], "fix.b");
	ask(&p, PDU_PMNS_CHILD, &child, PDU_PMNS_NAMES);
	assert_int_equal(p.body.pmns_names.numname, 2);
	check_str(&p.body.pmns_names.names[0], "b");
	assert_int_equal(p.body.pmns_names.status[0], PMNS_LEAF_STATUS);
	assert_int_equal(p.body.pmns_names.status[1], PMNS_NONLEAF_STATUS);
	child.pmns_child.subtype = 0;
	ask(&p, PDU_PMNS_CHILD, &child, PDU_PMNS_NAMES);
	assert_null(p.body.pmns_names.status);
	ask(&p, PDU_PMNS_TRAVERSE, &child, PDU_PMNS_NAMES);
	assert_int_equal(p.body.pmns_names.numname, 2);
	check_str(&p.body.pmns_names.names[1], "fix.a.one");
	assert_null(p.body.pmns_names.status);
	child.pmns_child.name = str("fix.b");
	ask(&p, PDU_PMNS_CHILD, &child, PDU_PMNS_NAMES);
	assert_int_equal(p.body.pmns_names.numname, 0);
	child.pmns_child.name = str("nowhere");
	ask_error(&p, PDU_PMNS_CHILD, &child, PM_ERR_NAME);
	stop(&p, 0);
}

static void test_labels(void **state)
{
	union pdu_body body = {.label_req = {fixture_pmid(3), PM_LABEL_ITEM}};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	ask(&p, PDU_LABEL_REQ, &body, PDU_LABEL);
	assert_int_equal(p.body.label.numset, 1);
	check_str(&p.body.label.sets[0].json, "{\"item\":3}");
	body.label_req.type = PM_LABEL_CLUSTER;
	ask(&p, PDU_LABEL_REQ, &body, PDU_LABEL);
	assert_int_equal(p.body.label.numset, 0);
	body.label_req = (struct pdu_label_req){fixture_indom(FIXTURE_TABLE), PM_LABEL_INDOM};
	ask(&p, PDU_LABEL_REQ, &body, PDU_LABEL);
	assert_int_equal(p.body.label.numset, 1); /* the agent allocated two, and neither leaks */
	check_str(&p.body.label.sets[0].json, "{\"set\":0}");
	body.label_req = (struct pdu_label_req){PM_IN_NULL, PM_LABEL_DOMAIN};
	ask(&p, PDU_LABEL_REQ, &body, PDU_LABEL);
	check_str(&p.body.label.sets[0].json, "{\"agent\":\"fixture\"}");
	body.label_req = (struct pdu_label_req){fixture_indom(FIXTURE_TABLE), PM_LABEL_INSTANCES};
	ask(&p, PDU_LABEL_REQ, &body, PDU_LABEL);
	assert_int_equal(p.body.label.numset, 3);
	assert_int_equal(p.body.label.sets[1].inst, 1);
	check_str(&p.body.label.sets[1].json, "{\"i\":1}");
	assert_int_equal(p.body.label.sets[2].nlabels, 0);
	body.label_req.type = 1 << 12;
	ask_error(&p, PDU_LABEL_REQ, &body, PM_ERR_TYPE);
	stop(&p, 0);
}

static void test_no_answer(void **state)
{
	union pdu_body attr = {.attr = {PMDA_ATTR_USERID, {"1000", 5}}};
	union pdu_body error = {.error = {.code = PM_ERR_NOTCONN}};
	const uint8_t control[] = {0, 0, 0, 12, 0, 0, 0x70, 0x0a, 0, 0, 0, 0};
	const uint8_t unknown[] = {0, 0, 0, 16, 0, 0, 0x7f, 0xff, 0, 0, 0, 0, 1, 2, 3, 4};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	assert_int_equal(file_write_full(p.fd, control, sizeof(control)), 0);
	assert_int_equal(file_write_full(p.fd, unknown, sizeof(unknown)), 0);
	put(&p, PDU_ATTR, 9, &attr);
	check_told(&p, "attr 9 11 1000 5");
	put(&p, PDU_ERROR, 9, &error);
	check_told(&p, "end 9");
	error.error.code = PM_ERR_IPC; /* logged, no more */
	put(&p, PDU_ERROR, 8, &error);
	check_told(&p, "end 9");
	stop(&p, 0);
}

/* Requests that came in one read are all answered, in order. */
static void check_pipelined(void)
{
	enum { N = 500 };
	struct buffer out = BUFFER_INIT;
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	for (int i = 0; i < N; i++) {
		union pdu_body body = {.desc_req = {fixture_pmid(i % ITEM_COUNT)}};

		assert_int_equal(pdu_encode(&out, PDU_DESC_REQ, i, &body), 0);
	}
	/* The first byte alone, so that the rest begins inside a PDU. */
	assert_int_equal(file_write_full(p.fd, buffer_head(&out), 1), 0);
	usleep(1000);
	assert_int_equal(file_write_full(p.fd, buffer_head(&out) + 1, buffer_pending(&out) - 1), 0);
	for (int i = 0; i < N; i++) {
		get(&p);
		assert_int_equal(p.header.type, PDU_DESC);
		assert_int_equal(p.body.desc.desc.pmid, fixture_pmid(i % ITEM_COUNT));
	}
	buffer_done(&out);
	stop(&p, 0);
}

static void test_pipelined(void **state)
{
	check_pipelined();
}

/* An agent that waits with poll() leaves no request in the buffer. */
static void test_own_loop(void **state)
{
	setenv(FIXTURE_POLL_ENV, "1", 1);
	check_pipelined();
	unsetenv(FIXTURE_POLL_ENV);
}

/* Every request with bytes missing or left over is answered by an error, and the next is served. */
static void test_malformed(void **state)
{
	static const struct {
		enum pdu_type type;
		int body_len;
	} cases[] = {
	    {PDU_FETCH, 4},         {PDU_DESC_REQ, 0}, {PDU_DESC_REQ, 8},
	    {PDU_INSTANCE_REQ, 12}, {PDU_TEXT_REQ, 4}, {PDU_LABEL_REQ, 4},
	    {PDU_PMNS_NAMES, 4},    {PDU_PMNS_IDS, 8}, {PDU_PMNS_CHILD, 4},
	    {PDU_PMNS_TRAVERSE, 4}, {PDU_RESULT, 8},
	};
	struct peer p;

	start(&p, PMDA_INTERFACE_7);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t pdu[64];
		uint32_t len = (uint32_t)(PDU_HEADER_LEN + cases[i].body_len);

		memset(pdu, 0xff, sizeof(pdu));
		store_be32(pdu, len);
		store_be32(pdu + 4, cases[i].type);
		store_be32(pdu + 8, 0);
		assert_int_equal(file_write_full(p.fd, pdu, len), 0);
		get(&p);
		assert_int_equal(p.header.type, PDU_ERROR);
		assert_int_equal(p.body.error.code, PM_ERR_IPC);
	}
	check_told(&p, "fetch 7");
	stop(&p, 0);
}

/* A header that cannot be right, or an end inside a PDU, ends the daemon, cleanly. */
static void test_broken_stream(void **state)
{
	static const uint8_t cases[][12] = {
	    {0, 0, 0, 4, 0, 0, 0x70, 3, 0, 0, 0, 0},
	    {0xff, 0, 0, 16, 0, 0, 0x70, 3, 0, 0, 0, 0},
	    {0x7f, 0xff, 0xff, 0xff, 0, 0, 0x70, 3, 0, 0, 0, 0},
	    {0, 0, 0, 16, 0x80, 0, 0x70, 3, 0, 0, 0, 0},
	    {0, 0, 0, 16, 0, 0, 0x70, 3, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct peer p;

		start(&p, PMDA_INTERFACE_7);
		assert_int_equal(file_write_full(p.fd, cases[i], 12), 0);
		stop(&p, 0);
	}
}

static void test_check_callback(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_U32);
	union pdu_body fetch_body = {.fetch = {0, 1, &pmid}};
	union pdu_body profile = {.profile = {0, {PM_PROFILE_INCLUDE, 0, NULL}}};
	struct peer p;

	setenv(FIXTURE_CHECK_ENV, "-12389", 1); /* PM_ERR_AGAIN */
	start(&p, PMDA_INTERFACE_7);
	unsetenv(FIXTURE_CHECK_ENV);
	put(&p, PDU_PROFILE, 1, &profile);
	ask_error(&p, PDU_FETCH, &fetch_body, PM_ERR_AGAIN);
	stop(&p, 0);
}

/* A method that an older interface does not have is an error, not a crash. */
static void test_old_interface(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_COLOR);
	struct wire_str name = str("fix.b");
	union pdu_body names = {.pmns_names = {1, &name, NULL}};
	union pdu_body ids = {.pmns_ids = {0, 1, &pmid}};
	union pdu_body child = {.pmns_child = {1, str("fix")}};
	union pdu_body label = {.label_req = {PM_IN_NULL, PM_LABEL_DOMAIN}};
	union pdu_body attr = {.attr = {PMDA_ATTR_USERID, {"1000", 5}}};
	union pdu_body error = {.error = {.code = PM_ERR_NOTCONN}};
	struct peer p;

	start(&p, PMDA_INTERFACE_3);
	ask_error(&p, PDU_PMNS_NAMES, &names, PM_ERR_NAME);
	ask_error(&p, PDU_PMNS_IDS, &ids, PM_ERR_PMID);
	ask_error(&p, PDU_PMNS_CHILD, &child, PM_ERR_NAME);
	ask_error(&p, PDU_PMNS_TRAVERSE, &child, PM_ERR_NAME);
	ask(&p, PDU_LABEL_REQ, &label, PDU_LABEL);
	assert_int_equal(p.body.label.numset, 0);
	put(&p, PDU_ATTR, 9, &attr);
	put(&p, PDU_ERROR, 9, &error);
	check_told(&p, "fetch -1"); /* the context is unknown */
	stop(&p, 0);
}

/* A collector that answers with another PDU than CREDS is of unknown version, and is served. */
static void test_no_version(void **state)
{
	const pmID pmid = fixture_pmid(ITEM_U32);
	union pdu_body error = {.error = {.code = 0}};
	struct peer p = {0};

	p.pid = fixture_daemon(PMDA_INTERFACE_7, &p.fd);
	get(&p);
	put(&p, PDU_ERROR, 0, &error);
	fetch(&p, 1, &pmid);
	stop(&p, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fetch),         cmocka_unit_test(test_profile),
	    cmocka_unit_test(test_desc),          cmocka_unit_test(test_instance),
	    cmocka_unit_test(test_text),          cmocka_unit_test(test_store),
	    cmocka_unit_test(test_names),         cmocka_unit_test(test_labels),
	    cmocka_unit_test(test_no_answer),     cmocka_unit_test(test_pipelined),
	    cmocka_unit_test(test_own_loop),      cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_broken_stream), cmocka_unit_test(test_check_callback),
	    cmocka_unit_test(test_old_interface), cmocka_unit_test(test_no_version),
	};

	signal(SIGPIPE, SIG_IGN);
	alarm(300); /* the test's own limit comes first */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
