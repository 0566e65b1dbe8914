/*
 * The kind of a line follows from its words: "#" and a comment, "NAME {", "METRIC SYMBOL", "}", or
 * blank. Comments are held back until the number of consecutive ones is known.
 */
#include "tools/pmgenmap/genmap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"

#define BLANKS " \t"

struct genmap {
	const char *name;
	unsigned int line;
	bool in_group;
	int index; /* index of the next metric of the group */
	struct names
	    comments; /* not yet printed; each begins with a blank, or is empty */
};

static void flush_comments(struct genmap *g)
{
	if (g->comments.n == 1)
		printf("/*%s */\n", g->comments.list[0]);
	else if (g->comments.n > 1) {
		puts("/*");
		for (size_t i = 0; i < g->comments.n; i++)
			printf(" *%s\n", g->comments.list[i]);
		puts(" */");
	}
	names_free(&g->comments);
}

static int complain(const struct genmap *g, const char *text)
{
	printf("[%s:%u] %s\n", g->name, g->line, text);
	return -1;
}

/* Keeps the words of a comment, with one blank before each. */
static void add_comment(struct genmap *g, char *text)
{
	char *save, *out = calloc(1, strlen(text) + 2), *end = out;

	if (out == NULL)
		pmNoMem("comment", strlen(text) + 2, PM_FATAL_ERR);
	for (char *w = strtok_r(text, BLANKS, &save); w != NULL;
	     w = strtok_r(NULL, BLANKS, &save)) {
		*end++ = ' ';
		end = stpcpy(end, w);
	}
	names_add(out, &g->comments);
	free(out);
}

static int open_group(struct genmap *g, const char *name)
{
	if (g->in_group)
		return complain(g, "nested group?");
	printf("const char *%s[] = {\n", name);
	g->in_group = true;
	g->index = 0;
	return 0;
}

static int add_metric(struct genmap *g, const char *metric, const char *symbol)
{
	if (!g->in_group)
		return complain(g, "syntax error");
	printf("#define %s\t%d\n\t\"%s\",\n", symbol, g->index++, metric);
	return 0;
}

static void close_group(struct genmap *g)
{
	puts("\n};\n");
	g->in_group = false;
}

/* Handles a line, without its newline. */
static int translate_line(struct genmap *g, char *line)
{
	char *words[3], *save, *text = line + strspn(line, BLANKS);
	int n = 0;

	g->line++;
	if (text[0] == '#' && (text[1] == '\0' || strchr(BLANKS, text[1]) != NULL)) {
		add_comment(g, text + 1);
		return 0;
	}
	flush_comments(g);
	if (text[0] == '\0') {
		puts(line);
		return 0;
	}
	for (char *w = strtok_r(text, BLANKS, &save); w != NULL && n < 3; n++) {
		words[n] = w;
		w = strtok_r(NULL, BLANKS, &save);
	}
	if (n == 2 && strcmp(words[1], "{") == 0)
		return open_group(g, words[0]);
	if (n == 2)
		return add_metric(g, words[0], words[1]);
	if (n != 1 || strcmp(words[0], "}") != 0)
		return complain(g, "syntax error");
	close_group(g);
	return 0;
}

/* A line may end in the way of any operating system. */
static int translate_lines(struct genmap *g, char *text)
{
	int sts = 0;

	for (char *next; text != NULL && sts == 0; text = next) {
		next = text + strcspn(text, "\r\n");
		if (*next == '\0')
			next = NULL;
		else
			*next++ = '\0';
		if (next != NULL || text[0] != '\0')
			sts = translate_line(g, text);
	}
	return sts;
}

int genmap_translate(FILE *in, const char *name)
{
	struct genmap g = {.name = name};
	char *line = NULL;
	size_t size = 0;
	int sts = 0;

	while (sts == 0 && getline(&line, &size, in) >= 0)
		sts = translate_lines(&g, line);
	free(line);
	if (ferror(in))
		return -errno;
	if (g.in_group)
		sts = complain(&g, "unterminated group?");
	else if (sts == 0)
		flush_comments(&g);
	names_free(&g.comments);
	return sts;
}
