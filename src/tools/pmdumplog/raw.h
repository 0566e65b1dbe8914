/*
 * raw - section -v: the records of one file in hexadecimal, whatever they are.
 */
#ifndef PMDUMPLOG_RAW_H
#define PMDUMPLOG_RAW_H

#include <stdbool.h>

/* True unless the file can't be read, which was reported. */
bool raw_print(const char *path);

#endif
