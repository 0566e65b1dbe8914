/* lookup - see lookup.h. */
#include "libpcp_pmda/lookup.h"

#include <errno.h>
#include <stdlib.h>

#include "libpcp_pmda/ext.h"

enum { PMID_MAP_MIN = 16 };

static void pmid_map_done(struct pmid_map *map)
{
	free(map->slots);
	*map = (struct pmid_map){0};
}

static void pmid_map_put(struct pmid_map *map, pmID pmid, uint32_t row, enum pmid_map_wins wins)
{
	size_t i = pmid_map_slot(map, pmid);

	while (map->slots[i].row != 0 && map->slots[i].pmid != pmid)
		i = (i + 1) & (map->cap - 1);
	if (map->slots[i].row == 0 || wins == PMID_MAP_LAST)
		map->slots[i] = (struct pmid_slot){.pmid = pmid, .row = row};
}

int pmid_map_build(struct pmid_map *map, pmdaMetric *metrics, int nmetrics, enum pmid_map_wins wins)
{
	size_t cap = PMID_MAP_MIN;

	pmid_map_done(map);
	while (cap < (size_t)nmetrics * 2)
		cap *= 2;
	map->slots = calloc(cap, sizeof(*map->slots));
	if (map->slots == NULL)
		return -ENOMEM;
	map->cap = cap;
	map->shift = 32 - (unsigned int)__builtin_ctzl(cap);
	map->metrics = metrics;
	map->nmetrics = nmetrics;
	for (int m = 0; m < nmetrics; m++)
		pmid_map_put(map, metrics[m].m_desc.pmid, (uint32_t)m + 1, wins);
	return 0;
}

pmdaMetric *lookup_linear_slow(pmdaExt *ext, struct pmid_map *map, pmID pmid)
{
	pmdaMetric *metric;

	if (map->metrics != ext->e_metrics || map->nmetrics != ext->e_nmetrics)
		(void)pmid_map_build(map, ext->e_metrics, ext->e_nmetrics, PMID_MAP_FIRST);
	metric = pmid_map_find(map, pmid);
	if (metric != NULL && metric->m_desc.pmid == pmid)
		return metric;
	/* Rare: no such metric, no memory for the map, or an agent that edits its rows. */
	for (int m = 0; m < ext->e_nmetrics; m++) {
		if (ext->e_metrics[m].m_desc.pmid == pmid)
			return &ext->e_metrics[m];
	}
	return NULL;
}

const char *lookup_strategy(const pmdaExt *ext)
{
	if (ext->e_flags & PMDA_EXT_FLAG_HASHED)
		return "hashed";
	return ext->e_direct ? "direct" : "linear";
}
