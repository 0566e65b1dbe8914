/*
 * agent_check_rows - the rows of an agent's tables, checked; and what the checks of instance
 * domains and clusters (agent_check.c) also use.
 */
#ifndef LIBPCP_PMDA_AGENT_CHECK_ROWS_H
#define LIBPCP_PMDA_AGENT_CHECK_ROWS_H

#include <stdbool.h>

#include <pitot/agent.h>

enum { CHECK_FAULTS_SHOWN = 20 }; /* per table: more of them have one cause */

struct check {
	const struct agent *agent;
	const struct agent_cluster *self;
	unsigned int faults;
};

/* Logs a fault and counts it. */
void check_fault(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The agent's clusters, then that of the framework's own metrics. */
const struct agent_cluster *check_cluster_at(const struct check *c, unsigned int i);

/* The entry of the domain in the fills of the cluster, or NULL. */
const struct agent_fill *check_fill_of(const struct agent_cluster *cluster,
				       const struct agent_indom *indom);

unsigned int check_count_rows(const struct check *c);

/* Whether the value is in a struct: not computed by a call-back, and not missing. */
bool check_is_field(const struct agent_metric *m);

/* The length of a component of a name: letters, digits and underscores after a letter. */
size_t check_component_len(const char *name);

/* Each row, and rows beside each other. 0 or -ENOMEM. */
int check_rows(struct check *c);

#endif
