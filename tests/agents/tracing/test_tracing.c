/*
 * tracing - the agent as an object: this process is traced by it from a child's process, and the
 * requests come from here while its thread works. Run under the thread sanitizer too.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/libpcp.h>
#include <trace_np.h>

#include "collector.h"
#include "fields.h"
#include "tracing.h"

enum { LONG_S = 60 };

static pmdaInterface agent;
static char home[] = "/tmp/test_tracing_XXXXXX";
static pid_t worker;
static int told[2]; /* lines to the worker; its answers */
static int answers[2];

static pmdaExt *ext(void)
{
	return agent.version.any.ext;
}

/* ---- the traced process ---- */

static void work(void)
{
	static const struct posix_trace_field_np field = {"number", POSIX_TRACE_FIELD_UINT_NP, 0, 8,
							  0};
	trace_event_id_t tick;
	uint64_t number = 0;
	uint32_t n;

	posix_trace_eventid_open("tick", &tick);
	posix_trace_eventid_describe_np(tick, &field, 1);
	while (read(told[0], &n, sizeof(n)) == sizeof(n)) {
		for (; n > 0; n--, number++)
			posix_trace_event(tick, &number, sizeof(number));
		if (write(answers[1], "", 1) != 1)
			break;
	}
	_exit(0);
}

static void emit(uint32_t n)
{
	char c;

	assert_int_equal(write(told[1], &n, sizeof(n)), sizeof(n));
	assert_int_equal(read(answers[0], &c, 1), 1);
}

static int start(void **state)
{
	char config[64];
	FILE *conf;

	assert_non_null(mkdtemp(home));
	snprintf(config, sizeof(config), "%s/config", home);
	assert_int_equal(mkdir(config, 0700), 0);
	snprintf(config, sizeof(config), "%s/pcp.conf", home);
	conf = fopen(config, "w");
	assert_non_null(conf);
	fprintf(conf, "PCP_VAR_DIR=%s\nPCP_SYSCONF_DIR=%s\n", home, home);
	fclose(conf);
	setenv("PCP_CONF", config, 1);
	setenv("PCP_VAR_DIR", home, 1);
	snprintf(config, sizeof(config), "%s/tracing.conf", home);
	conf = fopen(config, "w"); /* what else runs on this machine is not ours */
	assert_non_null(conf);
	fprintf(conf, "ignore ;\n");
	fclose(conf);
	setenv("PITOT_TRACING_CONFIG", config, 1);
	assert_int_equal(pipe(told) + pipe(answers), 0);
	worker = fork();
	if (worker == 0) {
		close(told[1]);
		work();
	}
	close(told[0]);
	emit(0);
	agent.domain = TRACING_DOMAIN;
	agent.comm.pmda_interface = PMDA_INTERFACE_LATEST;
	agent.comm.pmapi_version = PMAPI_VERSION_2;
	tracing_init(&agent);
	return agent.status;
}

static int stop(void **state)
{
	char command[100];

	if (told[1] >= 0)
		close(told[1]);
	waitpid(worker, NULL, 0);
	tracing_end();
	for (int i = 0; i < 4; i++) {
		snprintf(command, sizeof(command), "%s/config/pmda/487.%d", home, i);
		unlink(command);
	}
	snprintf(command, sizeof(command), "%s/config/pmda", home);
	rmdir(command);
	snprintf(command, sizeof(command), "%s/config", home);
	rmdir(command);
	snprintf(command, sizeof(command), "%s/pcp.conf", home);
	unlink(command);
	snprintf(command, sizeof(command), "%s/tracing.conf", home);
	unlink(command);
	return rmdir(home);
}

/* ---- requests ---- */

static pmID pmid_of(const char *name)
{
	pmID pmid = 0;

	assert_int_equal(agent.version.seven.pmid(name, &pmid, ext()), 0);
	return pmid;
}

static int store(const char *name, const char *text)
{
	union {
		pmValueBlock block;
		char room[200];
	} value;
	pmValueSet vset = {.pmid = pmid_of(name), .numval = 1, .valfmt = PM_VAL_SPTR};
	pmResult result = {.numpmid = 1, .vset = {&vset}};

	value.block.vtype = PM_TYPE_STRING;
	value.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + strlen(text) + 1);
	strcpy(value.block.vbuf, text);
	vset.vlist[0].inst = PM_IN_NULL;
	vset.vlist[0].value.pval = &value.block;
	return agent.version.any.store(&result, ext());
}

