/*
 * test_soak - an hour of a busy host in less than a minute, and memory and descriptors as before.
 *
 * The hour: 100,000 connections (28 a second; scripts that call pminfo), each with a profile of its
 * own, one in four with a container, some of them rude; 5,000 reconfigurations, every fourth with
 * other agents, every tenth with other names; an agent killed at every eighth. The first fifth
 * warms up: after it the memory that the collector keeps for reuse is allocated. Then nothing may
 * grow: neither the allocated bytes nor the resident memory nor the descriptors.
 *
 * The collector runs in this process, so that mallinfo2 measures its memory; clients and agents are
 * this program under another name: "churn SOCKET COUNT SEED" and "agent DOMAIN".
 * PITOT_SOAK_HOURS=n: so many of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"
#include "libwire/pdu.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum {
	SOAK_CONNECTIONS = 100000,
	SOAK_RECONFIGURATIONS = 5000,
	CHURNERS = 4,
	STAYS = 240,
	CHANGES = 241,
	COMES = 242,
	HEAP_SLACK = 64 << 10,   /* bytes: tables at another size, a spare request more */
	RSS_SLACK_KIB = 1 << 10, /* what malloc has not given back yet */
};

extern char **environ;

/*
 * Both ends of the protocol, blocking
 */

static bool read_all(int fd, void *buf, size_t len)
{
	uint8_t *p = buf;

	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* The next PDU, in memory of its own; its type, or -1 at the end. */
static int read_pdu(int fd, uint8_t **ret_bytes, struct pdu_header *ret_header)
{
	uint8_t head[PDU_HEADER_LEN];
	uint8_t *bytes;

	if (!read_all(fd, head, sizeof(head)) || pdu_header_get(head, ret_header) < 0)
		return -1;
	bytes = malloc(ret_header->len);
	if (bytes == NULL)
		return -1;
	memcpy(bytes, head, sizeof(head));
	if (!read_all(fd, bytes + sizeof(head), ret_header->len - sizeof(head))) {
		free(bytes);
		return -1;
	}
	*ret_bytes = bytes;
	return (int)ret_header->type;
}

/* An agent with one metric, D.0.0, and no answer to anything but FETCH and DESC_REQ. */
static void agent_answer(unsigned int domain, enum pdu_type type, const union pdu_body *ask,
			 struct buffer *out)
{
	static const struct wire_value value = {.inst = PM_IN_NULL, .insitu = 42};
	struct wire_vset sets[64] = {{0}};
	union pdu_body body = {.error = {.code = PM_ERR_PMID}};

	if (type == PDU_FETCH && ask->fetch.numpmid <= 64) {
		for (uint32_t i = 0; i < ask->fetch.numpmid; i++)
			sets[i] = (struct wire_vset){.pmid = ask->fetch.pmids[i],
						     .numval = 1,
						     .valfmt = PM_VAL_INSITU,
						     .values = &value};
		body.result = (struct pdu_result){.numpmid = ask->fetch.numpmid, .vsets = sets};
		pdu_encode(out, PDU_RESULT, 0, &body);
	} else if (type == PDU_DESC_REQ) {
		body.desc.desc = (pmDesc){.pmid = domain << 22, .type = PM_TYPE_32};
		body.desc.desc.indom = PM_INDOM_NULL;
		pdu_encode(out, PDU_DESC, 0, &body);
	} else if (type != PDU_PROFILE && type != PDU_ERROR && type != PDU_ATTR &&
		   type != PDU_CREDS) {
		pdu_encode(out, PDU_ERROR, 0, &body);
	}
}

static int be_agent(unsigned int domain)
{
	const uint32_t cred = 1u << 24 | 2u << 16 | PDU_FEATURE_CONTAINER;
	union pdu_body body = {.creds = {1, &cred}};
	struct arena mem = ARENA_INIT;
	struct buffer out = BUFFER_INIT;
	struct pdu_header h;
	uint8_t *bytes;
	int type;

	pdu_encode(&out, PDU_CREDS, (int32_t)getpid(), &body);
	for (;;) {
		if (write(STDOUT_FILENO, out.data, out.len) != (ssize_t)out.len)
			return 1;
		do {
			buffer_reset(&out);
			arena_reset(&mem);
			type = read_pdu(STDIN_FILENO, &bytes, &h);
			if (type < 0)
				return 0;
			if (pdu_decode(bytes, h.len, &mem, &body) == 0)
				agent_answer(domain, (enum pdu_type)type, &body, &out);
			free(bytes);
		} while (out.len == 0);
	}
}

/*
 * A client after the other
 */

static void put_questions(struct buffer *out, unsigned int n)
{
	static const pmID ids[] = {STAYS << 22, CHANGES << 22, COMES << 22, 2 << 22 | 2,
				   2 << 22 | 6 << 10};
	const uint32_t cred =
	    1u << 24 | 2u << 16 | (n % 4 == 0 ? (uint32_t)PDU_FEATURE_CONTAINER : 0);
	int insts[] = {(int)n % 7, (int)n % 1000 + 10};
	pmInDomProfile indom = {.indom = 2 << 22 | 3, .instances_len = 2, .instances = insts};
	union pdu_body creds = {.creds = {1, &cred}};
	union pdu_body attr = {.attr = {PDU_ATTR_CONTAINER, {"box", 3}}};
	union pdu_body profile = {.profile = {.profile = {PM_PROFILE_INCLUDE, 1, &indom}}};
	union pdu_body fetch = {.fetch = {0, 5, ids}};
	union pdu_body names = {.pmns_child = {0, {"pmcd.agent", 10}}};
	union pdu_body desc = {.desc_req = {STAYS << 22}};

	indom.state = PM_PROFILE_EXCLUDE;
	pdu_encode(out, PDU_CREDS, 0, &creds);
	if (n % 4 == 0)
		pdu_encode(out, PDU_ATTR, 0, &attr);
	pdu_encode(out, PDU_PROFILE, 0, &profile);
	pdu_encode(out, PDU_FETCH, 0, &fetch);
	pdu_encode(out, PDU_PMNS_TRAVERSE, 0, &names);
	pdu_encode(out, PDU_DESC_REQ, 0, &desc);
}

/* One in fifty leaves without an answer, one in a hundred in the middle of a question. False: what
 * the last question, to the agent that stays, deserves did not come. */
static bool visit(const struct sockaddr_un *un, struct buffer *out, unsigned int n)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pdu_header h;
	uint8_t *bytes;
	int type = -1;

	buffer_reset(out);
	put_questions(out, n);
	if (n % 100 == 0)
		out->len -= 5;
	if (connect(fd, (const struct sockaddr *)un, sizeof(*un)) == 0 &&
	    write(fd, out->data, out->len) == (ssize_t)out->len && n % 50 != 0) {
		do {
			type = read_pdu(fd, &bytes, &h);
			if (type >= 0)
				free(bytes);
		} while (type >= 0 && type != PDU_DESC);
	}
	close(fd);
	return n % 50 == 0 || type == PDU_DESC;
}

