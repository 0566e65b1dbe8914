/*
 * sockdiag - TCP sockets by state, as the kernel answers over netlink: it skips the empty part of
 * its tables, which /proc/net/tcp walks through entry by entry. For the root / alone.
 */
#ifndef AGENT_LINUX_SOCKDIAG_H
#define AGENT_LINUX_SOCKDIAG_H

#include <stdbool.h>
#include <stdint.h>

#include <pitot/agent.h>

/* Adds the sockets of a family (AF_INET, AF_INET6) in each state to counts, which has n elements;
 * states beyond are left out. False if the kernel has no answer: counts is worth nothing then, and
 * the file is to be read. */
bool sockdiag_count_tcp(const struct agent_refresh *r, int family, uint32_t *counts,
			unsigned int n);

#endif
