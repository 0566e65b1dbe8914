/* timeouts - see timeouts.h. */
#include "libpcp/timeouts.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <syslog.h>

#include <pcp/pmapi.h>

#include "libpcp/format.h"

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

static pthread_once_t once = PTHREAD_ONCE_INIT;

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

static void read_environment(void)
{
	read_seconds("PMCD_CONNECT_TIMEOUT", &timeouts.connect_ms);
	read_seconds("PMCD_REQUEST_TIMEOUT", &timeouts.request_ms);
	read_reconnect();
}

int timeouts_connect_ms(void)
{
	pthread_once(&once, read_environment);
	return timeouts.connect_ms;
}

int timeouts_handshake_ms(void)
{
	pthread_once(&once, read_environment);
	return timeouts.request_ms;
}

int timeouts_reply_ms(void)
{
	return timeouts_handshake_ms() / 1000 * 1000;
}

int timeouts_reconnect_sec(unsigned int failures)
{
	unsigned int i = failures == 0 ? 0 : failures - 1;

	pthread_once(&once, read_environment);
	return timeouts.reconnect_sec[i < timeouts.nreconnect ? i : timeouts.nreconnect - 1];
}
