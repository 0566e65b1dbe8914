/* geometry - see geometry.h. */
#include "libtrace/geometry.h"

#include <errno.h>
#include <string.h>

enum {
	CHUNK_MIN = 2048,
	CHUNK_SMALL = 4096,      /* smallest, for streams of at least 64 KiB */
	CHUNK_USUAL = 65536,     /* largest, unless records or streams are large */
	CHUNK_LARGEST = 1 << 22, /* for records of GEOMETRY_DATA_MAX; a stream never needs more */
	SIZE_MIN = 4096,         /* one system and one user event of usual size */
	SIZE_SMALL = 65536,
	SIZE_DOUBLE = 16 << 20, /* up to this size: twice the memory, for half-empty chunks */
	SLACK = 65536,          /* in the upper bound of docs/spec/posix-trace.md 4.2 */
	QUOTA_MIN = 16,
	QUOTA_LARGE = 64,
	/* A record may need this in addition to header and data: a record before it that names its
	 * thread, or the name of an interrupted record. */
	EXTRA = 40,
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint32_t align_of(uint32_t chunk_size)
{
	uint32_t align = chunk_size / (TRUTH_POS_MAX + 1);

	return align < 8 ? 8 : align;
}

/* The smallest chunk that holds two records of maximum size and the zero header after them, so
 * that a closed chunk is at least half full. */
static uint32_t chunk_for_data(uint32_t data_max)
{
	uint32_t c = CHUNK_MIN;

	while (c < LAYOUT_CHUNK_HEAD + align_of(c) +
		       2 * round_up(LAYOUT_RECORD_HEAD + EXTRA + (uint64_t)data_max, align_of(c)))
		c *= 2;
	return c;
}

/* The power of two that is at least SIZE/64, within the usual bounds. */
static uint32_t chunk_for_size(uint64_t size)
{
	uint32_t c = size < SIZE_SMALL ? CHUNK_MIN : CHUNK_SMALL;

	while (c < CHUNK_USUAL && c < size / 64)
		c *= 2;
	return c;
}

/* Number of chunks that hold events of this total size, in any order. */
static uint64_t chunks_for_events(uint64_t size, uint32_t chunk_size, uint32_t data_max)
{
	uint64_t least =
	    chunk_size - LAYOUT_CHUNK_HEAD - align_of(chunk_size) -
	    round_up(LAYOUT_RECORD_HEAD + EXTRA + (uint64_t)data_max, align_of(chunk_size));

	if (size <= SIZE_DOUBLE)
		return 2 * ((size + chunk_size - 1) / chunk_size);
	return (size + least - 1) / least;
}

static uint64_t quota_wanted(uint64_t size, uint32_t chunk_size)
{
	if (size > SIZE_DOUBLE)
		return QUOTA_LARGE;
	return size / chunk_size > QUOTA_MIN ? size / chunk_size : QUOTA_MIN;
}

/* Number of threads that can have a chunk of their own within the upper bound; 0: none. */
static uint64_t quota_for(uint64_t size, uint32_t chunk_size, uint64_t base)
{
	uint64_t room = (4 * size + SLACK) / chunk_size, wanted = quota_wanted(size, chunk_size);

	if (room < base + 1)
		return 0;
	return wanted < room - base - 1 ? wanted : room - base - 1;
}

static void place(struct geometry *g)
{
	uint64_t at = LAYOUT_PAGE + sizeof(struct layout_state);

	g->align = align_of(g->chunk_size);
	g->cs = round_up(at, LAYOUT_LINE);
	g->lostc = round_up(g->cs + 8 * (uint64_t)g->chunks, LAYOUT_LINE);
	g->freemap = round_up(g->lostc + 8 * (uint64_t)g->chunks, LAYOUT_LINE);
	g->order = round_up(g->freemap + 8 * (((uint64_t)g->chunks + 63) / 64), LAYOUT_LINE);
	g->partial = round_up(g->order + 8 * (uint64_t)g->chunks, LAYOUT_LINE);
	g->chunk0 = round_up(g->partial + 4 * LAYOUT_PARTIAL, LAYOUT_PAGE);
	g->bytes = round_up(g->chunk0 + (uint64_t)g->chunks * g->chunk_size, LAYOUT_PAGE);
}

int geometry_make(uint64_t stream_size, uint32_t data_max, uint32_t policy,
		  struct geometry *ret_geometry)
{
	struct geometry g = {.data_max = data_max, .policy = policy};
	uint64_t base, quota, least = SIZE_MIN;

