/*
 * pmgenmap - translates lists of metric names to C source (docs/spec/tools.md 8).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"

/*
 * genmap - translates groups of metric names with symbols to C arrays (docs/spec/tools.md 8).
 *
 * The kind of a line follows from its words: "#" and a comment, "NAME {", "METRIC SYMBOL", "}", or
 * blank. Comments are held back until the number of consecutive ones is known.
 */

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

static int pmgenmap_complain(const struct genmap *g, const char *text)
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
		return pmgenmap_complain(g, "nested group?");
	printf("const char *%s[] = {\n", name);
	g->in_group = true;
	g->index = 0;
	return 0;
}

static int pmgenmap_add_metric(struct genmap *g, const char *metric, const char *symbol)
{
	if (!g->in_group)
		return pmgenmap_complain(g, "syntax error");
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
		return pmgenmap_add_metric(g, words[0], words[1]);
	if (n != 1 || strcmp(words[0], "}") != 0)
		return pmgenmap_complain(g, "syntax error");
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

/*
 * Translates all of `in` to standard output; `name` is its name in messages. Returns 0; -1 for an
 * error in the text, which is printed on standard output after the output so far, as Debian's
 * pmgenmap does; or -errno if `in` cannot be read.
 */
static int genmap_translate(FILE *in, const char *name)
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
		sts = pmgenmap_complain(&g, "unterminated group?");
	else if (sts == 0)
		flush_comments(&g);
	names_free(&g.comments);
	return sts;
}

/*
 * pmgenmap - translates lists of metric names to C source (docs/spec/tools.md 8).
 *
 * Debian's program prints its error messages on standard output; this program does the same.
 */

#define DATE_SIZE 64

/* The date in the output. Packagers can set it to make builds reproducible. */
static void print_date(void)
{
	const char *given = getenv("PACKAGE_BUILD_DATE");
	time_t now = time(NULL);
	char buf[DATE_SIZE] = "";
	struct tm tm;

	if (given == NULL || given[0] == '\0') {
		if (localtime_r(&now, &tm) != NULL)
			strftime(buf, sizeof(buf), "%a %b %e %H:%M:%S %Z %Y", &tm);
		given = buf;
	}
	printf(" * on %s\n", given);
}

static void pmgenmap_print_head(const char *name)
{
	printf("/*\n"
	       " * Performance Metrics Name Space Map\n"
	       " * Built by pmgenmap from the file\n"
	       " * %s\n",
	       name);
	print_date();
	puts(" *\n"
	     " * Do not edit this file!\n"
	     " */\n");
}

static int pmgenmap_print_usage(void)
{
	puts("Usage: pmgenmap [infile]");
	return 1;
}

static int pmgenmap_print_version(void)
{
	fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
		pmGetAPIConfig("pcp_version"), PITOT_VERSION);
	return 0;
}

/* Opens the file; NULL if it cannot be read. */
static FILE *pmgenmap_open_file(const char *path)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	if (f != NULL && fstat(fileno(f), &st) == 0 && !S_ISDIR(st.st_mode))
		return f;
	if (f != NULL)
		fclose(f);
	return NULL;
}

static int generate(const char *path)
{
	const char *name = path != NULL ? path : "<stdin>";
	FILE *in = path != NULL ? pmgenmap_open_file(path) : stdin;
	int sts;

	if (in == NULL) {
		printf("%s: cannot open \"%s\"\n", pmGetProgname(), path);
		return 1;
	}
	pmgenmap_print_head(name);
	sts = genmap_translate(in, name);
	if (sts < -1)
		fprintf(stderr, "%s: cannot read \"%s\": %s\n", pmGetProgname(), name,
			pmErrStr(sts));
	fclose(in);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *arg = argc > 1 ? argv[1] : NULL;
	int status;

	pmSetProgname(argv[0]);
	if (argc > 2 || (arg != NULL && (strcmp(arg, "-?") == 0 || strcmp(arg, "--help") == 0)))
		status = pmgenmap_print_usage();
	else if (arg != NULL && (strcmp(arg, "-V") == 0 || strcmp(arg, "--version") == 0))
		status = pmgenmap_print_version();
	else
		status = generate(arg);
	return output_finish(status);
}
