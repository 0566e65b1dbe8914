/* processes.h - see processes.c. */
#ifndef SAMPLE_PROCESSES_H
#define SAMPLE_PROCESSES_H

enum { PROC_FIRST = 156, PROC_LAST = 158 };

void processes_start(void);

/* Perhaps one goes and one comes: for each fetch. */
void processes_change(void);

#endif
