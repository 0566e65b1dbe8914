/*
 * parity_connect - what pmdaConnect says of each way that fails, and of the exchange of versions
 * (docs/spec/pmda.md 8): see tests/libpcp/parity.py.
 *
 * Each case is a process of its own, and the collector, where it needs one, another: it connects,
 * sends the bytes of the case, and reads until the end. Calls that do not fail by themselves are
 * refused by the kernel. Ports are as free as the machine has them, and shown as PORT.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "deny.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { TRIES = 3000, TRY_US = 20 * 1000, TEXT_MAX = 1 << 14 };

enum { NONE = -1 };
#ifdef SYS_chmod
enum { CHMOD = SYS_chmod, CHOWN = SYS_chown };
#else
enum { CHMOD = NONE, CHOWN = NONE };
#endif
#ifdef SYS_accept
enum { ACCEPT = SYS_accept };
#else
enum { ACCEPT = SYS_accept4 };
#endif
#ifdef SYS_select
enum { SELECT = SYS_select, POLL = SYS_poll };
#else
enum { SELECT = SYS_pselect6, POLL = SYS_ppoll };
#endif

/* clang-format off */
static const int no_socket[] = {SYS_socket, NONE};
static const int no_option[] = {SYS_setsockopt, NONE};
static const int no_bind[] = {SYS_bind, NONE};
static const int no_listen[] = {SYS_listen, NONE};
static const int no_accept[] = {ACCEPT, SYS_accept4, NONE};
static const int no_wait[] = {SELECT, SYS_pselect6, POLL, SYS_ppoll};
static const int no_chmod[] = {CHMOD, SYS_fchmodat, NONE};
static const int no_chown[] = {CHOWN, SYS_fchownat, NONE};

static const unsigned char creds[] = {0, 0, 0, 20, 0, 0, 0x70, 0x0c, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 0, 0};
static const unsigned char creds_other[] = {0, 0, 0, 24, 0, 0, 0x70, 0x0c, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9, 0, 0, 1, 2, 0, 0};
static const unsigned char creds_alien[] = {0, 0, 0, 20, 0, 0, 0x70, 0x0c, 0, 0, 0, 1, 0, 0, 0, 1, 9, 2, 0, 0};
static const unsigned char creds_short[] = {0, 0, 0, 20, 0, 0, 0x70, 0x0c, 0, 0, 0, 1, 0, 0, 0, 5, 1, 2, 0, 0};
static const unsigned char creds_minus[] = {0, 0, 0, 20, 0, 0, 0x70, 0x0c, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 1, 2, 0, 0};
static const unsigned char desc_req[] = {0, 0, 0, 16, 0, 0, 0x70, 0x04, 0, 0, 0, 1, 0, 0, 0, 1};
static const unsigned char noise[] = {0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0};

#define OWN "" /* the account that runs the test */
#define BYTES(b) b, sizeof(b)

enum place { ABSENT, FOLDER, STALE };