/* The value of the only instance; -1 without one. */
static int64_t fetch(const char *name)
{
	pmID pmid = pmid_of(name);
	pmResult *result;
	pmAtomValue atom = {.ll = -1};

	assert_int_equal(agent.version.any.fetch(1, &pmid, &result, ext()), 0);
	if (result->vset[0]->numval == 1)
		pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0],
			       result->vset[0]->valfmt == PM_VAL_INSITU ? PM_TYPE_U32 : PM_TYPE_U64,
			       &atom, PM_TYPE_64);
	__pmFreeResultValues(result);
	return atom.ll;
}

/* Events for a client: how many came, those missed counted too. */
static uint64_t events(int context)
{
	pmID pmid = pmid_of("tracing.stream.events");
	pmHighResEventArray *array;
	uint64_t n = 0;
	pmResult *result;

	ext()->e_context = context;
	assert_int_equal(agent.version.any.fetch(1, &pmid, &result, ext()), 0);
	for (int i = 0; i < result->vset[0]->numval; i++) {
		const char *at;

		array = (pmHighResEventArray *)result->vset[0]->vlist[i].value.pval;
		at = (const char *)array->ea_record;
		for (int k = 0; k < array->ea_nrecords; k++) {
			const pmHighResEventRecord *r = (const void *)at;
			const char *param = (const char *)r->er_param;

			if (r->er_flags & PM_EVENT_FLAG_MISSED) {
				n += (uint64_t)r->er_nparams;
				at += sizeof(*r) - sizeof(r->er_param);
				continue;
			}
			for (int p = 0; p < r->er_nparams; p++)
				param +=
				    sizeof(pmID) +
				    (((const pmEventParameter *)(const void *)param)->ep_len + 3) /
					4 * 4;
			at = param;
			n++;
		}
	}
	__pmFreeResultValues(result);
	return n;
}

static void attach(void)
{
	time_t end = time(NULL) + LONG_S;
	char uid[16], pid[16];
	int r;

	ext()->e_context = 1;
	snprintf(pid, sizeof(pid), "%d", (int)worker);
	assert_int_equal(store("tracing.control.attach", pid), PM_ERR_PERMISSION);
	snprintf(uid, sizeof(uid), "%u", (unsigned int)geteuid());
	agent.version.seven.attribute(1, PMDA_ATTR_USERID, uid, (int)strlen(uid) + 1, ext());
	r = store("tracing.control.attach", pid);
	assert_true(r == 0 || r == PM_ERR_AGAIN); /* then it is still under way */
	while (fetch("tracing.stream.pid") != worker)
		assert_true(time(NULL) < end);
}

/* ---- tests ---- */

static void wait_streams(int64_t n)
{
	time_t end = time(NULL) + LONG_S;

	while (fetch("tracing.agent.streams") != n)
		assert_true(time(NULL) < end);
}

/* Nothing is under way any more, and a request has time. */
static void wait_idle(void)
{
	collector.patience_ms = LONG_S * 1000;
	while (store("tracing.control.detach", "2147483646") == PM_ERR_AGAIN)
		;
}

/* Work that exceeds a request's time is done later: pmcd's loop does not wait for a process. */
static void test_stores_do_not_wait(void **state)
{
	unsigned int patience_ms = collector.patience_ms;
	char pid[16];
	int r;

	assert_true(patience_ms < 50); /* the maximum delay for clients of pmcd */
	attach();
	snprintf(pid, sizeof(pid), "%d", (int)worker);
	for (int i = 0; i < 20; i++) {
		wait_idle();
		collector.patience_ms = 0;
		r = store(i % 2 == 0 ? "tracing.control.detach" : "tracing.control.attach", pid);
		assert_true(r == 0 || r == PM_ERR_AGAIN);
		wait_streams(i % 2);
	}
	wait_idle();
	assert_int_equal(store("tracing.control.attach", pid), -EEXIST);
	assert_int_equal(store("tracing.control.detach", pid), 0);
	assert_int_equal(store("tracing.control.detach", pid), -ESRCH);
	collector.patience_ms = patience_ms;
	ext()->e_endCallBack(1);
}

