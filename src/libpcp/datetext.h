/*
 * datetext - "next Monday 3pm", "2 weeks ago", "20 Nov 2026 15:36": docs/spec/pmapi.md 15.4.
 * dateword.c splits the text into words and numbers; datetext.c makes an instant of them.
 */
#ifndef LIBPCP_DATETEXT_H
#define LIBPCP_DATETEXT_H

#include <time.h>

enum dateword_kind {
	DATE_END,
	DATE_NUMBER,   /* value, without sign in the text: "12", "next" */
	DATE_SIGNED,   /* value, with a sign */
	DATE_MONTH,    /* value 1..12 */
	DATE_DAY,      /* weekday, Sunday 0 */
	DATE_UNIT,     /* value in seconds */
	DATE_MONTHS,   /* unit: value in months */
	DATE_ALIGN,    /* today and its neighbours: value in days */
	DATE_MERIDIAN, /* value in hours: 0 or 12 */
	DATE_ZONE,     /* value in minutes west of Greenwich */
	DATE_DAYZONE,  /* the same, in summer */
	DATE_DST,
	DATE_AGO,
	DATE_CHAR, /* value: the character */
	DATE_UNKNOWN,
};

struct dateword {
	enum dateword_kind kind;
	int value;
};

/* The next one at *pos, which is moved on. */
struct dateword dateword_next(const char **pos);

/* The instant that text means, seen from base, in the reporting zone. 0, or -1 if it means none. */
int datetext_parse(const char *text, time_t base, time_t *ret_time);

#endif
