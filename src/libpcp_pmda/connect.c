/*
 * connect - from an agent to its collector, and the exchange of versions (docs/spec/pmda.md 8).
 *
 * The agent is the server of its socket and accepts exactly one connection. If that fails the
 * process ends: the interface has no way to report a failure.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/channel.h"
#include "libpcp_pmda/ext.h"

/* Logs why the process ends, and ends it. */
#define CONNECT_DIE(...)                                                                           \
	do {                                                                                       \
		pmNotifyErr(LOG_CRIT, __VA_ARGS__);                                                \
		exit(1);                                                                           \
	} while (0)

/* The name of a network socket in messages. */
struct place {
	const char *name;
	int port;
	int family;
};

#define SOCKET_DIE(place, fmt, ...)                                                                \
	CONNECT_DIE("__pmdaOpenSocket(%s,%d,%d): " fmt, (place)->name, (place)->port,              \
		    (place)->family, __VA_ARGS__)

/* The loopback address; the port is in host order. */
static socklen_t loopback(const struct place *place, struct sockaddr_storage *ret_addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_addr;

	memset(ret_addr, 0, sizeof(*ret_addr));
	if (place->family == AF_INET6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)place->port);
		in6->sin6_addr = in6addr_loopback;
		return sizeof(*in6);
	}
	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)place->port);
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sizeof(*in);
}

