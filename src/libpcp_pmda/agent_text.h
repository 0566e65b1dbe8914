/*
 * agent_text - the help texts of an agent's rows and instance domains, and its list of metrics.
 */
#ifndef LIBPCP_PMDA_AGENT_TEXT_H
#define LIBPCP_PMDA_AGENT_TEXT_H

#include <stdio.h>

struct agent_state;

/* The text of a metric or an instance domain, as pmdaText: valid until the next call. PM_ERR_TEXT
 * if there is none. */
int agent_text(struct agent_state *s, int ident, int type, char **ret_text);

/* All metrics as a Markdown page. 0 or -errno. */
int agent_text_print(const struct agent_state *s, FILE *out);

#endif
