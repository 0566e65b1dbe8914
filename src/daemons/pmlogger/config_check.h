/* config_check - is a configuration right? Asked without a collector. */
#ifndef PMLOGGER_CONFIG_CHECK_H
#define PMLOGGER_CONFIG_CHECK_H

#include <stdint.h>

struct config;

/*
 * Parses the file (NULL: standard input) and prints on standard error either the first mistake, or
 * the shortest interval at which it logs. The exit status of the program.
 */
int config_check(const char *file, uint32_t default_ms);

/* Prints the first mistake of a configuration that was not parsed to its end. */
void config_print_error(const struct config *c);

#endif
