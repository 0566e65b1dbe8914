#include "tools/pmevent/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pmevent/routine.h"
#include "tools/pmevent/record.h"

#define DIM  "2"
#define BOLD "1"
#define RED  "31"

bool line_has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0 &&
	       isatty(STDOUT_FILENO);
}

static void begin(const struct line *l, const char *colour)
{
	if (l->colours)
		printf("\033[%sm", colour);
}

static void end(const struct line *l)
{
	if (l->colours)
		fputs("\033[0m", stdout);
}

/* A control character of the second half of Latin-1, which takes two bytes in UTF-8. */
static bool is_c1(const unsigned char *text, size_t i)
{
	return i > 0 && text[i - 1] == 0xc2 && text[i] >= 0x80 && text[i] < 0xa0;
}

/*
 * Prints text; bytes that a terminal would not show unchanged become \xNN. Quotes and backslashes
 * too, if quoted.
 */
static void print_safe(const char *s, bool quoted)
{
	const unsigned char *text = (const unsigned char *)s;

	for (size_t i = 0; text[i] != '\0'; i++) {
		if (quoted && (text[i] == '"' || text[i] == '\\'))
			printf("\\%c", text[i]);
		else if (quoted && text[i] == '\n')
			fputs("\\n", stdout);
		else if (text[i] < ' ' || text[i] == 0x7f || is_c1(text, i))
			printf("\\x%02x", text[i]);
		else
			putchar(text[i]);
	}
}

static void print_text(const char *s)
{
	putchar('"');
	print_safe(s, true);
	putchar('"');
}

static void print_stamp(const struct line *l, const struct record *r)
{
	time_t clock = r->stamp.tv_sec;
	struct tm tm = {0}; /* pmLocaltime() leaves tm alone if the year does not fit */

	pmLocaltime(&clock, &tm);
	begin(l, DIM);
	if (l->date)
		printf("%04d-%02d-%02d ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	printf("%02d:%02d:%02d.", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (r->nanoseconds)
		printf("%09ld", r->stamp.tv_nsec);
	else
		printf("%06ld", r->stamp.tv_nsec / 1000);
	end(l);
}

static void print_origin(const struct line *l, const struct record *r)
{
	if (!l->metrics && r->instance == NULL)
		return;
	putchar(' ');
	if (l->metrics)
		fputs(r->metric, stdout);
	if (r->instance != NULL) {
		putchar('[');
		print_safe(r->instance, false);
		putchar(']');
	}
}

/* Prints a name unchanged, unless it could be mistaken for something else. */
static void print_event(const struct line *l, const struct record *r)
{
	putchar(' ');
	begin(l, BOLD);
	if (r->event == NULL)
		putchar('-');
	else if (r->event[0] == '\0' || strpbrk(r->event, " \t\"=") != NULL)
		print_text(r->event);
	else
		print_safe(r->event, false);
	end(l);
}

static void print_field(const struct field *f)
{
	char number[FIELD_NUMBER], *text;

	printf(" %s=", f->name);
	if (field_is_number(f)) {
		fputs(field_number(f, number), stdout);
	} else if (f->type == PM_TYPE_STRING) {
		print_text(f->value.cp);
	} else {
		text = field_text(f);
		printf("0x%s", text != NULL ? text : "");
		free(text);
	}
}

/* Prints the event's own fields, or those that its agent adds to each event. */
static void print_fields(const struct line *l, const struct record *r, bool routines)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct field *f = &r->fields[i];

		if (!f->is_event && routine_is(f) == routines && (l->all || routine_is_notable(f, r)))
			print_field(f);
	}
}

void line_print(const struct line *l, const struct record *r)
{
	char flags[64];

	print_stamp(l, r);
	print_origin(l, r);
	if (r->missed) {
		putchar(' ');
		begin(l, RED);
		printf("missed %u event%s", r->n_missed, r->n_missed == 1 ? "" : "s");
		end(l);
	} else {
		print_event(l, r);
		print_fields(l, r, false);
		print_fields(l, r, true);
		if (record_flags(r, flags, sizeof(flags))[0] != '\0')
			printf(" (%s)", flags);
	}
	putchar('\n');
}
