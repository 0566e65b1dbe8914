/* Opening, refusing, losing and remaking a context on a collector; and what each answer becomes. */
#include <errno.h>
#include <sys/wait.h>
#include <sys/socket.h>
#include <stdbool.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "fake.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"

static int open_with(const struct fake *f, int flags, const char *attrs)
{
	char spec[256];

	snprintf(spec, sizeof(spec), "%s%s", f->spec, attrs);
	return pmNewContext(PM_CONTEXT_HOST | flags, spec);
}

static unsigned int seen_cred(struct fake *f)
{
	unsigned int cred;

	pthread_mutex_lock(&f->lock);
	cred = f->cred;
	pthread_mutex_unlock(&f->lock);
	return cred;
}

/* clang-format off */
static const struct {
	unsigned int features;
	int refuse;
	int flags;
	const char *attrs;
	int want;          /* 0: a context */
	uint32_t cred;
	const char *container;
} opens[] = {
	{ FAKE_FEATURES, 0, 0, "", 0, 0x01020000, "" },
	{ FAKE_FEATURES, 0, 0, "?container=abc", 0, 0x01020040, "abc" },
	{ FAKE_FEATURES & ~(unsigned int)PDU_FEATURE_CONTAINER, 0, 0, "?container=abc", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES | PDU_FEATURE_CREDS_REQD, 0, 0, "", 0, 0x01020008, "" },
	{ FAKE_FEATURES | PDU_FEATURE_CERT_REQD, 0, 0, "", 0, 0x01020000, "" },
	{ FAKE_FEATURES, 0, PM_CTXFLAG_SECURE, "", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES | PDU_FEATURE_SECURE, 0, PM_CTXFLAG_SECURE, "", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES | PDU_FEATURE_SECURE, 0, PM_CTXFLAG_RELAXED, "", 0, 0x01020000, "" },
	{ FAKE_FEATURES, 0, PM_CTXFLAG_COMPRESS, "", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES, 0, 0, "?compress", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES | PDU_FEATURE_AUTH, 0, PM_CTXFLAG_AUTH, "", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES | PDU_FEATURE_AUTH, 0, 0, "?user=me", -EOPNOTSUPP, 0, "" },
	{ FAKE_FEATURES, PM_ERR_PERMISSION, 0, "", PM_ERR_PERMISSION, 0, "" },
	{ FAKE_FEATURES, PM_ERR_CONNLIMIT, 0, "", PM_ERR_CONNLIMIT, 0, "" },
};
/* clang-format on */

static void test_open(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(opens); i++) {
		struct fake fake = {.features = opens[i].features, .refuse = opens[i].refuse};
		int handle;

		fake_start(&fake);
		handle = open_with(&fake, opens[i].flags, opens[i].attrs);
		print_message("%zu: %d\n", i, handle);
		if (opens[i].want < 0) {
			assert_int_equal(handle, opens[i].want);
			assert_int_equal(pmWhichContext(), PM_ERR_NOCONTEXT);
		} else {
			pmDesc desc;

			assert_true(handle >= 0);
			assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), 0);
			assert_int_equal(seen_cred(&fake), opens[i].cred);
			assert_string_equal(fake.container, opens[i].container);
			assert_int_equal(fake.from, handle);
			assert_int_equal(pmDestroyContext(handle), 0);
		}
		fake_stop(&fake);
	}
}

static enum fake_verdict refuse_account(struct fake *f, const struct pdu_header *h,
					const union pdu_body *q, struct buffer *out)
{
	if (h->type == PDU_CREDS) {
		pdu_encode_error(out, 0, PM_ERR_PERMISSION);
		return FAKE_SEND;
	}
	return FAKE_USUAL;
}

/*
 * Refused credentials look like the answer to the first request, and an answer to that may follow:
 * the refusal sticks until the context is connected again.
 */
static void test_refused_account(void **state)
{
	struct fake fake = {.hook = refuse_account,
			    .features = FAKE_FEATURES | PDU_FEATURE_CREDS_REQD};
	pmDesc desc;
	char *text;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), PM_ERR_PERMISSION);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), PM_ERR_PERMISSION);
	assert_int_equal(pmLookupText(FAKE_COUNT, PM_TEXT_ONELINE, &text), PM_ERR_PERMISSION);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static enum fake_verdict refuse_fetch(struct fake *f, const struct pdu_header *h,
				      const union pdu_body *q, struct buffer *out)
{
	if (h->type != PDU_PROFILE && h->type != PDU_HIGHRES_FETCH)
		return h->type == PDU_CREDS ? FAKE_SEND : FAKE_USUAL;
	pdu_encode_error(out, 0, PM_ERR_PERMISSION);
	return FAKE_SEND;
}

