/* cpp - see cpp.h. Line by line: comments out, then a directive or a line of text. */
#include "libpmns/cpp.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpmns/cpp_source.h"
#include "libpmns/macro.h"

struct input {
	const char *name;
	unsigned int line; /* of the line in hand, from 1 */
	struct span raw;   /* that line as it was read */
};

struct cpp {
	const struct cpp_options *opt;
	struct span main_dir; /* with its slash; empty: the current folder */
	struct buffer *out;
	struct buffer *error;
	struct macros macros;
	struct buffer bare; /* the line in hand without comments */
	struct input *in;   /* the file in hand */
	unsigned int depth;
	size_t total; /* bytes read */
	bool quiet;   /* the prelude: nothing comes out */
	bool in_comment;
	unsigned int comment_line;
	enum { COND_NONE, COND_IF, COND_ELSE } cond;
	bool skipping;
	const char *cond_word;
	unsigned int cond_line;
};

static int cpp_file(struct cpp *c, const struct cpp_text *text);

/*
 * Errors
 */

static char control_of(const struct cpp *c)
{
	return (c->opt->flags & CPP_PERCENT) != 0 ? '%' : '#';
}

/* A text in which # is replaced by the character that begins a directive. */
static void put_message(struct cpp *c, const char *text)
{
	for (; *text != '\0'; text++)
		buffer_put_u8(c->error, *text == '#' ? (uint8_t)control_of(c) : (uint8_t)*text);
}

/* Says what is wrong with the line in hand. */
static int line_error(struct cpp *c, const char *what)
{
	buffer_printf(c->error, "pmcpp: %s[%u]: %.*s\npmcpp: Error: ", c->in->name, c->in->line,
		      (int)c->in->raw.len, c->in->raw.s);
	put_message(c, what);
	return -EINVAL;
}

static int limit_error(struct cpp *c, const char *what)
{
	line_error(c, what);
	return -EFBIG;
}

/*
 * Words
 */

static bool cpp_is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\f' || ch == '\v';
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static struct span cpp_skip_blanks(struct span s)
{
	size_t i = 0;

	while (i < s.len && cpp_is_blank(s.s[i]))
		i++;
	return span_skip(s, i);
}

/* Directives: each gets the text after its word. */

static int end_of_line(struct cpp *c, struct span rest)
{
	if (cpp_skip_blanks(rest).len != 0)
		return line_error(c, "Unexpected extra text in a control line");
	return 0;
}

/* The name of a macro; *rest is the text after it. */
static int macro_name(struct cpp *c, struct span *rest, struct span *ret_name)
{
	struct span s = cpp_skip_blanks(*rest);

	if (s.len == 0)
		return line_error(c, "Missing macro name");
	*ret_name = macro_word(s);
	*rest = span_skip(s, ret_name->len);
	if (ret_name->len == 0 || (rest->len > 0 && !cpp_is_blank(rest->s[0])))
		return line_error(c, "Illegal character in macro name");
	return 0;
}

static int macro_value(struct cpp *c, struct span *rest, struct span *ret_value)
{
	struct span s = cpp_skip_blanks(*rest);
	size_t n = 0;

	if (s.len > 0 && (s.s[0] == '"' || s.s[0] == '\'')) {
		const char *end = memchr(s.s + 1, s.s[0], s.len - 1);

		if (end == NULL)
			return line_error(c, "Unterminated value string in #define");
		n = (size_t)(end - s.s);
		*ret_value = (struct span){.s = s.s + 1, .len = n - 1};
		*rest = span_skip(s, n + 1);
		return 0;
	}
	while (n < s.len && !cpp_is_blank(s.s[n]))
		n++;
	*ret_value = (struct span){.s = s.s, .len = n};
	*rest = span_skip(s, n);
	return 0;
}

static int do_define(struct cpp *c, struct span rest)
{
	struct span name, value;
	int r = macro_name(c, &rest, &name);

	if (r == 0)
		r = macro_value(c, &rest, &value);
	if (r == 0)
		r = end_of_line(c, rest);
	if (r == 0)
		r = macro_define(&c->macros, name, value, c->quiet);
	return r == -EEXIST ? line_error(c, "Macro redefinition") : r;
}

static int do_undef(struct cpp *c, struct span rest)
{
	struct span name;
	int r = macro_name(c, &rest, &name);

	if (r == 0)
		r = end_of_line(c, rest);
	if (r == 0)
		macro_undef(&c->macros, name);
	return r;
}

static int begin_cond(struct cpp *c, struct span rest, bool wanted, const char *word)
{
	struct span name;
	int r;

	if (c->cond != COND_NONE)
		return line_error(c, "Nested #ifdef or #ifndef");
	r = macro_name(c, &rest, &name);
	if (r == 0)
		r = end_of_line(c, rest);
	if (r < 0)
		return r;
	c->cond = COND_IF;
	c->cond_word = word;
	c->cond_line = c->in->line;
	c->skipping = macro_is_defined(&c->macros, name) != wanted;
	return 0;
}

