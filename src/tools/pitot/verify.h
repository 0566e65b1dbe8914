/* verify - checks the files that the collector reads, by the programs that read them. */
#ifndef PITOT_VERIFY_H
#define PITOT_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"

/*
 * `pmcd -v` of a configuration: 0 if it is good, else its exit status or -errno, and text says what
 * is wrong, a line a mistake.
 */
int verify_config(const struct place *p, const char *config, char *text, size_t size);

/*
 * `pmlogger --check-syntax` of a configuration, the same way; *ret_interval_ms gets the shortest
 * interval at which it logs, 0 where nothing is logged again and again.
 */
int verify_record(const struct place *p, const char *config, char *text, size_t size,
		  int64_t *ret_interval_ms);

/*
 * The name-space files below a PCP_VAR_DIR. True if they are good, else file is the first that is
 * not, and text says why.
 */
bool verify_names(const char *var_dir, char *file, size_t file_size, char *text, size_t size);

#endif
