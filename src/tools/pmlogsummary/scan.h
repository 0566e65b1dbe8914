/*
 * scan - one pass over the records of the window, which adds every value to its series.
 */
#ifndef PMLOGSUMMARY_SCAN_H
#define PMLOGSUMMARY_SCAN_H

struct recording;
struct subjects;
struct window;

/* Returns 0 or an error. */
int scan_run(struct subjects *s, const struct recording *r, const struct window *window, int nbins);

#endif