static int be_churn(const char *path, unsigned int count, unsigned int seed)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct buffer out = BUFFER_INIT;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	for (unsigned int n = 0; n < count; n++) {
		if (!visit(&un, &out, n + seed))
			return 1;
	}
	return 0;
}

/*
 * The collector
 */

static struct server server;
static struct options options;
static const char *self;
static char dir[64];
static int log_fd, real_fd;
static pid_t churners[CHURNERS];

#define MUST(cond, ...)                                                                            \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			dup2(real_fd, STDERR_FILENO);                                              \
			fail_msg(__VA_ARGS__);                                                     \
		}                                                                                  \
	} while (0)

static FILE *open_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "we");
}

static void write_config(unsigned int turn)
{
	FILE *f = open_file("pmcd.conf");

	MUST(f != NULL, "pmcd.conf");
	fprintf(f, "pmcd 2 dso pmcd_init /built/in\nstays %d pipe binary %s agent %d\n", STAYS,
		self, STAYS);
	if (turn % 16 < 8)
		fprintf(f, "changes %d pipe binary %s agent %d %u\n", CHANGES, self, CHANGES,
			turn % 32);
	if (turn % 32 < 12)
		fprintf(f, "comes %d pipe binary %s agent %d\n", COMES, self, COMES);
	if (turn % 12 == 0)
		fprintf(f, "[access]\nallow \"unix:\" : maximum 1000 connections;\n");
	fclose(f);
}

