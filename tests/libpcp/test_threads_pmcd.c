/*
 * The crowd and a real pmcd, a process of its own that is killed and started again: each answer is
 * the one that was given before the first thread came.
 *
 *     test_threads_pmcd PMCD LINUX_DSO
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "crowd.h"
#include "libbase/cleanup.h"

#define LINUX(cluster, item) ((pmID)60 << 22 | (cluster) << 10 | (item))
#define NCPU                 LINUX(0, 32)
#define PAGESIZE             LINUX(1, 11)
#define LOAD                 LINUX(2, 0)
#define SYSNAME              LINUX(12, 2)
#define UNKNOWN              LINUX(4000, 0)
#define LOAD_INDOM           ((pmInDom)60 << 22 | 2)

enum { FIVE_MINUTES = 5, PORT_BASE = 20000, PORT_SPAN = 10000 };

static char *pmcd_path, *dso_path;
static char dir[] = "/tmp/crowd.XXXXXX";
static char conf[64], names[64], log_path[64], socket_path[64], spec[80];
static pid_t pmcd = -1;

/*
 * Requests: each writes the answer, and returns the result of the call.
 */

static int ask_constants(FILE *out)
{
	pmID pmids[4] = {NCPU, PAGESIZE, SYSNAME, UNKNOWN};
	static const int types[3] = {PM_TYPE_U32, PM_TYPE_U32, PM_TYPE_STRING};
	pmHighResResult *result;
	int r = pmFetchHighRes(4, pmids, &result);

	if (r < 0)
		return r;
	for (int i = 0; i < 3; i++) {
		const pmValueSet *set = result->vset[i];

		fprintf(out, "%x %d ", set->pmid, set->numval);
		if (set->numval == 1)
			pmPrintValue(out, set->valfmt, types[i], &set->vlist[0], 1);
	}
	fprintf(out, " %d", result->vset[3]->numval);
	pmFreeHighResResult(result);
	return 0;
}

/* Which instances come, of those in the profile: the values change. */
static int ask_instances(FILE *out)
{
	pmID pmid = LOAD;
	pmResult *result;
	int r = pmFetch(1, &pmid, &result);

	if (r < 0)
		return r;
	fprintf(out, "%d:", result->vset[0]->numval);
	for (int i = 0; i < result->vset[0]->numval; i++)
		fprintf(out, " %d", result->vset[0]->vlist[i].inst);
	pmFreeResult(result);
	return 0;
}

static int ask_names(FILE *out)
{
	const char *asked[4] = {"hinv.ncpu", "no.such", "kernel.all.load", "hinv"};
	pmID pmids[4];
	int r = pmLookupName(4, asked, pmids);

	for (int i = 0; r >= 0 && i < 4; i++)
		fprintf(out, "%x ", pmids[i]);
	return r;
}

static int ask_no_name(FILE *out)
{
	const char *asked = "no.such";
	pmID pmid;

	return pmLookupName(1, &asked, &pmid);
}

static int ask_name(FILE *out)
{
	char *name;
	int r = pmNameID(SYSNAME, &name);

	if (r >= 0) {
		fputs(name, out);
		free(name);
	}
	return r;
}

static int ask_children(FILE *out)
{
	char **list;
	int *status;
	int r = pmGetChildrenStatus("", &list, &status);

	for (int i = 0; i < r; i++)
		fprintf(out, "%s %d ", list[i], status[i]);
	if (r > 0) {
		free(list);
		free(status);
	}
	return r;
}

static void write_name(const char *name, void *out)
{
	fprintf(out, "%s ", name);
}

static int ask_tree(FILE *out)
{
	return pmTraversePMNS_r("kernel", write_name, out);
}

static int ask_descs(FILE *out)
{
	pmID pmids[4] = {NCPU, LOAD, UNKNOWN, SYSNAME};
	pmDesc descs[4];
	int r = pmLookupDescs(4, pmids, descs);

	for (int i = 0; r >= 0 && i < 4; i++)
		fprintf(out, "%x %d %x ", descs[i].pmid, descs[i].type, descs[i].indom);
	return r;
}

static int ask_no_desc(FILE *out)
{
	pmDesc desc;

	return pmLookupDesc(UNKNOWN, &desc);
}

