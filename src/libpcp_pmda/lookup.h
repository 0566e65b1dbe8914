/*
 * lookup - from a PMID to the row of the agent's metric table (docs/spec/pmda.md 7.7).
 *
 * Three strategies, chosen by pmdaInit: hashed, direct (the item number is the index) and linear
 * (the first row with that PMID). Linear has a map too: a row that the map gives is used if it
 * still has the PMID, else the table is searched, so that an agent may change its table at any time
 * and a long table costs no time.
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
	size_t cap;         /* 0 or a power of two */
	unsigned int shift; /* 32 - log2(cap) */
};

enum pmid_map_wins {
	PMID_MAP_FIRST, /* of several rows with one PMID */
	PMID_MAP_LAST,
};

/* Empties the map and enters the table. 0, or -ENOMEM with an empty map. */
int pmid_map_build(struct pmid_map *map, pmdaMetric *metrics, int nmetrics,
		   enum pmid_map_wins wins);

/*
 * The slot where the search for a PMID begins. PMIDs count up within a cluster, and clusters come
 * in strides: multiples of the golden ratio spread both over the whole table.
 */
static inline size_t pmid_map_slot(const struct pmid_map *map, pmID pmid)
{
	return pmid * 0x9e3779b1u >> map->shift;
}

/* The row that had this PMID when the map was made, or NULL. */
static inline pmdaMetric *pmid_map_find(const struct pmid_map *map, pmID pmid)
{
	size_t i;

	if (map->cap == 0)
		return NULL;
	for (i = pmid_map_slot(map, pmid); map->slots[i].row != 0; i = (i + 1) & (map->cap - 1)) {
		if (map->slots[i].pmid == pmid)
			return &map->metrics[map->slots[i].row - 1];
	}
	return NULL;
}

/* The row at the item number. Clusters must be equal; domains are not compared (7.7). */
static inline pmdaMetric *lookup_direct(const pmdaExt *ext, pmID pmid)
{
	int item = (int)(pmid & 0x3ff);
	pmdaMetric *metric = &ext->e_metrics[item];

	if (item >= ext->e_nmetrics || ((metric->m_desc.pmid ^ pmid) & (0xfffu << 10)) != 0)
		return NULL;
	return metric;
}

/* The first row with the PMID: the search itself, when the map has no answer. */
pmdaMetric *lookup_linear_slow(pmdaExt *ext, struct pmid_map *map, pmID pmid);

static inline pmdaMetric *lookup_linear(pmdaExt *ext, struct pmid_map *map, pmID pmid)
{
	pmdaMetric *metric = NULL;

	if (map->metrics == ext->e_metrics && map->nmetrics == ext->e_nmetrics)
		metric = pmid_map_find(map, pmid);
	return metric != NULL && metric->m_desc.pmid == pmid ? metric
							     : lookup_linear_slow(ext, map, pmid);
}

/* "hashed", "direct" or "linear". */
const char *lookup_strategy(const pmdaExt *ext);

#endif
