/*
 * value - prints a value as pmPrintValue does with a width of 1, directly from the bytes of a
 * record.
 */
#ifndef PMDUMPLOG_VALUE_H
#define PMDUMPLOG_VALUE_H

#include <stdint.h>

struct wire_value;

/* Prints to standard output; type is that of the metric. Exits if out of memory. */
void value_print(int type, const struct wire_value *value);

/* Prints a whole number to standard output. */
void value_print_int(int64_t v);

#endif
