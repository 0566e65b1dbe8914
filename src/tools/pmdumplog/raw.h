/*
 * raw - section -v: the records of any file of an archive in hexadecimal.
 */
#ifndef PMDUMPLOG_RAW_H
#define PMDUMPLOG_RAW_H

#include <stdbool.h>

/* Returns false after reporting that the file cannot be read. */
bool raw_print(const char *path);

#endif
