/*
 * records - prints the content of the archives of a folder, one line per member; for parity.py.
 *
 *     PATH v3 at=END/LENGTH error=0 DESC=5 ... results=12 marks=0 sets=60 values=70 differ=0
 * older=0
 */
#include <stdio.h>

#include "member.h"
#include "walk.h"

static void print_counts(const struct walk_counts *counts)
{
	for (uint32_t type = 1; type <= META_LAST; type++)
		printf(" %s=%zu", meta_name(type), counts->meta[type]);
	printf(" names=%zu entries=%zu results=%zu marks=%zu sets=%zu values=%zu differ=%zu "
	       "older=%zu\n",
	       counts->names, counts->index_entries, counts->results, counts->marks, counts->sets,
	       counts->values, counts->differ, counts->older);
}

static void walk_member(const struct member *member)
{
	static int (*const walks[])(struct walk *, const uint8_t *, size_t, size_t *) = {
	    [MEMBER_META] = walk_meta,
	    [MEMBER_INDEX] = walk_index,
	    [MEMBER_DATA] = walk_data,
	};
	struct buffer bytes = BUFFER_INIT;
	struct walk w = {.version = 0};
	size_t at = 0;
	int r = member_read(member, &bytes);

	if (r == 0)
		r = walks[member->kind](&w, bytes.data, bytes.len, &at);
	printf("%s v%d at=%zu/%zu error=%d", member->path, w.version, at, bytes.len, r);
	print_counts(&w.counts);
	walk_done(&w);
	buffer_done(&bytes);
}

int main(int argc, char **argv)
{
	struct member_set set;

	if (argc != 2) {
		fprintf(stderr, "usage: records FOLDER\n");
		return 2;
	}
	member_scan(argv[1], &set);
	for (size_t i = 0; i < set.n; i++)
		walk_member(&set.members[i]);
	member_scan_done(&set);
	return 0;
}
