/*
 * value - one value as pmPrintValue prints it with a width of 1, straight from the bytes of a record.
 */
#ifndef PMDUMPLOG_VALUE_H
#define PMDUMPLOG_VALUE_H

#include <stdint.h>

struct wire_value;

/* On standard output; type is that of the metric. Out of memory: exits. */
void value_print(int type, const struct wire_value *value);

/* A whole number, on standard output. */
void value_print_int(int64_t v);

#endif
