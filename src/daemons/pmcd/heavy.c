/* heavy - see heavy.h. */
#include "daemons/pmcd/heavy.h"

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/endian_be.h"

enum {
	LIGHT_NS = 10000,   /* a request for one thing */
	WALK_NS = 2000000,  /* one through the whole name space */
	METRIC_NS = 3000,   /* a metric with its values */
	FETCH_HEAD = 28,    /* bytes of a fetch before its PMIDs */
	DOMAIN_SHIFT = 22,  /* of a PMID (docs/spec/pdu.md 4.1) */
	NO_DOMAIN = 0xffff, /* none can have it */
};

static bool is_fetch(const struct pdu_header *header)
{
	return (header->type == PDU_FETCH || header->type == PDU_HIGHRES_FETCH) && header->len > FETCH_HEAD;
}

uint64_t heavy_expected_ns(const struct pdu_header *header)
{
	if (is_fetch(header))
		return LIGHT_NS + (uint64_t)(header->len - FETCH_HEAD) / 4 * METRIC_NS;
	return request_is_heavy(header->type) ? WALK_NS : LIGHT_NS;
}

static struct agent *busy(const struct server *server, unsigned int domain)
{
	struct agent *a = server_agent(server, domain);

	return a != NULL && a->nheavy > 0 && agent_refusal(a) == 0 ? a : NULL;
}

struct agent *heavy_busy_agent(const struct server *server, const struct inbox *in, const struct pdu_header *header)
{
	unsigned int last = NO_DOMAIN;

	if (!is_fetch(header))
		return NULL;
	for (uint32_t at = FETCH_HEAD; at + 4 <= header->len; at += 4) {
		unsigned int domain = load_be32(in->pos + at) >> DOMAIN_SHIFT;
		struct agent *a = domain != last ? busy(server, domain) : NULL;

		if (a != NULL)
			return a;
		last = domain;
	}
	return NULL;
}

static void release_first(struct agent *a)
{
	struct client *c = HEAP_ENTRY(heap_first(&a->held), struct client, turns[HEAVY_YES].place.by_key);

	fair_del(&a->server->fair[HEAVY_YES], &c->turns[HEAVY_YES]);
	server_run_later(a->server, c);
}

void heavy_release(struct server *server)
{
	for (unsigned int i = 0; i < server->nagent; i++) {
		struct agent *a = server->agents[i];

		if (a->nheavy == 0 && !heap_empty(&a->held))
			release_first(a);
	}
}

void heavy_release_all(struct agent *a)
{
	while (!heap_empty(&a->held))
		release_first(a);
}
