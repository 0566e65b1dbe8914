/* redirect - see redirect.h. */
#include "redirect.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector.h"
#include "place.h"

/* Is one of the collector's Unix sockets this one? */
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
	bool fatal; /* with a value that leads nowhere every client ends at once */
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

static void judge(struct redirect *r, const struct collector *c)
{
	for (int i = 0; i < VARIABLES; i++) {
		if (strcmp(r->name, variables[i].name) == 0 && variables[i].elsewhere != NULL)
			r->elsewhere = r->elsewhere || variables[i].elsewhere(c, r->value);
	}
}

void redirect_judge(struct redirect *redirects, int n, const struct collector *c)
{
	for (int i = 0; i < n; i++)
		judge(&redirects[i], c);
}
