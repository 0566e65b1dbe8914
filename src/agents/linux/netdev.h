/* netdev - the network interfaces, for the clusters that know more about them. */
#ifndef AGENT_LINUX_NETDEV_H
#define AGENT_LINUX_NETDEV_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include <pitot/agent.h>

struct scan;

extern const struct agent_indom interface_indom;

/* The name at the start of a line of /proc/net/dev, and past its colon; false for the head lines.
 */
bool netdev_name(struct scan *s, const char **ret_name, size_t *ret_len);

/*
 * ---- without a file ----
 *
 * Questions about a network interface that the kernel answers directly, ten times as
 * fast as by a file of /sys: for the root / alone.
 */

/* The answer to a SIOCGIF* request about the interface. False if there is none: ask a file. */
bool netioctl(const struct agent_refresh *r, unsigned long request, const char *name,
	      struct ifreq *ret_answer);

/* The speed in Mbit/s and the duplex mode (1 half, 2 full), as in their files; 0 unknown. False:
 * another root, read the files. */
bool netioctl_speed(const struct agent_refresh *r, const char *name, unsigned int *ret_mbit,
		    unsigned int *ret_duplex);

#endif
