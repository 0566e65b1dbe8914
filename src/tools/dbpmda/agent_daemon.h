/*
 * agent_daemon - agents that are processes of their own, whatever leads to them.
 */
#ifndef DBPMDA_AGENT_DAEMON_H
#define DBPMDA_AGENT_DAEMON_H

#include "tools/dbpmda/agent.h"

/*
 * An agent behind two descriptors (taken, and may be one), of a child pid (0: nobody's), after the
 * exchange of versions; where that fails it is told on standard error, and the agent is open still.
 */
struct agent *agent_daemon_new(const char *path, int in, int out, int pid,
			       const struct agent_settings *s);

#endif
