/* defaults - see defaults.h. */
#include "libpcp/defaults.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

enum {
	PORTS_MAX = 32,
	PORT_MAX = 65535,
	PMCD_PORT_DEFAULT = 44321,
	PROXY_PORT_DEFAULT = 44322,
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
} defaults;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A comma-separated list; what is no port number is left out. */
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

static void read_environment(void)
{
	char path[PATH_MAX];
	const char *run_dir;

	read_ports("PMCD_PORT", PMCD_PORT_DEFAULT, &defaults.pmcd);
	read_ports("PMPROXY_PORT", PROXY_PORT_DEFAULT, &defaults.proxy);
	defaults.proxy_host = copy_if_set(getenv("PMPROXY_HOST"));
	defaults.socket = copy_if_set(getenv("PMCD_SOCKET"));
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
