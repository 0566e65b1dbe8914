/* agent_self - the agent's metrics about itself: NAME.refresh.*, one instance a cluster. */
#ifndef LIBPCP_PMDA_AGENT_SELF_H
#define LIBPCP_PMDA_AGENT_SELF_H

#include <pitot/agent.h>

enum { SELF_NROWS = 7 };

struct self_rows {
	struct agent_metric rows[SELF_NROWS];
	struct agent_cluster cluster;
	char names[SELF_NROWS][96];
};

/* The cluster of an agent of this name; it points into ret_rows. */
void self_init(struct self_rows *ret_rows, const char *agent_name);

#endif
