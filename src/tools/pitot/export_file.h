/* export_file - the file of an export that is one: made new, or standard output. */
#ifndef PITOT_EXPORT_FILE_H
#define PITOT_EXPORT_FILE_H

#include <stdio.h>

/* Makes a file that is not there yet; "-" is standard output. 0 or -errno. */
int export_file_open(FILE **ret_file, const char *path);

/* Writes what is buffered. 0, or -errno of this or of an earlier write. */
int export_file_flush(FILE *file);

/* Closes; standard output stays open. */
void export_file_close(FILE *file);

#endif
