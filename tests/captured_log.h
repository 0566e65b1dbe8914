/*
 * captured_log - the text that a library writes to the log, which is stderr in a test program.
 *
 *     captured_log_begin();  calls;  captured_log_end();  captured_log_count("text")
 */
#ifndef TESTS_CAPTURED_LOG_H
#define TESTS_CAPTURED_LOG_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char captured_log[1 << 16];
static int captured_log_stderr = -1;
static FILE *captured_log_file;

static void captured_log_begin(void)
{
	captured_log_file = tmpfile();
	assert_non_null(captured_log_file);
	fflush(stderr);
	captured_log_stderr = dup(2);
	dup2(fileno(captured_log_file), 2);
}

static void captured_log_end(void)
{
	size_t n;

	fflush(stderr);
	dup2(captured_log_stderr, 2);
	close(captured_log_stderr);
	rewind(captured_log_file);
	n = fread(captured_log, 1, sizeof(captured_log) - 1, captured_log_file);
	captured_log[n] = '\0';
	fclose(captured_log_file);
}

/* How often the text occurs in what was captured last. */
static int captured_log_count(const char *text)
{
	int n = 0;

	for (const char *p = captured_log; (p = strstr(p, text)) != NULL; p += strlen(text))
		n++;
	return n;
}

#endif