/* Waits until a peer connects. 0, or -errno. */
static int wait_for_one(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};

	while (poll(&p, 1, -1) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int accept_one(int listener)
{
	int fd;

	do {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int open_inet(const struct place *place)
{
	AUTO_FD int listener = socket(place->family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage addr;
	socklen_t len = loopback(place, &addr);
	char errmsg[PM_MAXERRMSGLEN];
	int one = 1, fd;

	if (listener < 0)
		SOCKET_DIE(place, "%s socket: %s", place->family == AF_INET6 ? "ipv6" : "inet",
			   strerror(errno));
	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0)
		SOCKET_DIE(place, "__pmSetSockOpt(reuseaddr): %s", strerror(errno));
	if (bind(listener, (struct sockaddr *)&addr, len) < 0)
		SOCKET_DIE(place, "bind: %s", strerror(errno));
	if (listen(listener, 1) < 0)
		SOCKET_DIE(place, "listen: %s", strerror(errno));
	fd = wait_for_one(listener);
	if (fd < 0)
		SOCKET_DIE(place, "select: %s", pmErrStr_r(fd, errmsg, sizeof(errmsg)));
	fd = accept_one(listener);
	if (fd < 0)
		SOCKET_DIE(place, "accept: %s", strerror(-fd));
	return fd;
}

static int connect_inet(const pmdaExt *ext, int family)
{
	struct place place = {
	    .name = ext->e_sockname == NULL ? "" : ext->e_sockname,
	    .port = ext->e_port,
	    .family = family,
	};
	struct servent *service;

	if (ext->e_sockname != NULL) {
		service = getservbyname(ext->e_sockname, NULL);
		if (service == NULL)
			CONNECT_DIE("__pmdaOpenSocket: getservbyname(%s): %s", ext->e_sockname,
				    strerror(errno));
		/* Network order taken for host order: collectors make the same mistake, and so
		 * they meet (8.1). */
		place.port = service->s_port;
	}
	return open_inet(&place);
}

static void unlink_stale(const char *path)
{
	if (unlink(path) == 0)
		pmNotifyErr(LOG_WARNING, "__pmdaOpenUnix(%s): socket exists, unlinked it", path);
	else if (errno != ENOENT)
		CONNECT_DIE("__pmdaOpenUnix(%s): unlink() failed: %s", path, strerror(errno));
}

/* The account of the collector. NULL: there is none of that name, and the log says so. */
static const struct passwd *collector_account(void)
{
	const char *user = pmGetOptionalConfig("PCP_USER");
	const struct passwd *pw;
	char errmsg[PM_MAXERRMSGLEN];

	errno = 0; /* an unknown name is not an error of the system */
	pw = user == NULL ? NULL : getpwnam(user);
	if (pw == NULL)
		pmNotifyErr(LOG_WARNING, "__pmdaOpenUnix: getpwnam(%s) failed: %s",
			    user == NULL ? "" : user, pmErrStr_r(-errno, errmsg, sizeof(errmsg)));
	return pw;
}

/* Only the collector's account may connect. */
static void protect(const char *path)
{
	const struct passwd *pw = collector_account();

	if (chmod(path, 0660) < 0 && pmDebugOptions.libpmda)
		pmNotifyErr(LOG_WARNING, "__pmdaOpenUnix: chmod(%s,...) failed: %s", path,
			    strerror(errno));
	if (pw == NULL) {
		if (pmDebugOptions.libpmda)
			pmNotifyErr(LOG_WARNING, "__pmdaOpenUnix: chown(%s, ...) skipped", path);
	} else if (chown(path, pw->pw_uid, pw->pw_gid) < 0 && pmDebugOptions.libpmda) {
		pmNotifyErr(LOG_WARNING, "__pmdaOpenUnix: chown(%s, ...) failed: %s", path,
			    strerror(errno));
	}
}

static int connect_unix(const char *path)
{
	AUTO_FD int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	int fd;

	if (listener < 0)
		CONNECT_DIE("__pmdaOpenUnix(%s): socket() failed: %s", path, strerror(errno));
	if (len > sizeof(addr.sun_path))
		CONNECT_DIE("__pmdaOpenUnix(%s): bind() failed: %s", path, strerror(ENAMETOOLONG));
	unlink_stale(path);
	memcpy(addr.sun_path, path, len);
	if (bind(listener, (struct sockaddr *)&addr,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		CONNECT_DIE("__pmdaOpenUnix(%s): bind() failed: %s", path, strerror(errno));
	protect(path);
	if (listen(listener, 5) < 0)
		CONNECT_DIE("__pmdaOpenUnix(%s): listen() failed: %s", path, strerror(errno));
	fd = accept_one(listener);
	if (fd < 0)
		CONNECT_DIE("__pmdaOpenUnix(%s): accept() failed: %s", path, strerror(-fd));
	return fd;
}

static int connect_pipe(pmdaExt *ext)
{
	ext->e_outfd = fileno(stdout);
	return fileno(stdin);
}

static int connect_socket(pmdaExt *ext)
{
	int fd = ext->e_io == pmdaUnix
		     ? connect_unix(ext->e_sockname == NULL ? "" : ext->e_sockname)
		     : connect_inet(ext, ext->e_io == pmdaIPv6 ? AF_INET6 : AF_INET);

	ext->e_outfd = fd;
	return fd;
}

static const struct way {
	int (*open)(pmdaExt *ext); /* returns e_infd, sets e_outfd */
	const char *opened;
} ways[] = {
    [pmdaPipe] = {connect_pipe, "opened pipe to pmcd"},
    [pmdaInet] = {connect_socket, "opened inet connection"},
    [pmdaUnix] = {connect_socket, "Opened unix connection"},
    [pmdaUnknown] = {connect_pipe, "opened pipe to pmcd"},
    [pmdaIPv6] = {connect_socket, "opened ipv6 connection"},
};

static void open_way(pmdaExt *ext)
{
	if ((unsigned int)ext->e_io >= ARRAY_SIZE(ways))
		CONNECT_DIE("pmdaConnect: PMDA %s: Illegal iotype: %d", ext->e_name, ext->e_io);
	ext->e_infd = ways[ext->e_io].open(ext);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaConnect: PMDA %s: %s, infd = %d, outfd = %d",
			    ext->e_name, ways[ext->e_io].opened, ext->e_infd, ext->e_outfd);
}

static int send_version(const pmdaInterface *dispatch)
{
	const pmdaExt *ext = dispatch->version.any.ext;
	struct channel *ch = &ext_of(ext)->channel;
	uint32_t cred = pdu_cred_version(PDU_VERSION, dispatch->comm.flags);
	union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};
	char errmsg[PM_MAXERRMSGLEN];
	int r = pdu_encode(&ch->out, PDU_CREDS, (int32_t)getpid(), &body);

	if (r == 0)
		r = channel_send(ch, ext->e_outfd);
	if (r < 0)
		pmNotifyErr(LOG_CRIT, "__pmdaSetupPDU: PMDA %s send creds: %s", ext->e_name,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
	return r < 0 ? -1 : 0;
}

/* The traffic of the connection so far; nothing was received if it has no type. */
static void show_exchange(const pmdaExt *ext, const struct pdu_header *header)
{
	char name[40];

	fprintf(stderr, "__pmDumpPDUTrace: recent PDUs ...\n[0] xmit fd=%d type=CREDS len=%d\n",
		ext->e_outfd, PDU_HEADER_LEN + 8);
	if (header->type != 0)
		fprintf(stderr, "[1] recv fd=%d type=%s len=%u\n", ext->e_infd,
			pdu_name_r(header->type, name, sizeof(name)), header->len);
}

/* The version among the credentials: 0 if there is none. */
static int creds_version(const pmdaExt *ext, const struct pdu_creds *creds)
{
	int version = 0;

	for (uint32_t i = 0; i < creds->numcred; i++) {
		if (creds->creds[i] >> 24 == 1)
			version = (int)(creds->creds[i] >> 16 & 0xff);
		else
			pmNotifyErr(LOG_WARNING, "__pmdaSetupPDU: PMDA %s: unexpected creds PDU",
				    ext->e_name);
	}
	return version;
}

static int take_version(const pmdaExt *ext, const uint8_t *pdu, const struct pdu_header *header)
{
	char name[40], errmsg[PM_MAXERRMSGLEN];
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r;

	if (header->type != PDU_CREDS) {
		/* Not an error: the version stays unknown (8.3). */
		pmNotifyErr(LOG_CRIT,
			    "__pmdaSetupPDU: PMDA %s: version exchange failure, got PDU type %s "
			    "expecting PDU_CREDS)",
			    ext->e_name, pdu_name_r(header->type, name, sizeof(name)));
		show_exchange(ext, header);
		return 0;
	}
	r = pdu_decode(pdu, header->len, &mem, &body);
	if (r >= 0)
		r = creds_version(ext, &body.creds);
	else
		pmNotifyErr(LOG_CRIT, "__pmdaSetupPDU: PMDA %s decode creds: %s", ext->e_name,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
	arena_done(&mem);
	return r < 0 ? -1 : r;
}

/* The collector's version, 0 if it did not say, -1 on failure. */
static int exchange_versions(const pmdaInterface *dispatch)
{
	const pmdaExt *ext = dispatch->version.any.ext;
	struct channel *ch = &ext_of(ext)->channel;
	struct pdu_header header = {0};
	const uint8_t *pdu;
	char errmsg[PM_MAXERRMSGLEN];
	int r;

	if (send_version(dispatch) < 0)
		return -1;
	/* No byte more is read: an agent with its own select must see the bytes that follow. */
	r = channel_get_exact(ch, ext->e_infd, &pdu, &header);
	if (r < 0) {
		pmNotifyErr(LOG_CRIT, "__pmdaSetupPDU: PMDA %s getting creds: %s", ext->e_name,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
		return -1;
	}
	if (r == 0)
		return take_version(ext, NULL, &header);
	r = take_version(ext, pdu, &header);
	channel_drop(ch, &header);
	return r;
}

/* An agent learns by a failed write and the end of the input that its collector has ended (9.1), so
 * that it can still clean up. */
static void ignore_broken_pipe(void)
{
	struct sigaction old;

	if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		signal(SIGPIPE, SIG_IGN);
}

void pmdaConnect(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	int r;

	if (ext == NULL || !(ext->e_flags & PMDA_EXT_SETUPDONE)) {
		DISPATCH_FAIL(dispatch,
			      "pmdaConnect: need to call pmdaDaemon() or pmdaDSO() first");
		return;
	}
	if (ext->e_flags & PMDA_EXT_CONNECTED) {
		DISPATCH_FAIL(dispatch, "pmdaConnect: called more than once");
		return;
	}
	if (!interface_supported(dispatch->comm.pmda_interface)) {
		DISPATCH_FAIL(dispatch,
			      "pmdaConnect: PMDA interface version %d not supported (domain=%d)",
			      dispatch->comm.pmda_interface, dispatch->domain);
		return;
	}
	ignore_broken_pipe();
	open_way(ext);
	r = exchange_versions(dispatch);
	if (r < 0) {
		dispatch->status = r;
		return;
	}
	dispatch->comm.pmapi_version = (unsigned int)r & 0xff;
	ext->e_flags |= PMDA_EXT_CONNECTED;
}
