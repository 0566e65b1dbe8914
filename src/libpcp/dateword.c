/*
 * dateword - the words and numbers of a date text (datetext.h). A word is known by its first three
 * letters or more; a number may have a sign.
 */
#include "libpcp/datetext.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "libbase/cleanup.h"

#define WORD_MAX   20
#define NUMBER_MAX 99999999 /* a date without hyphens */

#define HOUR     3600
#define DAY      (24 * HOUR)
#define HM(h, m) ((h)*60 + (m))

struct entry {
	const char *name;
	enum dateword_kind kind;
	int value;
};

/* clang-format off */
/* Words that may not be shortened or set in the plural. */
static const struct entry words[] = {
	{ "am", DATE_MERIDIAN, 0 }, { "pm", DATE_MERIDIAN, 12 },
	{ "sept", DATE_MONTH, 9 }, { "tues", DATE_DAY, 2 }, { "wednes", DATE_DAY, 3 },
	{ "thur", DATE_DAY, 4 }, { "thurs", DATE_DAY, 4 },
	{ "now", DATE_UNIT, 0 }, { "this", DATE_UNIT, 0 },
	{ "today", DATE_ALIGN, 0 }, { "yesterday", DATE_ALIGN, -1 }, { "tomorrow", DATE_ALIGN, 1 },
	{ "last", DATE_NUMBER, -1 }, { "next", DATE_NUMBER, 2 }, { "first", DATE_NUMBER, 1 },
	{ "third", DATE_NUMBER, 3 }, { "fourth", DATE_NUMBER, 4 }, { "fifth", DATE_NUMBER, 5 },
	{ "sixth", DATE_NUMBER, 6 }, { "seventh", DATE_NUMBER, 7 }, { "eighth", DATE_NUMBER, 8 },
	{ "ninth", DATE_NUMBER, 9 }, { "tenth", DATE_NUMBER, 10 },
	{ "eleventh", DATE_NUMBER, 11 }, { "twelfth", DATE_NUMBER, 12 },
	{ "ago", DATE_AGO, 0 }, { "dst", DATE_DST, 0 },
};

/* In full or by their first three letters. */
static const struct entry names[] = {
	{ "january", DATE_MONTH, 1 }, { "february", DATE_MONTH, 2 }, { "march", DATE_MONTH, 3 },
	{ "april", DATE_MONTH, 4 }, { "may", DATE_MONTH, 5 }, { "june", DATE_MONTH, 6 },
	{ "july", DATE_MONTH, 7 }, { "august", DATE_MONTH, 8 }, { "september", DATE_MONTH, 9 },
	{ "october", DATE_MONTH, 10 }, { "november", DATE_MONTH, 11 },
	{ "december", DATE_MONTH, 12 },
	{ "sunday", DATE_DAY, 0 }, { "monday", DATE_DAY, 1 }, { "tuesday", DATE_DAY, 2 },
	{ "wednesday", DATE_DAY, 3 }, { "thursday", DATE_DAY, 4 }, { "friday", DATE_DAY, 5 },
	{ "saturday", DATE_DAY, 6 },
};

/* With or without a plural s. */
static const struct entry units[] = {
	{ "year", DATE_MONTHS, 12 }, { "month", DATE_MONTHS, 1 },
	{ "fortnight", DATE_UNIT, 14 * DAY }, { "week", DATE_UNIT, 7 * DAY },
	{ "day", DATE_UNIT, DAY }, { "hour", DATE_UNIT, HOUR },
	{ "minute", DATE_UNIT, 60 }, { "min", DATE_UNIT, 60 },
	{ "second", DATE_UNIT, 1 }, { "sec", DATE_UNIT, 1 },
};

static const struct entry zones[] = {
	{ "gmt", DATE_ZONE, 0 }, { "ut", DATE_ZONE, 0 }, { "utc", DATE_ZONE, 0 },
	{ "wet", DATE_ZONE, 0 }, { "bst", DATE_DAYZONE, 0 },
	{ "wat", DATE_ZONE, HM(1, 0) }, { "at", DATE_ZONE, HM(2, 0) },
	{ "nt", DATE_ZONE, HM(11, 0) },
	{ "ast", DATE_ZONE, HM(4, 0) }, { "adt", DATE_DAYZONE, HM(4, 0) },
	{ "est", DATE_ZONE, HM(5, 0) }, { "edt", DATE_DAYZONE, HM(5, 0) },
	{ "cst", DATE_ZONE, HM(6, 0) }, { "cdt", DATE_DAYZONE, HM(6, 0) },
	{ "mst", DATE_ZONE, HM(7, 0) }, { "mdt", DATE_DAYZONE, HM(7, 0) },
	{ "pst", DATE_ZONE, HM(8, 0) }, { "pdt", DATE_DAYZONE, HM(8, 0) },
	{ "yst", DATE_ZONE, HM(9, 0) }, { "ydt", DATE_DAYZONE, HM(9, 0) },
	{ "hst", DATE_ZONE, HM(10, 0) }, { "hdt", DATE_DAYZONE, HM(10, 0) },
	{ "cat", DATE_ZONE, HM(10, 0) }, { "ahst", DATE_ZONE, HM(10, 0) },
	{ "idlw", DATE_ZONE, HM(12, 0) },
	{ "cet", DATE_ZONE, -HM(1, 0) }, { "met", DATE_ZONE, -HM(1, 0) },
	{ "mewt", DATE_ZONE, -HM(1, 0) }, { "mest", DATE_DAYZONE, -HM(1, 0) },
	{ "swt", DATE_ZONE, -HM(1, 0) }, { "sst", DATE_DAYZONE, -HM(1, 0) },
	{ "fwt", DATE_ZONE, -HM(1, 0) }, { "fst", DATE_DAYZONE, -HM(1, 0) },
	{ "eet", DATE_ZONE, -HM(2, 0) }, { "bt", DATE_ZONE, -HM(3, 0) },
	{ "wast", DATE_ZONE, -HM(7, 0) }, { "wadt", DATE_DAYZONE, -HM(7, 0) },
	{ "cct", DATE_ZONE, -HM(8, 0) }, { "jst", DATE_ZONE, -HM(9, 0) },
	{ "east", DATE_ZONE, -HM(10, 0) }, { "eadt", DATE_DAYZONE, -HM(10, 0) },
	{ "gst", DATE_ZONE, -HM(10, 0) },
	{ "nzt", DATE_ZONE, -HM(12, 0) }, { "nzst", DATE_ZONE, -HM(12, 0) },
	{ "nzdt", DATE_DAYZONE, -HM(12, 0) }, { "idle", DATE_ZONE, -HM(12, 0) },
};
/* clang-format on */