static int ask_indom(FILE *out)
{
	char **list;
	int *ids;
	int r = pmGetInDom(LOAD_INDOM, &ids, &list);

	for (int i = 0; i < r; i++)
		fprintf(out, "%d %s ", ids[i], list[i]);
	if (r > 0) {
		free(ids);
		free(list);
	}
	return r;
}

static int ask_instance(FILE *out)
{
	char *name;
	int r = pmNameInDom(LOAD_INDOM, FIVE_MINUTES, &name);

	if (r < 0)
		return r;
	fputs(name, out);
	free(name);
	return pmLookupInDom(LOAD_INDOM, "15 minute");
}

static int ask_text(FILE *out)
{
	char *text;
	int r = pmLookupText(LOAD, PM_TEXT_HELP, &text);

	if (r < 0)
		return r;
	fputs(text, out);
	free(text);
	return 0;
}

static int ask_labels(FILE *out)
{
	pmLabelSet *sets;
	int r = pmLookupLabels(NCPU, &sets);

	for (int i = 0; i < r; i++)
		fprintf(out, "%d %s ", sets[i].nlabels, sets[i].json);
	if (r > 0)
		pmFreeLabelSets(sets, r);
	return r;
}

static int ask_store(FILE *out)
{
	pmValueSet set = {.pmid = NCPU, .numval = 1, .vlist = {{.inst = PM_IN_NULL}}};
	pmResult result = {.numpmid = 1, .vset = {&set}};

	return pmStore(&result);
}

/*
 * The host's name comes from a fetch; if it fails its error is returned, but there is a name. Only
 * a context that another thread has destroyed in the meantime has none (docs/spec/pmapi.md 3.2).
 */
static int ask_host(FILE *out)
{
	char host[MAXHOSTNAMELEN];
	int handle = pmWhichContext();
	int r = pmGetHostName(handle, host, sizeof(host));

	if (r == 0 && host[0] == '\0' && pmUseContext(handle) < 0)
		return PM_ERR_NOCONTEXT;
	if (r >= 0)
		fputs(host, out);
	return r;
}

/* A copy has a connection of its own, and the profile. */
static int ask_copy(FILE *out)
{
	int own = pmWhichContext();
	int copy = pmDupContext();
	int r;

	if (copy < 0)
		return copy;
	r = ask_constants(out);
	pmDestroyContext(copy);
	pmUseContext(own);
	return r;
}

/* clang-format off */
static const struct question {
	const char *name;
	int (*ask)(FILE *out);
	bool own; /* only if no other thread changes the profile */
} questions[] = {
	{ "constants", ask_constants, false },
	{ "instances", ask_instances, true },
	{ "names",     ask_names,     false },
	{ "no name",   ask_no_name,   false },
	{ "name",      ask_name,      false },
	{ "children",  ask_children,  false },
	{ "tree",      ask_tree,      false },
	{ "descs",     ask_descs,     false },
	{ "no desc",   ask_no_desc,   false },
	{ "indom",     ask_indom,     false },
	{ "instance",  ask_instance,  false },
	{ "text",      ask_text,      false },
	{ "labels",    ask_labels,    false },
	{ "store",     ask_store,     false },
	{ "host",      ask_host,      false },
	{ "copy",      ask_copy,      false },
};
/* clang-format on */

static struct {
	char *text;
	int result;
} answers[ARRAY_SIZE(questions)];

static char *answer(const struct question *q, int *ret_result)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		abort();
	*ret_result = q->ask(out);
	fclose(out);
	return text;
}

/* The contexts of each thread have a profile of one of three instances, which is still in effect
 * after each reconnection. */
static int prepare(void)
{
	int inst = FIVE_MINUTES;
	int r = pmDelProfile(LOAD_INDOM, 0, NULL);

	return r < 0 ? r : pmAddProfile(LOAD_INDOM, 1, &inst);
}

/* Changes of a shared profile by others must not affect this thread's constants. */
static int change_profile(unsigned int which)
{
	int list[2] = {1, 15};

	return which % 2 == 0 ? pmAddProfile(LOAD_INDOM, 2, list)
			      : pmDelProfile(LOAD_INDOM, 1, list);
}

