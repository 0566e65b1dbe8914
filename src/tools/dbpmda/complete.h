/*
 * complete - completion of words of the language, then of names of metrics, for the Tab key.
 */
#ifndef DBPMDA_COMPLETE_H
#define DBPMDA_COMPLETE_H

/* Installs the completion. */
void complete_begin(void);

#endif
