/*
 * wordlist - words of a command line argument, separated by commas or blanks.
 */
#ifndef TOOLS_COMMON_WORDLIST_H
#define TOOLS_COMMON_WORDLIST_H

#include <stddef.h>

/* All zero is an empty list; the words are owned. */
struct wordlist {
	char **words;
	size_t n;
};

/*
 * Adds the words of a text. A word in single or double quotes may hold the separators and the other
 * quote. Out of memory: exits, as pmNoMem does.
 */
void wordlist_add(struct wordlist *list, const char *text);

/* Adds the first len bytes of word as one word. */
void wordlist_add_word(struct wordlist *list, const char *word, size_t len);

void wordlist_done(struct wordlist *list);

#endif
