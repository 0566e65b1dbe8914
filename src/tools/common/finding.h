/*
 * finding - messages that report a fault, a partial result or a refused command.
 *
 * Tools end with 0 after most of them, as PCP's do. With --strict a tool ends with 1 instead, so that a script need
 * not read its messages.
 */
#ifndef TOOLS_COMMON_FINDING_H
#define TOOLS_COMMON_FINDING_H

#include <stdio.h>

/* The long option; its letter is in no tool's list of letters. */
enum { FINDING_STRICT = 6 };
/* clang-format off */
#define FINDING_STRICT_ROWS \
	{ "strict", 0, FINDING_STRICT, NULL, NULL }, \
	{ "", 0, '|', NULL, "  --strict              exit with status 1 for findings, partial results and refused commands" }
/* clang-format on */

/* From now on findings count for the exit status. */
void finding_be_strict(void);

/* Standard error, for the message of a finding, which is counted. */
FILE *finding(void);

/* The exit status: 1 instead of 0 if there was a finding and they count. */
int finding_status(int status);

#endif
