/*
 * netaddr - addresses of the network interfaces.
 *
 * Hardware addresses are files of /sys/class/net, or from the kernel; IPv6 addresses are lines of
 * /proc/net/if_inet6. No file has IPv4 addresses, so other roots than / have none.
 *
 *     fe8000000000000000fcfffffe000001 04 40 20 80     eth0       address index prefix scope flags
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "linux.h"
#include "netdev.h"
#include "scan.h"

struct netaddr {
	const char *inet;
	const char *ipv6;
	const char *ipv6_scope;
	const char *hw;
};

static const struct agent_indom netaddr_indom = {
    17,
    0,
    NULL,
    0,
    "Network interfaces and what has an address of its own",
    "By the kernel's name.",
};

/* clang-format off */
static const struct agent_metric netaddr_metrics[] = {
	{ "network.interface.inet_addr", 33, 0, STR, DISCRETE, &netaddr_indom, AGENT_NONE,
	  FIELD(netaddr, inet), "IPv4 address of each interface", "The first one.", 0 },
	{ "network.interface.ipv6_addr", 33, 1, STR, DISCRETE, &netaddr_indom, AGENT_NONE,
	  FIELD(netaddr, ipv6), "IPv6 address of each interface, with the length of its prefix",
	  "The last one that the kernel lists.", 0 },
	{ "network.interface.ipv6_scope", 33, 2, STR, DISCRETE, &netaddr_indom, AGENT_NONE,
	  FIELD(netaddr, ipv6_scope), "Scope of the IPv6 address of each interface",
	  "Global, Site, Link, Compat, Host or Unknown.", 0 },
	{ "network.interface.hw_addr", 33, 3, STR, DISCRETE, &netaddr_indom, AGENT_NONE,
	  FIELD(netaddr, hw), "Hardware address of each interface", NULL, 0 },
};
/* clang-format on */

/* Results are collected here first: several sources report one interface. */
struct found {
	char name[32];
	char hw[96];
	char inet[INET_ADDRSTRLEN];
	char ipv6[INET6_ADDRSTRLEN + 8];
	const char *scope;
};

struct finding {
	struct found *list;
	size_t n, cap;
};

static struct found *netaddr_find(struct finding *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->list[i].name, name) == 0)
			return &f->list[i];
	if (strlen(name) >= sizeof(f->list->name))
		return NULL;
	if (f->n == f->cap) {
		size_t cap = f->cap != 0 ? 2 * f->cap : 16;
		struct found *list = realloc(f->list, cap * sizeof(*list));

		if (list == NULL)
			return NULL;
		f->list = list;
		f->cap = cap;
	}
	memset(&f->list[f->n], 0, sizeof(*f->list));
	strcpy(f->list[f->n].name, name);
	return &f->list[f->n++];
}

/* The kernel reports hardware addresses of six bytes directly, others are in a file. */
static void read_hw(struct agent_refresh *r, struct found *at)
{
	struct ifreq answer;
	unsigned char b[6];

	if (netioctl(r, SIOCGIFHWADDR, at->name, &answer) &&
	    (answer.ifr_hwaddr.sa_family == ARPHRD_ETHER ||
	     answer.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK)) {
		memcpy(b, answer.ifr_hwaddr.sa_data, sizeof(b));
		snprintf(at->hw, sizeof(at->hw), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
			 b[3], b[4], b[5]);
	} else if (agent_read_into(r, at->hw, sizeof(at->hw), "sys/class/net/%s/address",
				   at->name) > 0) {
		at->hw[strcspn(at->hw, "\n")] = '\0';
	} else {
		at->hw[0] = '\0';
	}
}

