/*
 * hostspec - see hostspec.h.
 *
 * The grammar is regular, so a cursor over the text is all the state there is. Where 6.0.3 takes
 * odd texts (a '/' ends the host part and drops the rest, more than one proxy), so does this.
 */
#include "libpcp/hostspec.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

enum { PORT_BEYOND = 65536 };

struct cursor {
	const char *text; /* where positions are counted from */
	const char *pos;
	struct hostspec *spec;
	struct hostspec_error *error;
};

/* clang-format off */
static const struct {
	const char *name;
	enum hostspec_attr attr;
} attr_names[] = {
	{ "compress",   HOSTSPEC_COMPRESS },
	{ "userauth",   HOSTSPEC_USERAUTH },
	{ "authorise",  HOSTSPEC_USERAUTH },
	{ "authorize",  HOSTSPEC_USERAUTH },
	{ "username",   HOSTSPEC_USERNAME },
	{ "user",       HOSTSPEC_USERNAME },
	{ "realm",      HOSTSPEC_REALM },
	{ "authmeth",   HOSTSPEC_METHOD },
	{ "method",     HOSTSPEC_METHOD },
	{ "password",   HOSTSPEC_PASSWORD },
	{ "pass",       HOSTSPEC_PASSWORD },
	{ "unixsock",   HOSTSPEC_UNIXSOCK },
	{ "unix",       HOSTSPEC_UNIXSOCK },
	{ "local",      HOSTSPEC_ATTR_LOCAL },
	{ "userid",     HOSTSPEC_USERID },
	{ "uid",        HOSTSPEC_USERID },
	{ "groupid",    HOSTSPEC_GROUPID },
	{ "gid",        HOSTSPEC_GROUPID },
	{ "processid",  HOSTSPEC_PROCESSID },
	{ "pid",        HOSTSPEC_PROCESSID },
	{ "secure",     HOSTSPEC_SECURE },
	{ "container",  HOSTSPEC_CONTAINER },
	{ "exclusive",  HOSTSPEC_EXCLUSIVE },
};

static const struct {
	const char *prefix;
	enum hostspec_protocol protocol;
} protocols[] = {
	{ "pcp:",   HOSTSPEC_PLAIN },
	{ "pcps:",  HOSTSPEC_PCPS },
	{ "local:", HOSTSPEC_LOCAL },
	{ "unix:",  HOSTSPEC_UNIX },
};
/* clang-format on */

static int hostspec_fail(struct cursor *c, const char *at, const char *reason)
{
	c->error->reason = reason;
	c->error->pos = (size_t)(at - c->text);
	return PM_ERR_GENERIC;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static int hex_digit(char ch)
{
	if (is_digit(ch))
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return -1;
}

/* The prefix, if there is one, and the slashes after it. */
static void parse_protocol(struct cursor *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		size_t len = strlen(protocols[i].prefix);

		if (strncmp(c->pos, protocols[i].prefix, len) != 0)
			continue;
		c->spec->protocol = protocols[i].protocol;
		c->pos += len;
		c->pos += strspn(c->pos, "/");
		return;
	}
}

static int parse_port(struct cursor *c, int *ret_port)
{
	const char *p = c->pos;
	int port = 0;

	if (*p == '\0' || *p == ',' || *p == '@' || *p == '/' || *p == '?')
		return hostspec_fail(c, p, "missing port");
	for (; is_digit(*p); p++) {
		port = port * 10 + (*p - '0');
		if (port > PORT_BEYOND)
			port = PORT_BEYOND;
	}
	if (*p != '\0' && *p != ',' && *p != '@' && *p != '/' && *p != '?')
		return hostspec_fail(c, p, "non-numeric port");
	c->pos = p;
	*ret_port = port;
	return 0;
}

/* ":" port { "," port }; the cursor is at the colon. */
static int parse_ports(struct cursor *c, struct hostspec_host *host)
{
	size_t n = 1;
	int *ports;
	int r;

	c->pos++;
	for (const char *p = c->pos; *p != '\0' && strchr("@/?", *p) == NULL; p++)
		n += *p == ',';
	ports = arena_alloc(&c->spec->mem, n * sizeof(ports[0]));
	if (ports == NULL)
		return -ENOMEM;
	host->ports = ports;
	for (;;) {
		r = parse_port(c, &ports[host->nports]);
		if (r < 0)
			return r;
		host->nports++;
		if (*c->pos != ',')
			return 0;
		c->pos++;
	}
}

