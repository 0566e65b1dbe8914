/* heavy - see heavy.h. */
#include "daemons/pmcd/heavy.h"

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/server.h"
#include "libbase/endian_be.h"

enum {
	LIGHT_NS = 10000,  /* a request for one thing */
	WALK_NS = 2000000, /* a walk through the whole name space */
	METRIC_NS = 3000,  /* a metric with its values */
	DESC_NS = 1000,    /* a descriptor from a process */
	DOMAIN_SHIFT = 22, /* of a PMID or an instance domain (docs/spec/pdu.md 4.1) */
	DOMAIN_MASK = 0x1ff,
	NO_DOMAIN = 0xffff, /* none can have it */
};

/* Where a request has the identifiers whose first bits are the domain of an agent. */
struct named {
	uint32_t type;
	uint32_t at;          /* offset of the first one */
	unsigned int each_ns; /* expected for each of several; 0: there is one */
};

static const struct named *named_of(uint32_t type)
{
	/* clang-format off */
	static const struct named all[] = {
		{ PDU_FETCH,         28, METRIC_NS },
		{ PDU_HIGHRES_FETCH, 28, METRIC_NS },
		{ PDU_DESC_IDS,      20, DESC_NS },
		{ PDU_DESC_REQ,      12, 0 },
		{ PDU_INSTANCE_REQ,  12, 0 },
		{ PDU_TEXT_REQ,      12, 0 },
		{ PDU_LABEL_REQ,     12, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].type == type)
			return &all[i];
	}
	return NULL;
}

static const struct named *named_in(const struct pdu_header *header)
{
	const struct named *named = named_of(header->type);

	return named != NULL && header->len >= named->at + 4 ? named : NULL;
}

bool heavy_asks_agents(uint32_t type)
{
	return named_of(type) != NULL;
}

/* These may take milliseconds, whatever their length. */
static bool is_walk(uint32_t type)
{
	return type == PDU_PMNS_CHILD || type == PDU_PMNS_TRAVERSE;
}

uint64_t heavy_expected_ns(const struct pdu_header *header)
{
	const struct named *named = named_in(header);

	if (named != NULL)
		return LIGHT_NS + (uint64_t)(header->len - named->at) / 4 * named->each_ns;
	return is_walk(header->type) ? WALK_NS : LIGHT_NS;
}

static struct agent *busy(const struct server *server, unsigned int domain)
{
	struct agent *a = server_agent(server, domain);

	return a != NULL && a->nheavy > 0 && agent_refusal(a) == 0 ? a : NULL;
}

struct agent *heavy_busy_agent(const struct server *server, const struct inbox *in,
			       const struct pdu_header *header)
{
	const struct named *named = named_in(header);
	unsigned int last = NO_DOMAIN;
	uint32_t end;

	if (named == NULL)
		return NULL;
	end = named->each_ns > 0 ? header->len : named->at + 4;
	for (uint32_t at = named->at; at + 4 <= end; at += 4) {
		unsigned int domain = load_be32(in->pos + at) >> DOMAIN_SHIFT & DOMAIN_MASK;
		struct agent *a = domain != last ? busy(server, domain) : NULL;

		if (a != NULL)
			return a;
		last = domain;
	}
	return NULL;
}
