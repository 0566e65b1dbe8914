/*
 * agent_daemon - agents that are processes of their own, over a pipe or a socket.
 */
#ifndef DBPMDA_AGENT_DAEMON_H
#define DBPMDA_AGENT_DAEMON_H

#include "tools/dbpmda/agent.h"

/*
 * Makes an agent of two descriptors (which it takes over, and which may be the same) and a child
 * pid (0: not a child), and exchanges versions. If that fails, the error is printed on standard
 * error, and the agent stays open.
 */
struct agent *agent_daemon_new(const char *path, int in, int out, int pid,
			       const struct agent_settings *s);

#endif
