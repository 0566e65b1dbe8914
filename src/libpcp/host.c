/*
 * host - see host.h. This file makes and remakes the connection.
 *
 * A specification is kept in text and taken apart once; the environment supplies what it leaves
 * open. 6.0.3 forgets the attributes of a specification when a context is duplicated; here the
 * duplicate asks for the same as the original.
 */
#include "libpcp/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libpcp/defaults.h"
#include "libpcp/dial.h"

static void report_bad_spec(const char *text, const struct hostspec_error *error)
{
	pmprintf("pmNewContext: bad host specification\n%s\n%*s^ -- %s\n", text, (int)error->pos,
		 "", error->reason);
	pmflush();
}

/* How much TLS is wanted: NULL, "enforce" or "relaxed" (docs/spec/pmcd.md 12). */
static const char *wanted_security(const struct hostspec *spec)
{
	const char *attr = spec->attrs[HOSTSPEC_SECURE];

	if (spec->protocol != HOSTSPEC_PCPS)
		return getenv("PCP_SECURE_SOCKETS");
	return attr == NULL ? "enforce" : attr;
}

/* The union of the specification, the flags of the context and the environment. */
static int read_options(struct host *h, unsigned int flags)
{
	static const enum hostspec_attr logins[] = {HOSTSPEC_USERAUTH, HOSTSPEC_USERNAME,
						    HOSTSPEC_PASSWORD, HOSTSPEC_METHOD,
						    HOSTSPEC_REALM};
	const char *secure = wanted_security(&h->spec);
	const char *container = h->spec.attrs[HOSTSPEC_CONTAINER];

	h->secure = (flags & PM_CTXFLAG_SECURE) != 0;
	if (secure != NULL &&
	    (*secure == '\0' || strcmp(secure, "1") == 0 || strcmp(secure, "enforce") == 0))
		h->secure = true;
	h->compress =
	    (flags & PM_CTXFLAG_COMPRESS) != 0 || h->spec.attrs[HOSTSPEC_COMPRESS] != NULL;
	h->auth = (flags & PM_CTXFLAG_AUTH) != 0;
	for (size_t i = 0; i < ARRAY_SIZE(logins); i++)
		h->auth = h->auth || h->spec.attrs[logins[i]] != NULL;
	if (container == NULL)
		container = getenv("PCP_CONTAINER");
	if (container == NULL)
		return 0;
	h->container = strdup(container);
	return h->container == NULL ? -ENOMEM : 0;
}

static int handshake(struct host *h, bool unixsock)
{
	const struct handshake_options options = {
	    .secure = h->secure,
	    .compress = h->compress,
	    .auth = h->auth,
	    .local = unixsock || h->spec.attrs[HOSTSPEC_ATTR_LOCAL] != NULL ||
		     strstr(h->in_use, "localhost") != NULL,
	    .unixsock = unixsock,
	    .container = h->container,
	};
	int r = handshake_client(&h->conn, &options);

	if (r == 0)
		conn_set_timeout(&h->conn, timeouts_reply_ms());
	return r;
}

static void take_socket(struct host *h, int fd)
{
	conn_open(&h->conn, fd);
	conn_set_timeout(&h->conn, timeouts_handshake_ms());
}

static int connect_direct(struct host *h, const struct hostspec_host *at)
{
	const int *ports = at->ports;
	size_t nports = at->nports;
	int fd;
	int r;

	if (nports == 0)
		ports = defaults_pmcd_ports(&nports);
	r = dial_tcp(at->name, ports, nports, timeouts_connect_ms(), &fd);
	if (r < 0)
		return r;
	take_socket(h, fd);
	return handshake(h, false);
}

/* The proxy connects for us, so each port of the collector needs a connection to the proxy. */
static int connect_by_proxy(struct host *h, const struct hostspec_host *at, const char *proxy,
			    const int *proxy_ports)
{
	const int *ports = at->ports;
	size_t nports = at->nports;
	int fd;
	int r = -ECONNREFUSED;

	if (nports == 0)
		ports = defaults_pmcd_ports(&nports);
	for (size_t i = 0; i < nports; i++) {
		r = dial_tcp(proxy, proxy_ports, 1, timeouts_connect_ms(), &fd);
		if (r < 0)
			return r;
		take_socket(h, fd);
		r = handshake_proxy(&h->conn, at->name, ports[i]);
		if (r == 0)
			r = handshake(h, false);
		if (r != PM_ERR_IPC)
			break;
	}
	return r;
}