/* Profile and fetch are both answered with a refusal; neither is taken for a later answer. */
static void test_refused_fetch(void **state)
{
	struct fake fake = {.hook = refuse_fetch};
	pmID pmids[1] = {FAKE_COUNT};
	pmResult *result;
	pmDesc desc;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), 0);
	assert_int_equal(pmFetch(1, pmids, &result), PM_ERR_PERMISSION);
	assert_int_equal(pmFetch(1, pmids, &result), PM_ERR_PERMISSION);
	assert_int_equal(pmReconnectContext(handle), handle);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), 0);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static void test_dup_and_reconnect(void **state)
{
	struct fake fake = {0};
	pmID pmids[1] = {FAKE_COUNT};
	int list[1] = {1};
	pmResult *result;
	int a;
	int b;

	fake_start(&fake);
	a = open_with(&fake, 0, "?container=abc");
	assert_int_equal(pmAddProfile(FAKE_INDOM, 1, list), 0);
	memset(fake.container, 0, sizeof(fake.container));
	b = pmDupContext();
	assert_int_equal(b, a + 1);
	assert_int_equal(pmWhichContext(), b);
	assert_int_equal(pmFetch(1, pmids, &result), 0);
	pmFreeResult(result);
	assert_string_equal(fake.container, "abc");
	assert_int_equal(fake.entries, 1);
	assert_int_equal(fake.profiles, 1);
	/* The profile is sent once, and again after a change or a new connection. */
	assert_int_equal(pmFetch(1, pmids, &result), 0);
	pmFreeResult(result);
	assert_int_equal(fake.profiles, 1);
	assert_int_equal(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	assert_int_equal(pmFetch(1, pmids, &result), 0);
	pmFreeResult(result);
	assert_int_equal(fake.profiles, 2);
	assert_int_equal(fake.state, PM_PROFILE_EXCLUDE);
	assert_int_equal(pmReconnectContext(b), b);
	assert_int_equal(pmFetch(1, pmids, &result), 0);
	pmFreeResult(result);
	assert_int_equal(fake.profiles, 3);
	/* The server ends: the first attempt to reconnect fails, and the next one is not made. */
	fake_stop(&fake);
	assert_int_equal(pmReconnectContext(b), -ETIMEDOUT);
	fake_restart(&fake);
	assert_int_equal(pmReconnectContext(b), -ETIMEDOUT);
	assert_int_equal(pmFetch(1, pmids, &result), PM_ERR_IPC);
	sleep(1);
	assert_int_equal(pmReconnectContext(b), b);
	assert_int_equal(pmFetch(1, pmids, &result), 0);
	pmFreeResult(result);
	pmDestroyContext(a);
	pmDestroyContext(b);
	fake_stop(&fake);
}

static double as_double(const pmValueSet *vset, int i)
{
	pmAtomValue atom;

	assert_int_equal(
	    pmExtractValue(vset->valfmt, &vset->vlist[i], PM_TYPE_DOUBLE, &atom, PM_TYPE_DOUBLE),
	    0);
	return atom.d;
}

/* With and without the features of newer collectors the caller sees the same. */
static void test_values(void **state)
{
	static const unsigned int features[] = {FAKE_FEATURES, FAKE_PLAIN};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct fake fake = {.features = features[i]};
		pmID pmids[6] = {FAKE_LOAD, 511u << 22 | 1, FAKE_NAME, 999, FAKE_COUNT, FAKE_COUNT};
		pmHighResResult *highres;
		pmResult *result;
		int handle;

		fake_start(&fake);
		handle = fake_context(&fake);
		assert_int_equal(pmFetch(6, pmids, &result), 0);
		assert_int_equal(result->timestamp.tv_sec, 1000);
		assert_int_equal(result->timestamp.tv_usec, 5);
		assert_int_equal(result->numpmid, 6);
		for (int j = 0; j < 6; j++)
			assert_int_equal(result->vset[j]->pmid, pmids[j]);
		assert_int_equal(result->vset[0]->numval, 3);
		assert_int_equal(result->vset[0]->vlist[2].inst, 3);
		assert_true(as_double(result->vset[0], 2) == 2.5);
		assert_int_equal(result->vset[1]->numval, 0);
		assert_string_equal(result->vset[2]->vlist[0].value.pval->vbuf, "seven");
		assert_int_equal(result->vset[3]->numval, PM_ERR_PMID);
		assert_int_equal(result->vset[5]->vlist[0].value.lval, 7);
		pmFreeResult(result);
		assert_int_equal(pmFetchHighRes(6, pmids, &highres), 0);
		assert_int_equal(highres->timestamp.tv_sec, 1000);
		assert_int_equal(highres->timestamp.tv_nsec, 5000);
		pmFreeHighResResult(highres);
		assert_int_equal(pmFetch(0, pmids, &result), PM_ERR_TOOSMALL);
		pmDestroyContext(handle);
		fake_stop(&fake);
	}
}

