/*
 * complete - words of the language, then names of metrics, when the Tab key asks for them.
 */
#ifndef PMLC_COMPLETE_H
#define PMLC_COMPLETE_H

/* Makes the line editor ask here. Names come from the current context, if there is one. */
void complete_begin(void);

#endif