static void write_names(unsigned int turn)
{
	FILE *f = open_file("pmns/root_soak");

	MUST(f != NULL, "root_soak");
	fprintf(f, "root {\n soak\n}\nsoak {\n turn%u 9:0:%u\n}\n", turn % 100, turn % 100);
	fclose(f);
}

static void kill_agent(unsigned int domain)
{
	const struct agent *a = server_agent(&server, domain);

	if (a != NULL && a->pid > 0)
		kill(a->pid, SIGKILL);
}

/* One reconfiguration of the hour. */
static void change(unsigned int turn)
{
	if (turn % 4 == 0)
		write_config(turn);
	if (turn % 10 == 0)
		write_names(turn);
	if (turn % 8 == 5)
		kill_agent(CHANGES);
	server.reconfigure = true;
}

static bool is_starting(void)
{
	for (unsigned int i = 0; i < server.agents.count; i++) {
		if (server.agents.all[i]->state == AGENT_STARTING)
			return true;
	}
	return false;
}

static bool is_reconfiguring(void)
{
	return server.reconfigure || server.reconfiguring;
}

static void churn_start(unsigned int connections)
{
	char path[128], count[16], seed[16];
	char *argv[] = {(char *)self, "churn", path, count, seed, NULL};

	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(count, sizeof(count), "%u", connections / CHURNERS);
	for (unsigned int i = 0; i < CHURNERS; i++) {
		snprintf(seed, sizeof(seed), "%u", i * 1000003);
		MUST(posix_spawn(&churners[i], self, NULL, NULL, argv, environ) == 0, "spawn");
	}
}

/* The number of clients' processes that still run. */
static unsigned int churn_left(void)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < CHURNERS; i++) {
		int status = 0;

		if (churners[i] == 0)
			continue;
		if (waitpid(churners[i], &status, WNOHANG) == 0) {
			left++;
			continue;
		}
		MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		     "a client did not get its answer: status %#x", status);
		churners[i] = 0;
	}
	return left;
}

static void wake(uv_timer_t *timer)
{
}

/* So many connections, and beside them so many reconfigurations; then silence. */
static void churn(unsigned int connections, unsigned int reconfigurations)
{
	unsigned int done = 0, turns = 0, left;
	uv_timer_t timer;

	uv_timer_init(&server.loop.uv, &timer);
	uv_timer_start(&timer, wake, 1, 1);
	churn_start(connections);
	do {
		left = ++turns % 64 == 0 ? churn_left() : 1;
		uv_run(&server.loop.uv, UV_RUN_ONCE);
		if (done < reconfigurations && !is_reconfiguring())
			change(done++);
	} while (left > 0 || done < reconfigurations);
	/* The same state at the end of each phase: these agents, no clients, no agent that is
	   ending.
	 */
	write_config(0);
	server.reconfigure = true;
	while (is_reconfiguring() || is_starting() || server.clients.count > 0 ||
	       !list_empty(&server.agents.endings.all))
		uv_run(&server.loop.uv, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&timer, NULL);
	for (int i = 0; i < 100; i++)
		uv_run(&server.loop.uv, UV_RUN_NOWAIT);
}

struct usage {
	size_t heap;
	long rss_kib;
	unsigned int fds;
};

static struct usage measure(void)
{
	struct usage u = {.heap = mallinfo2().uordblks};
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	DIR *d = opendir("/proc/self/fd");

