#include "tools/newhelp/entry.h"

#include <string.h>

#define WHITE " \t\v\f\r"

void entry_open(struct entry *e)
{
	e->open = true;
	e->len = 0;
}

bool entry_add(struct entry *e, const char *text)
{
	size_t len = strlen(text);

	if (e->len + len <= ENTRY_MAX) {
		memcpy(e->text + e->len, text, len);
		e->len += len;
		return true;
	}
	memcpy(e->text + e->len, text, ENTRY_MAX - e->len);
	e->len = ENTRY_MAX - 1; /* as in 6.0.3: a text that is cut is one byte shorter */
	e->text[e->len - 1] = '\n';
	e->open = false;
	return false;
}

void entry_split(struct entry *e, struct entry_parts *ret_parts)
{
	char *text = e->text, *end;
	size_t key_len;

	e->open = false;
	while (e->len > 0 && text[e->len - 1] == '\n')
		e->len--;
	text[e->len] = '\0'; /* replaces the newline */
	end = text + strcspn(text, "\n");
	ret_parts->help = *end == '\n' ? end + 1 : end;
	*end = '\0';
	key_len = strcspn(text, WHITE);
	memcpy(ret_parts->key, text, key_len);
	ret_parts->key[key_len] = '\0';
	ret_parts->line = text;
	ret_parts->oneline = text + key_len + strspn(text + key_len, WHITE);
}