/* A name, in brackets or up to the first character that ends one. */
static int parse_name(struct cursor *c, const char **ret_name)
{
	const char *start = c->pos;
	const char *end;
	size_t len;

	if (*start == '[') {
		start++;
		end = strchr(start, ']');
		if (end == NULL)
			return hostspec_fail(c, start + strlen(start),
					     "missing closing ']' for host spec");
		c->pos = end + 1;
		if (*c->pos != '\0' && strchr(":@/?", *c->pos) == NULL)
			return hostspec_fail(c, c->pos, "extra characters after host spec");
		len = (size_t)(end - start);
	} else {
		len = strcspn(start, ":@/?");
		c->pos = start + len;
	}
	*ret_name = arena_strndup(&c->spec->mem, start, len);
	return *ret_name == NULL ? -ENOMEM : 0;
}

static int parse_host(struct cursor *c, struct hostspec_host *host)
{
	int r = parse_name(c, &host->name);

	if (r == 0 && *c->pos == ':')
		r = parse_ports(c, host);
	return r;
}

/* host { "@" host }: the second is the proxy, any more are checked and not used. */
static int parse_hosts(struct cursor *c)
{
	const char *start = c->pos;
	int r;

	if (*start == ':' || *start == '@')
		return hostspec_fail(c, start, "unexpected terminal character");
	r = parse_host(c, &c->spec->host);
	if (r < 0)
		return r;
	if (c->pos == start)
		return PM_ERR_NOTHOST;
	while (*c->pos == '@') {
		struct hostspec_host host = {0};

		c->pos++;
		r = parse_host(c, &host);
		if (r < 0)
			return r;
		if (c->spec->proxy.name == NULL)
			c->spec->proxy = host;
	}
	return 0;
}

/* A path up to '?' or the end, made absolute. */
static int parse_path(struct cursor *c)
{
	size_t len = strcspn(c->pos, ":?");
	char *path;

	if (c->pos[len] == ':')
		return hostspec_fail(c, c->pos + len, "unexpected terminal character");
	if (len > 0) {
		path = arena_alloc(&c->spec->mem, len + 2);
		if (path == NULL)
			return -ENOMEM;
		path[0] = '/';
		memcpy(path + 1, c->pos, len);
		path[len + 1] = '\0';
		c->spec->path = path;
	}
	c->pos += len;
	return 0;
}

/* Undoes the URL encoding of len bytes; an invalid escape stays as it is. */
static char *url_decode(struct arena *mem, const char *s, size_t len)
{
	char *text = arena_alloc(mem, len + 1);
	char *out = text;

	if (text == NULL)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '%' && len - i > 2 && hex_digit(s[i + 1]) >= 0 &&
		    hex_digit(s[i + 2]) >= 0) {
			*out++ = (char)(hex_digit(s[i + 1]) << 4 | hex_digit(s[i + 2]));
			i += 2;
		} else {
			*out++ = s[i] == '+' ? ' ' : s[i];
		}
	}
	*out = '\0';
	return text;
}

static int find_attr(const char *key, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_names); i++) {
		if (strlen(attr_names[i].name) == len && memcmp(attr_names[i].name, key, len) == 0)
			return (int)attr_names[i].attr;
	}
	return -1;
}

/* key [ "=" value ], len bytes of it. The last of equal keys counts. */
static int parse_attr(struct cursor *c, size_t len)
{
	const char *equals = memchr(c->pos, '=', len);
	size_t key_len = equals == NULL ? len : (size_t)(equals - c->pos);
	size_t value_at = equals == NULL ? len : key_len + 1;
	int attr = find_attr(c->pos, key_len);

	if (attr < 0)
		return 0;
	c->spec->attrs[attr] = url_decode(&c->spec->mem, c->pos + value_at, len - value_at);
	return c->spec->attrs[attr] == NULL ? -ENOMEM : 0;
}

/* "?" attr { "&" attr }. After a '/' whatever follows is ignored. */
static int parse_attrs(struct cursor *c)
{
	int r = 0;

	if (*c->pos != '?')
		return 0;
	c->pos++;
	while (r == 0 && *c->pos != '\0') {
		size_t len = strcspn(c->pos, "&");

		r = parse_attr(c, len);
		c->pos += len;
		c->pos += *c->pos == '&';
	}
	return r;
}

int hostspec_parse(const char *text, struct hostspec *ret_spec, struct hostspec_error *ret_error)
{
	struct hostspec spec = {.mem = ARENA_INIT};
	struct cursor c = {.text = text, .pos = text, .spec = &spec, .error = ret_error};
	int r;

	parse_protocol(&c);
	if (spec.protocol == HOSTSPEC_LOCAL || spec.protocol == HOSTSPEC_UNIX)
		r = parse_path(&c);
	else
		r = parse_hosts(&c);
	if (r == 0)
		r = parse_attrs(&c);
	if (r < 0) {
		hostspec_done(&spec);
		return r;
	}
	*ret_spec = spec;
	return 0;
}

void hostspec_done(struct hostspec *spec)
{
	arena_done(&spec->mem);
	*spec = (struct hostspec){0};
}
