/* options - see options.h. */
#include "daemons/pmcd/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libwire/pdu.h"

enum {
	BACKLOG_DEFAULT = 1024, /* 6.0.3: 5, which turns away a burst of clients */
	TIMEOUT_DEFAULT_S = 5,
	CREDS_DEFAULT_S = 3,
	SILENCE_DEFAULT_S = 60,
	OPTION_VERSION = 256,
	OPTION_HELP, /* --help: getopt returns '?' for errors as well */
};

typedef int (*option_set)(struct options *o, const char *arg);

struct option_row {
	int letter;
	const char *name;
	const char *arg; /* NULL: takes none */
	const char *help;
	option_set set;
};

static void note(struct options *o, const char *text)
{
	if (o->nnote < OPTIONS_NOTES_MAX)
		o->notes[o->nnote++] = text;
}

static int options_complain(const char *what, const char *arg)
{
	fprintf(stderr, "pmcd: %s \"%s\"\n", what, arg);
	return -EINVAL;
}

/* A number of C's syntax, all of the text. */
static int options_parse_number(const char *arg, long min, long max, long *ret_value)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(arg, &end, 0);
	if (end == arg || *end != '\0' || errno != 0 || v < min || v > max)
		return -EINVAL;
	*ret_value = v;
	return 0;
}

static int add_port(struct options *o, long port)
{
	for (unsigned int i = 0; i < o->nport; i++) {
		if (o->ports[i] == port && port != 0) {
			note(o, "Warning: duplicate port number ignored");
			return 0;
		}
	}
	if (o->nport == OPTIONS_PORTS_MAX)
		return -EINVAL;
	o->ports[o->nport++] = (uint16_t)port;
	return 0;
}

static int set_ports(struct options *o, const char *arg)
{
	AUTO_FREE char *list = strdup(arg);
	char *save = NULL;

	if (list == NULL)
		return -ENOMEM;
	for (char *p = strtok_r(list, ",", &save); p != NULL; p = strtok_r(NULL, ",", &save)) {
		long port;

		if (options_parse_number(p, 0, UINT16_MAX, &port) < 0 || add_port(o, port) < 0)
			return options_complain("illegal port number", p);
	}
	return 0;
}

static int set_interface(struct options *o, const char *arg)
{
	unsigned char addr[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, arg, addr) != 1 && inet_pton(AF_INET6, arg, addr) != 1)
		return options_complain("illegal address", arg);
	if (o->ninterface == OPTIONS_INTERFACES_MAX)
		return options_complain("too many addresses", arg);
	o->interfaces[o->ninterface++] = arg;
	return 0;
}

static int set_ceiling(struct options *o, const char *arg)
{
	if (options_parse_number(arg, 1, INT_MAX, &o->pdu_ceiling) < 0)
		return options_complain("-L requires a positive value, not", arg);
	return 0;
}

static int set_creds_timeout(struct options *o, const char *arg)
{
	long v;

	if (options_parse_number(arg, 1, INT_MAX / 1000, &v) < 0)
		return options_complain("-q requires a positive numeric argument, not", arg);
	o->creds_timeout_s = (unsigned int)v;
	return 0;
}

static int set_timeout(struct options *o, const char *arg)
{
	long v;

	if (options_parse_number(arg, 0, INT_MAX / 1000, &v) < 0)
		return options_complain("-t requires a numeric argument, not", arg);
	o->timeout_s = (unsigned int)v;
	return 0;
}

static int options_set_trace(struct options *o, const char *arg)
{
	long v;

	if (options_parse_number(arg, 0, INT_MAX, &v) < 0)
		return options_complain("-T requires a numeric mask, not", arg);
	o->trace = (unsigned int)v;
	return 0;
}

static int set_socket(struct options *o, const char *arg)
{
	if (strlen(arg) >= sizeof(o->socket_path))
		return options_complain("path too long", arg);
	strcpy(o->socket_path, arg);
	return 0;
}

static int set_debug(struct options *o, const char *arg)
{
	return pmSetDebug(arg) < 0
		   ? options_complain("unrecognized debug options specification", arg)
		   : 0;
}

static int set_unique(struct options *o, const char *arg)
{
	o->namespace_file = arg;
	o->unique_names = true;
	return 0;
}