static const struct entry *dateword_find(const struct entry *table, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, table[i].name) == 0)
			return &table[i];
	return NULL;
}

/* A name in full or cut to three letters. */
static const struct entry *find_name(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(word, names[i].name) == 0 ||
		    (strlen(word) == 3 && strncmp(word, names[i].name, 3) == 0))
			return &names[i];
	return NULL;
}

static const struct entry *find_unit(char *word)
{
	const struct entry *e = dateword_find(units, ARRAY_SIZE(units), word);
	size_t len = strlen(word);

	if (e == NULL && len > 1 && word[len - 1] == 's') {
		word[len - 1] = '\0';
		e = dateword_find(units, ARRAY_SIZE(units), word);
		word[len - 1] = 's';
	}
	return e;
}

/* One letter: a to m without j are west of Greenwich, n to y east, z is there. */
static struct dateword military_zone(char letter)
{
	int hours = 0;

	if (letter >= 'a' && letter <= 'i')
		hours = letter - 'a' + 1;
	else if (letter >= 'k' && letter <= 'm')
		hours = letter - 'k' + 10;
	else if (letter >= 'n' && letter <= 'y')
		hours = -(letter - 'n' + 1);
	else if (letter != 'z')
		return (struct dateword){DATE_UNKNOWN, 0};
	return (struct dateword){DATE_ZONE, hours * 60};
}

static void drop_dots(char *word)
{
	char *to = word;

	for (; *word != '\0'; word++)
		if (*word != '.')
			*to++ = *word;
	*to = '\0';
}

/* word is in lower case. */
static struct dateword dateword_look_up(char *word)
{
	const struct entry *e;

	drop_dots(word);
	e = dateword_find(words, ARRAY_SIZE(words), word);
	if (e == NULL)
		e = find_name(word);
	if (e == NULL)
		e = find_unit(word);
	if (e == NULL)
		e = dateword_find(zones, ARRAY_SIZE(zones), word);
	if (e != NULL)
		return (struct dateword){e->kind, e->value};
	return strlen(word) == 1 ? military_zone(*word) : (struct dateword){DATE_UNKNOWN, 0};
}

static struct dateword take_word(const char **pos)
{
	char word[WORD_MAX + 1];
	size_t len = 0;

	while (isalpha((unsigned char)**pos) || **pos == '.') {
		if (len < WORD_MAX)
			word[len++] = (char)tolower((unsigned char)**pos);
		(*pos)++;
	}
	word[len] = '\0';
	return dateword_look_up(word);
}

/* With its sign, if it has one. A number that is too large becomes the largest. */
static struct dateword dateword_number(const char **pos)
{
	bool is_signed = **pos == '-' || **pos == '+';
	bool negative = **pos == '-';
	int n = 0;

	if (is_signed)
		(*pos)++;
	for (; isdigit((unsigned char)**pos); (*pos)++)
		n = n > NUMBER_MAX / 10 ? NUMBER_MAX : 10 * n + (**pos - '0');
	return (struct dateword){is_signed ? DATE_SIGNED : DATE_NUMBER, negative ? -n : n};
}

/* Skips blanks, comments in parentheses, and signs without a number after them. */
static void skip(const char **pos)
{
	int depth = 0;

	for (;; (*pos)++) {
		char c = **pos;

		if (c == '(')
			depth++;
		else if (c == ')' && depth > 0)
			depth--;
		else if (c == '\0' ||
			 (depth == 0 && !isspace((unsigned char)c) &&
			  !((c == '-' || c == '+') && !isdigit((unsigned char)(*pos)[1]))))
			return;
	}
}

struct dateword dateword_next(const char **pos)
{
	char c;

	skip(pos);
	c = **pos;
	if (c == '\0')
		return (struct dateword){DATE_END, 0};
	if (isdigit((unsigned char)c) || c == '-' || c == '+')
		return dateword_number(pos);
	if (isalpha((unsigned char)c))
		return take_word(pos);
	(*pos)++;
	return (struct dateword){DATE_CHAR, c};
}
