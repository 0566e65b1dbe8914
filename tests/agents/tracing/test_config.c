/* config - statements, their meaning, and the positions of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <trace.h>

#include "config.h"

static const char *parse(const char *text, struct config *config)
{
	static char message[200];

	message[0] = '\0';
	if (config_parse(config, "f", text, message, sizeof(message)) == 0)
		assert_string_equal(message, "");
	else
		assert_true(message[0] != '\0' && config->nrules == 0);
	return message;
}

static void test_amounts(void **state)
{
	struct config c;

	assert_string_equal(parse("", &c), "");
	assert_true(c.queue == 1 << 20 && c.memory == 64 << 20 && c.linger_s == 60 &&
		    c.recent == 16);
	assert_string_equal(parse(" queue 64k;memory 2G ; # a word\nlinger 0 ;recent 3;", &c), "");
	assert_true(c.queue == 65536 && c.memory == UINT64_C(2) << 30 && c.linger_s == 0 &&
		    c.recent == 3);
	config_done(&c);
}

static void test_rules(void **state)
{
	struct config c;
	const struct config_rule *rule;

	assert_string_equal(
	    parse("ignore user=eve ;\n"
		  "attach user=a* command=\"my prog\"\n\tevents=x,y size=1m policy=until_full;\n"
		  "attach command=[xyz] ;",
		  &c),
	    "");
	assert_false(config_find(&c, "eve", "x")->attach);
	rule = config_find(&c, "adam", "my prog");
	assert_true(rule->attach && rule->size == 1 << 20 &&
		    rule->policy == POSIX_TRACE_UNTIL_FULL);
	assert_string_equal(rule->events, "x,y");
	assert_string_equal(
	    rule->text, "attach user=a* command=\"my prog\"  events=x,y size=1m policy=until_full");
	rule = config_find(&c, "bob", "y");
	assert_true(rule->attach && rule->size == 0 && rule->policy == POSIX_TRACE_LOOP);
	assert_null(config_find(&c, "bob", "my prog"));
	config_done(&c);
	assert_null(config_find(&c, "eve", "x"));
}

static void test_mistakes(void **state)
{
	static const char *const cases[][2] = {
	    {"attach", "f:1: the last statement has no ;"},
	    {"attach ;\n\nqueue x ;", "f:3: not a number: x"},
	    {"queue 1 ;", "f:1: out of range: 1"},
	    {"queue 99999999999999999999 ;", "f:1: not a number: 99999999999999999999"},
	    {"queue 1mm ;", "f:1: not a number: 1mm"},
	    {"queue ;", "f:1: not a number: ;"},
	    {"queue 8k 9k ;", "f:1: expected ; and not 9k"},
	    {"recent 257 ;", "f:1: out of range: 257"},
	    {"linger 601 ;", "f:1: out of range: 601"},
	    {"attach user=a user=b ;", "f:1: said twice: user=b"},
	    {"attach pid=1 ;", "f:1: unknown: pid=1"},
	    {"attach policy=flush ;", "f:1: policy is loop or until_full, not flush"},
	    {"attach\ncommand=\"a\nb\" ;", "f:2: a quoted word does not end"},
	    {"attach command=\"a", "f:1: a quoted word does not end"},
	    {"follow ;", "f:1: unknown: follow"},
	};
	char word[700] = "attach command=";
	struct config c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(parse(cases[i][0], &c), cases[i][1]);
	memset(word + strlen(word), 'x', 600);
	assert_string_equal(parse(word, &c), "f:1: a word is too long");
}

static void test_files(void **state)
{
	char path[] = "/tmp/test_config_XXXXXX", message[200] = "";
	int fd = mkstemp(path);
	struct config c;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "queue 8k ;", 10), 10);
	assert_int_equal(config_load(&c, path, message, sizeof(message)), 0);
	assert_int_equal(c.queue, 8192);
	assert_int_equal(write(fd, "\0", 1), 1);
	assert_true(config_load(&c, path, message, sizeof(message)) < 0);
	assert_non_null(strstr(message, ": not a text"));
	close(fd);
	unlink(path);
	assert_int_equal(config_load(&c, path, message, sizeof(message)), 0);
	assert_true(config_load(&c, "/", message, sizeof(message)) < 0);
	assert_true(strncmp(message, "/: ", 3) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_amounts),
	    cmocka_unit_test(test_rules),
	    cmocka_unit_test(test_mistakes),
	    cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