/* The worker at full speed, a client that asks all the time and one that does not. */
static void test_adds_up(void **state)
{
	uint64_t fast = 0, slow = 0, emitted = 0;

	attach();
	assert_int_equal(events(1) + events(2), 0);
	for (int i = 0; i < 40; i++) {
		emit(1000);
		emitted += 1000;
		fast += events(1);
	}
	while (fetch("tracing.stream.recorded") !=
	       fetch("tracing.stream.reported") + fetch("tracing.stream.lost.overwritten"))
		fast += events(1);
	fast += events(1);
	slow += events(2);
	assert_int_equal(fetch("tracing.stream.emitted"), emitted);
	assert_int_equal(fast, slow);
	assert_int_equal(fast + (uint64_t)fetch("tracing.stream.lost.overwritten"), emitted);
	assert_int_equal(events(1) + events(2), 0);
	assert_int_equal(fetch("tracing.stream.queue.bytes"), 0);
	agent.version.any.ext->e_endCallBack(2);
	assert_int_equal(fetch("tracing.stream.queue.clients"), 1);
}

static void test_fields(void **state)
{
	pmID pmid = pmid_of("tracing.field.tick.number");
	struct posix_trace_field_np f = {"number", POSIX_TRACE_FIELD_UINT_NP, 0, 8, 0};
	pmDesc desc;
	char **names;
	int first = fields_get("tick", &f, 0, true), n;

	assert_int_equal(agent.version.any.desc(pmid, &desc, ext()), 0);
	assert_int_equal(desc.type, PM_TYPE_U64);
	assert_int_equal(fields_number(pmid), first);
	f.type = POSIX_TRACE_FIELD_CHARS_NP; /* another type is another metric */
	n = fields_get("tick", &f, 0, true);
	assert_string_equal(fields[n].metric, "tick.number_2");
	n = fields_get("tic.", &f, 0, true);
	assert_string_equal(fields[n].metric, "tic_.number");
	n = fields_get("tic ", &f, 0, true);
	assert_string_equal(fields[n].metric, "tic__2.number");
	assert_int_equal(fields_get("toc", &f, 0, false), -E2BIG);
	f.type = 77;
	assert_int_equal(fields_get("toc", &f, 0, true), -EINVAL);
	assert_int_equal(agent.version.seven.name(pmid, &names, ext()), 1);
	assert_string_equal(names[0], "tracing.field.tick.number");
	free(names);
}

/* A user can't take all fields for himself; numbers reach into further clusters. */
static void test_many_fields(void **state)
{
	struct posix_trace_field_np f = {"x", POSIX_TRACE_FIELD_INT_NP, 0, 4, 0};
	char event[32];
	int made = 0, r = 0;

	for (int i = 0; i < TRACING_FIELDS_USER + 100; i++) {
		snprintf(event, sizeof(event), "many %d", i);
		r = fields_get(event, &f, 4711, true);
		made += r >= 0;
		if (r >= 0)
			assert_int_equal(fields_number(fields_pmid(TRACING_DOMAIN, r)), r);
	}
	assert_int_equal(r, -E2BIG);
	assert_int_equal(made, TRACING_FIELDS_USER);
	assert_int_equal(pmID_cluster(fields_pmid(TRACING_DOMAIN, 1024)), TRACING_FIELD_MORE);
	assert_true(fields_get("another", &f, 4712, true) >= 0);
}

static void test_the_end(void **state)
{
	time_t end = time(NULL) + LONG_S;

	events(1);
	emit(10);
	close(told[1]);
	waitpid(worker, NULL, 0);
	while (fetch("tracing.stream.status") != 3)
		assert_true(time(NULL) < end);
	assert_int_equal(events(1), 10);
	assert_int_equal(fetch("tracing.agent.streams"), 0);
	assert_in_range(fetch("tracing.agent.memory"), 1, 8192); /* the latest ones */
	assert_int_equal(events(3), 16);
	told[1] = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stores_do_not_wait),
	    cmocka_unit_test(test_adds_up),
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_many_fields),
	    cmocka_unit_test(test_the_end),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
