/*
 * heading - the label of an archive, for people.
 */
#ifndef TOOLS_ARCHIVE_HEADING_H
#define TOOLS_ARCHIVE_HEADING_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/archive/stamp.h"

struct log_label;
struct timespec;

/* How a tool prints one: blanks before its times, and how fine they are. */
struct heading_style {
	int indent;
	enum stamp_digits digits;
	bool features;   /* heading_more has a line for them, and for the zone's name */
	const char *why; /* the last time is unknown, in brackets; NULL: no reason */
};

/* Digits that an archive of this version has. */
enum stamp_digits heading_digits(const struct log_label *label);

/* Version, host, first and last time (NULL: unknown). */
void heading_print(FILE *f, const struct log_label *label, const struct timespec *end,
		   const struct heading_style *style);

/* Time zone and logger: what -L adds. */
void heading_more(FILE *f, const struct log_label *label, const struct heading_style *style);

#endif
