/*
 * slabinfo - the kernel's object caches: /proc/slabinfo, which only root may read.
 *
 *     # name  <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables 0 0 0
 *       : slabdata <active_slabs> <num_slabs> <sharedavail>
 */
#include <errno.h>
#include <unistd.h>

#include "linux.h"
#include "scan.h"

/* The file's five columns, and the first two of slabdata. */
enum { ACTIVE_OBJECTS, OBJECTS, OBJECT_SIZE, OBJECTS_PER_SLAB, PAGES_PER_SLAB, NCOLUMNS };
enum { ACTIVE_SLABS, SLABS, NSLABDATA };

struct slab {
	uint64_t column[NCOLUMNS];
	uint64_t slabdata[NSLABDATA];
	uint64_t total_size;
};

static const struct agent_indom slab_indom = {
    12, 0, NULL, 0, "Object caches of the kernel", "By the cache's name.",
};

/* clang-format off */
#define SLAB(name, item, type, units, member, text)                                                \
	{ "mem.slabinfo." name, 20, item, type, INSTANT, &slab_indom, units, FIELD(slab, member),  \
	  text, NULL, 0 }

static const struct agent_metric slabinfo_metrics[] = {
	SLAB("objects.active", 0, U64, AGENT_NONE, column[ACTIVE_OBJECTS],
	  "Objects in use in each cache"),
	SLAB("objects.total", 1, U64, AGENT_NONE, column[OBJECTS],
	  "Objects that each cache has room for"),
	SLAB("objects.size", 2, U32, AGENT_BYTE, column[OBJECT_SIZE],
	  "Size of an object of each cache"),
	SLAB("slabs.active", 3, U32, AGENT_NONE, slabdata[ACTIVE_SLABS],
	  "Slabs of each cache with objects in use"),
	SLAB("slabs.total", 4, U32, AGENT_NONE, slabdata[SLABS], "Slabs of each cache"),
	SLAB("slabs.pages_per_slab", 5, U32, AGENT_NONE, column[PAGES_PER_SLAB],
	  "Pages of a slab of each cache"),
	SLAB("slabs.objects_per_slab", 6, U32, AGENT_NONE, column[OBJECTS_PER_SLAB],
	     "Objects in a slab of each cache"),
	SLAB("slabs.total_size", 7, U64, AGENT_BYTE, total_size,
	  "Memory of each cache's active objects, with their share of the slabs"),
};
/* clang-format on */

static int read_slab(struct agent_refresh *r, struct scan *s, uint64_t page_bytes)
{
	const char *name;
	struct slab *slab;
	size_t len;

	if (*s->p == '#' || !scan_word(s, &name, &len))
		return 0;
	slab = agent_add(r, &slab_indom, name, len);
	if (slab == NULL)
		return -ENOMEM;
	if (scan_u64s(s, slab->column, NCOLUMNS) < NCOLUMNS)
		return 0;
	for (; *s->p != '\0' && *s->p != '\n'; s->p++)
		if (scan_text(s, ": slabdata"))
			break;
	scan_u64s(s, slab->slabdata, NSLABDATA);
	if (slab->column[OBJECTS_PER_SLAB] != 0)
		slab->total_size = slab->column[ACTIVE_OBJECTS] * slab->column[PAGES_PER_SLAB] *
				   page_bytes / slab->column[OBJECTS_PER_SLAB];
	return 0;
}

static int slabinfo_refresh(struct agent_refresh *r, void *snapshot)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct scan s;
	long n = agent_read(r, "proc/slabinfo", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	while (status == 0 && scan_next_line(&s)) /* the first line is the version */
		status = read_slab(r, &s, page_bytes);
	return status;
}

const struct agent_cluster slabinfo_cluster = {
    .name = "slabinfo",
    .source = "/proc/slabinfo",
    .refresh = slabinfo_refresh,
    .metrics = slabinfo_metrics,
    .nmetrics = NROWS(slabinfo_metrics),
    .fills = {{&slab_indom, sizeof(struct slab), 1}},
    .wait_ms = 20,
};
