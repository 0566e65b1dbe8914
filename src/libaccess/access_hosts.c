/* access_hosts - see access_hosts.h. */
#include "libaccess/access_hosts.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

/* ---- rules ---- */

enum { OPS = 2 };

bool access_rule_merge(struct access_rule *r, const struct access_rule *other)
{
	unsigned int both = r->specified & other->specified;

	if (((r->denied ^ other->denied) & both) != 0)
		return false;
	if (r->max_connections != 0 && other->max_connections != 0 &&
	    r->max_connections != other->max_connections)
		return false;
	r->specified |= other->specified;
	r->denied |= other->denied;
	if (other->max_connections != 0)
		r->max_connections = other->max_connections;
	return true;
}

void access_rule_dump(const struct access_rule *r, struct buffer *out)
{
	for (unsigned int op = 0; op < OPS; op++) {
		unsigned int bit = 1u << op;
		char mark = (r->denied & bit) != 0 ? 'n' : 'y';

		buffer_printf(out, " %c ", (r->specified & bit) != 0 ? mark : ' ');
	}
	buffer_printf(out, "%5u %5u ", r->connections, r->max_connections);
}

void access_rule_dump_head(const char *more, const char *more_line, struct buffer *out)
{
	for (unsigned int op = 0; op < OPS; op++)
		buffer_printf(out, "%02u ", op);
	buffer_printf(out, "Cur/MaxCons %s\n", more);
	for (unsigned int op = 0; op < OPS; op++)
		buffer_printf(out, "== ");
	buffer_printf(out, "=========== %s\n", more_line);
}

/* ---- the list ---- */

void access_hosts_done(struct access_hosts *h)
{
	for (size_t i = 0; i < h->count; i++) {
		free(h->list[i]->name);
		free(h->list[i]);
	}
	free(h->list);
	hash_done(&h->patterns);
	memset(h, 0, sizeof(*h));
}

/* The addresses of a name as patterns, at most ACCESS_ADDRS_MAX. */
static size_t resolve(struct access_hosts *h, const struct access_names *names, const char *name,
		      struct access_pattern *ret_patterns)
{
	struct sockaddr_storage addrs[ACCESS_ADDRS_MAX];
	int n = names->host(names->arg, name, addrs, ACCESS_ADDRS_MAX);
	size_t count = 0;

	if (n == ACCESS_HOST_LATER)
		h->later++;
	for (int i = 0; i < n; i++)
		count += access_pattern_address((struct sockaddr *)&addrs[i], &ret_patterns[count]);
	return count;
}

void access_hosts_init(struct access_hosts *h, const struct access_names *names, unsigned int all)
{
	char self[HOST_NAME_MAX + 1];

	h->all = all;
	if (names->self(names->arg, self, sizeof(self)) == 0)
		h->nself = resolve(h, names, self, h->self);
	/* A host that does not know its own name has at least these. */
	if (h->nself == 0)
		h->nself = resolve(h, names, "localhost", h->self);
}

/*
 * Building: a statement costs the same after 10 or 50,000 others. Doubles are found by hash, and
 * the list is sorted when it is first read.
 */

