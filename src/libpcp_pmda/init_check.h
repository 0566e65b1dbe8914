/*
 * init_check - the tables given to pmdaInit, looked at for what a fetch would answer wrongly.
 *
 * PCP's library takes such tables without a word, and agents that are made for it may have them: so
 * the agent starts, and the log has a warning for each fault (docs/spec/pmda.md 7.2).
 */
#ifndef LIBPCP_PMDA_INIT_CHECK_H
#define LIBPCP_PMDA_INIT_CHECK_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Once the tables have their domain. */
void init_check(const pmdaInterface *dispatch);

#endif
