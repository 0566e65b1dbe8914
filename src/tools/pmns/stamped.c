#include "tools/pmns/stamped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define STAMP_LEN 64
#define BLANKS    " \t"

struct stamped {
	char *path;
	size_t place;
	char stamp[STAMP_LEN];
};

/* The text after `word` and blanks at the start of the line; NULL if the line does not start so. */
static const char *text_after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || strchr(BLANKS, line[len]) == NULL)
		return NULL;
	return line + len + strspn(line + len, BLANKS);
}

static void find_stamp(struct stamped *s)
{
	FILE *f = fopen(s->path, "re");
	char *line = NULL;
	size_t size = 0;

	while (f != NULL && s->stamp[0] == '\0' && getline(&line, &size, f) >= 0) {
		const char *rest = text_after(line, "#define");

		if (rest != NULL)
			rest = text_after(rest, "_DATESTAMP");
		if (rest != NULL)
			pmsprintf(s->stamp, sizeof(s->stamp), "%.*s", (int)strcspn(rest, "\r\n"),
				  rest);
	}
	free(line);
	if (f != NULL)
		fclose(f);
}

static int by_stamp(const void *a, const void *b)
{
	const struct stamped *x = a, *y = b;
	int order = strcmp(x->stamp, y->stamp);

	return order != 0 ? order : x->place < y->place ? -1 : 1;
}

static void print_stamps(const struct stamped *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("arg[%zu] %s _DATESTAMP=%s\n", i, list[i].path,
		       list[i].stamp[0] != '\0' ? list[i].stamp : "(null)");
}

void stamped_sort(char **paths, size_t n, bool print)
{
	struct stamped *list = calloc(n, sizeof(list[0]));

	if (list == NULL)
		pmNoMem("stamps", n * sizeof(list[0]), PM_FATAL_ERR);
	for (size_t i = 0; i < n; i++) {
		list[i].path = paths[i];
		list[i].place = i;
		find_stamp(&list[i]);
	}
	qsort(list, n, sizeof(list[0]), by_stamp);
	if (print)
		print_stamps(list, n);
	for (size_t i = 0; i < n; i++)
		paths[i] = list[i].path;
	free(list);
}
