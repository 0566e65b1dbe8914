/* nearest - the word of a list that was most likely meant. */
#ifndef PITOT_NEAREST_H
#define PITOT_NEAREST_H

#include <stddef.h>

/* Of n words the one that is fewest keystrokes away, if at most a third of the word is wrong, or it
 * begins with all of it; NULL if none. */
const char *nearest(const char *word, const char *const words[], size_t n);

#endif
