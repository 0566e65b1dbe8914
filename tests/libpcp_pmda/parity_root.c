/*
 * parity_root - the messages of pmdaroot, sent and received over a pair of sockets: see
 * tests/libpcp/parity.py.
 *
 * Not here is what the reference reads beyond what came, or leaves uninitialised (shown as 0), and
 * its receiving of requests to start an agent, which goes to the wrong place (docs/spec/pmda.md
 * 16.2).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>

#include "deny.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int ends[2];

static void open_pair(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		printf("no sockets\n");
}

static void close_pair(void)
{
	close(ends[0]);
	close(ends[1]);
}

/* Shows what a send call returned and sent; name is at name_at, len bytes of it are defined. */
static void show_sent(const char *what, int sts, size_t name_at, size_t len)
{
	unsigned char bytes[5000] = {0};
	ssize_t n = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT);

	printf("%s: %d, %d bytes:", what, sts, (int)n);
	for (ssize_t i = 0; i < n; i++) {
		if (name_at > 0 && (size_t)i >= name_at + len && (size_t)i < name_at + 64)
			continue;
		printf("%s%02x", i % 4 == 0 ? " " : "", bytes[i]);
	}
	printf("\n");
}

static void show_sending(void)
{
	static char name[MAXPATHLEN + 2];
	static const int lens[] = {-1, 0, 1, 5, 63, 64, 100};

	memset(name, 'n', sizeof(name));
	open_pair();
	show_sent("info", __pmdaSendRootPDUInfo(ends[0], 7, 0), 0, 0);
	show_sent("info", __pmdaSendRootPDUInfo(ends[0], 1, -13), 0, 0);
	for (size_t i = 0; i < COUNT(lens); i++) {
		int len = lens[i];

		show_sent("container",
			  __pmdaSendRootPDUContainer(ends[0], PDUROOT_HOSTNAME, 12, name, len, -2),
			  0, 0);
		/* The reference does not look before it copies: these it must be able to. */
		show_sent("start", __pmdaSendRootPDUStartReq(ends[0], 2, name, len, "args more", 9),
			  40, (size_t)len);
		show_sent("start", __pmdaSendRootPDUStartReq(ends[0], 2, "name", 4, name, len), 40,
			  4);
		show_sent("started", __pmdaSendRootPDUStart(ends[0], 99, -1, -1, name, len, 0), 40,
			  (size_t)len);
	}
	show_sent("container",
		  __pmdaSendRootPDUContainer(ends[0], PDUROOT_HOSTNAME, 0, name, MAXPATHLEN, 0), 0,
		  0);
	show_sent("container",
		  __pmdaSendRootPDUContainer(ends[0], PDUROOT_HOSTNAME, 0, name, MAXPATHLEN - 1, 0),
		  0, 0);
	show_sent("start", __pmdaSendRootPDUStartReq(ends[0], 1, "n", 1, name, MAXPATHLEN), 40, 1);
	show_sent("stop", __pmdaSendRootPDUStop(ends[0], PDUROOT_STOPPMDA_REQ, 5, 0, 1, 0), 0, 0);
	show_sent("stop", __pmdaSendRootPDUStop(ends[0], PDUROOT_STOPPMDA, 5, 256, 0, -10), 0, 0);
	close_pair();
}

/* Sends words, followed by a string, to the receivers. */
static void feed(const int *words, size_t nwords, const char *string, size_t len)
{
	char bytes[5000];

	memcpy(bytes, words, nwords * sizeof(int));
	memcpy(bytes + nwords * sizeof(int), string, len);
	open_pair();
	if (send(ends[0], bytes, nwords * sizeof(int) + len, 0) < 0)
		printf("not sent\n");
	shutdown(ends[0], SHUT_WR);
}

static void show_info(int type, int length, int status, int version, size_t nwords)
{
	const int words[] = {type, length, status, version, 5, 0, 0};
	int got_version = -7, features = -7, sts;

	feed(words, nwords, "", 0);
	sts = __pmdaRecvRootPDUInfo(ends[1], &got_version, &features);
	printf("info %x %d %d %d: %d %d %d\n", type, length, status, version, sts, got_version,
	       features);
	close_pair();
}

