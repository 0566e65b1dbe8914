/*
 * load - definitions of derived metrics from files (docs/spec/pmapi.md 18.2).
 *
 * A file is a list of lines; the text of an attribute in quotes may have several, which count as
 * one in messages. A wrong line is reported and left out.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/derive/register.h"

#define BLANKS " \t\r\f\v"

enum { DEPTH_MAX = 32 }; /* folders in folders: a link may lead back */

struct file {
	const char *path;
	const char *pos; /* the rest of the text; a last line without an end is left out */
	int line;
	int added;
};

/* A line, in parts that are not copies. */
struct line {
	const char *text;
	size_t len;
	const char *equals; /* NULL: there is none */
	const char *open;   /* the parenthesis before an attribute, before the equals sign; NULL */
};

/* ---- Messages ------------------------------------------------------------------------------- */

static void complain(const struct file *f, const struct line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line follows, unless it is NULL. */
static void complain(const struct file *f, const struct line *line, const char *format, ...)
{
	struct buffer text = BUFFER_INIT;
	va_list args;

	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	pmprintf("[%s:%d] %s\n", f->path, f->line, buffer_str(&text));
	if (line != NULL)
		pmprintf("%.*s\n", (int)line->len, line->text);
	pmflush();
	buffer_done(&text);
}

static void complain_expr(const struct file *f, const char *name, const char *text, int at)
{
	const char *reason = register_reason();
	int len = (int)strlen(text);

	at = at < 0 ? 0 : at;
	pmprintf("[%s:%d] Error: pmRegisterDerived(%s, ...) syntax error\n%s\n", f->path, f->line,
		 name, text);
	pmprintf("%*s^%*s\n", at, "", len > at + 1 ? len - at - 1 : 0, "");
	if (reason != NULL)
		pmprintf("%s\n", reason);
	pmflush();
}

/* ---- The parts of a line -------------------------------------------------------------------- */

static char *trimmed(const char *text, size_t len)
{
	while (len > 0 && strchr(BLANKS, text[0]) != NULL) {
		text++;
		len--;
	}
	while (len > 0 && strchr(BLANKS, text[len - 1]) != NULL)
		len--;
	return strndup(text, len);
}

/* Components of a letter and letters, digits, underscores; a dot may end it. */
static bool is_metric_name(const char *name)
{
	bool first = true;

	for (const char *p = name; *p != '\0'; p++) {
		bool good = first ? isalpha((unsigned char)*p) != 0
				  : isalnum((unsigned char)*p) != 0 || *p == '_' || *p == '.';

		if (!good)
			return false;
		first = *p == '.';
	}
	return *name != '\0';
}

/* The text in quotes at the beginning of value, to be freed, and what comes after it. NULL: no
 * memory, or *ret_end is NULL: the quote does not end. */
static char *unquote(const char *value, const char **ret_end)
{
	char *text = malloc(strlen(value) + 1);
	const char *p = value + 1;
	char *to = text;

	*ret_end = NULL;
	if (text == NULL)
		return NULL;
	for (; *p != '\0' && *p != *value; p++) {
		if (*p == '\\' && p[1] != '\0') {
			p++;
			if (*p == '\n')
				continue;
		}
		*to++ = *p;
	}
	*to = '\0';
	if (*p != '\0') {
		*ret_end = p + 1;
		return text;
	}
	free(text);
	return NULL;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static int set_attribute(struct file *f, const struct line *line, const char *name,
			 const char *attr, const char *value)
{
	bool oneline = strcmp(attr, "oneline") == 0;
	int r;

	if (registry_by_name(name) == NULL) {
		complain(f, line,
			 "Error: pmLoadDerivedConfig: cannot set attribute, derived metric (%s) "
			 "not defined",
			 name);
		return 0;
	}
	if (!oneline && strcmp(attr, "helptext") != 0) {
		complain(f, line,
			 "Error: pmLoadDerivedConfig: attribute (%s) is unknown for metric (%s)",
			 attr, name);
		return 0;
	}
	r = registry_set_text(name, oneline, value);
	if (r == -EEXIST)
		complain(f, line,
			 "Error: pmLoadDerivedConfig: duplicate value for attribute (%s) of metric "
			 "(%s)",
			 attr, name);
	return r == -ENOMEM ? r : 0;
}

/* A value in quotes may go on after the line. */
static int read_quoted(struct file *f, const struct line *line, const char *name, const char *attr,
		       const char *value)
{
	const char *end;
	AUTO_FREE char *text = unquote(value, &end);
	AUTO_FREE char *extra = NULL;
	const char *next;

	if (text == NULL && end == NULL) {
		complain(f, NULL, "Error: pmLoadDerivedConfig: missing termination (%c) for value",
			 *value);
		f->pos += strlen(f->pos);
		return 0;
	}
	next = strchr(end, '\n');
	extra = trimmed(end, next == NULL ? strlen(end) : (size_t)(next - end));
	if (text == NULL || extra == NULL)
		return -ENOMEM;
	if (*extra != '\0')
		complain(f, NULL,
			 "Warning: pmLoadDerivedConfig: extra text (%s) after attribute value will "
			 "be ignored",
			 extra);
	f->pos = next == NULL ? end + strlen(end) : next + 1;
	return set_attribute(f, line, name, attr, text);
}

static int read_attribute(struct file *f, const struct line *line, const char *name)
{
	const char *close = memchr(line->open, ')', (size_t)(line->equals - line->open));
	const char *value = line->equals + 1;
	size_t len;
	AUTO_FREE char *attr = NULL;
	AUTO_FREE char *text = NULL;

	if (close == NULL) {
		complain(f, line, "Error: pmLoadDerivedConfig: missing ')' after attribute");
		return 0;
	}
	attr = trimmed(line->open + 1, (size_t)(close - line->open - 1));
	if (attr == NULL)
		return -ENOMEM;
	if (*attr == '\0') {
		complain(f, line, "Error: pmLoadDerivedConfig: attribute name missing");
		return 0;
	}
	len = (size_t)(line->text + line->len - value);
	while (len > 0 && strchr(BLANKS, *value) != NULL) {
		value++;
		len--;
	}
	if (len == 0) {
		complain(f, line, "Error: pmLoadDerivedConfig: attribute value missing");
		return 0;
	}
	if (*value == '"' || *value == '\'')
		return read_quoted(f, line, name, attr, value);
	text = strndup(value, len);
	return text == NULL ? -ENOMEM : set_attribute(f, line, name, attr, text);
}

static int read_expr(struct file *f, const struct line *line, const char *name)
{
	AUTO_FREE char *text =
	    strndup(line->equals + 1, (size_t)(line->text + line->len - line->equals - 1));
	size_t blanks;
	int at;
	int r;

	if (text == NULL)
		return -ENOMEM;
	blanks = strspn(text, BLANKS);
	if (text[blanks] == '\0') {
		complain(f, line, "Error: pmLoadDerivedConfig: expression missing");
		return 0;
	}
	r = register_global(name, text + blanks, &at);
	if (r == PM_ERR_BADDERIVE)
		complain_expr(f, name, text, (int)blanks + at);
	f->added += r == 0;
	return r == -ENOMEM ? r : 0;
}

/* The text after the line is at f->pos already. */
static int read_line(struct file *f, const struct line *line)
{
	const char *end = line->open != NULL ? line->open : line->equals;
	AUTO_FREE char *name = NULL;

	if (line->len == 0 || line->text[0] == '#')
		return 0;
	if (line->equals == NULL) {
		complain(f, line,
			 "Error: pmLoadDerivedConfig: missing ``='' after derived metric name");
		return 0;
	}
	name = trimmed(line->text, (size_t)(end - line->text));
	if (name == NULL)
		return -ENOMEM;
	if (*name == '\0') {
		complain(f, line, "Error: pmLoadDerivedConfig: derived metric name missing");
		return 0;
	}
	if (!is_metric_name(name)) {
		complain(f, NULL, "Error: pmLoadDerivedConfig: illegal derived metric name (%s)",
			 name);
		return 0;
	}
	return line->open != NULL ? read_attribute(f, line, name) : read_expr(f, line, name);
}

static int read_lines(struct file *f)
{
	const char *newline;
	int r = 0;

	while (r == 0 && (newline = strchr(f->pos, '\n')) != NULL) {
		struct line line = {.text = f->pos, .len = (size_t)(newline - f->pos)};

		f->line++;
		f->pos = newline + 1;
		line.equals = memchr(line.text, '=', line.len);
		if (line.equals != NULL)
			line.open = memchr(line.text, '(', (size_t)(line.equals - line.text));
		r = read_line(f, &line);
	}
	return r;
}

/* ---- Files and folders ---------------------------------------------------------------------- */

static int read_all(FILE *in, char **ret_text)
{
	size_t size = 0;
	ssize_t len = getdelim(ret_text, &size, '\0', in);

	if (len < 0 && ferror(in))
		return -errno;
	return len < 0 ? 0 : 1;
}

static int load_file(const char *path)
{
	AUTO_FREE char *text = NULL;
	struct file f = {.path = path};
	FILE *in = fopen(path, "re");
	int r;

	if (in == NULL)
		return -errno;
	r = read_all(in, &text);
	fclose(in);
	if (r <= 0)
		return r;
	f.pos = text;
	r = read_lines(&f);
	return r < 0 ? r : f.added;
}

static int load_path(const char *path, int depth);

static int load_folder(const char *path, int depth)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int added = 0;
	int r = 0;

	if (dir == NULL)
		return -errno;
	while (r >= 0 && (entry = readdir(dir)) != NULL) {
		AUTO_FREE char *inner = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (asprintf(&inner, "%s/%s", path, entry->d_name) < 0) {
			inner = NULL;
			r = -ENOMEM;
			break;
		}
		r = load_path(inner, depth + 1);
		added += r < 0 ? 0 : r;
	}
	closedir(dir);
	return r < 0 ? r : added;
}

static int load_path(const char *path, int depth)
{
	struct stat st;

	if (depth > DEPTH_MAX)
		return -ELOOP;
	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? load_folder(path, depth) : load_file(path);
}

int load_paths(const char *paths, bool lenient)
{
	int added = 0;

	while (*paths != '\0') {
		size_t len = strcspn(paths, ":");
		AUTO_FREE char *path = strndup(paths, len);
		int r;

		if (path == NULL)
			return -ENOMEM;
		paths += paths[len] == ':' ? len + 1 : len;
		if (*path == '\0')
			continue;
		r = load_path(path, 0);
		if (r < 0 && !lenient)
			return r;
		added += r < 0 ? 0 : r;
	}
	return added;
}