static void test_descs(void **state)
{
	static const unsigned int features[] = {FAKE_FEATURES, FAKE_PLAIN};
	pmID pmids[4] = {FAKE_COUNT, 999, 511u << 22 | 2, FAKE_LOAD};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct fake fake = {.features = features[i]};
		pmDesc descs[4];
		int handle;

		fake_start(&fake);
		handle = fake_context(&fake);
		assert_int_equal(pmLookupDescs(4, pmids, descs), 3);
		assert_int_equal(descs[0].pmid, FAKE_COUNT);
		assert_int_equal(descs[1].pmid, PM_ID_NULL);
		assert_int_equal(descs[2].type, PM_TYPE_U32);
		assert_int_equal(descs[3].indom, FAKE_INDOM);
		assert_int_equal(pmLookupDescs(2, pmids + 1, descs), 1);
		assert_int_equal(pmLookupDescs(1, pmids + 1, descs), PM_ERR_PMID);
		assert_int_equal(pmLookupDescs(1, pmids + 2, descs), 1);
		assert_int_equal(pmLookupDescs(0, pmids, descs), PM_ERR_TOOSMALL);
		assert_int_equal(pmLookupDesc(999, descs), PM_ERR_PMID);
		pmDestroyContext(handle);
		fake_stop(&fake);
	}
}

static enum fake_verdict check_size(struct fake *f, const struct pdu_header *h,
				    const union pdu_body *q, struct buffer *out)
{
	if (h->type == PDU_DESC_IDS)
		assert_true(h->len <= PDU_CLIENT_MAX);
	return h->type == PDU_CREDS ? FAKE_SEND : FAKE_USUAL;
}

/* More descriptors than one request may ask for; the last metric is unknown, alone in its request
 * for one n. */
static void test_many_descs(void **state)
{
	static const int counts[] = {16122, 16123, 16124, 16125, 40000};

	for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
		const int n = counts[k];
		struct fake fake = {.features = FAKE_FEATURES, .hook = check_size};
		pmID *pmids = calloc((size_t)n, sizeof(pmids[0]));
		pmDesc *descs = calloc((size_t)n, sizeof(descs[0]));
		int handle;

		fake_start(&fake);
		handle = fake_context(&fake);
		for (int i = 0; i < n; i++)
			pmids[i] = i == n - 1 ? 999 : i % 2 == 0 ? FAKE_COUNT : FAKE_LOAD;
		assert_int_equal(pmLookupDescs(n, pmids, descs), n - 1);
		for (int i = 0; i < n; i++)
			assert_int_equal(descs[i].pmid, i == n - 1 ? PM_ID_NULL : pmids[i]);
		pmDestroyContext(handle);
		fake_stop(&fake);
		free(pmids);
		free(descs);
	}
}

