/* word - text that a terminal or a shell takes for what it is. */
#ifndef PITOT_WORD_H
#define PITOT_WORD_H

#include <stddef.h>

/* A word as a shell reads it back, quoted where it must be. text holds 4 times the word and 3. */
const char *word_quote(const char *word, char *text, size_t size);

/* Control characters, which come from who knows where, become question marks, in place. */
void word_clean(char *text);

#endif
