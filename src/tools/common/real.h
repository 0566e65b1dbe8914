/*
 * real - floating-point numbers as text that is as short as it can be and reads back the same.
 */
#ifndef TOOLS_COMMON_REAL_H
#define TOOLS_COMMON_REAL_H

#include <stddef.h>

/* Room for the text of a number, with its NUL. */
#define REAL_TEXT 40

/* The shortest of 6 to 9 (float) or 15 to 17 (double) digits that strtof or strtod reads back as v. Returns buf. */
const char *real_float(float v, char buf[REAL_TEXT]);
const char *real_double(double v, char buf[REAL_TEXT]);

/* A number that was a float or a double, by its size in bytes. */
const char *real_text(double v, size_t size, char buf[REAL_TEXT]);

/*
 * Shortens the numbers of a JSON text in place: jansson writes every double with 17 digits, 1.001 as
 * 1.0009999999999999. Each number keeps its value and its point or exponent; strings are left alone.
 */
void real_shorten_json(char *json);

#endif
