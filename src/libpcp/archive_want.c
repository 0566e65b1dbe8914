/* archive_want - see archive_want.h. */
#include "libpcp/archive_want.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/hash.h"

static ptrdiff_t want_look_up(const struct archive_want *want, pmID pmid, size_t *ret_slot)
{
	size_t at = (size_t)hash_u64(pmid) & want->mask;

	while (want->slots[at] != 0 && want->pmids[want->slots[at] - 1] != pmid)
		at = (at + 1) & want->mask;
	*ret_slot = at;
	return (ptrdiff_t)want->slots[at] - 1;
}

void archive_want_done(struct archive_want *want)
{
	free(want->pmids);
	free(want->slots);
	free(want->first);
	free(want->sets);
	free(want->counts);
	*want = (struct archive_want){.changes = want->changes};
}

/* Room for n metrics. */
static int want_make_room(struct archive_want *want, size_t n, size_t cap)
{
	want->pmids = malloc(n * sizeof(want->pmids[0]));
	want->first = malloc(n * sizeof(want->first[0]));
	want->sets = malloc(n * sizeof(want->sets[0]));
	want->counts = malloc(n * sizeof(want->counts[0]));
	want->slots = calloc(cap, sizeof(want->slots[0]));
	if (want->pmids == NULL || want->first == NULL || want->sets == NULL ||
	    want->counts == NULL || want->slots == NULL)
		return -ENOMEM;
	want->n = n;
	want->mask = cap - 1;
	return 0;
}

int archive_want_set(struct archive_want *want, size_t n, const pmID *pmids)
{
	size_t cap = 8;
	size_t slot;

	want->guess = 0;
	if (want->n == n && memcmp(want->pmids, pmids, n * sizeof(pmids[0])) == 0)
		return 0;
	archive_want_done(want);
	while (cap < 2 * n)
		cap *= 2;
	if (want_make_room(want, n, cap) < 0) {
		archive_want_done(want);
		return -ENOMEM;
	}
	memcpy(want->pmids, pmids, n * sizeof(pmids[0]));
	want->changes++;
	for (size_t i = 0; i < n; i++) {
		ptrdiff_t first = want_look_up(want, pmids[i], &slot);

		want->first[i] = (uint32_t)(first < 0 ? (ptrdiff_t)i : first);
		if (first < 0)
			want->slots[slot] = (uint32_t)i + 1;
	}
	return 0;
}

ptrdiff_t archive_want_find(struct archive_want *want, pmID pmid)
{
	ptrdiff_t i = (ptrdiff_t)want->guess;
	size_t slot;

	if (want->guess >= want->n || want->pmids[i] != pmid)
		i = want_look_up(want, pmid, &slot);
	if (i < 0)
		return i;
	want->guess = (size_t)i + 1;
	return (ptrdiff_t)want->first[i];
}
