/* agent_text - help text and the list of metrics, from the rows. */
#ifndef LIBPCP_PMDA_AGENT_TEXT_H
#define LIBPCP_PMDA_AGENT_TEXT_H

#include <pitot/agent.h>

struct agent_state;

/* The text of a metric or an instance domain, as pmdaText: valid until the next call. PM_ERR_TEXT
 * if there is none. */
int agent_text(struct agent_state *s, int ident, int type, char **ret_text);

/* All metrics as a Markdown page. 0 or -errno. */
int agent_text_print(const struct agent_state *s, FILE *out);

#endif
