/*
 * line - an event as a line of text or JSON.
 */
#ifndef PITOT_TRACE_LINE_H
#define PITOT_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct trace_event;
struct trace_source;

struct trace_line {
	FILE *out;
	bool json, date;
	/* The last conversion of a second. */
	time_t second;
	char day[16], clock[16], zone[8];
};

/* Lines go to out. */
void trace_line_init(struct trace_line *l, FILE *out, bool json, bool date);

/* Text; a name or a text of the event can't do anything to a terminal. */
void trace_line_print(struct trace_line *l, struct trace_source *s, const struct trace_event *e);

/* The beginning of an object of a line: {"ns":N,"time":"..." without a comma after it. */
void trace_json_head(struct trace_line *l, int64_t ns);

/* A string of n bytes in JSON, with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void trace_json_string(FILE *out, const char *text, size_t n);

#endif
