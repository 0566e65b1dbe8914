/*
 * book - an entry of a source, and the two files of compiled help texts.
 */
#include "tools/newhelp/newhelp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

/*
 * Entry
 */

#define WHITE " \t\v\f\r"

void entry_open(struct entry *e)
{
	e->open = true;
	e->len = 0;
}

bool entry_add(struct entry *e, const char *text)
{
	size_t len = strlen(text);

	if (e->len + len <= ENTRY_MAX) {
		memcpy(e->text + e->len, text, len);
		e->len += len;
		return true;
	}
	memcpy(e->text + e->len, text, ENTRY_MAX - e->len);
	e->len = ENTRY_MAX - 1; /* as in 6.0.3: a text that is cut is one byte shorter */
	e->text[e->len - 1] = '\n';
	e->open = false;
	return false;
}

void entry_split(struct entry *e, struct entry_parts *ret_parts)
{
	char *text = e->text, *end;
	size_t key_len;

	e->open = false;
	while (e->len > 0 && text[e->len - 1] == '\n')
		e->len--;
	text[e->len] = '\0'; /* replaces the newline */
	end = text + strcspn(text, "\n");
	ret_parts->help = *end == '\n' ? end + 1 : end;
	*end = '\0';
	key_len = strcspn(text, WHITE);
	memcpy(ret_parts->key, text, key_len);
	ret_parts->key[key_len] = '\0';
	ret_parts->line = text;
	ret_parts->oneline = text + key_len + strspn(text + key_len, WHITE);
}

/*
 * Book
 */

#define MAGIC_TEXT "PcPh22\n"
#define MAGIC_INDEX                                                                                \
	{                                                                                          \
		0x50635068, 0x31320000                                                             \
	}
#define ITEM_MASK 0x3fffff /* the part of an identifier that follows the domain */

static int book_complain(const char *path)
{
	fprintf(stderr, "%s: fopen(\"%s\", ...) failed: %s\n", pmGetProgname(), path,
		strerror(errno));
	return -1;
}

static char *make_path(const char *base, const char *suffix)
{
	char *path;

	if (asprintf(&path, "%s%s", base, suffix) < 0)
		pmNoMem("path", strlen(base), PM_FATAL_ERR);
	return path;
}

int book_create(struct book *b, const char *base)
{
	char *path = make_path(base, ".pag");

	memset(b, 0, sizeof(*b));
	b->text = fopen(path, "we");
	if (b->text == NULL)
		book_complain(path);
	free(path);
	if (b->text == NULL)
		return -1;
	b->index_path = make_path(base, ".dir");
	fputs(MAGIC_TEXT, b->text);
	return 0;
}

static void add_line(struct book *b, const struct book_line *line)
{
	if (b->n == b->room) {
		size_t room = b->room == 0 ? 256 : 2 * b->room;
		struct book_line *lines = reallocarray(b->lines, room, sizeof(lines[0]));

		if (lines == NULL)
			pmNoMem("index", room * sizeof(lines[0]), PM_FATAL_ERR);
		b->lines = lines;
		b->room = room;
	}
	b->lines[b->n++] = *line;
}

bool book_add(struct book *b, uint32_t id, const char *key, const char *oneline, const char *help)
{
	struct book_line line = {.id = id};

	if (b->n > 1 && b->lines[b->n - 1].id == id)
		return false;
	fprintf(b->text, "\n@ %s ", key);
	line.oneline = (uint32_t)ftell(b->text);
	fputs(oneline, b->text);
	fputc('\0', b->text);
	line.help = (uint32_t)ftell(b->text);
	fputs(help, b->text);
	fputc('\0', b->text);
	add_line(b, &line);
	return true;
}

/* Order: metrics before instance domains, then by the number without the domain, then as read. */
static int by_place(const void *a, const void *b)
{
	const struct book_line *x = a, *y = b;
	bool x_indom = (x->id & BOOK_INDOM) != 0, y_indom = (y->id & BOOK_INDOM) != 0;
	uint32_t x_item = x->id & ITEM_MASK, y_item = y->id & ITEM_MASK;

	if (x_indom != y_indom)
		return x_indom ? 1 : -1;
	if (x_item != y_item)
		return x_item < y_item ? -1 : 1;
	return x->oneline < y->oneline ? -1 : 1;
}

static int write_index(struct book *b)
{
	static const uint32_t magic[] = MAGIC_INDEX;
	uint32_t n = (uint32_t)b->n;
	FILE *f = fopen(b->index_path, "we");

	if (f == NULL)
		return book_complain(b->index_path);
	if (b->n > 0)
		qsort(b->lines, b->n, sizeof(b->lines[0]), by_place);
	fwrite(magic, sizeof(magic), 1, f);
	fwrite(&n, sizeof(n), 1, f);
	fwrite(b->lines, sizeof(b->lines[0]), b->n, f);
	return fclose(f);
}

void book_abandon(struct book *b)
{
	if (b->text != NULL)
		fclose(b->text);
	free(b->index_path);
	free(b->lines);
	memset(b, 0, sizeof(*b));
}

int book_finish(struct book *b)
{
	bool failed = ferror(b->text) != 0;
	int sts = fclose(b->text);

	b->text = NULL;
	if (sts != 0 || failed) {
		fprintf(stderr, "%s: cannot write the texts: %s\n", pmGetProgname(),
			strerror(errno));
		sts = -1;
	} else {
		sts = write_index(b);
	}
	book_abandon(b);
	return sts;
}