static void show_container(int type, int length, int status, int version, int namelen)
{
	const int words[] = {type, length, status, version, 321, namelen};
	__pmdaRootPDUContainer pdu;
	char name[16] = "";
	int sts, pid = -7;

	memset(&pdu, 0, sizeof(pdu));
	feed(words, COUNT(words), "abcdefgh", 8);
	sts = __pmdaRecvRootPDUContainer(ends[1], PDUROOT_PROCESSID, &pdu, sizeof(pdu));
	printf("container %x %d %d %d %d: %d", type, length, status, version, namelen, sts);
	if (sts > 0) {
		printf(" %d", __pmdaDecodeRootPDUContainer(&pdu, sts, &pid, name, sizeof(name)));
		printf(" %d %s", pid, name);
		printf(" %d", __pmdaDecodeRootPDUContainer(&pdu, sts, NULL, NULL, 0));
		printf(" %d", __pmdaDecodeRootPDUContainer(&pdu, sts, NULL, name, 3));
		printf(" %d", __pmdaDecodeRootPDUContainer(&pdu, 16, NULL, name, 9));
	}
	printf("\n");
	close_pair();
}

static void show_stop(int type, int length, int status, int version, size_t nwords)
{
	const int words[] = {type, length, status, version, 44, 512, 1, 0};
	__pmdaRootPDUStop pdu;
	int sts, pid = -7, code = -7, force = -7;

	memset(&pdu, 0, sizeof(pdu));
	feed(words, nwords, "", 0);
	sts = __pmdaRecvRootPDUStop(ends[1], PDUROOT_STOPPMDA, &pdu, sizeof(pdu));
	printf("stop %x %d %d %d: %d", type, length, status, version, sts);
	if (sts > 0)
		printf(" %d", __pmdaDecodeRootPDUStop(&pdu, sts, &pid, &code, &force));
	printf(" %d %d %d\n", pid, code, force);
	close_pair();
}

static void show_receiving(void)
{
	show_info(PDUROOT_INFO, 24, 0, 2, 6);
	show_info(PDUROOT_INFO, 24, 0, 1, 6);
	show_info(PDUROOT_INFO, 24, 0, 3, 6);
	show_info(PDUROOT_INFO, 24, -13, 2, 6);
	show_info(PDUROOT_INFO, 23, 0, 2, 6);
	show_info(PDUROOT_HOSTNAME, 24, 0, 2, 6);
	show_info(PDUROOT_INFO, 20, 0, 2, 5);
	show_container(PDUROOT_PROCESSID, 32, 0, 2, 8);
	show_container(PDUROOT_PROCESSID, 32, 0, 1, 3);
	show_container(PDUROOT_PROCESSID, 32, 0, 2, 0);
	show_container(PDUROOT_PROCESSID, 31, 0, 2, 8);
	show_container(PDUROOT_PROCESSID, 32, -3, 2, 8);
	show_container(PDUROOT_PROCESSID, 32, 0, 3, 8);
	show_container(PDUROOT_HOSTNAME, 32, 0, 2, 8);
	show_stop(PDUROOT_STOPPMDA, 32, 0, 2, 8);
	show_stop(PDUROOT_STOPPMDA, 32, -10, 2, 8);
	show_stop(PDUROOT_STOPPMDA, 32, 0, 3, 8);
	show_stop(PDUROOT_STOPPMDA_REQ, 32, 0, 2, 8);
	show_stop(PDUROOT_STOPPMDA, 28, 0, 2, 7);
}

/* An agent is started: its descriptors travel with the answer. */
static void show_started(int infd, int outfd, int status)
{
	__pmdaRootPDUStart pdu;
	char name[MAXPMDALEN] = "", args[8] = "";
	int sts, pid = -7, in = -7, out = -7, ipctype = -7;

	open_pair();
	memset(&pdu, 0, sizeof(pdu));
	printf("sent %d\n", __pmdaSendRootPDUStart(ends[0], 123, infd, outfd, "agent", 5, status));
	sts = __pmdaRecvRootPDUStart(ends[1], &pdu, sizeof(pdu));
	printf("started %d", sts);
	if (sts > 0) {
		printf(" %d", __pmdaDecodeRootPDUStart(&pdu, sts, &pid, &in, &out, &ipctype, name,
						       sizeof(name), args, 0));
		printf(" %d %s", pid, name);
		printf(" %s %s", in >= 0 ? "open" : "none", out >= 0 ? "open" : "none");
		if (in >= 0)
			printf(" %d", (int)write(in, "x", 1));
		close(in);
		close(out);
		printf(" %d", __pmdaDecodeRootPDUStart(&pdu, sts, NULL, NULL, NULL, NULL, NULL, 0,
						       NULL, 0));
	}
	printf("\n");
	close_pair();
}