static int set_names(struct options *o, const char *arg)
{
	o->namespace_file = arg;
	return 0;
}

static int miss_tls(struct options *o, const char *arg)
{
	note(o, "Warning: -Q ignored: this build has no TLS");
	return 0;
}

static int set_reqauth(struct options *o, const char *arg)
{
	o->require_account = true;
	note(o, "Warning: -S: this build has no authentication; only the Unix socket tells who a "
		"client is");
	return 0;
}

static int miss_discovery(struct options *o, const char *arg)
{
	return 0; /* there is no service discovery to be switched off */
}

#define SETTER(word, field, value)                                                                 \
	static int set_##word(struct options *o, const char *arg)                                  \
	{                                                                                          \
		o->field = value;                                                                  \
		return 0;                                                                          \
	}
SETTER(config, config_path, arg)
SETTER(foreground, foreground, true)
SETTER(hostname, hostname, arg)
SETTER(log, log_path, arg)
SETTER(user, user, arg)
SETTER(verify, verify, true)
SETTER(fatal, fatal_path, arg)
SETTER(help, help, true)
SETTER(version, version, true)
#undef SETTER

/* clang-format off */
static const struct option_row rows[] = {
	{ 'A', NULL,         NULL,   "disable service advertisement", miss_discovery },
	{ 'c', "config",     "PATH", "path to configuration file", set_config },
	{ 'D', "debug",      "DBG",  "set debug options", set_debug },
	{ 'f', "foreground", NULL,   "run in the foreground", set_foreground },
	{ 'H', "hostname",   "HOST", "set the hostname to be used for pmcd.hostname metric", set_hostname },
	{ 'i', "interface",  "ADDR", "accept connections on this IP address", set_interface },
	{ 'l', "log",        "PATH", "redirect diagnostics and trace output", set_log },
	{ 'L', NULL,         "BYTES", "maximum size for PDUs from clients [default 65536]", set_ceiling },
	{ 'n', "namespace",  "FILE", "use an alternative PMNS", set_names },
	{ 'N', "uniqnames",  "FILE", "use an alternative PMNS with unique metric identifiers", set_unique },
	{ 'p', "port",       "N",    "accept connections on this port", set_ports },
	{ 'q', NULL,         "TIME", "PMDA initial negotiation timeout (seconds) [default 3]", set_creds_timeout },
	{ 'Q', "remotecert", NULL,   "require remote client certificates (missing in this build)", miss_tls },
	{ 's', "socket",     "PATH", "Unix domain socket file [default $PCP_RUN_DIR/pmcd.socket]", set_socket },
	{ 'S', "reqauth",    NULL,   "require credentials of all clients", set_reqauth },
	{ 't', NULL,         "TIME", "PMDA response timeout (seconds) [default 5]", set_timeout },
	{ 'T', "trace",      "FLAG", "event trace: 1 connections, 2 PDUs, 256 unbuffered", options_set_trace },
	{ 'U', "username",   "USER", "in daemon mode, run as named user [default pcp]", set_user },
	{ 'v', "verify",     NULL,   "check validity of pmcd configuration, then exit", set_verify },
	{ 'x', NULL,         "PATH", "fatal messages at startup sent to file [default /dev/tty]", set_fatal },
	{ '?', "help",       NULL,   "show this usage message and exit", set_help },
	{ OPTION_VERSION, "version", NULL, "show the version and exit", set_version },
};
/* clang-format on */

void options_usage(void)
{
	printf("Usage: pmcd [options]\n\nOptions:\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct option_row *o = &rows[i];
		char left[64];
		int n = 0;

		if (o->letter < OPTION_VERSION)
			n = snprintf(left, sizeof(left), "-%c%s%s", o->letter,
				     o->name == NULL && o->arg != NULL ? " " : "",
				     o->name == NULL && o->arg != NULL ? o->arg : "");
		if (o->name != NULL)
			snprintf(left + n, sizeof(left) - (size_t)n, "%s--%s%s%s",
				 n > 0 ? ", " : "", o->name, o->arg != NULL ? "=" : "",
				 o->arg != NULL ? o->arg : "");
		printf("  %-24s %s\n", left, o->help);
	}
}

static const struct option_row *row_for(int letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].letter == letter)
			return &rows[i];
	}
	return NULL;
}

