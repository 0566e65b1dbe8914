/*
 * agent_check - what can be wrong in the tables of an agent's author, each with one line in the log that says
 * which table it is and what was expected. Before anything is made of the tables.
 */
#ifndef LIBPCP_PMDA_AGENT_CHECK_H
#define LIBPCP_PMDA_AGENT_CHECK_H

#include <pitot/agent.h>

enum {
	AGENT_DOMAIN_MAX = 510, /* 511 is for dynamic metrics (docs/spec/pmcd.md 7) */
	AGENT_ITEM_MAX = 1023,
	AGENT_SERIAL_MAX = (1 << 22) - 1,
};

/* The width of a member in bytes, and what AGENT_FIELD knows of its type. */
static inline unsigned int agent_field_width(const struct agent_field *field)
{
	return field->width & AGENT_WIDTH_MASK;
}

/* 0, or -EINVAL after a line in the log. */
int agent_check(const struct agent *agent, int domain);

/* One metric by itself. 0, or -EINVAL after a line in the log. */
int agent_check_metric(const struct agent *agent, const struct agent_metric *m);

/* Logs what is wrong with a metric; returns -EINVAL. */
int agent_check_failed(const struct agent *agent, const struct agent_metric *m, const char *why);

#endif
