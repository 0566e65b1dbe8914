#include "tools/pmrep/ini.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

/* The longest line that a message quotes. */
#define QUOTED 120

struct parser {
	struct ini *ini;
	const char *name;
	struct ini_fault *fault;
	int line;
	bool faulty;   /* there are lines that cannot be parsed */
	bool in_value; /* an indented line continues the value of the last key */
};

/* A part of the text. */
struct span {
	const char *at;
	size_t length;
};

__attribute__((format(printf, 2, 3))) static int fail(struct parser *p, const char *format, ...)
{
	va_list args;

	p->fault->line = p->line;
	va_start(args, format);
	vsnprintf(p->fault->text, sizeof(p->fault->text), format, args);
	va_end(args);
	return PM_ERR_GENERIC;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct span trim(struct span s)
{
	while (s.length > 0 && is_blank(s.at[0])) {
		s.at++;
		s.length--;
	}
	while (s.length > 0 && is_blank(s.at[s.length - 1]))
		s.length--;
	return s;
}

static char *copy(struct span s)
{
	return strndup(s.at, s.length);
}

/* A value, in which two percent signs are one. */
static char *copy_value(struct span s)
{
	char *value = copy(s), *to = value;

	for (const char *from = value; from != NULL && *from != '\0'; from++) {
		*to++ = *from;
		if (from[0] == '%' && from[1] == '%')
			from++;
	}
	if (to != NULL)
		*to = '\0';
	return value;
}

static bool equals(const char *text, struct span s)
{
	return strlen(text) == s.length && memcmp(text, s.at, s.length) == 0;
}

/* Makes room for one more element when the number is a power of two. */
static void *grow(void *list, size_t n, size_t size)
{
	if (n != 0 && (n & (n - 1)) != 0)
		return list;
	return realloc(list, (n == 0 ? 1 : 2 * n) * size);
}

static int add_section(struct parser *p, struct span name)
{
	struct ini *ini = p->ini;
	struct ini_section *sections;

	for (size_t i = 0; i < ini->n; i++)
		if (equals(ini->sections[i].name, name))
			return fail(
			    p,
			    "While reading from '%s' [line %2d]: section '%.*s' already exists\n",
			    p->name, p->line, (int)(name.length < QUOTED ? name.length : QUOTED),
			    name.at);
	sections = grow(ini->sections, ini->n, sizeof(sections[0]));
	if (sections == NULL)
		return -ENOMEM;
	ini->sections = sections;
	sections[ini->n] = (struct ini_section){.name = copy(name)};
	if (sections[ini->n].name == NULL)
		return -ENOMEM;
	ini->n++;
	return 0;
}

static int add_entry(struct parser *p, struct span key, struct span value)
{
	struct ini_section *section = &p->ini->sections[p->ini->n - 1];
	struct ini_entry *entries, *entry;

	for (size_t i = 0; i < section->n; i++)
		if (equals(section->entries[i].key, key))
			return fail(p,
				    "While reading from '%s' [line %2d]: option '%.*s' in section "
				    "'%.*s' already exists\n",
				    p->name, p->line,
				    (int)(key.length < QUOTED ? key.length : QUOTED), key.at,
				    QUOTED, section->name);
	entries = grow(section->entries, section->n, sizeof(entries[0]));
	if (entries == NULL)
		return -ENOMEM;
	section->entries = entries;
	entry = &entries[section->n];
	entry->key = copy(key);
	entry->value = copy_value(value);
	section->n++;
	return entry->key != NULL && entry->value != NULL ? 0 : -ENOMEM;
}

/* Adds a line to the value of the last key. */
static int continue_value(struct parser *p, struct span line)
{
	struct ini_section *section = &p->ini->sections[p->ini->n - 1];
	struct ini_entry *entry = &section->entries[section->n - 1];
	size_t length = strlen(entry->value);
	char *value = realloc(entry->value, length + line.length + 2);

	if (value == NULL)
		return -ENOMEM;
	entry->value = value;
	value[length] = '\n';
	memcpy(value + length + 1, line.at, line.length);
	value[length + 1 + line.length] = '\0';
	return 0;
}

/* Notes a line that cannot be parsed; the next lines are parsed, so that all are reported. */
static int parse_error(struct parser *p, struct span whole)
{
	size_t used = strlen(p->fault->text), size = sizeof(p->fault->text);
	int length = (int)(whole.length < QUOTED ? whole.length : QUOTED);

	if (!p->faulty)
		fail(p, "Source contains parsing errors: '%s'\n\t[line %2d]: '%.*s\\n'\n", p->name,
		     p->line, length, whole.at);
	else
		snprintf(p->fault->text + used, size - used, "\t[line %2d]: '%.*s\\n'\n", p->line,
			 length, whole.at);
	p->faulty = true;
	return 0;
}

static int parse_setting(struct parser *p, struct span line, struct span whole)
{
	size_t n = 0;
	struct span key, value;

	while (n < line.length && line.at[n] != '=' && line.at[n] != ':')
		n++;
	key = trim((struct span){line.at, n});
	if (n == line.length || key.length == 0)
		return parse_error(p, whole);
	value = trim((struct span){line.at + n + 1, line.length - n - 1});
	p->in_value = true;
	return add_entry(p, key, value);
}

static int parse_line(struct parser *p, struct span whole)
{
	struct span line = trim(whole);
	const char *end;

	if (line.length == 0 || line.at[0] == '#' || line.at[0] == ';')
		return 0;
	if (p->in_value && is_blank(whole.at[0]))
		return continue_value(p, line);
	end = line.at[0] == '[' ? memchr(line.at, ']', line.length) : NULL;
	if (end != NULL && end > line.at + 1) {
		p->in_value = false;
		return add_section(p, (struct span){line.at + 1, (size_t)(end - line.at - 1)});
	}
	if (p->ini->n == 0)
		return fail(p,
			    "File contains no section headers.\nfile: '%s', line: %d\n'%.*s\\n'\n",
			    p->name, p->line, (int)(whole.length < QUOTED ? whole.length : QUOTED),
			    whole.at);
	return parse_setting(p, line, whole);
}

int ini_parse(struct ini *ini, const char *name, const char *text, size_t length,
	      struct ini_fault *ret_fault)
{
	struct parser p = {.ini = ini, .name = name, .fault = ret_fault};
	const char *end = text + length;
	int sts = 0;

	*ini = (struct ini){0};
	while (text < end && sts == 0) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		struct span whole = {text, (size_t)(stop - text)};

		p.line++;
		if (memchr(whole.at, '\0', whole.length) != NULL)
			sts = fail(&p, "a NUL byte\n");
		else
			sts = parse_line(&p, whole);
		text = newline != NULL ? newline + 1 : end;
	}
	return sts == 0 && p.faulty ? PM_ERR_GENERIC : sts;
}

const struct ini_section *ini_find(const struct ini *ini, const char *name)
{
	for (size_t i = 0; i < ini->n; i++)
		if (strcmp(ini->sections[i].name, name) == 0)
			return &ini->sections[i];
	return NULL;
}

void ini_done(struct ini *ini)
{
	for (size_t i = 0; i < ini->n; i++) {
		for (size_t e = 0; e < ini->sections[i].n; e++) {
			free(ini->sections[i].entries[e].key);
			free(ini->sections[i].entries[e].value);
		}
		free(ini->sections[i].entries);
		free(ini->sections[i].name);
	}
	free(ini->sections);
	*ini = (struct ini){0};
}