static void test_instances(void **state)
{
	struct fake fake = {0};
	char **names;
	char *name;
	int *ids;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmGetInDom(FAKE_INDOM, &ids, &names), 3);
	assert_int_equal(ids[2], 3);
	assert_string_equal(names[2], "three men");
	free(ids);
	free(names);
	assert_int_equal(pmGetInDom(FAKE_INDOM + 1, &ids, &names), PM_ERR_INDOM);
	assert_int_equal(pmGetInDom(PM_INDOM_NULL, &ids, &names), PM_ERR_INDOM);
	assert_int_equal(pmLookupInDom(FAKE_INDOM, "two"), 2);
	assert_int_equal(pmLookupInDom(FAKE_INDOM, "four"), PM_ERR_INST);
	assert_int_equal(pmLookupInDom(FAKE_INDOM, ""), PM_ERR_INST);
	assert_int_equal(pmNameInDom(FAKE_INDOM, 1, &name), 0);
	assert_string_equal(name, "one");
	free(name);
	assert_int_equal(pmNameInDom(FAKE_INDOM, 9, &name), PM_ERR_INST);
	assert_int_equal(pmNameInDom(FAKE_INDOM, (int)PM_IN_NULL, &name), PM_ERR_INST);
	assert_int_equal(pmGetInDomArchive(FAKE_INDOM, &ids, &names), PM_ERR_NOTARCHIVE);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static void test_text(void **state)
{
	struct fake fake = {0};
	static const struct {
		pmID pmid;
		int level;
		int want;
		const char *text;
	} cases[] = {
	    {FAKE_COUNT, PM_TEXT_ONELINE, 0, "a line"},
	    {FAKE_COUNT, PM_TEXT_HELP, 0, "a help"},
	    {FAKE_COUNT, PM_TEXT_HELP | PM_TEXT_DIRECT, 0, "a help"},
	    {FAKE_NAME, PM_TEXT_HELP, 0, "a line"}, /* empty help */
	    {FAKE_LOAD, PM_TEXT_HELP, 0, "a line"}, /* no help */
	    {FAKE_NAME, PM_TEXT_HELP | PM_TEXT_DIRECT, 0, ""},
	    {FAKE_LOAD, PM_TEXT_HELP | PM_TEXT_DIRECT, PM_ERR_TEXT, NULL},
	    {999, PM_TEXT_HELP, PM_ERR_PMID, NULL},
	    {511u << 22 | 1, PM_TEXT_ONELINE, 0, "Flags for event records"},
	};
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = NULL;

		assert_int_equal(pmLookupText(cases[i].pmid, cases[i].level, &text), cases[i].want);
		if (cases[i].want == 0)
			assert_string_equal(text, cases[i].text);
		free(text);
	}
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static void test_labels(void **state)
{
	struct fake fake = {0};
	struct fake old = {.features = FAKE_PLAIN};
	pmLabelSet *sets;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmGetContextLabels(&sets), 1);
	assert_string_equal(sets[0].json, "{\"a\":1}");
	assert_int_equal(sets[0].jsonlen, 7);
	assert_int_equal(sets[0].labels[0].value, 5);
	pmFreeLabelSets(sets, 1);
	sets = (pmLabelSet *)&fake;
	assert_int_equal(pmGetDomainLabels(1, &sets), 0);
	assert_null(sets);
	assert_int_equal(pmGetInstancesLabels(FAKE_INDOM, &sets), 3);
	assert_int_equal(sets[0].inst, 1);
	assert_int_equal(sets[1].nlabels, 0);
	assert_null(sets[1].json);
	assert_int_equal(sets[2].nlabels, PM_ERR_AGAIN);
	pmFreeLabelSets(sets, 3);
	assert_int_equal(fake.profiles, 1);
	assert_int_equal(pmLookupLabels(FAKE_LOAD, &sets), 2);
	pmFreeLabelSets(sets, 2);
	assert_int_equal(pmLookupLabels(999, &sets), PM_ERR_PMID);
	assert_int_equal(pmGetInDomLabels(PM_INDOM_NULL, &sets), PM_ERR_INDOM);
	pmDestroyContext(handle);
	fake_stop(&fake);

	fake_start(&old);
	handle = fake_context(&old);
	assert_int_equal(pmGetContextLabels(&sets), PM_ERR_NOLABELS);
	pmDestroyContext(handle);
	fake_stop(&old);
}

/* A collector that does not return its host's name: the name is then that of this host, or of the
 * context. */
static void test_host_name(void **state)
{
	struct fake fake = {0};
	char here[256];
	char name[256];
	int handle;

	assert_int_equal(gethostname(here, sizeof(here)), 0);
	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmGetHostName(handle, name, sizeof(name)), PM_ERR_NAME);
	assert_string_equal(name, here);
	assert_int_equal(pmGetHostName(handle, name, 2), PM_ERR_NAME);
	assert_int_equal(strlen(name), 1);
	assert_int_equal(pmGetHostName(handle, name, 0), -EINVAL);
	assert_string_equal(pmGetContextHostName(handle), here);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

/* True if a client has connected in the meantime. */
static bool was_dialled(int listener)
{
	AUTO_FD int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	return fd >= 0;
}

/* In a process of its own: the list of ports is read once. Its status says what was wrong. */
static int dial_defaults(int listener, const char *port)
{
	setenv("PMCD_PORT", port, 1);
	setenv("PMCD_CONNECT_TIMEOUT", "1", 1);
	if (pmNewContext(PM_CONTEXT_HOST, "unix:/no/such") != -ENOENT || was_dialled(listener))
		return 1;
	if (pmNewContext(PM_CONTEXT_HOST, "localhost") >= 0 || !was_dialled(listener))
		return 2;
	if (pmNewContext(PM_CONTEXT_HOST, "local:/no/such") >= 0 || !was_dialled(listener))
		return 3;
	return 0;
}

