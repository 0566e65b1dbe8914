/*
 * cnumber - real numbers as text, the way programs write them: with a point, whatever the locale
 * of the process has for one.
 */
#ifndef LIBPCP_CNUMBER_H
#define LIBPCP_CNUMBER_H

#include <stddef.h>

/* strtod, and snprintf with one double, in the locale "C". */
double cnumber_parse(const char *text, char **ret_end);
int cnumber_print(char *buf, size_t size, const char *format, double value);

#endif
