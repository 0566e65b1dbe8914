/* source - see source.h. */
#include "libpmns/source.h"

#include <ctype.h>
#include <string.h>

#include "libbase/buffer.h"

enum {
	INDENT = 4,
	SHOWN_MAX = 255, /* of an overlong line */
	LINE_NUMBER_MAX = 100000000,
};

static size_t skip_blanks(const char *s, size_t len, size_t i)
{
	while (i < len && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return i;
}

bool source_marker(const char *line, size_t len, unsigned int *ret_line, const char **ret_file,
		   size_t *ret_file_len)
{
	size_t i = skip_blanks(line, len, 0);
	unsigned int number = 0;
	const char *end;
	size_t digits;

	if (i == len || line[i] != '#')
		return false;
	digits = i = skip_blanks(line, len, i + 1);
	for (; i < len && isdigit((unsigned char)line[i]); i++) {
		if (number > LINE_NUMBER_MAX)
			return false;
		number = number * 10 + (unsigned int)(line[i] - '0');
	}
	if (i == digits || i == len || (line[i] != ' ' && line[i] != '\t'))
		return false;
	i = skip_blanks(line, len, i);
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
	skip = skip_blanks(p.line_text, p.line_len, 0);
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
