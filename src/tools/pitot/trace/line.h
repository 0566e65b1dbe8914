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
	/* The second that was formatted last. */
	time_t second;
	char day[16], clock[16], zone[8];
};

/* Lines are written to out. */
void trace_line_init(struct trace_line *l, FILE *out, bool json, bool date);

/* Prints a line of text. Names and texts of the event cannot control the terminal. */
void trace_line_print(struct trace_line *l, struct trace_source *s, const struct trace_event *e);

/* Prints the beginning of a line's object: {"ns":N,"time":"..." without a comma after it. */
void trace_json_head(struct trace_line *l, int64_t ns);

#endif
