/*
 * target - the collector that a command is about, and the variables that change it.
 */
#include "tools/pitot/status/facts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/collector.h"
#include "tools/pitot/process.h"
#include "tools/pitot/up/up.h"

/*
 * The collector
 */

/*
 * Connects to a Unix socket and closes the connection. Returns 0 or -errno; *ret_pid gets the
 * listening process.
 */
static int target_probe(const char *path, pid_t *ret_pid)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int fd, err = 0;

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	strcpy(un.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) < 0)
		err = -errno;
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0)
		*ret_pid = peer.pid;
	close(fd);
	return err;
}

/* The process in the lock, if it runs and is a pitot. */
static pid_t read_lock(const struct place *p, bool *ret_left)
{
	struct process process;
	char text[16] = "";
	FILE *f = fopen(p->lock, "re");
	pid_t pid = 0;

	if (f == NULL)
		return 0;
	if (fgets(text, sizeof(text), f) != NULL)
		pid = atoi(text);
	fclose(f);
	if (process_read(pid, &process) && strcmp(process.name, "pitot") == 0)
		return pid;
	*ret_left = true;
	return 0;
}

static bool target_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A name of this host that does not mean the loopback address is treated as another host. */
static bool means_here(const char *spec)
{
	if (target_begins(spec, "pcp://"))
		spec += strlen("pcp://");
	return target_begins(spec, "unix:") || target_begins(spec, "local:") ||
	       target_begins(spec, "localhost") || target_begins(spec, "127.") ||
	       target_begins(spec, "[::1]");
}

static void probe_spec(struct target *t)
{
	const char *path = t->spec + strcspn(t->spec, ":") + 1;

	if (!target_begins(t->spec, "unix:") && !target_begins(t->spec, "local:"))
		return;
	path += strspn(path, "/");
	if (*path == '\0') {
		char socket[PLACE_PATH];
		const char *env = getenv("PMCD_SOCKET");

		if (env != NULL)
			snprintf(socket, sizeof(socket), "%s", env);
		else
			snprintf(socket, sizeof(socket), "%s/pmcd.socket",
				 pmGetConfig("PCP_RUN_DIR"));
		target_probe(socket, &t->socket_pid);
		return;
	}
	target_probe(path - 1, &t->socket_pid);
}

int target_find(struct target *t, const char *host)
{
	memset(t, 0, sizeof(*t));
	t->uid = geteuid();
	if (place_find(&t->place) < 0)
		return -1;
	t->up_pid = read_lock(&t->place, &t->lock_left);
	t->socket_error = target_probe(t->place.socket, &t->socket_pid);
	if (host != NULL) {
		t->kind = TARGET_HOST;
		snprintf(t->spec, sizeof(t->spec), "%s", host);
	} else if (t->socket_error == 0 || t->up_pid > 0) {
		t->kind = TARGET_UP;
		snprintf(t->spec, sizeof(t->spec), "unix:%s", t->place.socket);
	} else {
		t->kind = TARGET_DEFAULT;
		snprintf(t->spec, sizeof(t->spec), "local:");
	}
	t->here = means_here(t->spec);
	if (t->kind != TARGET_UP) {
		t->socket_pid = 0;
		probe_spec(t);
	}
	return 0;
}

/*
 * Variables of the environment
 */

/* True if this is one of the collector's Unix sockets. */
static bool listens_at(const struct collector *c, const char *path)
{
	char full[PATH_MAX];

	if (realpath(path, full) == NULL)
		return false;
	for (int i = 0; i < c->nlistener; i++) {
		const struct collector_listener *l = &c->listeners[i];
		char other[PATH_MAX];

		if (l->port == 0 && l->address != NULL && realpath(l->address, other) != NULL &&
		    strcmp(full, other) == 0)
			return true;
	}
	return false;
}

static bool listens_on(const struct collector *c, const char *port)
{
	for (int i = 0; i < c->nlistener; i++) {
		if (c->listeners[i].port == atol(port))
			return true;
	}
	return false;
}

static bool socket_elsewhere(const struct collector *c, const char *value)
{
	return c != NULL && c->nlistener > 0 && !listens_at(c, value);
}

static bool run_dir_elsewhere(const struct collector *c, const char *value)
{
	char path[PLACE_PATH + 16];

	if (getenv("PMCD_SOCKET") != NULL)
		return false;
	snprintf(path, sizeof(path), "%s/pmcd.socket", value);
	return socket_elsewhere(c, path);
}

static bool port_elsewhere(const struct collector *c, const char *value)
{
	return c != NULL && c->nlistener > 0 && !listens_on(c, value);
}

static bool conf_unreadable(const struct collector *c, const char *value)
{
	return access(value, R_OK) < 0;
}

static bool dir_without_conf(const struct collector *c, const char *value)
{
	char path[PLACE_PATH];

	snprintf(path, sizeof(path), "%s/etc/pcp.conf", value);
	return access(path, R_OK) < 0;
}

static bool always(const struct collector *c, const char *value)
{
	return true;
}

/* clang-format off */
static const struct {
	const char *name;
	bool (*elsewhere)(const struct collector *c, const char *value); /* NULL: never */
	bool fatal; /* with a wrong value every client fails at once */
} variables[] = {
	{ "PMCD_SOCKET",        socket_elsewhere,  false },
	{ "PMCD_PORT",          port_elsewhere,    false },
	{ "PCP_RUN_DIR",        run_dir_elsewhere, false },
	{ "PCP_CONF",           conf_unreadable,   true },
	{ "PCP_DIR",            dir_without_conf,  true },
	{ "PMPROXY_HOST",       always,            false },
	{ "PCP_SECURE_SOCKETS", always,            false },
	{ "PCP_CONTAINER",      always,            false },
	{ "PMNS_DEFAULT",       conf_unreadable,   false },
	{ "PCP_DERIVED_CONFIG", NULL,              false },
	{ "PCP_VAR_DIR",        NULL,              false },
	{ "PCP_LOG_DIR",        NULL,              false },
};
/* clang-format on */

enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };
_Static_assert((int)VARIABLES <= (int)REDIRECTS_MAX, "room for all variables");

int redirect_note(struct redirect *redirects)
{
	int n = 0;

	for (int i = 0; i < VARIABLES; i++) {
		const char *value = getenv(variables[i].name);
		bool fatal;

		if (value == NULL)
			continue;
		fatal = variables[i].fatal && variables[i].elsewhere(NULL, value);
		redirects[n++] = (struct redirect){variables[i].name, value, fatal};
		if (fatal)
			unsetenv(variables[i].name);
	}
	return n;
}

static void target_judge(struct redirect *r, const struct collector *c)
{
	for (int i = 0; i < VARIABLES; i++) {
		if (strcmp(r->name, variables[i].name) == 0 && variables[i].elsewhere != NULL)
			r->elsewhere = r->elsewhere || variables[i].elsewhere(c, r->value);
	}
}

void redirect_judge(struct redirect *redirects, int n, const struct collector *c)
{
	for (int i = 0; i < n; i++)
		target_judge(&redirects[i], c);
}
