/* fetch_parts - see fetch_parts.h. */
#include "daemons/pmcd/fetch_parts.h"

#include <errno.h>

#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/hash.h"

enum { FETCH_SHORT = 32 }; /* in a shorter list each PMID is compared with each */

static unsigned int pmid_domain(pmID pmid)
{
	return pmid >> 22 & 0x1ff;
}

static bool is_ascending(const struct pdu_fetch *ask)
{
	for (uint32_t i = 1; i < ask->numpmid; i++) {
		if (ask->pmids[i] <= ask->pmids[i - 1])
			return false;
	}
	return true;
}

/* True if repeated PMIDs must be searched for. Most short lists without order have none. */
static bool has_repeated(const struct pdu_fetch *ask)
{
	if (ask->numpmid >= FETCH_SHORT)
		return true;
	for (uint32_t i = 1; i < ask->numpmid; i++) {
		bool same = false;

		for (uint32_t j = 0; j < i; j++)
			same |= ask->pmids[j] == ask->pmids[i];
		if (same)
			return true;
	}
	return false;
}

/* Fills first[] and the list of PMIDs that differ, with a table of places (0: free). */
static void mark_repeated(const struct pdu_fetch *ask, struct fetch *f, uint32_t *table,
			  uint32_t mask, pmID *pmids, uint32_t *places)
{
	for (uint32_t i = 0; i < ask->numpmid; i++) {
		uint32_t at = (uint32_t)hash_u64(ask->pmids[i]) & mask;

		while (table[at] != 0 && ask->pmids[table[at] - 1] != ask->pmids[i])
			at = (at + 1) & mask;
		if (table[at] == 0) {
			table[at] = i + 1;
			pmids[f->n] = ask->pmids[i];
			places[f->n++] = i;
		}
		f->first[i] = table[at] - 1;
	}
}

/*
 * A PMID that is asked for again and again is asked for once: a small request must not make an
 * agent work for seconds.
 */
static int drop_repeated(struct request *req, struct fetch *f, bool ascending)
{
	const struct pdu_fetch *ask = &req->body.fetch;
	uint32_t n = ask->numpmid, size = 2;
	uint32_t *table, *places;
	pmID *pmids;

	f->n = n;
	f->pmids = ask->pmids;
	if (ascending || !has_repeated(ask))
		return 0;
	while (size < 2 * n)
		size *= 2;
	table = arena_calloc(&req->mem, size, sizeof(*table));
	f->first = arena_alloc(&req->mem, n * sizeof(*f->first));
	pmids = arena_alloc(&req->mem, n * sizeof(*pmids));
	places = arena_alloc(&req->mem, n * sizeof(*places));
	if (table == NULL || f->first == NULL || pmids == NULL || places == NULL)
		return -ENOMEM;
	f->n = 0;
	mark_repeated(ask, f, table, size - 1, pmids, places);
	f->pmids = pmids;
	f->places = places;
	return 0;
}

/* All PMIDs are of one domain: the usual case, and nothing need be copied. */
static bool is_uniform(const struct fetch *f, bool ascending)
{
	if (ascending)
		return f->pmids[0] >> 22 == f->pmids[f->n - 1] >> 22;
	for (uint32_t i = 1; i < f->n; i++) {
		if (pmid_domain(f->pmids[i]) != pmid_domain(f->pmids[0]))
			return false;
	}
	return true;
}

static int split_uniform(struct request *req, struct fetch *f)
{
	f->parts = arena_calloc(&req->mem, 1, sizeof(*f->parts));
	if (f->parts == NULL)
		return -ENOMEM;
	f->parts[0].domain = pmid_domain(f->pmids[0]);
	f->parts[0].n = f->n;
	f->parts[0].pmids = f->pmids;
	f->parts[0].places = f->places;
	f->npart = 1;
	return 0;
}

/* A counting sort by domain; within a domain the order is the client's. */
static int split_mixed(struct request *req, struct fetch *f)
{
	uint32_t counts[AGENTS_DOMAINS] = {0};
	uint32_t starts[AGENTS_DOMAINS];
	uint32_t at = 0, part = 0;
	pmID *pmids = arena_alloc(&req->mem, f->n * sizeof(*pmids));
	uint32_t *places = arena_alloc(&req->mem, f->n * sizeof(*places));

	for (uint32_t i = 0; i < f->n; i++)
		f->npart += counts[pmid_domain(f->pmids[i])]++ == 0;
	f->parts = arena_calloc(&req->mem, f->npart, sizeof(*f->parts));
	if (pmids == NULL || places == NULL || f->parts == NULL)
		return -ENOMEM;
	for (unsigned int d = 0; d < AGENTS_DOMAINS; d++) {
		starts[d] = at;
		if (counts[d] > 0)
			f->parts[part++] = (struct fetch_part){.domain = d,
							       .n = counts[d],
							       .pmids = pmids + at,
							       .places = places + at};
		at += counts[d];
	}
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t to = starts[pmid_domain(f->pmids[i])]++;

		pmids[to] = f->pmids[i];
		places[to] = f->places != NULL ? f->places[i] : i;
	}
	return 0;
}

int fetch_parts_split(struct request *req, struct fetch *f)
{
	bool ascending = is_ascending(&req->body.fetch);
	int r = drop_repeated(req, f, ascending);

	if (r < 0)
		return r;
	return is_uniform(f, ascending) ? split_uniform(req, f) : split_mixed(req, f);
}
