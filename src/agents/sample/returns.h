/* returns.h - see returns.c. */
#ifndef SAMPLE_RETURNS_H
#define SAMPLE_RETURNS_H

void returns_start(int is_process);

/* Ends the agent if a store that has been answered wants it. */
void returns_end(void);

#endif
