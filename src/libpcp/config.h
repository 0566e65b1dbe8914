/*
 * config - pcp.conf, whose variables are added to the environment (docs/spec/pmcd.md 14).
 *
 * After that the environment no longer shows which variables the caller has set.
 */
#ifndef LIBPCP_CONFIG_H
#define LIBPCP_CONFIG_H

#include <stdbool.h>

/* True if PCP_RUN_DIR was in the environment before pcp.conf was read. */
bool config_run_dir_given(void);

#endif
