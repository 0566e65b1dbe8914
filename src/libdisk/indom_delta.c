/* indom_delta - see indom_delta.h. */
#include "libdisk/indom_delta.h"

#include <string.h>

bool indom_sorted(const struct wire_inst *insts, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (insts[i].inst <= insts[i - 1].inst)
			return false;
	}
	return true;
}

static bool same_name(const struct wire_str *a, const struct wire_str *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

enum indom_change indom_compare(const struct wire_inst *old, size_t n_old,
				const struct wire_inst *now, size_t n_new, struct wire_inst *delta,
				size_t *ret_changes)
{
	size_t i = 0, j = 0, n = 0;

	while (i < n_old || j < n_new) {
		if (i < n_old && j < n_new && old[i].inst == now[j].inst) {
			if (!same_name(&old[i++].name, &now[j++].name))
				return INDOM_FULL;
			continue;
		}
		if (n == n_new) /* one more would be more than a full record has */
			return INDOM_FULL;
		if (j == n_new || (i < n_old && old[i].inst < now[j].inst))
			delta[n++] = (struct wire_inst){.inst = old[i++].inst};
		else
			delta[n++] = now[j++];
	}
	*ret_changes = n;
	return n == 0 ? INDOM_SAME : INDOM_CHANGES;
}

int indom_apply(const struct wire_inst *old, size_t n_old, const struct wire_inst *delta,
		size_t n_delta, struct wire_inst *now, size_t *ret_n)
{
	size_t i = 0, n = 0;

	if (!indom_sorted(old, n_old) || !indom_sorted(delta, n_delta))
		return PM_ERR_LOGREC;
	for (size_t j = 0; j < n_delta; j++) {
		bool there;

		while (i < n_old && old[i].inst < delta[j].inst)
			now[n++] = old[i++];
		there = i < n_old && old[i].inst == delta[j].inst;
		if (there)
			i++;
		if (delta[j].name.s != NULL)
			now[n++] = delta[j];
		else if (!there)
			return PM_ERR_LOGREC;
	}
	while (i < n_old)
		now[n++] = old[i++];
	*ret_n = n;
	return 0;
}