static int ask(unsigned int which, bool own)
{
	size_t i = which % ARRAY_SIZE(questions);
	AUTO_FREE char *text = NULL;
	int r;

	if (questions[i].own && !own)
		return change_profile(which / ARRAY_SIZE(questions));
	text = answer(&questions[i], &r);
	if (crowd_is_gone(r))
		return r;
	if (r == answers[i].result && strcmp(text, answers[i].text) == 0)
		return 0;
	fprintf(stderr, "%s: %d '%s', not %d '%s'\n", questions[i].name, r, text, answers[i].result,
		answers[i].text);
	return PM_ERR_VALUE;
}

/*
 * The daemon
 */

static void write_file(const char *path, const char *fmt, ...)
{
	FILE *f = fopen(path, "w");
	va_list ap;

	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	assert_int_equal(fclose(f), 0);
}

static bool answers_now(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte;

	strcpy(addr.sun_path, socket_path);
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	       recv(fd, &byte, 1, 0) == 1;
}

/* Between fork and exec of a process with threads: what is safe in a signal handler. */
static void exec_pmcd(const char *port)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	execl(pmcd_path, pmcd_path, "-f", "-A", "-c", conf, "-n", names, "-p", port, "-s",
	      socket_path, "-l", log_path, (char *)NULL);
	_exit(127);
}

static void revive(void)
{
	char port[16];

	snprintf(port, sizeof(port), "%d", PORT_BASE + (int)getpid() % PORT_SPAN);
	pmcd = fork();
	if (pmcd == 0)
		exec_pmcd(port);
	assert_true(pmcd > 0);
	while (!answers_now()) {
		/* If the collector ends by itself, this is not a requested crash. */
		assert_int_equal(waitpid(pmcd, NULL, WNOHANG), 0);
		usleep(1000);
	}
}

static void crash(void)
{
	kill(pmcd, SIGKILL);
	assert_int_equal(waitpid(pmcd, NULL, 0), pmcd);
}

static void test_crashes(void **state)
{
	const struct crowd crowd = {.spec = spec,
				    .crashes = 6,
				    .deadline_s = 150,
				    .prepare = prepare,
				    .ask = ask,
				    .crash = crash,
				    .revive = revive};
	int ctx = pmNewContext(PM_CONTEXT_HOST, spec);

	assert_true(ctx >= 0);
	assert_int_equal(prepare(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		answers[i].text = answer(&questions[i], &answers[i].result);
		print_message("%s: %d %.60s\n", questions[i].name, answers[i].result,
			      answers[i].text);
		assert_false(crowd_is_gone(answers[i].result));
	}
	assert_string_equal(answers[1].text, "1: 5");
	assert_int_equal(pmDestroyContext(ctx), 0);
	crowd_run(&crowd);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		free(answers[i].text);
}

static int group_setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	snprintf(conf, sizeof(conf), "%s/pmcd.conf", dir);
	snprintf(names, sizeof(names), "%s/names", dir);
	snprintf(log_path, sizeof(log_path), "%s/pmcd.log", dir);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", dir);
	snprintf(spec, sizeof(spec), "unix:%s", socket_path);
	write_file(conf, "pmcd 2 dso pmcd_init /builtin\nlinux 60 dso linux_init %s\n", dso_path);
	write_file(names, "root { pmcd hinv kernel }\n"
			  "pmcd { hostname 2:0:21 }\n"
			  "hinv { ncpu 60:0:32 pagesize 60:1:11 }\n"
			  "kernel { all uname }\nkernel.all { load 60:2:0 }\n"
			  "kernel.uname { sysname 60:12:2 }\n");
	setenv("PCP_CONF", "/dev/null", 1);
	setenv("PCP_RUN_DIR", dir, 1);
	setenv("PCP_LOG_DIR", dir, 1);
	setenv("PCP_TMP_DIR", dir, 1);
	setenv("PMCD_RECONNECT_TIMEOUT", "1", 1);
	setenv("PMCD_REQUEST_TIMEOUT", "20", 1);
	revive();
	return 0;
}

static int group_teardown(void **state)
{
	const char *const paths[] = {conf, names, log_path, socket_path};

	crash();
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		unlink(paths[i]);
	rmdir(dir);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_crashes)};

	if (argc != 3) {
		fprintf(stderr, "usage: %s PMCD LINUX_DSO\n", argv[0]);
		return 2;
	}
	/* pmcd wants absolute ones */
	pmcd_path = realpath(argv[1], NULL);
	dso_path = realpath(argv[2], NULL);
	if (pmcd_path == NULL || dso_path == NULL)
		return 2;
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
