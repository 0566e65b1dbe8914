/*
 * test_trace_line - an event as a line of text and of JSON: contents that could mislead a terminal
 * or a parser.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pitot/trace/line.h"
#include "tools/pitot/trace/source.h"

static const struct trace_type bytes = {.id = 10, .name = "t"},
			       odd = {.id = 11, .name = "a b\"\033[2J\xc2\x9b"},
			       nameless = {.id = 12, .name = ""},
			       number = {.id = 13,
					 .name = "n",
					 .nfield = 1,
					 .covered = 4,
					 .fields = {{"f", POSIX_TRACE_FIELD_FLOAT_NP, 0, 4, 0}}};

static const struct trace_type words = {.id = 14,
					.name = "s",
					.nfield = 1,
					.covered = 11,
					.fields = {{"t", POSIX_TRACE_FIELD_CHARS_NP, 0, 11, 0}}};

static const struct {
	const struct trace_type *type;
	const char *data;
	size_t length;
	int truncated;
	const char *text, *json; /* after the common beginning, except for the type in JSON */
} cases[] = {
    {&bytes, "", 0, 0, "t", "\"t\",\"truncated\":false,\"data\":\"\"}"},
    {&bytes, "hi \"you\\", 8, 0, "t \"hi \\\"you\\\\\"",
     "\"t\",\"truncated\":false,\"data\":\"68692022796f755c\"}"},
    {&bytes, "nul\0", 4, 0, "t \"nul\"", "\"t\",\"truncated\":false,\"data\":\"6e756c00\"}"},
    {&bytes, "\1\2", 2, 1, "t 0x0201 (truncated)", "\"t\",\"truncated\":true,\"data\":\"0102\"}"},
    {&bytes, "\33[2Jab|c\xff", 9, 0, "t 0x1b5b324a61627c63ff |.[2Jab|c.|",
     "\"t\",\"truncated\":false,\"data\":\"1b5b324a61627c63ff\"}"},
    {&odd, "x", 1, 0, "\"a b\\\"\\x1b[2J\\xc2\\x9b\" \"x\"",
     "\"a b\\\"\\u001b[2J\\u009b\",\"truncated\":false,\"data\":\"78\"}"},
    {&nameless, "x", 1, 0, "#12 \"x\"", "\"\",\"truncated\":false,\"data\":\"78\"}"},
    {&number, "\0\0\300\177", 4, 0, "n f=nan",
     "\"n\",\"truncated\":false,\"fields\":{\"f\":\"nan\"}}"},
    {&number, "\0\0\200\377", 4, 0, "n f=-inf",
     "\"n\",\"truncated\":false,\"fields\":{\"f\":\"-inf\"}}"},
    {&number, "\315\314\314\75zz", 6, 0, "n f=0.1 \"zz\"",
     "\"n\",\"truncated\":false,\"fields\":{\"f\":0.1},\"rest\":\"7a7a\"}"},
    {&bytes, "\15\0\0\0", 4, 0, "t 0x0000000d", NULL},
    {&bytes, "\1\2\3", 3, 0, "t 0x010203", NULL},
    {&bytes, "\1\2\3\4\5\6\7\200", 8, 0, "t 0x8007060504030201", NULL},
    {&words, "a\x9b\x33m\xc2\x9b\xff\xc3\xa9\n\"", 11, 0,
     "s t=\"a\\x9b3m\\xc2\\x9b\\xff\xc3\xa9\\n\\\"\"", NULL},
    {&number, "\1\2\3", 3, 0, "n 0x010203", "\"n\",\"truncated\":false,\"data\":\"010203\"}"},
};

/* The line of a case, which the caller frees. */
static char *line_of(size_t i, bool json)
{
	const struct trace_event e = {
	    .type = cases[i].type,
	    .info = {.posix_event_id = cases[i].type->id,
		     .posix_pid = 7,
		     .posix_timestamp = {.tv_sec = 1795333210, .tv_nsec = 5},
		     .posix_truncation_status = cases[i].truncated},
	    .data = (const uint8_t *)cases[i].data,
	    .length = cases[i].length};
	struct trace_source source = {0};
	struct trace_line line;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	trace_line_init(&line, out, json, true);
	trace_line_print(&line, &source, &e);
	fclose(out);
	return text;
}

static void test_text(void **state)
{
	static const char head[] = "2026-11-22 07:40:10.000000005 7 ";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *line = line_of(i, false);

		assert_int_equal(strncmp(line, head, strlen(head)), 0);
		line[strlen(line) - 1] = '\0';
		assert_string_equal(line + strlen(head), cases[i].text);
		free(line);
	}
}

/* The names in a filter are as untrusted as the name of an event. */
static void test_filter_names(void **state)
{
	static const struct trace_type start = {.id = POSIX_TRACE_START, .name = "start"};
	struct trace_type *types[16] = {[11] = (struct trace_type *)&odd};
	struct trace_source source = {.types = types, .ntypes = 16};
	struct trace_event e = {.type = &start, .info = {.posix_event_id = POSIX_TRACE_START}};
	struct trace_line line;
	trace_event_set_t set;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(11, &set);
	e.data = (const uint8_t *)&set;
	e.length = sizeof(set);
	trace_line_init(&line, out, false, true);
	trace_line_print(&line, &source, &e);
	fclose(out);
	assert_non_null(strstr(text, "filter={\"a b\\\"\\x1b[2J\\xc2\\x9b\"}"));
	free(text);
}

static void test_json(void **state)
{
	static const char head[] = "{\"ns\":1795333210000000005,\"time\":\"2026-11-22T07:40:10."
				   "000000005+0000\",\"pid\":7,\"tid\":0,\"thread\":\"0x0\","
				   "\"address\":\"0x0\",\"id\":";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].json == NULL)
			continue;
		char *line = line_of(i, true), *name = strstr(line, "\"name\":");

		assert_int_equal(strncmp(line, head, strlen(head)), 0);
		assert_non_null(name);
		line[strlen(line) - 1] = '\0';
		assert_string_equal(name + strlen("\"name\":"), cases[i].json);
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_filter_names),
	    cmocka_unit_test(test_json),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
