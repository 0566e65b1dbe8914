/* ghosts.h - see ghosts.c. */
#ifndef SAMPLE_GHOSTS_H
#define SAMPLE_GHOSTS_H

enum { GHOST_FIRST = 1009, GHOST_STATE = 1011 };

/* Whether a metric has neither name nor descriptor now. */
int ghosts_hide(unsigned int number);

/* For each fetch of their state. */
void ghosts_turn(void);

#endif
