#include "tools/pmrep/report.h"

#include <stdlib.h>
#include <string.h>

static void places_add(struct places *places, const struct metric *m, int inst, const char *name)
{
	if (places->n == places->room) {
		size_t room = places->room == 0 ? 64 : 2 * places->room;
		struct place *list = realloc(places->list, room * sizeof(list[0]));

		if (list == NULL)
			pmNoMem("columns", room * sizeof(list[0]), PM_FATAL_ERR);
		places->list = list;
		places->room = room;
	}
	places->list[places->n++] = (struct place){m, inst, name};
}

void places_add_all(struct places *places, const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++)
		for (int c = 0; c < metrics->list[i].n_columns; c++)
			places_add(places, &metrics->list[i], metrics->list[i].columns[c].inst,
				   metrics->list[i].columns[c].name);
}

void places_add_current(struct places *places, const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++)
		for (int v = 0; v < metrics->list[i].n_values; v++)
			places_add(places, &metrics->list[i], metrics->list[i].values[v].inst,
				   metrics->list[i].values[v].name);
}

bool places_equal(const struct places *a, const struct places *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].metric != b->list[i].metric || a->list[i].inst != b->list[i].inst)
			return false;
	return true;
}

void places_done(struct places *places)
{
	free(places->list);
	*places = (struct places){0};
}
