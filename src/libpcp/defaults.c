/* defaults - see defaults.h. */
#include "libpcp/defaults.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libpcp/config.h"

enum {
	PORTS_MAX = 32,
	PORT_MAX = 65535,
	PMCD_PORT_DEFAULT = 44321,
	PROXY_PORT_DEFAULT = 44322,
	OWN_MAX = 2,
};

struct ports {
	int list[PORTS_MAX];
	size_t n;
};

static struct {
	struct ports pmcd;
	struct ports proxy;
	char *proxy_host;
	char *socket;
	char *own[OWN_MAX];         /* folders of sockets and port maps of this user's `pitot up` */
	char *own_sockets[OWN_MAX]; /* of its collector, in these */
} defaults;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A comma-separated list; an entry that is not a port number is left out. */
static void read_ports(const char *name, int otherwise, struct ports *ports)
{
	const char *text = getenv(name);
	char *end;

	while (text != NULL && *text != '\0' && ports->n < PORTS_MAX) {
		long port = strtol(text, &end, 10);

		if (end != text && (*end == ',' || *end == '\0') && port > 0 && port <= PORT_MAX)
			ports->list[ports->n++] = (int)port;
		text = strchr(text, ',');
		text = text == NULL ? NULL : text + 1;
	}
	if (ports->n == 0)
		ports->list[ports->n++] = otherwise;
}

static char *copy_if_set(const char *text)
{
	return text == NULL || *text == '\0' ? NULL : strdup(text);
}

/* Root's is the system's. */
static void read_own(void)
{
	const char *run_dir = getenv("XDG_RUNTIME_DIR");
	char path[PATH_MAX];
	size_t n = 0;

	if (geteuid() == 0 || getenv("PMCD_SOCKET") != NULL || getenv("PMCD_PORT") != NULL ||
	    config_run_dir_given())
		return;
	if (run_dir != NULL && run_dir[0] == '/' &&
	    snprintf(path, sizeof(path), "%s/pitot", run_dir) < (int)sizeof(path))
		defaults.own[n++] = strdup(path);
	snprintf(path, sizeof(path), "/tmp/pitot-%u/run", geteuid());
	defaults.own[n++] = strdup(path);
	for (size_t i = 0; i < n && defaults.own[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/pmcd.socket", defaults.own[i]);
		defaults.own_sockets[i] = strdup(path);
	}
}

static void read_environment(void)
{
	char path[PATH_MAX];
	const char *run_dir;

	read_ports("PMCD_PORT", PMCD_PORT_DEFAULT, &defaults.pmcd);
	read_ports("PMPROXY_PORT", PROXY_PORT_DEFAULT, &defaults.proxy);
	defaults.proxy_host = copy_if_set(getenv("PMPROXY_HOST"));
	defaults.socket = copy_if_set(getenv("PMCD_SOCKET"));
	read_own();
	if (defaults.socket != NULL)
		return;
	run_dir = pmGetOptionalConfig("PCP_RUN_DIR");
	if (run_dir == NULL || *run_dir == '\0')
		return;
	if (snprintf(path, sizeof(path), "%s/pmcd.socket", run_dir) < (int)sizeof(path))
		defaults.socket = strdup(path);
}

const int *defaults_pmcd_ports(size_t *ret_n)
{
	pthread_once(&once, read_environment);
	*ret_n = defaults.pmcd.n;
	return defaults.pmcd.list;
}

const int *defaults_proxy_ports(size_t *ret_n)
{
	pthread_once(&once, read_environment);
	*ret_n = defaults.proxy.n;
	return defaults.proxy.list;
}

const char *defaults_proxy_host(void)
{
	pthread_once(&once, read_environment);
	return defaults.proxy_host;
}

const char *defaults_socket(void)
{
	pthread_once(&once, read_environment);
	return defaults.socket;
}

/* Others may write to /tmp, too: a folder of theirs, or one that they may write to, is not it. */
static bool is_own_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Looked at each time: they come and go while we run. */
const char *defaults_own_folder(size_t *pos)
{
	pthread_once(&once, read_environment);
	while (*pos < OWN_MAX) {
		const char *folder = defaults.own[(*pos)++];

		if (folder != NULL && is_own_folder(folder))
			return folder;
	}
	return NULL;
}

const char *defaults_own_socket(void)
{
	size_t pos = 0;

	while (defaults_own_folder(&pos) != NULL) {
		const char *path = defaults.own_sockets[pos - 1];

		if (path != NULL && is_socket(path))
			return path;
	}
	return NULL;
}
