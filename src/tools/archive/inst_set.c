#include "tools/archive/inst_set.h"

#include <stdlib.h>

#include "libstore/archive_meta.h"

bool inst_set_has(const struct inst_set *s, int inst)
{
	for (size_t i = 0; !s->all && i < s->n; i++)
		if (s->list[i] == inst)
			return true;
	return s->all;
}

static void add(struct inst_set *s, int inst)
{
	int *list;

	if (inst_set_has(s, inst))
		return;
	list = reallocarray(s->list, s->n + 1, sizeof(*list));
	if (list == NULL)
		pmNoMem("instances", sizeof(*list), PM_FATAL_ERR);
	s->list = list;
	list[s->n++] = inst;
}

bool inst_set_add_name(struct inst_set *s, struct archive_meta *meta, pmInDom indom,
		       const char *name, int inst)
{
	const struct archive_indom *const *seen;
	int n = archive_meta_indom(meta, indom, &seen);
	bool found = false;

	for (int i = 0; i < n; i++) {
		int id;

		if (name != NULL)
			id = archive_indom_lookup(seen[i], name);
		else
			id = archive_indom_inst(seen[i], inst) != NULL ? inst : -1;
		if (id < 0)
			continue;
		add(s, id);
		found = true;
	}
	return found;
}

void inst_set_done(struct inst_set *s)
{
	free(s->list);
	*s = (struct inst_set){0};
}
