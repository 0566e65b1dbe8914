/*
 * traffic - how many requests and answers of each kind the library has exchanged.
 */
#ifndef PMPROBE_TRAFFIC_H
#define PMPROBE_TRAFFIC_H

/* Prints the counters of what was sent and of what was received, and their sums. */
void traffic_print(void);

#endif
