#include "tools/common/wordlist.h"

#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define SEPARATORS ", \t\n"

void wordlist_add_word(struct wordlist *list, const char *word, size_t len)
{
	char **words = reallocarray(list->words, list->n + 1, sizeof(words[0]));
	char *copy = strndup(word, len);

	if (words == NULL || copy == NULL)
		pmNoMem("wordlist", len, PM_FATAL_ERR);
	words[list->n++] = copy;
	list->words = words;
}

void wordlist_add(struct wordlist *list, const char *text)
{
	while (text += strspn(text, SEPARATORS), *text != '\0') {
		const char quote[] = {*text, '\0'};
		size_t len;

		if (*text != '"' && *text != '\'') {
			len = strcspn(text, SEPARATORS);
			wordlist_add_word(list, text, len);
			text += len;
			continue;
		}
		len = strcspn(++text, quote);
		wordlist_add_word(list, text, len);
		text += len;
		if (*text != '\0')
			text++;
	}
}

void wordlist_done(struct wordlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct wordlist){0};
}
