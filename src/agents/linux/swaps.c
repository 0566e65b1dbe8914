/*
 * swaps - each swap device and file: /proc/swaps.
 *
 *     Filename        Type            Size            Used            Priority
 *     /dev/dm-1       partition       8388604         0               -2
 */
#include <errno.h>

#include "linux.h"
#include "scan.h"

struct swap {
	uint64_t length;
	uint64_t used;
	uint64_t free;
	uint64_t vlength;
	int64_t priority;
};

static const struct agent_indom swap_indom = {
    6, 0, NULL, 0, "Swap devices and files", "By path, as /proc/swaps tells it.",
};

/* clang-format off */
static const struct agent_metric swaps_metrics[] = {
	{ "swapdev.free", 6, 0, U32, INSTANT, &swap_indom, AGENT_KBYTE, FIELD(swap, free),
	  "Space of each swap device that nothing uses", NULL, 0 },
	{ "swapdev.length", 6, 1, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, length),
	  "Size of each swap device", NULL, 0 },
	{ "swapdev.maxswap", 6, 2, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, length),
	  "Largest size that each swap device can have", "On Linux its size: swapdev.length.", 0 },
	{ "swapdev.vlength", 6, 3, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, vlength),
	  "Virtual swap of each swap device", "Linux has none: always 0.", 0 },
	{ "swapdev.priority", 6, 4, S32, INSTANT, &swap_indom, AGENT_NONE, FIELD(swap, priority),
	  "Priority of each swap device",
	  "The highest is used first; negative ones were given by the "
	  "kernel.", 0 },
};
/* clang-format on */

static int read_swap(struct agent_refresh *r, struct scan *s)
{
	const char *name, *type;
	size_t len, type_len;
	struct swap *swap;

	if (*s->p != '/' || !scan_word(s, &name, &len))
		return 0;
	swap = agent_add(r, &swap_indom, name, len);
	if (swap == NULL)
		return -ENOMEM;
	swap->vlength = 0;
	if (!scan_word(s, &type, &type_len) || !scan_u64(s, &swap->length) ||
	    !scan_u64(s, &swap->used))
		return 0;
	swap->free = swap->length > swap->used ? swap->length - swap->used : 0;
	scan_i64(s, &swap->priority);
	return 0;
}

static int swaps_refresh(struct agent_refresh *r, void *snapshot)
{
	struct scan s;
	long n = agent_read(r, "proc/swaps", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	while (status == 0 && scan_next_line(&s)) /* the first line is the head */
		status = read_swap(r, &s);
	return status;
}

const struct agent_cluster swaps_cluster = {
    .name = "swaps",
    .source = "/proc/swaps",
    .refresh = swaps_refresh,
    .metrics = swaps_metrics,
    .nmetrics = NROWS(swaps_metrics),
    .fills = {{&swap_indom, sizeof(struct swap), 1}},
};
