#include "tools/pmrep/filter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

/* Compiles a pattern for whole names. Returns the code of regcomp. */
static int compile(struct pattern *p)
{
	size_t size = strlen(p->text) + sizeof("^()$");
	char *whole = malloc(size);
	int code;

	if (whole == NULL)
		pmNoMem("pattern", size, PM_FATAL_ERR);
	pmsprintf(whole, size, "^(%s)$", p->text);
	code = regcomp(&p->regex, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	return code;
}

static int add(struct filter *filter, const char *text)
{
	struct pattern *patterns = realloc(filter->patterns, (filter->n + 1) * sizeof(patterns[0]));
	struct pattern *p;
	char why[128];
	int code;

	if (patterns == NULL)
		pmNoMem("patterns", (filter->n + 1) * sizeof(patterns[0]), PM_FATAL_ERR);
	filter->patterns = patterns;
	p = &patterns[filter->n];
	p->text = strdup(text);
	if (p->text == NULL)
		pmNoMem("pattern", strlen(text), PM_FATAL_ERR);
	code = compile(p);
	if (code == 0) {
		filter->n++;
		return 0;
	}
	regerror(code, &p->regex, why, sizeof(why));
	fprintf(stderr, "Invalid regex '%s': %s.\n", text, why);
	free(p->text);
	return PM_ERR_CONV;
}

/* Adds a word without blanks at its ends and without its quotes. */
static int add_word(struct filter *filter, const char *text, size_t n)
{
	char *word;
	int sts;

	while (n > 0 && isspace((unsigned char)text[0])) {
		text++;
		n--;
	}
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	if (n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0]) {
		text++;
		n -= 2;
	}
	if (n == 0)
		return 0;
	word = strndup(text, n);
	if (word == NULL)
		pmNoMem("pattern", n, PM_FATAL_ERR);
	sts = add(filter, word);
	free(word);
	return sts;
}

int filter_parse(struct filter *filter, const char *text)
{
	int sts = 0;

	while (sts >= 0) {
		char quote = '\0';
		size_t n = 0;

		for (; text[n] != '\0' && (quote != '\0' || text[n] != ','); n++) {
			if (text[n] == quote)
				quote = '\0';
			else if (quote == '\0' && (text[n] == '"' || text[n] == '\''))
				quote = text[n];
		}
		sts = add_word(filter, text, n);
		if (text[n] == '\0')
			break;
		text += n + 1;
	}
	return sts;
}

static bool is_number(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)text[i]))
			return false;
	return n > 0;
}

/* True if the first word of the name is this number. */
static bool is_process(const char *pattern, const char *name)
{
	size_t n = strcspn(name, " ");

	return is_number(pattern, strlen(pattern)) && is_number(name, n) &&
	       strtoull(pattern, NULL, 10) == strtoull(name, NULL, 10);
}

/* True if the second word of the name is a path that ends with this. */
static bool is_command(const char *pattern, const char *name)
{
	const char *word = strchr(name, ' '), *slash;
	size_t n;

	if (word == NULL)
		return false;
	word++;
	n = strcspn(word, " ");
	slash = memrchr(word, '/', n);
	if (slash != NULL) {
		n -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	if (n > 2 && word[0] == '(' && word[n - 1] == ')') { /* a thread of the kernel */
		word++;
		n -= 2;
	}
	return strlen(pattern) == n && memcmp(pattern, word, n) == 0;
}

bool filter_matches(const struct filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->n; i++) {
		const struct pattern *p = &filter->patterns[i];

		if (strcmp(p->text, name) == 0 || is_process(p->text, name) ||
		    is_command(p->text, name) || regexec(&p->regex, name, 0, NULL, 0) == 0)
			return true;
	}
	return filter->n == 0;
}

void filter_done(struct filter *filter)
{
	for (size_t i = 0; i < filter->n; i++) {
		regfree(&filter->patterns[i].regex);
		free(filter->patterns[i].text);
	}
	free(filter->patterns);
	*filter = (struct filter){0};
}
