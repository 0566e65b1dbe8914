/*
 * Tests of the library's log messages (docs/spec/pmda.md), by their causes: one row per message,
 * each in its own process. Those of set-up and options are compared with PCP's by parity_agent,
 * those of fetches are in test_logged.c.
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"
#include "starve.h"

enum { TEXT_MAX = 1 << 14 };

static pmdaInterface dispatch;

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ul = 1;
	return PMDA_FETCH_STATIC;
}

static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 0), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}}};

static void daemon_of(const char *help)
{
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, "m", 250, NULL, help);
}

static void init(void)
{
	pmdaSetFetchCallBack(&dispatch, fetch_value);
	pmdaInit(&dispatch, NULL, 0, metrics, 1);
}

/* ---- set-up ---- */

static void no_help(void)
{
	daemon_of("/proc/nonexistent/help");
	init();
}

/* A file of this test; returns its name without the part after the last '.'. */
static const char *make_file(const char *suffix, const void *bytes, size_t len)
{
	static char base[64], path[80];
	int fd;

	snprintf(base, sizeof(base), "/tmp/test_messages.%d", (int)getpid());
	snprintf(path, sizeof(path), "%s%s", base, suffix);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
	return base;
}

static void drop_file(const char *base, const char *suffix)
{
	char path[80];

	snprintf(path, sizeof(path), "%s%s", base, suffix);
	unlink(path);
}

static void help_opened(void)
{
	const uint32_t dir[] = {0x50635068, 0x31320000, 0};
	const char *base = make_file(".dir", dir, sizeof(dir));

	make_file(".pag", "PcPh22\n", 7);
	pmDebugOptions.libpmda = 1;
	daemon_of(base);
	init();
	drop_file(base, ".dir");
	drop_file(base, ".pag");
}

/* The agent writes its log and ends; then the log is copied to where stderr was. */
static void log_opened(void)
{
	const char *base = make_file(".log", "", 0);
	char path[80], bytes[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s.log", base);
	if (fork() == 0) {
		pmdaDaemon(&dispatch, PMDA_INTERFACE_7, "m", 250, path, NULL);
		pmdaOpenLog(&dispatch);
		exit(0);
	}
	while (wait(NULL) < 0)
		;
	fd = open(path, O_RDONLY);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)n, stderr);
	close(fd);
	unlink(path);
}

static void no_help_wanted(void)
{
	pmDebugOptions.libpmda = 1;
	daemon_of(NULL);
	pmdaSetCommFlags(&dispatch, PMDA_FLAG_AUTHORIZE);
	dispatch.version.any.text = NULL;
	init();
}

static void no_hash(void)
{
	daemon_of(NULL);
	init();
	starve_left = 0;
	pmdaRehash(dispatch.version.any.ext, metrics, 1);
}

static void no_ext(void)
{
	starve_left = 0;
	daemon_of(NULL);
}

static void no_private_ext(void)
{
	starve_left = 1;
	daemon_of(NULL);
}

