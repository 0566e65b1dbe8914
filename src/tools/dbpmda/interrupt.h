/*
 * interrupt - ^C while a command runs: the command ends, and the prompt comes back.
 *
 * What waits looks at the flag; what can't (an agent's function in this process) is ended by a
 * second ^C, and the program with it.
 */
#ifndef DBPMDA_INTERRUPT_H
#define DBPMDA_INTERRUPT_H

#include <stdbool.h>

/* From here to the end ^C only sets the flag, once. */
void interrupt_begin(void);
void interrupt_end(void);

/* True if there was one since the beginning. */
bool interrupt_seen(void);

/* Sleeps for so many seconds, or until there is one: none is missed that comes just before. */
void interrupt_sleep(long seconds);

#endif