/* PMCD_PORT holds for hosts without ports, and for local: when its socket is not there. */
static void test_default_ports(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	AUTO_FD int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(addr);
	char port[32];
	int status;
	pid_t pid;

	assert_int_equal(bind(listener, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(listener, 8), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	snprintf(port, sizeof(port), "none,%d", ntohs(addr.sin_port));
	pid = fork();
	if (pid == 0)
		_exit(dial_defaults(listener, port));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_store(void **state)
{
	struct fake fake = {0};
	pmValueBlock block = {.vtype = PM_TYPE_64, .vlen = 5};
	pmValueSet set = {.pmid = FAKE_COUNT, .numval = 1, .vlist = {{.inst = -1}}};
	pmResult result = {.numpmid = 1, .vset = {&set}};
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmStore(&result), 0);
	assert_int_equal(fake.requests, 1);
	set.numval = 0;
	assert_int_equal(pmStore(&result), PM_ERR_VALUE);
	result.numpmid = 0;
	assert_int_equal(pmStore(&result), PM_ERR_TOOSMALL);
	result.numpmid = 1;
	set.numval = 1;
	set.valfmt = 9;
	assert_int_equal(pmStore(&result), PM_ERR_CONV);
	set.valfmt = PM_VAL_DPTR;
	set.vlist[0].value.pval = &block;
	assert_int_equal(pmStore(&result), PM_ERR_CONV);
	assert_int_equal(fake.requests, 1);
	pmDestroyContext(handle);
	fake_stop(&fake);
	set.valfmt = PM_VAL_INSITU;
	assert_int_equal(pmStore(&result), PM_ERR_NOCONTEXT);
}

/* A fetch over the connection of a context, by hand. */
static void test_detach(void **state)
{
	const pmID pmids[] = {FAKE_COUNT, FAKE_NAME};
	const union pdu_body profile = {.profile = {.profile = {.state = PM_PROFILE_INCLUDE}}};
	const union pdu_body fetch = {.fetch = {.numpmid = 2, .pmids = pmids}};
	struct fake fake = {.features = FAKE_FEATURES};
	struct buffer out = BUFFER_INIT;
	pmHighResResult *result;
	unsigned int features;
	int handle, fd, timeout_ms;
	uint8_t reply[4096];
	ssize_t n;

	fake_start(&fake);
	handle = open_with(&fake, 0, "");
	assert_int_equal(pitot_context_detach(handle + 1, &features, &timeout_ms),
			 PM_ERR_NOCONTEXT);
	fd = pitot_context_detach(handle, &features, &timeout_ms);
	assert_true(fd >= 0);
	assert_true((features & PDU_FEATURE_HIGHRES) != 0 && timeout_ms > 0);
	assert_int_equal(pitot_context_detach(handle, &features, &timeout_ms), PM_ERR_IPC);
	assert_int_equal(pmGetContextLabels(&(pmLabelSet *){NULL}), PM_ERR_IPC);

	assert_int_equal(pdu_encode(&out, PDU_PROFILE, 0, &profile), 0);
	assert_int_equal(pdu_encode(&out, PDU_HIGHRES_FETCH, 0, &fetch), 0);
	assert_int_equal(send(fd, buffer_head(&out), buffer_pending(&out), MSG_NOSIGNAL),
			 buffer_pending(&out));
	n = recv(fd, reply, sizeof(reply), 0);
	assert_true(n > PDU_HEADER_LEN);
	assert_int_equal(pitot_result_decode(reply, (size_t)n - 4, &result), PM_ERR_IPC);
	assert_int_equal(pitot_result_decode(buffer_head(&out), PDU_HEADER_LEN, &result), -EINVAL);
	assert_int_equal(pitot_result_decode(reply, (size_t)n, &result), 0);
	assert_int_equal(result->numpmid, 2);
	assert_int_equal(result->vset[0]->vlist[0].value.lval, 7);
	pmFreeHighResResult(result);
	buffer_done(&out);
	close(fd);

	assert_int_equal(pmReconnectContext(handle), handle);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_open),          cmocka_unit_test(test_refused_account),
	    cmocka_unit_test(test_refused_fetch), cmocka_unit_test(test_dup_and_reconnect),
	    cmocka_unit_test(test_values),        cmocka_unit_test(test_descs),
	    cmocka_unit_test(test_many_descs),    cmocka_unit_test(test_instances),
	    cmocka_unit_test(test_text),          cmocka_unit_test(test_labels),
	    cmocka_unit_test(test_host_name),     cmocka_unit_test(test_default_ports),
	    cmocka_unit_test(test_store),         cmocka_unit_test(test_detach),
	};

	setenv("PMCD_RECONNECT_TIMEOUT", "1", 1);
	unsetenv("PCP_CONTAINER");
	unsetenv("PCP_SECURE_SOCKETS");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
