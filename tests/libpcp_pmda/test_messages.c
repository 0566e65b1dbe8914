/*
 * Tests of what the library tells the log (docs/spec/pmda.md), by what provokes it: a row a
 * message, each in a process of its own. Those of set-up and options are compared with PCP's by
 * parity_agent, those of fetches are in test_told.c.
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
	daemon_of("/nonexistent/help");
	init();
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
	connect_to(pmdaUnix, "/nonexistent/socket");
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

static void loop_attribute(void)
{
	const union pdu_body body = {.attr = {.key = PMDA_ATTR_USERID, .value = {"0", 2}}};

	daemon_of(NULL);
	dispatch.version.six.attribute = refuse_attribute;
	serve(PDU_ATTR, &body);
}

static void loop_no_collector(void)
{
	const union pdu_body body = {.desc_req = {1}};
	struct buffer out = BUFFER_INIT;

	daemon_of(NULL);
	init();
	if (pdu_encode(&out, PDU_DESC_REQ, 3, &body) < 0)
		return;
	use_input(buffer_head(&out), buffer_pending(&out));
	dispatch.version.any.ext->e_infd = 0;
	dispatch.version.any.ext->e_outfd = 999;
	pmdaMain(&dispatch);
}

/* ---- others ---- */

static void root_absent(void)
{
	pmDebugOptions.libpmda = 1;
	pmdaRootConnect("/nonexistent/root.socket");
}

static void attribute_unknown(void)
{
	daemon_of(NULL);
	pmDebugOptions.auth = 1;
	pmdaAttribute(1, 999, "x", 2, dispatch.version.any.ext);
}

/* ---- the table ---- */

static const struct {
	void (*provoke)(void);
	const char *text; /* of the log, or a part of it */
} messages[] = {
    /* clang-format off */
	{ no_help,             "Warning: pmdaInit: PMDA m: Unable to open help text file(s) from \"/nonexistent/help\": No such file or directory\n" },
	{ no_help_wanted,      "Debug: pmdaInit: PMDA m: No help text path specified\n" },
	{ no_help_wanted,      "Info: comm flags  = 4\n" },
	{ no_hash,             "Warning: pmdaRehash: PMDA m: Hashed mapping for metrics disabled @ metric[0] 250.0.0\n" },
	{ no_ext,              "Error: m: Unable to allocate memory for pmdaExt structure (192 bytes)\n" },
	{ no_private_ext,      "Error: m: Unable to allocate memory for e_ext_t structure (" },
	{ old_options,         "Critical: pmdaGetOptions: PMDA interface version 9 not supported (domain=250)\n" },
	{ connect_early,       "Critical: pmdaConnect: need to call pmdaDaemon() or pmdaDSO() first\n" },
	{ connect_to_end,      "Critical: __pmdaSetupPDU: PMDA m: version exchange failure, got PDU type " },
	{ connect_to_end,      " expecting PDU_CREDS)\n" },
	{ connect_to_noise,    "Critical: __pmdaSetupPDU: PMDA m getting creds: IPC protocol failure\n" },
	{ connect_to_nobody,   "Critical: __pmdaSetupPDU: PMDA m send creds: Bad file descriptor\n" },
	{ connect_twice,       "Critical: pmdaConnect: called more than once\n" },
	{ connect_nowhere,     "Critical: pmdaConnect: PMDA m: Illegal iotype: 17\n" },
	{ connect_no_service,  "Critical: __pmdaOpenSocket: getservbyname(no-such-service): " },
	{ connect_no_folder,   "Critical: __pmdaOpenUnix(/nonexistent/socket): bind() failed: No such file or directory\n" },
	{ connect_folder,      "Critical: __pmdaOpenUnix(/tmp): unlink() failed: " },
	{ loop_unready,        "Error: PMDA Initialisation Failed\n" },
	{ loop_noise,          "Error: IPC Error: IPC protocol failure\n" },
	{ loop_error,          "Error: m: unexpected error pdu from pmcd: Unknown or illegal metric identifier?\n" },
	{ loop_end_of_context, "Debug: Received PDU_ERROR (end context 3)\n" },
	{ loop_unknown,        "Error: m: Unrecognised pdu type: CREDS?\n" },
	{ loop_debug,          "Debug: Received PDU_DESC_REQ\n" },
	{ loop_attribute,      "Error: m: Failed to set attribute: Operation not permitted\n" },
	{ loop_no_collector,   "Debug: __pmSendError(999,...,-12358) DESC_REQ failed: Bad file descriptor\n" },
	{ root_absent,         "Info: pmdaRootConnect: cannot connect to /nonexistent/root.socket: No such file or directory\n" },
	{ attribute_unknown,   "Error: Bad attr: ctx=1, attr=999\n" },
    /* clang-format on */
};

/* What a process that does this writes to stderr. */
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
