/* prologue - the first and the last record of an archive: whose it is (docs/spec/archive.md 6.3). */
#ifndef PMLOGGER_PROLOGUE_H
#define PMLOGGER_PROLOGUE_H

#include <time.h>

struct archive_writer;
struct recorder_who;

/* Writes the record, with its metadata where there is none yet. 0, or the writer's error. */
int prologue_write(struct archive_writer *w, const struct recorder_who *who, const char *base,
		   const struct timespec *stamp);

#endif