static int host_cmp(const void *a, const void *b)
{
	const struct access_host *x = *(struct access_host *const *)a;
	const struct access_host *y = *(struct access_host *const *)b;

	if (x->pattern.level != y->pattern.level)
		return x->pattern.level < y->pattern.level ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void hosts_sort(struct access_hosts *h)
{
	if (h->unsorted)
		qsort(h->list, h->count, sizeof(struct access_host *), host_cmp);
	h->unsorted = false;
}

static uint64_t pattern_hash(const struct access_pattern *p)
{
	uint64_t rest = (uint64_t)p->family << 32 | (uint64_t)p->level << 16 | p->bits;

	return hash_u64(hash_bytes(p->addr, sizeof(p->addr)) ^ hash_u64(rest));
}

static bool has_pattern(const void *entry, const void *pattern)
{
	return access_pattern_equal(&((const struct access_host *)entry)->pattern, pattern);
}

static int list_reserve(struct access_hosts *h)
{
	size_t cap = h->cap == 0 ? 16 : h->cap * 2;
	struct access_host **list;

	if (h->count < h->cap)
		return 0;
	if (h->count == ACCESS_ENTRIES_MAX)
		return -E2BIG;
	list = reallocarray(h->list, cap, sizeof(struct access_host *));
	if (list == NULL)
		return -ENOMEM;
	h->list = list;
	h->cap = cap;
	return 0;
}

static int append(struct access_hosts *h, const struct access_pattern *p, const char *name,
		  const struct access_rule *rule)
{
	AUTO_FREE struct access_host *e = NULL;
	AUTO_FREE char *copy = NULL;
	int r = list_reserve(h);

	if (r < 0)
		return r;
	e = malloc(sizeof(*e));
	copy = strdup(name);
	if (e == NULL || copy == NULL || hash_add(&h->patterns, pattern_hash(p), e) < 0)
		return -ENOMEM;
	*e =
	    (struct access_host){.pattern = *p, .rule = *rule, .seq = h->count, .name = TAKE(copy)};
	h->list[h->count++] = TAKE(e);
	h->unsorted = true;
	return 0;
}

/* Adds an entry, or merges the rule into the entry that has this pattern already. */
static int add_pattern(struct access_hosts *h, const struct access_pattern *p, const char *name,
		       const struct access_rule *rule, struct buffer *why)
{
	struct access_host *e = hash_find(&h->patterns, pattern_hash(p), has_pattern, p);

	if (e == NULL)
		return append(h, p, name, rule);
	if (access_rule_merge(&e->rule, rule))
		return 0;
	buffer_reset(why);
	buffer_printf(why, "Permission clash for %s with earlier statement for %s", name, e->name);
	return -EINVAL;
}

struct adding {
	struct access_hosts *h;
	const struct access_names *names;
	const struct access_rule *rule;
	struct buffer *why;
};

static int add_wildcard(const struct adding *a, const char *name)
{
	struct access_pattern p;
	const char *error = NULL;
	int r = access_pattern_wildcard(name, &p, &error);

	if (r < 0) {
		buffer_reset(a->why);
		buffer_printf(a->why, error, name);
		return -EINVAL;
	}
	return r == 0 ? 0 : add_pattern(a->h, &p, name, a->rule, a->why);
}

static int add_unix(const struct adding *a)
{
	struct access_pattern p = access_pattern_unix();

	return add_pattern(a->h, &p, "unix:", a->rule, a->why);
}

static int add_addresses(const struct adding *a, const char *name, const struct access_pattern *p,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int r = add_pattern(a->h, &p[i], name, a->rule, a->why);

		if (r < 0)
			return r;
	}
	return (int)count;
}

static int add_everything(const struct adding *a)
{
	int r = add_wildcard(a, ".*");

	if (r == 0 && a->names->ipv6)
		r = add_wildcard(a, ":*");
	if (r == 0)
		r = add_unix(a);
	return r < 0 ? r : 1;
}

static int add_localhost(const struct adding *a)
{
	return add_addresses(a, "localhost", a->h->self, a->h->nself);
}

static int add_local(const struct adding *a)
{
	int r = add_unix(a);

	if (r == 0)
		r = add_localhost(a);
	return r < 0 ? r : 1;
}

static int add_named(const struct adding *a, const char *name)
{
	struct access_pattern p[ACCESS_ADDRS_MAX];
	size_t count = resolve(a->h, a->names, name, p);

	return add_addresses(a, name, p, count);
}

