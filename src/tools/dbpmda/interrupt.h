/*
 * interrupt - ^C during a command: the command ends, and the prompt comes back.
 *
 * Functions that wait look at the flag. A function of an agent in this process cannot; a second ^C
 * ends it and the program.
 */
#ifndef DBPMDA_INTERRUPT_H
#define DBPMDA_INTERRUPT_H

#include <stdbool.h>

/* From here to the end ^C only sets the flag, once. */
void interrupt_begin(void);
void interrupt_end(void);

/* True if ^C was pressed since interrupt_begin. */
bool interrupt_seen(void);

/* Sleeps for the given seconds, or until ^C. A ^C just before the sleep is not missed. */
void interrupt_sleep(long seconds);

#endif
