/* events.h - see events.c. */
#ifndef SAMPLE_EVENTS_H
#define SAMPLE_EVENTS_H

void events_start(void);

#endif