static void find_hw(struct agent_refresh *r, struct finding *f)
{
	const char *word;
	char name[32];
	struct scan s;
	size_t len;

	if (agent_read(r, "proc/net/dev", &s.p) <= 0)
		return;
	do {
		struct found *at;

		if (!netdev_name(&s, &word, &len) || len >= sizeof(name))
			continue;
		memcpy(name, word, len);
		name[len] = '\0';
		at = netaddr_find(f, name);
		if (at != NULL)
			read_hw(r, at);
	} while (scan_next_line(&s));
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n hexadecimal digits after blanks. */
static bool scan_hex_bytes(struct scan *s, uint8_t *bytes, size_t n)
{
	scan_blanks(s);
	for (size_t i = 0; i < n; i++) {
		int high = hex(s->p[0]);
		int low = high >= 0 ? hex(s->p[1]) : -1;

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
		s->p += 2;
	}
	return true;
}

static const char *scope_name(unsigned int scope)
{
	switch (scope & 0xf0) {
	case 0x00:
		return "Global";
	case 0x10:
		return "Host";
	case 0x20:
		return "Link";
	case 0x40:
		return "Site";
	case 0x80:
		return "Compat";
	default:
		return "Unknown";
	}
}

static void read_ipv6(struct scan *s, struct finding *f)
{
	uint8_t address[16], number[4]; /* index, prefix, scope, flags */
	char text[INET6_ADDRSTRLEN], name[32];
	struct found *at;
	const char *word;
	size_t len;

	if (!scan_hex_bytes(s, address, sizeof(address)))
		return;
	for (int i = 0; i < 4; i++) {
		const char *start;

		scan_blanks(s);
		start = s->p;
		if (!scan_hex_bytes(s, &number[i], 1))
			return;
		if (i == 0) /* an index may have more digits */
			while (hex(*s->p) >= 0)
				s->p++;
		if (s->p == start)
			return;
	}
	if (!scan_word(s, &word, &len) || len >= sizeof(name))
		return;
	memcpy(name, word, len);
	name[len] = '\0';
	at = netaddr_find(f, name);
	if (at == NULL || inet_ntop(AF_INET6, address, text, sizeof(text)) == NULL)
		return;
	snprintf(at->ipv6, sizeof(at->ipv6), "%s/%u", text, number[1]);
	at->scope = scope_name(number[2]);
}

static void find_ipv6(struct agent_refresh *r, struct finding *f)
{
	struct scan s;

	if (agent_read(r, "proc/net/if_inet6", &s.p) <= 0)
		return;
	do {
		read_ipv6(&s, f);
	} while (scan_next_line(&s));
}

/* IPv4 addresses, of those interfaces that are known by now. */
static void find_inet(struct agent_refresh *r, struct finding *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct sockaddr_in in;
		struct ifreq answer;

		if (!netioctl(r, SIOCGIFADDR, f->list[i].name, &answer))
			continue;
		memcpy(&in, &answer.ifr_addr, sizeof(in));
		inet_ntop(AF_INET, &in.sin_addr, f->list[i].inet, sizeof(f->list[i].inet));
	}
}

static const char *text(struct agent_refresh *r, const char *s)
{
	return s[0] != '\0' ? agent_string(r, s, strlen(s)) : NULL;
}

static int publish(struct agent_refresh *r, const struct finding *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct found *at = &f->list[i];
		struct netaddr *a = agent_add(r, &netaddr_indom, at->name, strlen(at->name));

		if (a == NULL)
			return -ENOMEM;
		a->hw = text(r, at->hw);
		a->inet = text(r, at->inet);
		a->ipv6 = text(r, at->ipv6);
		a->ipv6_scope = at->scope;
	}
	return 0;
}

static int netaddr_refresh(struct agent_refresh *r, void *snapshot)
{
	struct finding f = {NULL, 0, 0};
	int status;

	find_hw(r, &f);
	find_ipv6(r, &f);
	find_inet(r, &f);
	status = publish(r, &f);
	free(f.list);
	return status;
}

const struct agent_cluster netaddr_cluster = {
    .name = "netaddr",
    .source = "/sys/class/net, /proc/net/if_inet6 and ioctl(2)",
    .refresh = netaddr_refresh,
    .metrics = netaddr_metrics,
    .nmetrics = NROWS(netaddr_metrics),
    .fills = {{&netaddr_indom, sizeof(struct netaddr), 1}},
};
