/* folder - the archives beside the one that is being written: whose each is, and whether somebody writes it. */
#ifndef PMLOGGER_FOLDER_H
#define PMLOGGER_FOLDER_H

#include <stdbool.h>
#include <time.h>

/*
 * True for an archive that a recorder of this host left, and that nobody writes: ours of before, or
 * one whose process is gone. What is compressed as a whole is nobody's.
 */
bool folder_is_left(const char *base, const char *host, struct timespec *ret_changed);

/* The folder of a base, "." for none. */
void folder_of(const char *base, char *ret_dir, unsigned int size);

#endif
