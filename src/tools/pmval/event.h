/*
 * event - prints event records: a line for each, and one for each of their parameters.
 */
#ifndef PMVAL_EVENT_H
#define PMVAL_EVENT_H

struct sample;
struct view;

/*
 * Prints all records of all instances of a sample. For a sample without values, prints its time if
 * it has one.
 */
void event_report(const struct view *v, const struct sample *now);

#endif
