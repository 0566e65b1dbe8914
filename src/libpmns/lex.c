/* lex - see lex.h. */
#include "libpmns/lex.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libbase/buffer.h"

/* ---- the place of a word ---- */

enum {
	INDENT = 4,
	SHOWN_MAX = 255, /* of an overlong line */
	LINE_NUMBER_MAX = 100000000,
};

static size_t source_skip_blanks(const char *s, size_t len, size_t i)
{
	while (i < len && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return i;
}

bool source_marker(const char *line, size_t len, unsigned int *ret_line, const char **ret_file,
		   size_t *ret_file_len)
{
	size_t i = source_skip_blanks(line, len, 0);
	unsigned int number = 0;
	const char *end;
	size_t digits;

	if (i == len || line[i] != '#')
		return false;
	digits = i = source_skip_blanks(line, len, i + 1);
	for (; i < len && isdigit((unsigned char)line[i]); i++) {
		if (number > LINE_NUMBER_MAX)
			return false;
		number = number * 10 + (unsigned int)(line[i] - '0');
	}
	if (i == digits || i == len || (line[i] != ' ' && line[i] != '\t'))
		return false;
	i = source_skip_blanks(line, len, i);
	if (i == len || line[i] != '"')
		return false;
	i++;
	end = memchr(line + i, '"', len - i);
	if (end == NULL)
		return false;
	*ret_line = number;
	*ret_file = line + i;
	*ret_file_len = (size_t)(end - line) - i;
	return true;
}

void source_place(const struct source *src, size_t offset, struct source_place *ret_place)
{
	struct source_place p = {.file = src->file, .file_len = strlen(src->file), .line = 1};
	const char *line = src->text;
	const char *end = src->text + src->len;

	for (;;) {
		const char *nl = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
		const char *stop = nl == NULL ? end : nl;

		p.line_text = line;
		p.line_len = (size_t)(stop - line);
		if (nl == NULL || src->text + offset <= nl)
			break;
		/* A marker has the number of the line that follows it. */
		if (!source_marker(line, p.line_len, &p.line, &p.file, &p.file_len))
			p.line++;
		line = nl + 1;
	}
	*ret_place = p;
}

void source_error(const struct source *src, size_t offset, const char *what, struct buffer *out)
{
	struct source_place p;
	size_t skip, column, shown;

	source_place(src, offset, &p);
	skip = source_skip_blanks(p.line_text, p.line_len, 0);
	shown = p.line_len - skip < SHOWN_MAX ? p.line_len - skip : SHOWN_MAX;
	column = (size_t)(src->text + offset - p.line_text);
	column = column < skip ? 0 : column - skip;
	if (column > shown)
		column = shown;
	buffer_printf(out, "[%.*s:%u] " SOURCE_PREFIX "%s\n", (int)p.file_len, p.file, p.line,
		      what);
	buffer_fill(out, ' ', INDENT);
	buffer_put(out, p.line_text + skip, shown);
	buffer_put_u8(out, '\n');
	buffer_fill(out, ' ', INDENT + column);
	buffer_put_u8(out, '^');
}

/* ---- words ---- */

enum {
	LETTER = 1u << 0,
	DIGIT = 1u << 1, /* a digit */
	LOW = 1u << 2,   /* '_' */
	STAR = 1u << 3,
	COLON = 1u << 4,
	BLANK = 1u << 5,
	BREAK = 1u << 6, /* white space that is neither a blank nor a newline */
	NEWLINE = 1u << 7,
	NAME = LETTER | DIGIT | LOW,
	SPACE = BLANK | BREAK | NEWLINE,
};

// clang-format off
static const uint8_t classes[256] = {
	['A' ... 'Z'] = LETTER, ['a' ... 'z'] = LETTER, ['0' ... '9'] = DIGIT,
	['_'] = LOW, ['*'] = STAR, [':'] = COLON, [' '] = BLANK, ['\t'] = BLANK,
	['\n'] = NEWLINE, ['\r'] = BREAK, ['\f'] = BREAK, ['\v'] = BREAK,
};
// clang-format on

static bool is(const char *p, unsigned int mask)
{
	return (classes[(unsigned char)*p] & mask) != 0;
}

static const char *skip(const char *p, const char *end, unsigned int mask)
{
	while (p < end && is(p, mask))
		p++;
	return p;
}

static bool at_space(const char *p, const char *end)
{
	return p == end || is(p, SPACE);
}

/* Behind a run of digits, stars and colons, over the blanks around the colons. */
static const char *skip_pmid(const char *p, const char *end)
{
	for (;;) {
		const char *next;

		p = skip(p, end, DIGIT | STAR | COLON);
		next = skip(p, end, BLANK);
		if (next == p || next == end)
			return p;
		if (*next != ':' && p[-1] != ':')
			return p;
		if (!is(next, DIGIT | STAR | COLON))
			return p;
		p = next;
	}
}

/* A name, or names joined by dots; *p is then after it. */
static enum lex_kind take_name(const char **p, const char *end)
{
	enum lex_kind kind = LEX_NAME;
	const char *q = skip(*p, end, NAME);

	while (end - q >= 2 && *q == '.' && is(q + 1, LETTER)) {
		kind = LEX_PATH;
		q = skip(q + 1, end, NAME);
	}
	*p = q;
	return kind;
}

static enum lex_kind take_word(const char **p, const char *end)
{
	enum lex_kind kind = LEX_WORD;

	if (is(*p, LETTER)) {
		kind = take_name(p, end);
	} else if (is(*p, DIGIT | STAR)) {
		*p = skip_pmid(*p, end);
		kind = LEX_PMID;
	} else if (**p == '{' || **p == '}') {
		kind = **p == '{' ? LEX_OPEN : LEX_CLOSE;
		(*p)++;
	}
	/* A word followed by another character is a word of another kind as a whole. */
	for (; !at_space(*p, end); (*p)++)
		kind = LEX_WORD;
	return kind;
}

/* True if only blanks are before p in its line. */
static bool begins_line(const struct lex *l, const char *p)
{
	return skip(l->line, p, BLANK) == p;
}

static bool too_long(const char *line, const char *end)
{
	return end - line + 1 >= LEX_LINE_MAX;
}

/* To the next word. False at the end of a line that is too long. */
static bool skip_space(struct lex *l)
{
	const char *p = l->pos;

	for (;;) {
		p = skip(p, l->end, BLANK | BREAK);
		if (p == l->end || *p != '\n')
			break;
		if (too_long(l->line, p))
			return false;
		l->line = ++p;
	}
	l->pos = p;
	return p < l->end || !too_long(l->line, p);
}

void lex_init(struct lex *l, const char *text, size_t len)
{
	l->pos = l->line = text;
	l->end = text + len;
}

static enum lex_kind take_any(struct lex *l, const char **p)
{
	if (*p == l->end)
		return LEX_END;
	if (**p != '#' || !begins_line(l, *p))
		return take_word(p, l->end);
	while (*p < l->end && **p != '\n')
		(*p)++;
	return LEX_MARKER;
}

enum lex_kind lex_next(struct lex *l, struct token *ret_token)
{
	enum lex_kind kind;
	const char *p;

	if (!skip_space(l)) {
		*ret_token = (struct token){.s = l->line};
		return LEX_LONG;
	}
	p = l->pos;
	kind = take_any(l, &p);
	*ret_token = (struct token){.s = l->pos, .len = (size_t)(p - l->pos)};
	l->pos = p;
	return kind;
}
