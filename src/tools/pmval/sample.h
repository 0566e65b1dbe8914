/*
 * sample - the loop over time: fetch, print, wait.
 */
#ifndef PMVAL_SAMPLE_H
#define PMVAL_SAMPLE_H

struct view;

/*
 * Prints as many samples as the options request, or as fit in their time window. Returns 0 at the
 * end, or an error after reporting it.
 */
int sample_run(const struct view *v);

#endif
