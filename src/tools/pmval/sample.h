/*
 * sample - the loop over time: fetch, print, wait.
 */
#ifndef PMVAL_SAMPLE_H
#define PMVAL_SAMPLE_H

struct view;

/*
 * Prints as many samples as the options ask for, or as their window of time holds. Returns 0 at the
 * end, or an error after reporting it.
 */
int sample_run(const struct view *v);

#endif
