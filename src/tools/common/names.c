#include "tools/common/names.h"

#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define ROOM_FIRST 256

void names_add(const char *name, void *arg)
{
	struct names *names = arg;

	if (names->n == names->room) {
		size_t room = names->room == 0 ? ROOM_FIRST : 2 * names->room;
		char **list = reallocarray(names->list, room, sizeof(list[0]));

		if (list == NULL)
			pmNoMem("names", room * sizeof(list[0]), PM_FATAL_ERR);
		names->list = list;
		names->room = room;
	}
	names->list[names->n] = strdup(name);
	if (names->list[names->n] == NULL)
		pmNoMem("names", strlen(name), PM_FATAL_ERR);
	names->n++;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names){0};
}
