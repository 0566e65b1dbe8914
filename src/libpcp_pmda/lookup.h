/*
 * lookup - from a PMID to the row of the agent's metric table (docs/spec/pmda.md 7.7).
 *
 * Three strategies, chosen by pmdaInit: hashed, direct (the item number is the index) and linear
 * (the first row with that PMID). Linear is searched through a map too: a row that the map names
 * is believed if it still has the PMID, else the table is searched, so that an agent may change
 * its table at any time and nobody waits for a long one.
 */
#ifndef LIBPCP_PMDA_LOOKUP_H
#define LIBPCP_PMDA_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

struct pmid_slot {
	pmID pmid;
	uint32_t row; /* index in the table + 1; 0: free */
};

struct pmid_map {
	pmdaMetric *metrics; /* the table it was made of, not owned */
	int nmetrics;
	struct pmid_slot *slots;
	size_t cap; /* 0 or a power of two */
};

enum pmid_map_wins {
	PMID_MAP_FIRST, /* of several rows with one PMID */
	PMID_MAP_LAST,
};

/* Empties the map and enters the table. 0, or -ENOMEM with an empty map. */
int pmid_map_build(struct pmid_map *map, pmdaMetric *metrics, int nmetrics,
		   enum pmid_map_wins wins);
void pmid_map_done(struct pmid_map *map);

/* The row that had this PMID when the map was made, or NULL. */
pmdaMetric *pmid_map_find(const struct pmid_map *map, pmID pmid);

/* By the agent's strategy; NULL if its table has no such metric. */
pmdaMetric *lookup_metric(pmdaExt *ext, pmID pmid);

/* "hashed", "direct" or "linear". */
const char *lookup_strategy(const pmdaExt *ext);

#endif
