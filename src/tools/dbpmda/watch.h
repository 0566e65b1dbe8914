/*
 * watch - the lines that a log file gains, shown between commands.
 */
#ifndef DBPMDA_WATCH_H
#define DBPMDA_WATCH_H

#include <stdio.h>

struct watch {
	char *path; /* NULL: nothing is watched */
	FILE *file;
};

/* Watches a file from its end on, instead of another. 0 or -errno: nothing is watched then. */
int watch_begin(struct watch *w, const char *path);

/* Prints the whole lines that came since the last time, each as "PATH: line". */
void watch_show(struct watch *w, FILE *out);

void watch_done(struct watch *w);

#endif