int access_hosts_add(struct access_hosts *h, const struct access_names *names, const char *name,
		     const struct access_rule *rule, struct buffer *why)
{
	struct adding a = {.h = h, .names = names, .rule = rule, .why = why};
	int r;

	buffer_reset(why);
	buffer_printf(why, "Unknown host");
	if (strcmp(name, "*") == 0)
		return add_everything(&a);
	if (strncmp(name, "unix:", 5) == 0) /* a path is ignored */
		return (r = add_unix(&a)) < 0 ? r : 1;
	if (strncmp(name, "local:", 6) == 0)
		return add_local(&a);
	if (strcasecmp(name, "localhost") == 0)
		return add_localhost(&a);
	if (strchr(name, '*') != NULL)
		return (r = add_wildcard(&a, name)) < 0 ? r : 1;
	return add_named(&a, name);
}

/*
 * Asking
 */

/* All the addresses that a client is taken to come from. */
struct origin {
	const struct access_hosts *h;
	struct access_pattern peer;
	bool loopback;
};

static bool origin_of(const struct access_hosts *h, const struct sockaddr *peer,
		      struct origin *ret_origin)
{
	ret_origin->h = h;
	if (!access_pattern_address(peer, &ret_origin->peer))
		return false;
	ret_origin->loopback = access_pattern_loopback(&ret_origin->peer);
	return true;
}

static bool origin_match(const struct origin *o, const struct access_pattern *p)
{
	if (access_pattern_match(p, &o->peer))
		return true;
	for (size_t i = 0; o->loopback && i < o->h->nself; i++) {
		if (access_pattern_match(p, &o->h->self[i]))
			return true;
	}
	return false;
}

int access_hosts_enter(struct access_hosts *h, const struct sockaddr *peer,
		       unsigned int *ret_denied)
{
	const struct access_host *first = NULL;
	unsigned int denied = 0;
	struct origin o;

	if (h->later > 0 && peer->sa_family != AF_UNIX)
		return PM_ERR_PERMISSION;
	if (h->count == 0) {
		*ret_denied = 0;
		return 0;
	}
	if (!origin_of(h, peer, &o))
		return PM_ERR_PERMISSION;
	hosts_sort(h);
	for (size_t i = h->count; i-- > 0;) {
		if (!origin_match(&o, &h->list[i]->pattern))
			continue;
		denied = access_rule_apply(&h->list[i]->rule, denied);
		first = h->list[i];
	}
	if (denied == h->all)
		return PM_ERR_PERMISSION;
	if (first != NULL && access_rule_full(&first->rule))
		return PM_ERR_CONNLIMIT;
	for (size_t i = 0; i < h->count; i++) {
		if (origin_match(&o, &h->list[i]->pattern))
			access_rule_count(&h->list[i]->rule);
	}
	*ret_denied = denied;
	return 0;
}

void access_hosts_leave(struct access_hosts *h, const struct sockaddr *peer)
{
	struct origin o;

	if (h->count == 0 || !origin_of(h, peer, &o))
		return;
	for (size_t i = 0; i < h->count; i++) {
		if (origin_match(&o, &h->list[i]->pattern))
			access_rule_uncount(&h->list[i]->rule);
	}
}

void access_hosts_dump(struct access_hosts *h, struct buffer *out)
{
	char addr[INET6_ADDRSTRLEN], mask[INET6_ADDRSTRLEN];

	if (h->count == 0) {
		buffer_printf(out,
			      "Host access list empty: host-based access control turned off\n");
		return;
	}
	hosts_sort(h);
	buffer_printf(out, "Host access list:\n");
	access_rule_dump_head("host-spec                               "
			      "host-mask                               lvl host-name",
			      "======================================= "
			      "======================================= === ==============",
			      out);
	for (size_t i = 0; i < h->count; i++) {
		const struct access_host *e = h->list[i];

		access_rule_dump(&e->rule, out);
		buffer_printf(out, "%-39s %-39s %3u %s\n",
			      access_pattern_text(&e->pattern, addr, sizeof(addr)),
			      access_pattern_mask(&e->pattern, mask, sizeof(mask)),
			      e->pattern.level, e->name);
	}
}