	if (f != NULL && fscanf(f, "%*d %ld", &pages) == 1)
		u.rss_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
	if (f != NULL)
		fclose(f);
	while (d != NULL && readdir(d) != NULL)
		u.fds++;
	if (d != NULL)
		closedir(d);
	return u;
}

static void soak(void **state)
{
	const char *env = getenv("PITOT_SOAK_HOURS");
	unsigned int hours = env != NULL && atoi(env) > 0 ? (unsigned int)atoi(env) : 1;
	struct usage warm, end;
	uint64_t start_ms = clock_mono_ms();

	churn(SOAK_CONNECTIONS / 5, SOAK_RECONFIGURATIONS / 5);
	warm = measure();
	for (unsigned int i = 0; i < hours; i++)
		churn(SOAK_CONNECTIONS / 5 * 4, SOAK_RECONFIGURATIONS / 5 * 4);
	end = measure();
	dup2(real_fd, STDERR_FILENO);
	print_message("%u clients, %u reconfigurations, %u starts of agents in %.1f s\n",
		      server.clients.next_seq, server.counts.sighups, server.counts.seqnum,
		      (double)(clock_mono_ms() - start_ms) / 1000);
	print_message("heap %zu -> %zu bytes, resident %ld -> %ld KiB, descriptors %u -> %u\n",
		      warm.heap, end.heap, warm.rss_kib, end.rss_kib, warm.fds, end.fds);
	assert_true(server.clients.next_seq >= SOAK_CONNECTIONS / 5 * (1 + 4 * hours));
	assert_true(server.counts.sighups >= SOAK_RECONFIGURATIONS / 5 * (1 + 4 * hours));
	assert_int_equal(warm.fds, end.fds);
	assert_true(end.heap < warm.heap + HEAP_SLACK);
	assert_true(end.rss_kib < warm.rss_kib + RSS_SLACK_KIB);
}

static int setup(void **state)
{
	static char *args[] = {"pmcd", "-f", "-p", "0", "-s", NULL, "-l", "-", "-c", NULL, NULL};
	static char config[128], socket_path[128], names[128];

	strcpy(dir, "/tmp/soak-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(config, sizeof(config), "%s/pmcd.conf", dir);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", dir);
	snprintf(names, sizeof(names), "%s/pmns", dir);
	mkdir(names, 0755);
	setenv("PCP_CONF", "/dev/null", 1);
	setenv("PCP_VAR_DIR", dir, 1);
	setenv("PCP_SYSCONF_DIR", dir, 1);
	setenv("PCP_TMP_DIR", dir, 1);
	setenv("PCP_RUN_DIR", dir, 1);
	real_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	log_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(log_fd, STDERR_FILENO);
	write_config(0);
	write_names(0);
	args[5] = socket_path;
	args[9] = config;
	if (options_parse(&options, 10, args) < 0 || server_init(&server, &options) < 0 ||
	    loop_watch_signals(&server.loop) < 0 || server_listen(&server) < 0 ||
	    configure_read(&server) < 0)
		return -1;
	configure_start(&server);
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = {"pmcd.conf", "pmns/root_soak", "pmns"};
	char path[128];

	for (unsigned int i = 0; i < CHURNERS; i++) {
		if (churners[i] > 0)
			kill(churners[i], SIGKILL);
	}
	dup2(log_fd, STDERR_FILENO);
	server_done(&server);
	options_done(&options);
	dup2(real_fd, STDERR_FILENO);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		remove(path);
	}
	return rmdir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(soak),
	};

	if (argc >= 3 && strcmp(argv[1], "agent") == 0)
		return be_agent((unsigned int)atoi(argv[2]));
	if (argc == 5 && strcmp(argv[1], "churn") == 0)
		return be_churn(argv[2], (unsigned int)atoi(argv[3]), (unsigned int)atoi(argv[4]));
#ifdef SANITIZED
	return 77; /* a sanitizer keeps what was freed */
#endif
	self = argv[0];
	return cmocka_run_group_tests(tests, setup, teardown);
}
