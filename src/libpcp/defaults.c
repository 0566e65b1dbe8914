/* defaults - see defaults.h. */
#include "libpcp/defaults.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libpcp/format.h"

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

static pthread_once_t defaults_once = PTHREAD_ONCE_INIT;

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

/* Root has no folder of its own: it uses that of the system. */
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

static void defaults_read(void)
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
	pthread_once(&defaults_once, defaults_read);
	*ret_n = defaults.pmcd.n;
	return defaults.pmcd.list;
}

const int *defaults_proxy_ports(size_t *ret_n)
{
	pthread_once(&defaults_once, defaults_read);
	*ret_n = defaults.proxy.n;
	return defaults.proxy.list;
}

const char *defaults_proxy_host(void)
{
	pthread_once(&defaults_once, defaults_read);
	return defaults.proxy_host;
}

const char *defaults_socket(void)
{
	pthread_once(&defaults_once, defaults_read);
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

/* Checked at each call: such a folder may appear and vanish while we run. */
const char *defaults_own_folder(size_t *pos)
{
	pthread_once(&defaults_once, defaults_read);
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

/* ---- Time limits ---------------------------------------------------------------------------- */

enum {
	CONNECT_DEFAULT_MS = 5000,
	REQUEST_DEFAULT_MS = 10000,
	RECONNECT_MAX = 64, /* steps of the list; later ones are not reached in practice */
};

static struct {
	int connect_ms;
	int request_ms;
	int reconnect_sec[RECONNECT_MAX];
	unsigned int nreconnect;
} timeouts = {
    .connect_ms = CONNECT_DEFAULT_MS,
    .request_ms = REQUEST_DEFAULT_MS,
    .reconnect_sec = {5, 10, 20, 40, 80},
    .nreconnect = 5,
};

static pthread_once_t timeouts_once = PTHREAD_ONCE_INIT;

static void read_seconds(const char *name, int *timeout_ms)
{
	const char *text = getenv(name);
	char *end;
	double sec;

	if (text == NULL || *text == '\0')
		return;
	sec = cnumber_parse(text, &end);
	if (*end != '\0' || !(sec >= 0)) {
		pmNotifyErr(LOG_WARNING, "ignored bad %s = '%s'\n", name, text);
		return;
	}
	*timeout_ms = sec >= INT_MAX / 1000 ? INT_MAX : (int)(sec * 1000);
	if (*timeout_ms == 0 && sec > 0)
		*timeout_ms = 1;
}

/* A comma-separated list of positive whole numbers. */
static bool parse_list(const char *text, int *list, unsigned int *ret_n)
{
	unsigned int n = 0;
	char *end;
	long v;

	do {
		errno = 0;
		v = strtol(text, &end, 10);
		if (end == text || errno != 0 || v <= 0 || v > INT_MAX)
			return false;
		if (*end != ',' && *end != '\0')
			return false;
		if (n < RECONNECT_MAX)
			list[n++] = (int)v;
		text = end + 1;
	} while (*end == ',');
	*ret_n = n;
	return true;
}

static void read_reconnect(void)
{
	const char *text = getenv("PMCD_RECONNECT_TIMEOUT");
	int list[RECONNECT_MAX];
	unsigned int n;

	if (text == NULL || *text == '\0')
		return;
	if (!parse_list(text, list, &n)) {
		pmNotifyErr(LOG_WARNING,
			    "pmReconnectContext: ignored bad PMCD_RECONNECT_TIMEOUT = '%s'\n",
			    text);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		timeouts.reconnect_sec[i] = list[i];
	timeouts.nreconnect = n;
}

static void timeouts_read(void)
{
	read_seconds("PMCD_CONNECT_TIMEOUT", &timeouts.connect_ms);
	read_seconds("PMCD_REQUEST_TIMEOUT", &timeouts.request_ms);
	read_reconnect();
}

int timeouts_connect_ms(void)
{
	pthread_once(&timeouts_once, timeouts_read);
	return timeouts.connect_ms;
}

int timeouts_handshake_ms(void)
{
	pthread_once(&timeouts_once, timeouts_read);
	return timeouts.request_ms;
}

int timeouts_reply_ms(void)
{
	return timeouts_handshake_ms() / 1000 * 1000;
}

int timeouts_reconnect_sec(unsigned int failures)
{
	unsigned int i = failures == 0 ? 0 : failures - 1;

	pthread_once(&timeouts_once, timeouts_read);
	return timeouts.reconnect_sec[i < timeouts.nreconnect ? i : timeouts.nreconnect - 1];
}
