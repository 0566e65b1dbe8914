/*
 * complete - completion of words of the language, then of names of metrics, for the Tab key.
 */
#ifndef PMLC_COMPLETE_H
#define PMLC_COMPLETE_H

/* Installs the completion. Names come from the current context, if there is one. */
void complete_begin(void);

#endif