static int do_ifdef(struct cpp *c, struct span rest)
{
	return begin_cond(c, rest, true, "#ifdef");
}

static int do_ifndef(struct cpp *c, struct span rest)
{
	return begin_cond(c, rest, false, "#ifndef");
}

static int do_else(struct cpp *c, struct span rest)
{
	if (c->cond != COND_IF)
		return line_error(c, "No matching #ifdef or #ifndef for #else");
	c->cond = COND_ELSE;
	c->skipping = !c->skipping;
	return end_of_line(c, rest);
}

static int do_endif(struct cpp *c, struct span rest)
{
	if (c->cond == COND_NONE)
		return line_error(c, "No matching #ifdef or #ifndef for #endif");
	c->cond = COND_NONE;
	c->skipping = false;
	return end_of_line(c, rest);
}

static int do_shell(struct cpp *c, struct span rest)
{
	return line_error(c, "#shell is refused: no command is run for a file");
}

/*
 * Included files
 */

static bool is_extra(const struct cpp *c, struct span name)
{
	const struct cpp_text *x = c->opt->extra;

	return x != NULL && strlen(x->name) == name.len && memcmp(x->name, name.s, name.len) == 0;
}

static void put_marker(struct cpp *c, unsigned int line, const char *name)
{
	if (!c->quiet && (c->opt->flags & CPP_NO_MARKERS) == 0)
		buffer_printf(c->out, "# %u \"%s\"\n", line, name);
}

/* Writes the text of an included file between two linemarkers. */
static int include_text(struct cpp *c, const struct cpp_text *text)
{
	struct input *in = c->in;
	int r = cpp_file(c, text);

	if (r < 0)
		return r;
	c->in = in;
	put_marker(c, in->line + 1, in->name);
	return 0;
}

static int include_name(struct cpp *c, struct span name)
{
	struct buffer text = BUFFER_INIT;
	char path[PATH_MAX];
	int r = 0;

	if (c->depth >= CPP_DEPTH_MAX)
		return line_error(c, "#include and/or #shell nesting too deep");
	if (cpp_source_find(c->opt, c->main_dir, name, path, sizeof(path), &text, &r)) {
		if (r == -EFBIG)
			r = limit_error(c, "Included file is too large");
		if (r == 0)
			r = include_text(c, &(struct cpp_text){.name = path,
							       .text = (const char *)text.data,
							       .len = text.len});
	} else if (is_extra(c, name)) {
		r = include_text(c, c->opt->extra);
	} else {
		r = line_error(c, "Cannot open file for #include");
	}
	buffer_done(&text);
	return r;
}

static int do_include(struct cpp *c, struct span rest)
{
	struct span s = cpp_skip_blanks(rest);
	struct span name;
	const char *end;
	bool quoted;

	if (s.len == 0 || (s.s[0] != '"' && s.s[0] != '<'))
		return line_error(c, "Expected \" or < after #include");
	quoted = s.s[0] == '"';
	end = memchr(s.s + 1, quoted ? '"' : '>', s.len - 1);
	if (end == NULL)
		return line_error(c, quoted ? "Expected \" after file name"
					    : "Expected > after file name");
	name = (struct span){.s = s.s + 1, .len = (size_t)(end - s.s) - 1};
	if (cpp_skip_blanks(span_skip(s, name.len + 2)).len != 0)
		return line_error(c, "Unexpected extra text in #include line");
	return include_name(c, name);
}

// clang-format off
static const struct directive {
	const char *word;
	int (*obey)(struct cpp *c, struct span rest);
	bool while_skipping;
	bool no_line; /* puts out linemarkers in place of an empty line */
} directives[] = {
	{ "include", do_include, false, true },
	{ "define",  do_define,  false, false },
	{ "undef",   do_undef,   false, false },
	{ "ifdef",   do_ifdef,   true,  false },
	{ "ifndef",  do_ifndef,  true,  false },
	{ "else",    do_else,    true,  false },
	{ "endif",   do_endif,   true,  false },
	{ "shell",   do_shell,   false, true },
};
// clang-format on

/* The directive of a line, or NULL: it is text, also if it begins with '#'. *rest is what follows.
 */
static const struct directive *directive_of(const struct cpp *c, struct span s, struct span *rest)
{
	if (s.len == 0 || s.s[0] != control_of(c))
		return NULL;
	s = span_skip(s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(directives); i++) {
		size_t n = strlen(directives[i].word);

		if (s.len >= n && memcmp(s.s, directives[i].word, n) == 0 &&
		    (s.len == n || !is_word(s.s[n]))) {
			*rest = span_skip(s, n);
			return &directives[i];
		}
	}
	return NULL;
}

/*
 * Lines
 */

/* The current line with blanks for comments, and without trailing blanks. It is the line itself if
 * it has no comment. */
