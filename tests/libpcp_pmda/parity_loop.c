/*
 * parity_loop - the messages of the main loop about each request (docs/spec/pmda.md 9): of one
 * served, one refused, one whose answer cannot be sent, one that the check callback stops, and one
 * that is cut short: see tests/libpcp/parity.py. The answer is printed too, if it can be sent.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { WORDS_MAX = 24, NO_FD = 999 };

/* clang-format off */
static const struct request {
	const char *name;
	uint32_t type;
	int n;
	uint32_t good[WORDS_MAX]; /* the body of one that the agent can answer */
	int bad;                  /* this word is another in one that it cannot; 0: there is none */
	uint32_t other;
} requests[] = {
	{ "error",    0x7000, 1, { 0xffffcfba }, 0, 0 },
	{ "end",      0x7000, 1, { 0xffffcf99 }, 0, 0 },
	{ "profile",  0x7002, 4, { 0, 0, 0, 0 }, 0, 0 },
	{ "fetch",    0x7003, 5, { 1, 0, 0, 1, 0x3e800000 }, 4, 0x3e8003e7 },
	{ "names",    0x700e, 5, { 4, 0, 1, 3, 0x6e2e617e }, 4, 0x6e2e787e },
	{ "two names", 0x700e, 7, { 8, 0, 2, 3, 0x6e2e617e, 3, 0x6e2e617e }, 0, 0 },
	{ "child",    0x700f, 3, { 0, 1, 0x6e7e7e7e }, 2, 0x787e7e7e },
	{ "child status", 0x700f, 3, { 1, 1, 0x6e7e7e7e }, 2, 0x787e7e7e },
	{ "traverse", 0x7010, 3, { 0, 1, 0x6e7e7e7e }, 2, 0x787e7e7e },
	{ "ids",      0x700d, 3, { 0, 1, 0x3e800000 }, 2, 0x3e8003e7 },
	{ "bad ids",  0x700d, 3, { 0xffffffea, 1, 0x3e800000 }, 0, 0 },
	{ "desc",     0x7004, 1, { 0x3e800000 }, 0, 0x3e8003e7 },
	{ "label",    0x7012, 2, { 0x3e800000, 16 }, 1, 4096 },
	{ "labels",   0x7012, 2, { 0x3e800003, 32 }, 0, 0 },
	{ "instance", 0x7006, 5, { 0x3e800003, 0, 0, 0xffffffff, 0 }, 0, 0x3e800009 },
	{ "text",     0x7008, 2, { 0x3e800000, 5 }, 0, 0x3e8003e7 },
	{ "store",    0x7001, 8, { 0, 0, 1, 0x3e800000, 1, 0, 0xffffffff, 13 }, 3, 0x3e8003e7 },
	{ "control",  0x700a, 0, { 0 }, 0, 0 },
	{ "attr",     0x7011, 2, { 11, 0x31000000 }, 0, 12 },
	{ "creds",    0x700c, 2, { 1, 0x01020000 }, 0, 0 },
	{ "descs",    0x7016, 2, { 1, 0x3e800000 }, 0, 0 },
	{ "type 5",   0x7005, 1, { 0 }, 0, 0 },
	{ "type 11",  0x700b, 1, { 0 }, 0, 0 },
	{ "type 1",   0x0001, 1, { 0 }, 0, 0 },
	{ "type 80",  0x8001, 1, { 0 }, 0, 0 },
	{ "type 5000", 0x5000, 1, { 0 }, 0, 0 },
};
/* clang-format on */

/* ---- the agent ---- */

static pmdaInterface dispatch;
static pmdaInstid colors[] = {{0, (char *)"red"}, {5, (char *)"blue"}};
static pmdaIndom indoms[] = {{3, 2, colors}};
static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 0), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}}};

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ul = 77;
	return PMDA_FETCH_STATIC;
}

static int text_of(int ident, int type, char **text, pmdaExt *ext)
{
	*text = (char *)"a text";
	return (pmID)ident == metrics[0].m_desc.pmid ? 0 : PM_ERR_TEXT;
}

static int store(pmResult *result, pmdaExt *ext)
{
	return result->vset[0]->pmid == metrics[0].m_desc.pmid ? 0 : PM_ERR_PMID;
}

static int pmid_of(const char *name, pmID *pmid, pmdaExt *ext)
{
	*pmid = metrics[0].m_desc.pmid;
	return strcmp(name, "n.a") == 0 ? 0 : PM_ERR_NAME;
}

/* One block of a pointer and its string. */
static char **list_of(const char *name)
{
	char **list = malloc(sizeof(*list) + strlen(name) + 1);

	list[0] = strcpy((char *)(list + 1), name);
	return list;
}

static int names_of(pmID pmid, char ***names, pmdaExt *ext)
{
	if (pmid != metrics[0].m_desc.pmid)
		return PM_ERR_PMID;
	*names = list_of("n.a");
	return 1;
}

static int children_of(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	if (strcmp(name, "n") != 0)
		return PM_ERR_NAME;
	*names = list_of(traverse ? "n.a" : "a");
	*status = calloc(1, sizeof(**status));
	return 1;
}