/* All functions, on an interface that was not set up. */
static void calls_early(void)
{
	char *argv[] = {(char *)"m", NULL};
	pmdaOptions opts = {.short_options = "x"};
	int r;

	dispatch.comm.pmda_interface = PMDA_INTERFACE_7;
	init();
	pmdaSetFlags(&dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaSetData(&dispatch, &dispatch);
	pmdaSetResultCallBack(&dispatch, NULL);
	pmdaInterfaceMoved(&dispatch);
	dispatch.status = 0;
	r = pmdaGetOptions(1, argv, &opts, &dispatch);
	fprintf(stderr, "options %d %d\n", r, opts.errors);
	pmdaOpenLog(&dispatch);
	fprintf(stderr, "descriptor %d\n", __pmdaInFd(&dispatch));
	pmdaSendError(&dispatch, PM_ERR_PMDAREADY);
	fprintf(stderr, "loop %d\n", __pmdaMainPDU(&dispatch));
}

static void old_options(void)
{
	char *argv[] = {(char *)"m", NULL};
	pmdaOptions opts = {.short_options = "x"};

	daemon_of(NULL);
	dispatch.comm.pmda_interface = 9;
	pmdaGetOptions(1, argv, &opts, &dispatch);
}

/* ---- the connection ---- */

static void use_input(const void *bytes, size_t len)
{
	int fd = memfd_create("in", 0), null = open("/dev/null", O_WRONLY);

	if (pwrite(fd, bytes, len, 0) == (ssize_t)len)
		dup2(fd, 0);
	dup2(null, 1);
}

static void connect_to(pmdaIoType io, const char *name)
{
	daemon_of(NULL);
	dispatch.version.any.ext->e_io = io;
	dispatch.version.any.ext->e_sockname = (char *)name;
	pmdaConnect(&dispatch);
}

static void connect_early(void)
{
	pmdaConnect(&dispatch);
}

static void connect_to_end(void)
{
	use_input("", 0);
	connect_to(pmdaPipe, NULL);
}

static void connect_told(void)
{
	pmDebugOptions.libpmda = 1;
	connect_to_end();
}

static void connect_to_noise(void)
{
	use_input("\0\0\0\3\0\0\0\0\0\0\0\0", 12);
	connect_to(pmdaPipe, NULL);
}

static void connect_to_nobody(void)
{
	close(1);
	connect_to(pmdaPipe, NULL);
}

static void connect_twice(void)
{
	connect_to_end();
	pmdaConnect(&dispatch);
}

static void connect_nowhere(void)
{
	connect_to((pmdaIoType)17, NULL);
}

static void connect_no_service(void)
{
	connect_to(pmdaInet, "no-such-service");
}

static void connect_no_folder(void)
{
	connect_to(pmdaUnix, "/proc/nonexistent/socket");
}

static void connect_folder(void)
{
	connect_to(pmdaUnix, "/tmp");
}

/* ---- the main loop ---- */

static void serve(enum pdu_type type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	if (pdu_encode(&out, type, 3, body) < 0)
		return;
	use_input(buffer_head(&out), buffer_pending(&out));
	dispatch.version.any.ext->e_infd = 0;
	dispatch.version.any.ext->e_outfd = 1;
	pmdaMain(&dispatch);
}

static int refuse_attribute(int ctx, int key, const char *value, int len, pmdaExt *ext)
{
	return -EPERM;
}

static void loop_unready(void)
{
	daemon_of(NULL);
	dispatch.status = -1;
	pmdaMain(&dispatch);
}

static void loop_noise(void)
{
	daemon_of(NULL);
	use_input("\0\0\0\3\0\0\0\0\0\0\0\0", 12);
	dispatch.version.any.ext->e_infd = 0;
	pmdaMain(&dispatch);
}

static void loop_error(void)
{
	const union pdu_body body = {.error = {.code = PM_ERR_PMID}};

	daemon_of(NULL);
	serve(PDU_ERROR, &body);
}

static void loop_end_of_context(void)
{
	const union pdu_body body = {.error = {.code = PM_ERR_NOTCONN}};

	pmDebugOptions.context = 1;
	daemon_of(NULL);
	serve(PDU_ERROR, &body);
}

static void loop_unknown(void)
{
	const union pdu_body body = {.creds = {0, NULL}};

	daemon_of(NULL);
	serve(PDU_CREDS, &body);
}

static void loop_debug(void)
{
	const union pdu_body body = {.desc_req = {1}};

	daemon_of(NULL);
	init();
	pmDebugOptions.libpmda = 1;
	serve(PDU_DESC_REQ, &body);
}

static void loop_desperate(void)
{
	const union pdu_body body = {.desc_req = {1}};

	daemon_of(NULL);
	init();
	pmDebugOptions.pdu = pmDebugOptions.desperate = 1;
	serve(PDU_DESC_REQ, &body);
}

static void loop_attribute(void)
{
	const union pdu_body body = {.attr = {.key = PMDA_ATTR_USERID, .value = {"0", 2}}};

	daemon_of(NULL);
	dispatch.version.six.attribute = refuse_attribute;
	serve(PDU_ATTR, &body);
}

/* The answer cannot be sent. */
static void serve_nobody(uint32_t type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	if (pdu_encode(&out, type, 3, body) < 0)
		return;
	use_input(buffer_head(&out), buffer_pending(&out));
	dispatch.version.any.ext->e_infd = 0;
	dispatch.version.any.ext->e_outfd = 999;
	pmdaMain(&dispatch);
}

static void loop_no_collector(void)
{
	const union pdu_body body = {.desc_req = {1}};

	daemon_of(NULL);
	init();
	serve_nobody(PDU_DESC_REQ, &body);
}

static int refuse_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	return PM_ERR_PERMISSION;
}

