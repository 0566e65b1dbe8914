/* netdev - the network interfaces, for the clusters that know more about them. */
#ifndef AGENT_LINUX_NETDEV_H
#define AGENT_LINUX_NETDEV_H

#include <stdbool.h>
#include <stddef.h>

#include <pitot/agent.h>

struct scan;

extern const struct agent_indom interface_indom;

/* The name at the start of a line of /proc/net/dev, and past its colon; false for the head lines.
 */
bool netdev_name(struct scan *s, const char **ret_name, size_t *ret_len);

#endif
