/* access_pattern - see access_pattern.h. */
#include "libaccess/access_pattern.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum {
	INET_PARTS = 4,
	INET6_GROUPS = 8,
	INET_LEVEL = 4,
	INET6_LEVEL = 8,
	UNIX_LEVEL = 1,
	ADDR_LEN = 16,
};

static void mask_out(uint8_t *addr, unsigned int bits)
{
	for (unsigned int i = 0; i < ADDR_LEN; i++) {
		unsigned int left = bits > i * 8 ? bits - i * 8 : 0;

		if (left < 8)
			addr[i] &= (uint8_t)(0xff00u >> left);
	}
}

/* "a.b." before the '*': up to three parts, each with its dot. */
static const char *parse_inet(const char *s, size_t len, struct access_pattern *p)
{
	unsigned int part = 0, parts = 0;
	bool digit = false;

	p->family = AF_INET;
	if (len == 1 && s[0] == '.')
		len = 0;
	for (size_t i = 0; i < len; i++) {
		if (isdigit((unsigned char)s[i]) && part < 256) {
			part = part * 10 + (unsigned int)(s[i] - '0');
			digit = true;
			continue;
		}
		if (s[i] != '.' || !digit || part > 255)
			return "Bad IP address wildcard, %s";
		if (parts == INET_PARTS - 1)
			return "Too many dots in host pattern \"%s\"";
		p->addr[parts++] = (uint8_t)part;
		part = 0;
		digit = false;
	}
	if (digit)
		return "Bad IP address wildcard, %s";
	p->bits = parts * 8;
	p->level = INET_LEVEL - parts;
	return NULL;
}

static int hex_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Groups "x:" one after the other; false if one is not 1 to 4 hexadecimal digits and a colon. */
static bool parse_groups(const char *s, size_t len, uint16_t *groups, unsigned int max,
			 unsigned int *ret_count)
{
	unsigned int count = 0, digits = 0, v = 0;

	for (size_t i = 0; i < len; i++) {
		int h = hex_value(s[i]);

		if (h >= 0 && digits < 4) {
			v = v << 4 | (unsigned int)h;
			digits++;
			continue;
		}
		if (s[i] != ':' || digits == 0 || count == max)
			return false;
		groups[count++] = (uint16_t)v;
		digits = v = 0;
	}
	*ret_count = count;
	return digits == 0;
}

static void put_groups(struct access_pattern *p, unsigned int at, const uint16_t *groups,
		       unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		p->addr[(at + i) * 2] = (uint8_t)(groups[i] >> 8);
		p->addr[(at + i) * 2 + 1] = (uint8_t)groups[i];
	}
}

static unsigned int count_colons(const char *s, size_t len)
{
	unsigned int n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == ':';
	return n;
}

/* "x:y:" or "x::y:" before the '*'. An empty region leaves the '*' the last group only. */
static const char *parse_inet6(const char *s, size_t len, struct access_pattern *p)
{
	uint16_t head[INET6_GROUPS], tail[INET6_GROUPS];
	unsigned int nhead = 0, ntail = 0;
	const char *gap = memmem(s, len, "::", 2);
	size_t head_len = gap == NULL ? len : (size_t)(gap + 1 - s);
	size_t tail_at = gap == NULL ? len : head_len + 1;

	p->family = AF_INET6;
	p->level = INET6_LEVEL;
	if ((len == 1 && s[0] == ':') || (len == 2 && gap == s))
		return NULL; /* ":*", "::*": all */
	if (gap != NULL && memmem(gap + 1, len - head_len, "::", 2) != NULL)
		return "Too many empty regions in host pattern \"%s\"";
	if (count_colons(s, len) > INET6_GROUPS - 1)
		return "Too many colons in host pattern \"%s\"";
	if (gap == s)
		head_len = 0;
	if (!parse_groups(s, head_len, head, INET6_GROUPS - 1, &nhead) ||
	    !parse_groups(s + tail_at, len - tail_at, tail, INET6_GROUPS - 1, &ntail))
		return "Bad IPv6 address wildcard, %s";
	put_groups(p, 0, head, nhead);
	if (gap != NULL) {
		put_groups(p, INET6_GROUPS - 1 - ntail, tail, ntail);
		nhead = INET6_GROUPS - 1;
	}
	p->bits = nhead * 16;
	p->level = INET6_LEVEL - nhead;
	return NULL;
}

int access_pattern_wildcard(const char *name, struct access_pattern *ret_pattern,
			    const char **ret_error)
{
	const char *star = strchr(name, '*');
	struct access_pattern p = {0};
	size_t len;

	if (star == NULL)
		return 0;
	len = (size_t)(star - name);
	if (star[1] != '\0')
		*ret_error = "Wildcard in host pattern \"%s\" is not at the end";
	else if (memchr(name, ':', len) != NULL)
		*ret_error = parse_inet6(name, len, &p);
	else
		*ret_error = parse_inet(name, len, &p);
	if (*ret_error != NULL)
		return -1;
	*ret_pattern = p;
	return 1;
}

bool access_pattern_address(const struct sockaddr *addr, struct access_pattern *ret_pattern)
{
	struct access_pattern p = {.family = addr->sa_family};

	switch (addr->sa_family) {
	case AF_UNIX:
		p = access_pattern_unix();
		break;
	case AF_INET:
		memcpy(p.addr, &((const struct sockaddr_in *)addr)->sin_addr, 4);
		p.bits = 32;
		break;
	case AF_INET6: {
		const struct in6_addr *in6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;

		if (IN6_IS_ADDR_V4MAPPED(in6)) {
			p.family = AF_INET;
			memcpy(p.addr, &in6->s6_addr[12], 4);
			p.bits = 32;
		} else {
			memcpy(p.addr, in6, 16);
			p.bits = 128;
		}
		break;
	}
	default:
		return false;
	}
	*ret_pattern = p;
	return true;
}

struct access_pattern access_pattern_unix(void)
{
	return (struct access_pattern){.family = AF_UNIX, .level = UNIX_LEVEL};
}

bool access_pattern_equal(const struct access_pattern *a, const struct access_pattern *b)
{
	return a->family == b->family && a->level == b->level && a->bits == b->bits &&
	       memcmp(a->addr, b->addr, ADDR_LEN) == 0;
}

bool access_pattern_match(const struct access_pattern *p, const struct access_pattern *addr)
{
	uint8_t masked[ADDR_LEN];

	if (p->family != addr->family)
		return false;
	memcpy(masked, addr->addr, ADDR_LEN);
	mask_out(masked, p->bits);
	return memcmp(p->addr, masked, ADDR_LEN) == 0;
}

bool access_pattern_loopback(const struct access_pattern *addr)
{
	static const uint8_t one[ADDR_LEN] = {[ADDR_LEN - 1] = 1};

	if (addr->family == AF_INET)
		return addr->addr[0] == 127;
	return addr->family == AF_INET6 && memcmp(addr->addr, one, ADDR_LEN) == 0;
}

const char *access_pattern_text(const struct access_pattern *p, char *buf, size_t size)
{
	if (p->family == AF_UNIX || inet_ntop(p->family, p->addr, buf, (socklen_t)size) == NULL)
		snprintf(buf, size, "/");
	return buf;
}

const char *access_pattern_mask(const struct access_pattern *p, char *buf, size_t size)
{
	struct access_pattern mask = {.family = p->family};

	memset(mask.addr, 0xff, ADDR_LEN);
	mask_out(mask.addr, p->bits);
	return access_pattern_text(&mask, buf, size);
}
