/*
 * scan - one pass over the records of the window: every value goes to its series.
 */
#ifndef PMLOGSUMMARY_SCAN_H
#define PMLOGSUMMARY_SCAN_H

struct recording;
struct subjects;
struct window;

/* 0, or the error that ended it. */
int scan_run(struct subjects *s, const struct recording *r, const struct window *window, int nbins);

#endif
