/* zones - "Node 0, zone   Normal": how the lines of /proc/buddyinfo and /proc/zoneinfo begin. */
#ifndef AGENT_LINUX_ZONES_H
#define AGENT_LINUX_ZONES_H

#include "scan.h"

enum { ZONE_NAME_MAX = 32 };

struct zone_name {
	uint64_t node;
	const char *zone;
	size_t len;
};

/* False, with s and *ret_name as they were, if the line begins otherwise or the name is too long.
 */
static inline bool zone_read(struct scan *s, struct zone_name *ret_name)
{
	struct scan at = *s;
	struct zone_name name;

	if (!scan_text(&at, "Node") || !scan_u64(&at, &name.node) || !scan_text(&at, ", zone") ||
	    !scan_word(&at, &name.zone, &name.len) || name.len > ZONE_NAME_MAX)
		return false;
	*ret_name = name;
	*s = at;
	return true;
}

#endif
