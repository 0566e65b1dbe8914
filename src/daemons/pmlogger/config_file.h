/*
 * config_file - the file of a configuration: its text as pmcpp -rs would give it
 * (docs/spec/logger.md A2.1), and whether it is right, asked without a collector.
 */
#ifndef PMLOGGER_CONFIG_FILE_H
#define PMLOGGER_CONFIG_FILE_H

#include <stdint.h>

struct buffer;

/*
 * Reads a configuration (path NULL: standard input) and appends what the preprocessor makes of it;
 * a file that is not there is looked for in $PCP_VAR_DIR/config/pmlogger. name gets what messages
 * call it. 0; -errno where it cannot be read, which is said; an error of the preprocessor is said,
 * and what came before it is used.
 */
int preprocess(const char *path, struct buffer *out, const char **ret_name);

/*
 * Parses the file (NULL: standard input) and prints on standard error either the first mistake, or
 * the shortest interval at which it logs. The exit status of the program.
 */
int config_check(const char *file, uint32_t default_ms);

#endif
