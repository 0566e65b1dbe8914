/*
 * fetch_parts - a fetch, split into what each agent is asked for.
 */
#ifndef PMCD_FETCH_PARTS_H
#define PMCD_FETCH_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct profile;
struct request;
struct result_source;

/* The question to one agent. */
struct fetch_part {
	unsigned int domain; /* not the agent: it may be replaced while others are waited for */
	uint32_t n;
	const pmID *pmids;
	const uint32_t *places; /* of each in the reply; NULL: 0, 1, 2, ... */
	pmResult *host;         /* to be given back to the agent */
	bool local;             /* the agent is in this process and is asked at the end */
};

struct fetch {
	struct result_source *sources; /* one a PMID of the request; NULL until needed */
	uint32_t *first;        /* place of the first mention of each PMID; NULL: all differ */
	uint32_t n;             /* PMIDs that differ */
	const pmID *pmids;      /* these, in order */
	const uint32_t *places; /* of each in the reply; NULL: 0, 1, 2, ... */
	struct fetch_part *parts;
	uint32_t npart;
	struct profile *profile; /* held */
	bool replied;            /* the reply is there, or cannot be: */
	int status;
	int32_t slot;
};

/*
 * Fills first, n, pmids, places, parts and npart from the request's PMIDs; memory is the request's.
 * PMIDs that are asked for again and again are in no part but once. 0, or -ENOMEM.
 */
int fetch_parts_split(struct request *req, struct fetch *f);

static inline uint32_t fetch_place_of(const struct fetch_part *p, uint32_t i)
{
	return p->places != NULL ? p->places[i] : i;
}

#endif