static void loop_fetch_unsent(void)
{
	const pmID pmid = 1;
	const union pdu_body body = {.fetch = {.numpmid = 1, .pmids = &pmid}};

	daemon_of(NULL);
	init();
	dispatch.version.any.fetch = refuse_fetch;
	serve_nobody(PDU_FETCH, &body);
}

static void loop_store_unsent(void)
{
	const union pdu_body body = {.result = {.numpmid = 0}};

	daemon_of(NULL);
	init();
	serve_nobody(PDU_RESULT, &body);
}

/* ---- others ---- */

static void root_absent(void)
{
	pmDebugOptions.libpmda = 1;
	pmdaRootConnect("/proc/nonexistent/root.socket");
}

static void attribute_unknown(void)
{
	daemon_of(NULL);
	pmDebugOptions.auth = 1;
	pmdaAttribute(1, 999, "x", 2, dispatch.version.any.ext);
}

static void cache_no_name(void)
{
	pmdaCacheStore(pmInDom_build(250, 1), PMDA_CACHE_ADD, NULL, NULL);
}

static void count_none(int *total, int *copies)
{
	*total = *copies = 0;
}

static int names_none(pmdaExt *ext, pmdaNameSpace **tree)
{
	return 0;
}

static void dynamic_starved(void)
{
	daemon_of(NULL);
	starve_left = 0;
	pmdaDynamicPMNS("m", NULL, 0, names_none, NULL, NULL, count_none, NULL, 0);
}

static void dynamic_starved_own(void)
{
	daemon_of(NULL);
	starve_left = 0;
	pmdaExtDynamicPMNS("m", NULL, 0, names_none, NULL, NULL, count_none, NULL, 0,
			   dispatch.version.any.ext);
	/* It is as if it had not been asked for. */
	pmdaDynamicMetricTable(dispatch.version.any.ext);
	fprintf(stderr, "%d still\n", dispatch.version.any.ext->e_nmetrics);
}

/* ---- event queues ---- */

enum { ONE = 5, TWO = 6, QUEUE_BYTES = 10 };

static struct timeval stamp = {1, 2};

static int add_record(int array, void *data, size_t size, struct timeval *at, void *arg)
{
	return pmdaEventAddRecord(array, at, PM_EVENT_FLAG_POINT);
}

static int cull_long(void *filter, void *data, size_t size)
{
	return size > 4;
}

static int take_events(int queue, int context)
{
	pmAtomValue atom;

	return pmdaEventQueueRecords(queue, &atom, context, add_record, NULL);
}

/* A queue with two clients, of which the first may not see anything. */
static int traced_queue(void)
{
	int queue = pmdaEventNewQueue("q", QUEUE_BYTES);

	pmDebugOptions.libpmda = 1;
	pmdaEventNewClient(ONE);
	pmdaEventNewClient(TWO);
	pmdaEventSetAccess(TWO, queue, 1);
	take_events(queue, ONE);
	take_events(queue, TWO);
	return queue;
}

static int traced_event(void)
{
	int queue = traced_queue();

	pmdaEventQueueAppend(queue, (void *)"tick\ttock", 9, &stamp);
	return queue;
}

static void event_comes(void)
{
	traced_event();
}

static void event_too_large(void)
{
	pmdaEventQueueAppend(traced_queue(), (void *)"eleven bytes", 11, &stamp);
}

static void event_starved(void)
{
	int queue = traced_queue();

	starve_left = 0;
	pmdaEventQueueAppend(queue, (void *)"x", 1, &stamp);
	starve_left = -1;
}

static void event_missed(void)
{
	pmdaEventQueueAppend(traced_event(), (void *)"xy", 2, &stamp);
}

static void event_taken(void)
{
	int queue = traced_event();

	take_events(queue, ONE);
	take_events(queue, TWO);
}

static void event_filtered(void)
{
	int queue = traced_event();

	pmdaEventSetFilter(TWO, queue, &queue, cull_long, NULL);
	take_events(queue, TWO);
}

static void event_let_through(void)
{
	int queue = traced_queue();

	pmdaEventSetFilter(TWO, queue, &queue, cull_long, NULL);
	pmdaEventQueueAppend(queue, (void *)"tick", 4, &stamp);
	take_events(queue, TWO);
}

