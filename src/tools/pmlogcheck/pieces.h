/*
 * pieces - the files of an archive, whichever there are, each through pass 0.
 */
#ifndef PMLOGCHECK_PIECES_H
#define PMLOGCHECK_PIECES_H

#include <stdbool.h>

struct archive_files;

/* Checks all files, and says which are missing. False: the archive can't be opened. */
bool pieces_check(const struct archive_files *files, bool verbose);

/* The path without "./" in front: how messages name files. */
const char *pieces_name(const char *path);

#endif
