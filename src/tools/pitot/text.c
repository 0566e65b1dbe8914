/*
 * text - words and lines for terminals and shells: quoting, the nearest word, colours.
 */
#include "tools/pitot/pitot.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/common/utf8.h"

/*
 * Words
 */

const char *word_quote(const char *word, char *text, size_t size)
{
	size_t n = 0;

	if (word[0] != '\0' && word[strcspn(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}")] == '\0') {
		snprintf(text, size, "%s", word);
		return text;
	}
	text[n++] = '\'';
	for (; *word != '\0' && n + 6 < size; word++) {
		if (*word == '\'') {
			memcpy(text + n, "'\\''", 4);
			n += 4;
		} else {
			text[n++] = *word;
		}
	}
	text[n++] = '\'';
	text[n] = '\0';
	return text;
}

void word_clean(char *text)
{
	uint8_t *p = (uint8_t *)text, *end = p + strlen(text);

	while (p < end) {
		size_t len = utf8_length(p, (size_t)(end - p));

		if (len == 0 || utf8_is_control(p, len))
			memset(p, '?', len > 0 ? len : 1);
		p += len > 0 ? len : 1;
	}
}

/*
 * The nearest word
 */

enum { NEAREST_MAX = 32 }; /* longest word that is compared, in bytes */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * The number of letters to insert, remove, change, or exchange with their neighbour to get from a
 * to b.
 */
static unsigned int distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int d[NEAREST_MAX + 1][NEAREST_MAX + 1];

	for (size_t i = 0; i <= la; i++) {
		for (size_t j = 0; j <= lb; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = (unsigned int)(i + j);
				continue;
			}
			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

const char *nearest(const char *word, const char *const words[], size_t n)
{
	const char *best = NULL;
	unsigned int least = 0;
	size_t len = strlen(word);

	if (len == 0 || len > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(words[i]);
		unsigned int d;

		if (other > NEAREST_MAX)
			continue;
		if (strncmp(word, words[i], len) == 0)
			return words[i];
		d = distance(word, words[i]);
		if (d * 3 <= (other > 3 ? other : 3) && (best == NULL || d < least)) {
			best = words[i];
			least = d;
		}
	}
	return best;
}

/*
 * Colours
 */

void paint_init(struct paint *p)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size;

	p->colours =
	    terminal && (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0;
	p->width = INT_MAX;
	if (columns != NULL && atoi(columns) > 0)
		p->width = atoi(columns);
	else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		p->width = size.ws_col;
}

void paint(const struct paint *p, enum colour colour, const char *text)
{
	static const char *const codes[] = {
	    [BOLD] = "1", [DIM] = "2", [RED] = "31", [GREEN] = "32", [YELLOW] = "33"};

	if (p->colours && colour != PLAIN)
		printf("\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stdout);
}

void paint_home(const struct paint *p)
{
	if (p->colours)
		fputs("\033[H\033[J", stdout);
}
