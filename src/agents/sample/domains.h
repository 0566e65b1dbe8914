/* domains.h - what must be done before a fetch of what has instances. */
#ifndef SAMPLE_DOMAINS_H
#define SAMPLE_DOMAINS_H

enum { MIRAGE_ITEM = 37, MIRAGE_LONG_ITEM = 38, NEEDPROFILE_ITEM = 49, DODGEY_ITEM = 62 };

void domains_start(void);

/* A metric will be fetched: 0, or the error that is to be its answer. */
int domains_begin(unsigned int number);

#endif
