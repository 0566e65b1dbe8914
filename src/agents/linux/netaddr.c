/*
 * netaddr - addresses of the network interfaces.
 *
 * Hardware addresses are files of /sys/class/net, IPv6 addresses lines of /proc/net/if_inet6. IPv4
 * addresses stand in no file: getifaddrs(3) asks the kernel for them, for the root / alone.
 *
 *     fe8000000000000000fcfffffe000001 04 40 20 80     eth0       address index prefix scope flags
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"
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

/* What is found is collected here first: several sources tell of one interface. */
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

static struct found *find(struct finding *f, const char *name)
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

static void find_hw(struct agent_refresh *r, struct finding *f)
{
	DIR *dir = agent_opendir(r, "sys/class/net");
	struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		struct found *at;

		if (entry->d_name[0] == '.' || (at = find(f, entry->d_name)) == NULL)
			continue;
		if (agent_read_into(r, at->hw, sizeof(at->hw), "sys/class/net/%s/address",
				    entry->d_name) > 0)
			at->hw[strcspn(at->hw, "\n")] = '\0';
	}
	closedir(dir);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n hexadecimal digits after blanks. */
static bool scan_hex(struct scan *s, uint8_t *bytes, size_t n)
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

	if (!scan_hex(s, address, sizeof(address)))
		return;
	for (int i = 0; i < 4; i++) {
		const char *start;

		scan_blanks(s);
		start = s->p;
		if (!scan_hex(s, &number[i], 1))
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
	at = find(f, name);
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

static void find_inet(struct agent_refresh *r, struct finding *f)
{
	struct ifaddrs *all;

	if (agent_root(r)[0] != '\0' || getifaddrs(&all) < 0)
		return;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(void *)a->ifa_addr;
		struct found *at;

		if (in == NULL || in->sin_family != AF_INET)
			continue;
		at = find(f, a->ifa_name);
		if (at != NULL && at->inet[0] == '\0')
			inet_ntop(AF_INET, &in->sin_addr, at->inet, sizeof(at->inet));
	}
	freeifaddrs(all);
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
    .source = "/sys/class/net, /proc/net/if_inet6 and getifaddrs(3)",
    .refresh = netaddr_refresh,
    .metrics = netaddr_metrics,
    .nmetrics = NROWS(netaddr_metrics),
    .fills = {{&netaddr_indom, sizeof(struct netaddr), 1}},
};
