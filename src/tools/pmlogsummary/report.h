/*
 * report - the lines of the output.
 */
#ifndef PMLOGSUMMARY_REPORT_H
#define PMLOGSUMMARY_REPORT_H

struct archive_meta;
struct options;
struct subjects;
struct window;

/* Prints the line that names the fields. */
void report_header(const struct options *o);

/* Prints a line for each series. */
void report_all(const struct options *o, const struct subjects *s, struct archive_meta *meta,
		const struct window *window);

#endif