static void show_connecting(void)
{
	char buf[10];

	printf("connect %d\n", pmdaRootConnect("/proc/nonexistent/root.socket"));
	printf("ask %d %d %d\n", pmdaRootContainerHostName(-1, "c", 1, buf, sizeof(buf)),
	       pmdaRootContainerProcessID(-1, "c", 1),
	       pmdaRootContainerCGroupName(-1, "c", 1, buf, sizeof(buf)));
	pmdaRootShutdown(-1);
}

/* ---- the helper at a path ---- */

static char path[4096];

/* Listens at the path; sends some words to each client. */
static int listen_at_path(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(path);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.100s", path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, 1) < 0)
		printf("no listener\n");
	return fd;
}

static void greet(int listener, const int *words, size_t nwords)
{
	int fd = accept(listener, NULL, NULL);

	if (send(fd, words, nwords * sizeof(*words), MSG_NOSIGNAL) < 0)
		_exit(1);
	_exit(0);
}

/* The messages of an agent that connects to a helper with this greeting. */
static void show_greeting(const char *what, const int *words, size_t nwords, bool debug)
{
	int listener = listen_at_path(), fd;
	pid_t helper;

	printf("greeting %s\n", what);
	fflush(stdout);
	helper = fork();
	if (helper == 0)
		greet(listener, words, nwords);
	pmDebugOptions.libpmda = debug;
	fd = pmdaRootConnect(path);
	pmDebugOptions.libpmda = 0;
	printf("connect %s %d\n", what, fd >= 0 ? 0 : fd);
	pmdaRootShutdown(fd);
	close(fd);
	close(listener);
	while (waitpid(helper, NULL, 0) != helper)
		;
}

static void show_refused(const char *what, const int *denied, int error, bool debug)
{
	printf("refused %s\n", what);
	fflush(stdout);
	if (fork() == 0) {
		if (denied != NULL && deny(denied, error) < 0)
			printf("deny failed\n");
		pmDebugOptions.libpmda = debug;
		printf("connect %d\n", pmdaRootConnect(path));
		fflush(stdout);
		_exit(0);
	}
	while (wait(NULL) < 0)
		;
}

static void show_helper(void)
{
	static const int good[] = {PDUROOT_INFO, 24, 0, 2, 7, 0};
	static const int old[] = {PDUROOT_INFO, 24, 0, 1, 1, 0};
	static const int newer[] = {PDUROOT_INFO, 24, 0, 3, 1, 0};
	static const int alien[] = {PDUROOT_HOSTNAME, 24, 0, 2, 1, 0};
	static const int failed[] = {PDUROOT_INFO, 24, -13, 2, 1, 0};
	static const int no_socket[] = {SYS_socket, -1}, no_connect[] = {SYS_connect, -1};
	const char *scratch = getenv("PITOT_SCRATCH");
	__pmdaRootPDUStart pdu;

	snprintf(path, sizeof(path), "%s/root.socket", scratch == NULL ? "/tmp" : scratch);
	show_greeting("good", good, COUNT(good), true);
	show_greeting("old", old, COUNT(old), true);
	show_greeting("quiet", good, COUNT(good), false);
	show_greeting("newer", newer, COUNT(newer), false);
	show_greeting("alien", alien, COUNT(alien), false);
	show_greeting("failed", failed, COUNT(failed), false);
	show_greeting("short", good, 5, false);
	show_greeting("none", good, 0, false);
	unlink(path);
	show_refused("absent", NULL, 0, false);
	show_refused("absent, debug", NULL, 0, true);
	show_refused("socket", no_socket, EMFILE, false);
	show_refused("connect", no_connect, EPERM, false);
	printf("started %d\n", __pmdaRecvRootPDUStart(-1, &pdu, sizeof(pdu)));
}

int main(void)
{
	int null = open("/dev/null", O_RDWR);

	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity_root");
	show_sending();
	show_receiving();
	show_started(null, null, 0);
	show_started(-1, null, 0);
	show_started(null, null, -13);
	show_connecting();
	show_helper();
	close(null);
	return 0;
}