static void event_left(void)
{
	traced_event();
	pmdaEventEndClient(ONE);
	pmdaEventEndClient(TWO);
}

static void queue_ends(void)
{
	int queue = traced_queue();
	pmAtomValue atom;

	pmdaEventEndClient(ONE);
	pmdaEventQueueShutdown(queue);
	pmdaEventEndClient(TWO);
	pmdaEventQueueClients(queue, &atom);
}

/* ---- the table ---- */

static const struct {
	void (*provoke)(void);
	const char *text; /* of the log, or a part of it */
} messages[] = {
    /* clang-format off */
	{ no_help,             "Warning: pmdaInit: PMDA m: Unable to open help text file(s) from \"/proc/nonexistent/help\": No such file or directory\n" },
	{ help_opened,         "Debug: pmdaInit: PMDA m: help file /tmp/test_messages." },
	{ help_opened,         " opened\n" },
	{ log_opened,          "Log for m on " },
	{ log_opened,          " started " },
	{ log_opened,          "Log finished " },
	{ no_help_wanted,      "Debug: pmdaInit: PMDA m: No help text path specified\n" },
	{ no_help_wanted,      "Info: comm flags  = 4\n" },
	{ no_hash,             "Warning: pmdaRehash: PMDA m: Hashed mapping for metrics disabled @ metric[0] 250.0.0\n" },
	{ no_ext,              "Error: m: Unable to allocate memory for pmdaExt structure (192 bytes)\n" },
	{ no_private_ext,      "Error: m: Unable to allocate memory for e_ext_t structure (" },
	{ calls_early,         "Critical: pmdaInit: need to call pmdaDaemon() or pmdaDSO() first\n" },
	{ calls_early,         "Critical: pmdaSetFlags: need to call pmdaDaemon() or pmdaDSO() first\n" },
	{ calls_early,         "Critical: pmdaSetData: need to call pmdaDaemon() or pmdaDSO() first\n" },
	{ calls_early,         "options -1 1\n" },
	{ calls_early,         "descriptor -1\n" },
	{ calls_early,         "PMDA Initialisation Failed\n" },
	{ calls_early,         "loop -1\n" },
	{ old_options,         "Critical: pmdaGetOptions: PMDA interface version 9 not supported (domain=250)\n" },
	{ connect_early,       "Critical: pmdaConnect: need to call pmdaDaemon() or pmdaDSO() first\n" },
	{ connect_to_end,      "Critical: __pmdaSetupPDU: PMDA m: version exchange failure, got PDU type " },
	{ connect_to_end,      " expecting PDU_CREDS)\n" },
	{ connect_told,        "Debug: pmdaConnect: PMDA m: opened pipe to pmcd, infd = 0, outfd = 1\n" },
	{ connect_to_noise,    "Critical: __pmdaSetupPDU: PMDA m getting creds: IPC protocol failure\n" },
	{ connect_to_nobody,   "Critical: __pmdaSetupPDU: PMDA m send creds: Bad file descriptor\n" },
	{ connect_twice,       "Critical: pmdaConnect: called more than once\n" },
	{ connect_nowhere,     "Critical: pmdaConnect: PMDA m: Illegal iotype: 17\n" },
	{ connect_no_service,  "Critical: __pmdaOpenSocket: getservbyname(no-such-service): " },
	{ connect_no_folder,   "Critical: __pmdaOpenUnix(/proc/nonexistent/socket): bind() failed: No such file or directory\n" },
	{ connect_folder,      "Critical: __pmdaOpenUnix(/tmp): unlink() failed: " },
	{ loop_unready,        "Error: PMDA Initialisation Failed\n" },
	{ loop_noise,          "Error: IPC Error: IPC protocol failure\n" },
	{ loop_error,          "Error: m: unexpected error pdu from pmcd: Unknown or illegal metric identifier?\n" },
	{ loop_end_of_context, "Debug: Received PDU_ERROR (end context 3)\n" },
	{ loop_unknown,        "Error: m: Unrecognised pdu type: CREDS?\n" },
	{ loop_debug,          "Debug: Received PDU_DESC_REQ\n" },
	{ loop_desperate,      "__pmdaMainPDU: got PDU type DESC_REQ from pmcd\n" },
	{ loop_attribute,      "Error: m: Failed to set attribute: Operation not permitted\n" },
	{ loop_no_collector,   "Debug: __pmSendError(999,...,-12358) DESC_REQ failed: Bad file descriptor\n" },
	{ loop_fetch_unsent,   "Debug: __pmSendError(999,...,-12387) FETCH failed: Bad file descriptor\n" },
	{ loop_store_unsent,   "Debug: __pmSendError(999,...) RESULT failed: Bad file descriptor\n" },
	{ root_absent,         "Info: pmdaRootConnect: cannot connect to /proc/nonexistent/root.socket: No such file or directory\n" },
	{ cache_no_name,       "Error: insert_cache: indom 250.1: NULL instance name for inst -1\n" },
	{ dynamic_starved,     "Error: out-of-memory registering dynamic metrics\n" },
	{ dynamic_starved_own, "Error: out-of-memory registering dynamic metrics\n" },
	{ dynamic_starved_own, "0 still\n" },
	{ attribute_unknown,   "Error: Bad attr: ctx=1, attr=999\n" },
	{ event_comes,         "Debug: pmdaEventNewClient: slot=0 (total=1) context=5\n" },
	{ event_comes,         "Debug: pmdaEventNewClient: slot=1 (total=2) context=6\n" },
	{ event_comes,         "Debug: queue_fetch start, last event=(nil)\n" },
	{ event_comes,         "Debug: Appending event: queue#0 \"q\" (9 bytes)\n" },
	{ event_comes,         "Debug: Inserted q event 0x (9 bytes) clients = 2\n" },
	{ event_too_large,     "Warning: Event too large for queue q (11 > 10)\n" },
	{ event_starved,       "Error: event allocation failure: 1 bytes\n" },
	{ event_missed,        "Debug: Dropping q: e=0x sz=9 max=10 qsz=9\n" },
	{ event_missed,        "Debug: Client missed queue q event 0x\n" },
	{ event_missed,        "Debug: Removing q event 0x (9 bytes)\n" },
	{ event_taken,         "Debug: queue_fetch start, last event=0x\n" },
	{ event_taken,         "Debug: Clientq access denied\n" },
	{ event_taken,         "Debug: Culling event (sz=9): \"tick toc\"\n" },
	{ event_taken,         "Debug: Adding event (sz=9): \"tick toc\"\n" },
	{ event_taken,         "Debug: Removing q event 0x in fetch\n" },
	{ event_filtered,      "Debug: Clientq filter applied (1)\n" },
	{ event_filtered,      "Debug: Culling event (sz=9): \"tick toc\"\n" },
	{ event_let_through,   "Debug: Clientq filter applied (0)\n" },
	{ event_let_through,   "Debug: Adding event (sz=4): \"tic\"\n" },
	{ event_left,          "Debug: pmdaEventEndClient ctx=5 slot=0\n" },
	{ event_left,          "Debug: queue_cleanup: q numclients=1\n" },
	{ event_left,          "Debug: queue_cleanup: q numclients=0\n" },
	{ event_left,          "Debug: Removing q event 0x\n" },
	{ queue_ends,          "Debug: queue_shutdown: q numclients=1\n" },
	{ queue_ends,          "Debug: queue_cleanup: q final shutdown=1\n" },
	{ queue_ends,          "Debug: Client queue 0 lookup but not inuse\n" },
    /* clang-format on */
};

/* Of an address is left that there is one. */
static void hide_addresses(char *text)
{
	for (char *p = text; (p = strstr(p, "0x")) != NULL;) {
		const char *end;

		p += 2;
		end = p + strspn(p, "0123456789abcdef");
		memmove(p, end, strlen(end) + 1);
	}
}

/* The output on stderr of a process that does this. */
static void log_of(void (*provoke)(void), char *text)
{
	FILE *log = tmpfile();
	int status;
	size_t n;
	pid_t pid;

	assert_non_null(log);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(fileno(log), 2);
		provoke();
		fflush(NULL);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	rewind(log);
	n = fread(text, 1, TEXT_MAX - 1, log);
	text[n] = '\0';
	hide_addresses(text);
	fclose(log);
}

static void test_messages(void **state)
{
	static char text[TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		log_of(messages[i].provoke, text);
		if (strstr(text, messages[i].text) == NULL)
			fail_msg("wanted: %s\nlog: %s", messages[i].text, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_messages),
	};

	pmSetProgname("test_messages");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