static int strip_comments(struct cpp *c, struct span *line)
{
	struct buffer *b = &c->bare;
	uint8_t *p;

	if (!c->in_comment && memmem(line->s, line->len, "/*", 2) == NULL)
		return 0;
	buffer_reset(b);
	p = buffer_reserve(b, line->len + 1);
	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < line->len; i++) {
		bool pair = i + 1 < line->len;

		if (!c->in_comment && pair && memcmp(line->s + i, "/*", 2) == 0) {
			c->in_comment = true;
			c->comment_line = c->in->line;
		} else if (c->in_comment && pair && memcmp(line->s + i, "*/", 2) == 0) {
			c->in_comment = false;
		} else {
			p[i] = c->in_comment ? ' ' : (uint8_t)line->s[i];
			continue;
		}
		p[i] = p[i + 1] = ' ';
		i++;
	}
	buffer_commit(b, line->len);
	*line = (struct span){.s = (const char *)p, .len = line->len};
	while (line->len > 0 && cpp_is_blank(line->s[line->len - 1]))
		line->len--;
	return 0;
}

static int cpp_line(struct cpp *c, struct span line)
{
	const struct macro_call call = {.marked = (c->opt->flags & CPP_MARKED) != 0,
					.mark = control_of(c)};
	const struct directive *d;
	struct span rest;
	int r = 0;

	c->in->raw = line;
	if ((c->opt->flags & CPP_PERCENT) == 0)
		r = strip_comments(c, &line);
	if (r < 0)
		return r;
	d = directive_of(c, line, &rest);
	if (d != NULL && (!c->skipping || d->while_skipping)) {
		r = d->obey(c, rest);
		if (r < 0 || d->no_line)
			return r;
	} else if (!c->skipping && !c->quiet) {
		macro_expand(&c->macros, call, line, c->out, CPP_OUTPUT_MAX);
	}
	if (!c->quiet)
		buffer_put_u8(c->out, '\n');
	if (c->out->len > CPP_OUTPUT_MAX)
		return limit_error(c, "Output is too large");
	return c->out->err;
}

static int cpp_file(struct cpp *c, const struct cpp_text *text)
{
	struct input in = {.name = text->name, .raw = {.s = "", .len = 0}};
	const char *line = text->text;
	const char *end = line + text->len;
	int r = 0;

	c->in = &in;
	c->total += text->len;
	if (c->total > CPP_INPUT_MAX)
		return limit_error(c, "Input is too large");
	c->depth++;
	put_marker(c, 1, in.name);
	while (r == 0 && line < end) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));
		const char *stop = nl == NULL ? end : nl;

		in.line++;
		r = cpp_line(c, (struct span){.s = line, .len = (size_t)(stop - line)});
		line = nl == NULL ? end : nl + 1;
	}
	c->depth--;
	return r;
}

/* Constructs that must be closed at the end of the input. */
static int check_end(struct cpp *c, const char *name)
{
	if (!c->in_comment && c->cond == COND_NONE)
		return 0;
	buffer_printf(c->error, "pmcpp: %s:\npmcpp: Error: ", name);
	if (c->in_comment) {
		buffer_printf(c->error, "Comment at line %u not terminated before end of file",
			      c->comment_line);
	} else {
		put_message(c, "End of input and no matching #endif for ");
		put_message(c, c->cond_word);
		buffer_printf(c->error, " at line %u", c->cond_line);
	}
	return -EINVAL;
}

static int cpp_whole(struct cpp *c, const struct cpp_text *text, bool quiet)
{
	int r;

	c->quiet = quiet;
	r = cpp_file(c, text);
	return r == 0 ? check_end(c, text->name) : r;
}

/* The macros of the command line, each a line of its own. */
static int define_all(struct cpp *c)
{
	int r = 0;

	for (const struct cpp_define *d = c->opt->defines; d != NULL && d->text != NULL; d++) {
		struct span text = {.s = d->text, .len = strlen(d->text)};
		struct buffer raw = BUFFER_INIT;
		struct input in = {.name = "<arg>", .line = d->number};

		c->in = &in;
		buffer_printf(&raw, "#define %s", d->text);
		in.raw = (struct span){.s = (const char *)raw.data, .len = raw.len};
		r = raw.err < 0 ? raw.err : do_define(c, text);
		buffer_done(&raw);
		if (r < 0)
			break;
	}
	return r;
}

int cpp_run(const struct cpp_text *main, const struct cpp_options *opt, struct buffer *out,
	    struct buffer *error)
{
	const char *slash = strrchr(main->name, '/');
	struct cpp c = {.opt = opt, .out = out, .error = error};
	int r = 0;

	if (slash != NULL)
		c.main_dir =
		    (struct span){.s = main->name, .len = (size_t)(slash + 1 - main->name)};
	r = define_all(&c);
	if (r == 0 && opt->prelude != NULL)
		r = cpp_whole(&c, opt->prelude, true);
	if (r == 0)
		r = cpp_whole(&c, main, false);
	if (r == 0)
		r = out->err;
	buffer_done(&c.bare);
	macros_done(&c.macros);
	return r;
}
