/* series.h - see series.c. */
#ifndef SAMPLE_SERIES_H
#define SAMPLE_SERIES_H

enum { RAPID_ITEM = 64 };

void series_start(void);

#endif
