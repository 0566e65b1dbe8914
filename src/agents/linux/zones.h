/* zones - "Node 0, zone   Normal": how the lines of /proc/buddyinfo and /proc/zoneinfo begin. */
#ifndef AGENT_LINUX_ZONES_H
#define AGENT_LINUX_ZONES_H

#include "scan.h"

struct zone_name {
	uint64_t node;
	const char *zone;
	size_t len;
};

/* False, and s where it was, if the line begins otherwise. */
static inline bool zone_read(struct scan *s, struct zone_name *ret_name)
{
	struct scan at = *s;

	if (!scan_text(&at, "Node") || !scan_u64(&at, &ret_name->node) ||
	    !scan_text(&at, ", zone") || !scan_word(&at, &ret_name->zone, &ret_name->len) ||
	    ret_name->len > 32)
		return false;
	*s = at;
	return true;
}

#endif
