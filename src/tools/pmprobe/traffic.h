/*
 * traffic - the number of PDUs of each type that the library has sent and received.
 */
#ifndef PMPROBE_TRAFFIC_H
#define PMPROBE_TRAFFIC_H

/* Prints the counters of sent and received PDUs, and their sums. */
void traffic_print(void);

#endif