static int connect_tcp(struct host *h, const struct hostspec_host *at)
{
	const struct hostspec_host *proxy = &h->spec.proxy;
	const int *ports = proxy->ports;
	size_t n;

	h->in_use = at->name;
	if (proxy->name == NULL && defaults_proxy_host() == NULL)
		return connect_direct(h, at);
	if (proxy->name == NULL || proxy->nports == 0)
		ports = defaults_proxy_ports(&n);
	return connect_by_proxy(h, at, proxy->name == NULL ? defaults_proxy_host() : proxy->name,
				ports);
}

static int connect_unix(struct host *h, const char *path)
{
	int fd;
	int r;

	if (path == NULL)
		return -ENOENT;
	h->in_use = path;
	r = dial_unix(path, timeouts_connect_ms(), &fd);
	if (r < 0)
		return r;
	take_socket(h, fd);
	return 0;
}

/* To the collector that this user runs; a failure is reported for the usual one. */
static int connect_own(struct host *h)
{
	const char *usual = h->in_use;
	int r = connect_unix(h, defaults_own_socket());

	if (r < 0)
		h->in_use = usual;
	return r;
}

static int host_connect(struct host *h)
{
	static const struct hostspec_host localhost = {.name = "localhost"};
	const char *path = h->spec.path;
	int r;

	if (h->spec.protocol != HOSTSPEC_LOCAL && h->spec.protocol != HOSTSPEC_UNIX)
		return connect_tcp(h, &h->spec.host);
	r = connect_unix(h, path == NULL ? defaults_socket() : path);
	if (r < 0 && path == NULL && connect_own(h) == 0)
		r = 0;
	if (r == 0)
		return handshake(h, true);
	return h->spec.protocol == HOSTSPEC_LOCAL ? connect_tcp(h, &localhost) : r;
}

static void host_close(struct context *ctx)
{
	struct host *h = host_of(ctx);

	if (h == NULL)
		return;
	conn_done(&h->conn);
	hostspec_done(&h->spec);
	free(h->container);
	free(h->text);
	free(h);
	ctx->source = NULL;
}

static int host_open(struct context *ctx, const char *name)
{
	struct hostspec_error error;
	struct host *h = calloc(1, sizeof(*h));
	int r;

	if (h == NULL)
		return -ENOMEM;
	ctx->source = h;
	conn_init(&h->conn);
	h->conn.from = ctx->handle;
	h->text = strdup(name);
	if (h->text == NULL)
		return -ENOMEM;
	r = hostspec_parse(name, &h->spec, &error);
	if (r == PM_ERR_GENERIC)
		report_bad_spec(name, &error);
	if (r == 0)
		r = read_options(h, ctx->flags);
	return r < 0 ? r : host_connect(h);
}

static int host_dup(struct context *ctx, const struct context *from)
{
	return host_open(ctx, host_of(from)->text);
}

static int host_reconnect(struct context *ctx)
{
	struct host *h = host_of(ctx);

	if (h->failures > 0 && clock_mono_ms() < h->again_ms)
		return -ETIMEDOUT;
	conn_close(&h->conn, PM_ERR_IPC);
	ctx->profile_sent = false;
	if (host_connect(h) < 0) {
		h->failures++;
		h->again_ms =
		    clock_mono_ms() + (uint64_t)timeouts_reconnect_sec(h->failures) * 1000;
		return -ETIMEDOUT;
	}
	h->failures = 0;
	return 0;
}

static int host_host_name(struct context *ctx, char *buf, size_t size)
{
	const char *name = host_of(ctx)->in_use;

	if (*name == '/' || strncmp(name, "localhost", strlen("localhost")) == 0)
		return gethostname(buf, size) < 0 ? -errno : 0;
	pmstrncpy(buf, size, name);
	return 0;
}

/* A collector has only the present time. */
static int host_set_mode(struct context *ctx, int mode, const struct timespec *when,
			 const struct timespec *delta)
{
	return mode == PM_MODE_LIVE ? 0 : PM_ERR_MODE;
}

static int host_location(struct context *ctx)
{
	return conn_is_open(&host_of(ctx)->conn) ? PMNS_REMOTE : PM_ERR_IPC;
}

const struct context_ops host_ops = {
    .open = host_open,
    .dup = host_dup,
    .reconnect = host_reconnect,
    .close = host_close,
    .set_mode = host_set_mode,
    .host_name = host_host_name,
    .location = host_location,
    .lookup_names = host_lookup_names,
    .name_all = host_name_all,
    .names_all = host_names_all,
    .children = host_children,
    .traverse = host_traverse,
    .desc = host_desc,
    .descs = host_descs,
    .instances = host_instances,
    .text = host_text,
    .labels = host_labels,
    .fetch = host_fetch,
    .store = host_store,
};