static const struct way {
	const char *name;
	pmdaIoType io;
	const char *socket;      /* e_sockname: of a Unix socket below the scratch folder */
	enum place place;        /* the content of the path before */
	const int *denied;
	int error;
	bool debug;
	const char *user;        /* PCP_USER */
	const unsigned char *say; /* what the collector sends */
	size_t len;
} ways[] = {
	{ "inet socket",      pmdaInet, NULL, ABSENT, no_socket, EMFILE,     false, NULL, NULL, 0 },
	{ "ipv6 socket",      pmdaIPv6, NULL, ABSENT, no_socket, EACCES,     false, NULL, NULL, 0 },
	{ "inet option",      pmdaInet, NULL, ABSENT, no_option, EPERM,      false, NULL, NULL, 0 },
	{ "inet bind",        pmdaInet, NULL, ABSENT, no_bind,   EADDRINUSE, false, NULL, NULL, 0 },
	{ "ipv6 bind",        pmdaIPv6, NULL, ABSENT, no_bind,   EADDRNOTAVAIL, false, NULL, NULL, 0 },
	{ "inet listen",      pmdaInet, NULL, ABSENT, no_listen, EADDRINUSE, false, NULL, NULL, 0 },
	{ "inet select",      pmdaInet, NULL, ABSENT, no_wait,   ENOMEM,     false, NULL, NULL, 0 },
	{ "inet accept",      pmdaInet, NULL, ABSENT, no_accept, EMFILE,     false, NULL, BYTES(creds) },
	{ "inet good",        pmdaInet, NULL, ABSENT, NULL,      0,          true,  NULL, BYTES(creds) },
	{ "ipv6 good",        pmdaIPv6, NULL, ABSENT, NULL,      0,          true,  NULL, BYTES(creds) },
	{ "inet service",     pmdaInet, "no-such-service", ABSENT, NULL, 0,  false, NULL, NULL, 0 },
	{ "unix socket",      pmdaUnix, "s",  ABSENT, no_socket, EMFILE,     false, NULL, NULL, 0 },
	{ "unix unlink",      pmdaUnix, "s",  FOLDER, NULL,      0,          false, NULL, NULL, 0 },
	{ "unix bind",        pmdaUnix, "no/s", ABSENT, NULL,    0,          false, NULL, NULL, 0 },
	{ "unix listen",      pmdaUnix, "s",  ABSENT, no_listen, EACCES,     false, OWN, NULL, 0 },
	{ "unix accept",      pmdaUnix, "s",  ABSENT, no_accept, ENFILE,     false, OWN, BYTES(creds) },
	{ "unix stale",       pmdaUnix, "s",  STALE,  NULL,      0,          false, OWN, BYTES(creds) },
	{ "unix no user",     pmdaUnix, "s",  ABSENT, NULL,      0,          false, "no-such-user", BYTES(creds) },
	{ "unix no user told", pmdaUnix, "s", ABSENT, NULL,      0,          true,  "no-such-user", BYTES(creds) },
	{ "unix chmod",       pmdaUnix, "s",  ABSENT, no_chmod,  EPERM,      false, OWN, BYTES(creds) },
	{ "unix chmod told",  pmdaUnix, "s",  ABSENT, no_chmod,  EPERM,      true,  OWN, BYTES(creds) },
	{ "unix chown",       pmdaUnix, "s",  ABSENT, no_chown,  EPERM,      false, OWN, BYTES(creds) },
	{ "unix chown told",  pmdaUnix, "s",  ABSENT, no_chown,  EPERM,      true,  OWN, BYTES(creds) },
	{ "unix good",        pmdaUnix, "s",  ABSENT, NULL,      0,          true,  OWN, BYTES(creds) },
	{ "two credentials",  pmdaUnix, "s",  ABSENT, NULL,      0,          false, OWN, BYTES(creds_other) },
	{ "alien credential", pmdaUnix, "s",  ABSENT, NULL,      0,          false, OWN, BYTES(creds_alien) },
	{ "short credentials", pmdaUnix, "s", ABSENT, NULL,      0,          false, OWN, BYTES(creds_short) },
	{ "minus credentials", pmdaUnix, "s", ABSENT, NULL,      0,          false, OWN, BYTES(creds_minus) },
	{ "another PDU",      pmdaUnix, "s",  ABSENT, NULL,      0,          false, OWN, BYTES(desc_req) },
	{ "noise",            pmdaUnix, "s",  ABSENT, NULL,      0,          false, OWN, BYTES(noise) },
	{ "end",              pmdaUnix, "s",  ABSENT, NULL,      0,          false, OWN, creds, 0 },
};
/* clang-format on */

static char path[256];
static int port;

static void set_path(const char *socket)
{
	const char *scratch = getenv("PITOT_SCRATCH");

	snprintf(path, sizeof(path), "%s/%s", scratch == NULL ? "/tmp" : scratch,
		 socket == NULL ? "" : socket);
}

static void lay(enum place place)
{
	rmdir(path);
	unlink(path);
	if (place == FOLDER)
		mkdir(path, 0700);
	else if (place == STALE)
		close(open(path, O_CREAT | O_WRONLY, 0600));
}

/* A port that is free at the moment, by family. */
static int free_port(int family)
{
	struct sockaddr_in6 addr = {.sin6_family = (sa_family_t)family};
	socklen_t len = sizeof(addr);
	int fd = socket(family, SOCK_STREAM, 0);
	int r = -1;

	if (family == AF_INET6)
		addr.sin6_addr = in6addr_loopback;
	if (bind(fd, (struct sockaddr *)&addr, len) == 0 &&
	    getsockname(fd, (struct sockaddr *)&addr, &len) == 0)
		r = ntohs(addr.sin6_port);
	close(fd);
	return r;
}

