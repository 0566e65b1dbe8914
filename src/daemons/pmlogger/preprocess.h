/* preprocess - the configuration's text, as pmcpp -rs would give it (docs/spec/logger.md A2.1). */
#ifndef PMLOGGER_PREPROCESS_H
#define PMLOGGER_PREPROCESS_H

struct buffer;

/*
 * Reads a configuration (path NULL: standard input) and appends what the preprocessor makes of it;
 * a file that is not there is looked for in $PCP_VAR_DIR/config/pmlogger. name gets what messages
 * call it. 0; -errno where it cannot be read, which is said; an error of the preprocessor is said,
 * and what came before it is used.
 */
int preprocess(const char *path, struct buffer *out, const char **ret_name);

#endif