	if (data_max > GEOMETRY_DATA_MAX)
		return -EINVAL;
	if (stream_size > GEOMETRY_STREAM_MAX)
		return -ENOMEM;
	if (least < geometry_system_event_max() + geometry_user_event_max(data_max, data_max))
		least = geometry_system_event_max() + geometry_user_event_max(data_max, data_max);
	g.stream_size = round_up(stream_size > least ? stream_size : least, 8);
	g.chunk_size = chunk_for_data(data_max);
	if (g.chunk_size < chunk_for_size(g.stream_size))
		g.chunk_size = chunk_for_size(g.stream_size);
	for (;;) {
		base = chunks_for_events(g.stream_size, g.chunk_size, data_max);
		quota = quota_for(g.stream_size, g.chunk_size, base);
		if (quota < 2) /* large records in a small stream */
			g.stream_size += g.chunk_size / 2;
		else if (base + quota + 1 > LAYOUT_CHUNKS_MAX)
			g.chunk_size *= 2;
		else
			break;
	}
	g.quota = (uint32_t)quota;
	g.chunks = (uint32_t)(base + quota + 1);
	place(&g);
	if (g.bytes > SIZE_MAX / 4)
		return -ENOMEM;
	*ret_geometry = g;
	return 0;
}

static bool policy_known(uint32_t policy)
{
	return policy == POSIX_TRACE_LOOP || policy == POSIX_TRACE_UNTIL_FULL ||
	       policy == POSIX_TRACE_FLUSH;
}

int geometry_check(const struct layout_id *id, uint64_t bytes, struct geometry *ret_geometry)
{
	struct geometry g = {
	    .stream_size = id->stream_size,
	    .chunk_size = id->chunk_size,
	    .chunks = id->chunks,
	    .quota = id->quota,
	    .data_max = id->data_max,
	    .policy = id->policy,
	};

	if (g.chunk_size < CHUNK_MIN || g.chunk_size > CHUNK_LARGEST ||
	    (g.chunk_size & (g.chunk_size - 1)) != 0)
		return -EINVAL;
	if (g.chunks < 3 || g.chunks > LAYOUT_CHUNKS_MAX || g.quota < 1 || g.quota >= g.chunks)
		return -EINVAL;
	if (g.data_max > GEOMETRY_DATA_MAX || g.chunk_size < chunk_for_data(g.data_max))
		return -EINVAL;
	if (!policy_known(g.policy))
		return -EINVAL;
	place(&g);
	if (g.bytes != bytes || id->bytes != bytes)
		return -EINVAL;
	*ret_geometry = g;
	return 0;
}

uint64_t geometry_user_event_max(uint64_t length, uint64_t data_max)
{
	uint32_t align;

	if (data_max > GEOMETRY_DATA_MAX)
		data_max = GEOMETRY_DATA_MAX;
	if (length > data_max)
		length = data_max;
	/* Chunks that are larger than the data require have the usual alignment, or belong to
	 * huge streams, where quota and slack cover the difference. */
	align = align_of(chunk_for_data((uint32_t)data_max));
	return round_up(LAYOUT_RECORD_HEAD + length, align) + round_up(EXTRA, align);
}

uint64_t geometry_system_event_max(void)
{
	/* FILTER carries two sets; the queue of control events puts a header before each event. */
	return 2 * sizeof(trace_event_set_t) + 128;
}