/* ---- the collector ---- */

static int dial(const struct way *way)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	int family = way->io == pmdaUnix ? AF_UNIX : way->io == pmdaInet ? AF_INET : AF_INET6;
	int fd = socket(family, SOCK_STREAM, 0), r;

	snprintf(un.sun_path, sizeof(un.sun_path), "%.100s", path);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in6.sin6_addr = in6addr_loopback;
	if (family == AF_UNIX)
		r = connect(fd, (struct sockaddr *)&un, sizeof(un));
	else if (family == AF_INET)
		r = connect(fd, (struct sockaddr *)&in, sizeof(in));
	else
		r = connect(fd, (struct sockaddr *)&in6, sizeof(in6));
	if (r == 0)
		return fd;
	close(fd);
	return -1;
}

static void collect(const struct way *way)
{
	char bytes[256];
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		fd = dial(way);
		if (fd < 0)
			usleep(TRY_US);
	}
	if (fd < 0 || write(fd, way->say, way->len) < 0)
		_exit(1);
	shutdown(fd, SHUT_WR);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

/* ---- the agent ---- */

static const char *own_name(void)
{
	const struct passwd *pw = getpwuid(getuid());

	return pw == NULL ? "root" : pw->pw_name;
}

static void join(const struct way *way, int log)
{
	static pmdaInterface dispatch;
	pmdaExt *ext;

	dup2(log, 2);
	if (way->user != NULL)
		setenv("PCP_USER", *way->user != '\0' ? way->user : own_name(), 1);
	pmDebugOptions.libpmda = way->debug;
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, "m", 250, NULL, NULL);
	ext = dispatch.version.any.ext;
	ext->e_io = way->io;
	ext->e_port = port;
	if (way->socket != NULL)
		ext->e_sockname = way->io == pmdaUnix ? path : (char *)way->socket;
	if (way->denied != NULL && deny(way->denied, way->error) < 0)
		fprintf(stderr, "deny: %s\n", strerror(errno));
	pmdaConnect(&dispatch);
	fprintf(stderr, "status %d version %d flags %x same %d\n", dispatch.status,
		dispatch.comm.pmapi_version, ext->e_flags, ext->e_infd == ext->e_outfd);
	_exit(0);
}

/* Replaces a number that each run has of its own. */
static void show_text(const char *text, const char *number, const char *word)
{
	const char *at;

	while (*number != '\0' && (at = strstr(text, number)) != NULL) {
		printf("%.*s%s", (int)(at - text), text, word);
		text = at + strlen(number);
	}
	printf("%s", text);
}

static void show_log(FILE *log)
{
	static char text[TEXT_MAX];
	char *fds, number[16];
	size_t n;

	rewind(log);
	n = fread(text, 1, sizeof(text) - 1, log);
	text[n] = '\0';
	fds = strstr(text, ", infd = ");
	for (char *p = fds; p != NULL && *p != '\0' && *p != '\n'; p++) {
		if (*p >= '0' && *p <= '9')
			*p = 'N'; /* which they are is each library's own */
	}
	snprintf(number, sizeof(number), ",%d,", port);
	show_text(text, number, ",PORT,");
}

static void show_way(const struct way *way)
{
	FILE *log = tmpfile();
	pid_t agent, collector = -1;
	int status;

	set_path(way->socket);
	if (way->io == pmdaUnix)
		lay(way->place);
	port = way->io == pmdaUnix ? -1 : free_port(way->io == pmdaInet ? AF_INET : AF_INET6);
	agent = fork();
	if (agent == 0)
		join(way, fileno(log));
	if (way->say != NULL)
		collector = fork();
	if (collector == 0)
		collect(way);
	while (waitpid(agent, &status, 0) != agent)
		;
	if (collector > 0) {
		kill(collector, SIGKILL); /* it may be trying still */
		while (waitpid(collector, NULL, 0) != collector)
			;
	}
	show_log(log);
	printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	fclose(log);
	if (way->io == pmdaUnix)
		lay(ABSENT);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity");
	for (size_t i = 0; i < COUNT(ways); i++) {
		printf("== %s\n", ways[i].name);
		fflush(stdout);
		show_way(&ways[i]);
	}
	return 0;
}