/* getopt's tables, made from ours. The leading '+': options end at the first other word. */
static void getopt_tables(char *letters, struct option *longs)
{
	*letters++ = '+';
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct option_row *o = &rows[i];

		if (o->letter < OPTION_VERSION) {
			*letters++ = (char)o->letter;
			if (o->arg != NULL)
				*letters++ = ':';
		}
		if (o->name != NULL)
			*longs++ = (struct option){
			    o->name, o->arg != NULL ? required_argument : no_argument, NULL,
			    o->letter == '?' ? OPTION_HELP : o->letter};
	}
	*letters = '\0';
	*longs = (struct option){0};
}

static int parse_args(struct options *o, int argc, char **argv)
{
	char letters[2 * ARRAY_SIZE(rows) + 2];
	struct option longs[ARRAY_SIZE(rows) + 1];
	int letter;

	getopt_tables(letters, longs);
	optind = 1;
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		int r;

		/* -? and an unknown option look alike to getopt's caller. */
		if (letter == '?' && strcmp(argv[optind - 1], "-?") != 0)
			return -EINVAL;
		r = row_for(letter == OPTION_HELP ? '?' : letter)->set(o, optarg);
		if (r < 0)
			return r;
	}
	return optind < argc ? options_complain("unexpected argument", argv[optind]) : 0;
}

/*
 * Environment
 */

static int env_number(const char *name, long min, long max, long *ret_value)
{
	const char *text = getenv(name);

	if (text == NULL)
		return -ENOENT;
	return options_parse_number(text, min, max, ret_value);
}

static int parse_env(struct options *o)
{
	const char *ports = getenv("PMCD_PORT");
	long v;

	if (ports != NULL) {
		note(o, "Warning: PMCD_PORT was set in the environment");
		if (set_ports(o, ports) < 0)
			return -EINVAL;
	}
	if (env_number("PMCD_LOCAL", LONG_MIN, LONG_MAX, &v) == 0) {
		note(o, "Warning: PMCD_LOCAL was set in the environment");
		o->any_address = v == 0;
	}
	if (env_number("PMCD_MAXPENDING", 1, INT_MAX, &v) == 0) {
		note(o, "Warning: PMCD_MAXPENDING was set in the environment");
		o->backlog = (int)v;
	}
	if (env_number("PMCD_AGENT_SILENCE", 0, INT_MAX / 1000, &v) == 0)
		o->silence_s = (unsigned int)v;
	if (env_number("PMCD_RESTART_AGENTS", LONG_MIN, LONG_MAX, &v) == 0)
		o->restart_agents = v != 0;
	return 0;
}

static void set_socket_default(struct options *o)
{
	const char *env = getenv("PMCD_SOCKET");

	if (env != NULL)
		snprintf(o->socket_path, sizeof(o->socket_path), "%s", env);
	else
		snprintf(o->socket_path, sizeof(o->socket_path), "%s/pmcd.socket",
			 pmGetConfig("PCP_RUN_DIR"));
}

static void set_defaults(struct options *o)
{
	const char *user = pmGetOptionalConfig("PCP_USER");

	*o = (struct options){
	    .config_path = pmGetConfig("PCP_PMCDCONF_PATH"),
	    .log_path = "pmcd.log",
	    .user = user != NULL && *user != '\0' ? user : "pcp",
	    .backlog = BACKLOG_DEFAULT,
	    .pdu_ceiling = PDU_CLIENT_MAX,
	    .timeout_s = TIMEOUT_DEFAULT_S,
	    .creds_timeout_s = CREDS_DEFAULT_S,
	    .silence_s = SILENCE_DEFAULT_S,
	    .restart_agents = true,
	};
	set_socket_default(o);
}

int options_parse(struct options *o, int argc, char **argv)
{
	size_t len;
	int r;

	set_defaults(o);
	r = parse_env(o);
	if (r == 0)
		r = parse_args(o, argc, argv);
	if (r < 0)
		return r;
	if (o->nport == 0)
		o->ports[o->nport++] = PMCD_PORT_DEFAULT;
	len = strlen(o->config_path) + sizeof(".access");
	o->access_path = malloc(len);
	if (o->access_path == NULL)
		return -ENOMEM;
	snprintf(o->access_path, len, "%s.access", o->config_path);
	return 0;
}

void options_done(struct options *o)
{
	free(o->access_path);
}
