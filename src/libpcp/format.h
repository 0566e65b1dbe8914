/*
 * format - text in and out, where printf and strtod are not enough.
 *
 * A program's numbers are written with a point, whatever the locale of the process has for one.
 */
#ifndef LIBPCP_FORMAT_H
#define LIBPCP_FORMAT_H

#include <stddef.h>

/* strtod, and snprintf with one double, in the locale "C". */
double cnumber_parse(const char *text, char **ret_end);
int cnumber_print(char *buf, size_t size, const char *format, double value);

/*
 * Three lines, to be freed: the text, a caret below the character at, with why:
 *
 *     10foo
 *       ^ -- unexpected value
 *
 * NULL without memory. at points into text, or to its end.
 */
char *parse_error(const char *text, const char *at, const char *why);

#endif