static int attribute(int ctx, int key, const char *value, int len, pmdaExt *ext)
{
	printf("attribute %d %d %s %d\n", ctx, key, value == NULL ? "(null)" : value, len);
	return key == PMDA_ATTR_USERID ? 0 : PM_ERR_PERMISSION;
}

static int label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_ITEM)
		pmdaAddLabels(sets, "{\"item\":1}");
	return pmdaLabel(ident, type, sets, ext);
}

static int label_inst(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	return pmdaAddLabels(set, "{\"i\":%u}", inst);
}

static void end_context(int ctx)
{
	printf("end of context %d\n", ctx);
}

static int refuse(void)
{
	return PM_ERR_AGAIN;
}

static void done(void)
{
	printf("done\n");
}

static void agent_init(int version)
{
	pmdaDaemon(&dispatch, version, "m", 250, NULL, NULL);
	dispatch.version.any.text = text_of;
	dispatch.version.any.store = store;
	if (version >= PMDA_INTERFACE_4) {
		dispatch.version.four.pmid = pmid_of;
		dispatch.version.four.name = names_of;
		dispatch.version.four.children = children_of;
	}
	if (version >= PMDA_INTERFACE_6)
		dispatch.version.six.attribute = attribute;
	if (version >= PMDA_INTERFACE_7) {
		dispatch.version.seven.label = label;
		pmdaSetLabelCallBack(&dispatch, label_inst);
	}
	pmdaSetFetchCallBack(&dispatch, fetch_value);
	pmdaSetDoneCallBack(&dispatch, done);
	if (version >= PMDA_INTERFACE_5)
		pmdaSetEndContextCallBack(&dispatch, end_context);
	pmdaInit(&dispatch, indoms, 1, metrics, 1);
}

/* ---- one request ---- */

enum how { SERVED, REFUSED, UNSENT, UNSENT_ERROR, STOPPED, STOPPED_UNSENT, SHORT, HOWS };

static const char *const hows[] = {"served",  "refused",        "unsent", "error unsent",
				   "stopped", "stopped unsent", "short"};

static bool is_bad(enum how how)
{
	return how == REFUSED || how == UNSENT_ERROR;
}

static bool applies(const struct request *rq, enum how how)
{
	/* One that ends before its name takes the reference away. */
	if (how == SHORT && rq->type == 0x7006)
		return false;
	return !is_bad(how) || rq->other != 0;
}

static size_t request_bytes(const struct request *rq, enum how how, uint32_t *words)
{
	int n = rq->n - (how == SHORT && rq->n > 0);

	words[0] = htonl((uint32_t)(12 + 4 * n));
	words[1] = htonl(rq->type);
	words[2] = htonl(42);
	for (int i = 0; i < n; i++)
		words[3 + i] = htonl(is_bad(how) && i == rq->bad ? rq->other : rq->good[i]);
	return (size_t)(12 + 4 * n);
}

static void show_answers(int fd)
{
	uint32_t words[256];
	ssize_t n = pread(fd, words, sizeof(words), 0);

	if (n <= 0)
		return;
	printf("answer:");
	for (ssize_t i = 0; i < n / 4; i++)
		printf(" %08x", ntohl(words[i]));
	printf("\n");
}

static void show(const struct request *rq, enum how how, int version, bool debug)
{
	uint32_t words[WORDS_MAX + 3];
	size_t len = request_bytes(rq, how, words);
	int in = memfd_create("in", 0), out = memfd_create("out", 0);
	pmdaExt *ext;

	if (pwrite(in, words, len, 0) != (ssize_t)len)
		printf("no request\n");
	agent_init(version);
	if (debug)
		pmDebugOptions.libpmda = 1;
	/* With the option for contexts the libraries print more about answers, each in its own
	   way. */
	if (debug && rq->type == 0x7000 && how == SERVED)
		pmDebugOptions.context = 1;
	if (how == STOPPED || how == STOPPED_UNSENT)
		pmdaSetCheckCallBack(&dispatch, refuse);
	ext = dispatch.version.any.ext;
	ext->e_infd = in;
	ext->e_outfd = how == UNSENT || how == UNSENT_ERROR || how == STOPPED_UNSENT ? NO_FD : out;
	printf("first %d\n", __pmdaMainPDU(&dispatch));
	printf("then %d\n", __pmdaMainPDU(&dispatch));
	show_answers(out);
	fflush(stdout);
	_exit(0);
}

static void show_apart(const struct request *rq, enum how how, int version, bool debug)
{
	printf("== %s %s, interface %d%s\n", rq->name, hows[how], version, debug ? ", debug" : "");
	fflush(stdout);
	if (fork() == 0)
		show(rq, how, version, debug);
	while (wait(NULL) < 0)
		;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity");
	for (size_t i = 0; i < COUNT(requests); i++) {
		for (int how = 0; how < HOWS; how++) {
			if (applies(&requests[i], how))
				show_apart(&requests[i], how, PMDA_INTERFACE_7, true);
		}
		for (int version = PMDA_INTERFACE_2; version < PMDA_INTERFACE_7; version++)
			show_apart(&requests[i], SERVED, version, false);
	}
	return 0;
}
