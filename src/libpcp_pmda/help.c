/*
 * help - the help text of an agent from its two mapped files (docs/spec/pmda.md 15).
 *
 * NAME.dir is an index of 12-byte records in host order, NAME.pag the text. Both come from disk,
 * so an index that points outside the text has no entry there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"

enum {
	HELP_MAGIC = 0x50635068,
	HELP_VERSION = 0x31320000, /* a directory, version 2 */
	HELP_ENTRIES_MAX = 1 << 24,
};

#define HELP_INDOM 0x80000000u /* in an identifier: it is that of an instance domain */

struct help_record {
	uint32_t ident;
	uint32_t oneline; /* offsets of NUL-terminated strings in the text */
	uint32_t help;
};

/* The layout is chkhelp's too, which takes the table from __pmdaHelpTab. */
struct help_slot {
	int dir_fd;
	int pag_fd;
	int numidx;
	struct help_record *index; /* [0] is the header, entries follow; NULL: slot is free */
	char *text;
	int textlen;
};

_Static_assert(sizeof(struct help_slot) == 40, "layout known to chkhelp");

/* Records by identifier: numbers of records, hashed; 0 is free. */
struct help_map {
	uint32_t *records;
	size_t cap; /* a power of two */
};

static struct help_slot *slots;
static struct help_map *maps; /* as many as slots */
static int nslots;

/* Exported, though no installed header declares it. */
__attribute__((visibility("default"))) void *__pmdaHelpTab(void);
void *__pmdaHelpTab(void)
{
	return slots;
}

/* ---- records by identifier ------------------------------------------------------------------ */

static size_t ident_hash(uint32_t ident)
{
	return (size_t)hash_u64(ident);
}

static uint32_t map_find(const struct help_map *map, const struct help_record *index,
			 uint32_t ident)
{
	size_t i = ident_hash(ident) & (map->cap - 1);

	while (map->records[i] != 0 && index[map->records[i]].ident != ident)
		i = (i + 1) & (map->cap - 1);
	return map->records[i];
}

/* Of several records of a metric the first counts, of an instance domain the last (15.2). */
static void map_put(struct help_map *map, const struct help_record *index, uint32_t record)
{
	uint32_t ident = index[record].ident;
	size_t i = ident_hash(ident) & (map->cap - 1);

	while (map->records[i] != 0 && index[map->records[i]].ident != ident)
		i = (i + 1) & (map->cap - 1);
	if (map->records[i] == 0 || (ident & HELP_INDOM) != 0)
		map->records[i] = record;
}

static int map_build(struct help_map *map, const struct help_record *index, uint32_t n)
{
	size_t cap = 16;

	while (cap < (size_t)n * 2)
		cap *= 2;
	map->records = calloc(cap, sizeof(*map->records));
	if (map->records == NULL)
		return -ENOMEM;
	map->cap = cap;
	for (uint32_t record = 1; record <= n; record++)
		map_put(map, index, record);
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int slot_free(void)
{
	struct help_slot *grown;
	struct help_map *grown_maps;

	for (int i = 0; i < nslots; i++) {
		if (slots[i].text == NULL)
			return i;
	}
	grown = realloc(slots, (size_t)(nslots + 1) * sizeof(*slots));
	if (grown == NULL)
		return -ENOMEM;
	slots = grown;
	grown_maps = realloc(maps, (size_t)(nslots + 1) * sizeof(*maps));
	if (grown_maps == NULL)
		return -ENOMEM;
	maps = grown_maps;
	slots[nslots] = (struct help_slot){.dir_fd = -1, .pag_fd = -1};
	maps[nslots] = (struct help_map){0};
	return nslots++;
}

/* A whole file, read-only. */
static int map_file(const char *path, void **ret_map, size_t *ret_len)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size == 0 || st.st_size > INT32_MAX)
		return -EINVAL;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	*ret_map = map;
	*ret_len = (size_t)st.st_size;
	return 0;
}

static bool index_is_valid(const struct help_record *index, size_t len)
{
	return len >= sizeof(*index) && index[0].ident == HELP_MAGIC &&
	       (index[0].oneline & 0xffff0000) == HELP_VERSION &&
	       index[0].help <= HELP_ENTRIES_MAX &&
	       len / sizeof(*index) >= (size_t)index[0].help + 1;
}

static int open_slot(struct help_slot *slot, struct help_map *map, const char *dir, const char *pag)
{
	void *index, *text;
	size_t index_len, text_len;
	int r = map_file(dir, &index, &index_len);

	if (r < 0)
		return r;
	r = index_is_valid(index, index_len) ? map_file(pag, &text, &text_len) : -EINVAL;
	if (r >= 0) {
		r = map_build(map, index, ((struct help_record *)index)[0].help);
		if (r < 0)
			munmap(text, text_len);
	}
	if (r < 0) {
		munmap(index, index_len);
		return r;
	}
	slot->index = index;
	slot->numidx = (int)slot->index[0].help;
	slot->text = text;
	slot->textlen = (int)text_len;
	return 0;
}

int pmdaOpenHelp(const char *base)
{
	char dir[MAXPATHLEN], pag[MAXPATHLEN];
	int handle, r;

	if (snprintf(dir, sizeof(dir), "%s.dir", base) >= (int)sizeof(dir) ||
	    snprintf(pag, sizeof(pag), "%s.pag", base) >= (int)sizeof(pag))
		return -ENAMETOOLONG;
	handle = slot_free();
	if (handle < 0)
		return handle;
	r = open_slot(&slots[handle], &maps[handle], dir, pag);
	return r < 0 ? r : handle;
}

static struct help_slot *slot_of(int handle)
{
	return handle >= 0 && handle < nslots && slots[handle].text != NULL ? &slots[handle] : NULL;
}

/* The string at an offset, or NULL unless it ends inside the text. */
static char *slot_text(const struct help_slot *slot, uint32_t offset)
{
	if (offset >= (uint32_t)slot->textlen ||
	    memchr(slot->text + offset, '\0', (size_t)slot->textlen - offset) == NULL)
		return NULL;
	return slot->text + offset;
}

static char *find_text(int handle, uint32_t ident, int type)
{
	const struct help_slot *slot = slot_of(handle);
	uint32_t record = slot == NULL ? 0 : map_find(&maps[handle], slot->index, ident);

	if (record == 0)
		return NULL;
	return slot_text(slot, type & PM_TEXT_ONELINE ? slot->index[record].oneline
						      : slot->index[record].help);
}

char *pmdaGetHelp(int handle, pmID pmid, int type)
{
	return find_text(handle, pmid, type);
}

char *pmdaGetInDomHelp(int handle, pmInDom indom, int type)
{
	return find_text(handle, indom | HELP_INDOM, type);
}

void pmdaCloseHelp(int handle)
{
	struct help_slot *slot = slot_of(handle);

	if (slot == NULL)
		return;
	munmap(slot->index, ((size_t)slot->numidx + 1) * sizeof(*slot->index));
	munmap(slot->text, (size_t)slot->textlen);
	free(maps[handle].records);
	maps[handle] = (struct help_map){0};
	*slot = (struct help_slot){.dir_fd = -1, .pag_fd = -1};
}
