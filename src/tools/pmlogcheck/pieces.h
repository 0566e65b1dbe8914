/*
 * pieces - the files of an archive that exist, each through pass 0.
 */
#ifndef PMLOGCHECK_PIECES_H
#define PMLOGCHECK_PIECES_H

#include <stdbool.h>

struct archive_files;

/* Checks all files and reports missing ones. Returns false if the archive cannot be opened. */
bool pieces_check(const struct archive_files *files, bool verbose);

/* The path without a leading "./", as messages have it. */
const char *pieces_name(const char *path);

#endif
