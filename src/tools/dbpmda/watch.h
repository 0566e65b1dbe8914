/*
 * watch - prints the lines that are added to a log file, between commands.
 */
#ifndef DBPMDA_WATCH_H
#define DBPMDA_WATCH_H

#include <stdio.h>

struct watch {
	char *path; /* NULL: no file is watched */
	FILE *file;
};

/*
 * Watches a file from its end on, instead of the file before. Returns 0, or -errno: then no file is
 * watched.
 */
int watch_begin(struct watch *w, const char *path);

/* Prints the whole lines that were added since the last call, each as "PATH: line". */
void watch_show(struct watch *w, FILE *out);

void watch_done(struct watch *w);

#endif
