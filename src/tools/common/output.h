/*
 * output - the end of a program that has written its report to standard output.
 */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

/*
 * Flushes standard output. Returns status, or 1 where a write has failed; that is reported on
 * standard error, except a pipe whose reader has gone: there is nobody left who wants the rest.
 */
int output_finish(int status);

#endif
