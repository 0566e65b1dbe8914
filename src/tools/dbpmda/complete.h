/*
 * complete - words of the language, then names of metrics, when the Tab key asks for them.
 */
#ifndef DBPMDA_COMPLETE_H
#define DBPMDA_COMPLETE_H

/* Makes the line editor ask here. */
void complete_begin(void);

#endif
