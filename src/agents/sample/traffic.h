/* traffic.h - see traffic.c. */
#ifndef SAMPLE_TRAFFIC_H
#define SAMPLE_TRAFFIC_H

/* A client asks; is_answered: this kind of request has an answer (a profile has none). */
void traffic_count(int context, int is_answered);

/* A client has gone. */
void traffic_end(int context);

#endif
