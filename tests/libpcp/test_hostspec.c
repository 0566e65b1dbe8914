/* The meaning of a specification, and the exact position of an error (docs/spec/pmcd.md 12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/hostspec.h"

/* "protocol|host|ports|proxy|ports|path", "-" for what is not there. */
static void describe(const struct hostspec *s, char *buf, size_t size)
{
	static const char *const names[] = {"plain", "pcps", "local", "unix"};
	char ports[2][64] = {"", ""};
	const struct hostspec_host *hosts[] = {&s->host, &s->proxy};

	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; j < hosts[i]->nports; j++)
			snprintf(ports[i] + strlen(ports[i]), sizeof(ports[i]) - strlen(ports[i]),
				 "%s%d", j == 0 ? "" : ",", hosts[i]->ports[j]);
	}
	snprintf(buf, size, "%s|%s|%s|%s|%s|%s", names[s->protocol],
		 s->host.name == NULL ? "-" : s->host.name, ports[0],
		 s->proxy.name == NULL ? "-" : s->proxy.name, ports[1],
		 s->path == NULL ? "-" : s->path);
}

/* clang-format off */
static const struct {
	const char *text;
	const char *want;
} good[] = {
	{ "h",                       "plain|h||-||-" },
	{ "h:1",                     "plain|h|1|-||-" },
	{ "h:1,22,333",              "plain|h|1,22,333|-||-" },
	{ "h:007",                   "plain|h|7|-||-" },
	{ "h:65535",                 "plain|h|65535|-||-" },
	{ "h:65536",                 "plain|h|65536|-||-" },
	{ "h:99999999999999999999",  "plain|h|65536|-||-" },
	{ "[::1]",                   "plain|::1||-||-" },
	{ "[::1]:4",                 "plain|::1|4|-||-" },
	{ "[]",                      "plain|||-||-" },
	{ "[a@b?c/d]:1",             "plain|a@b?c/d|1|-||-" },
	{ "a]b",                     "plain|a]b||-||-" },
	{ "a b",                     "plain|a b||-||-" },
	{ "pcp:h",                   "plain|h||-||-" },
	{ "pcp:////h:3",             "plain|h|3|-||-" },
	{ "pcps://h",                "pcps|h||-||-" },
	{ "h@p",                     "plain|h||p||-" },
	{ "h:1@p:2",                 "plain|h|1|p|2|-" },
	{ "h@[::2]:5",               "plain|h||::2|5|-" },
	{ "h@p:2@q:3",               "plain|h||p|2|-" },
	{ "h@",                      "plain|h||||-" },
	{ "h@:7",                    "plain|h|||7|-" },
	{ "h/x:y",                   "plain|h||-||-" },
	{ "h:1/x@y:z?container=c",   "plain|h|1|-||-" },
	{ "h?",                      "plain|h||-||-" },
	{ "local:",                  "local|-||-||-" },
	{ "unix:",                   "unix|-||-||-" },
	{ "unix:///",                "unix|-||-||-" },
	{ "unix:/a/b",               "unix|-||-||/a/b" },
	{ "unix:a/b",                "unix|-||-||/a/b" },
	{ "unix://a/b?container=c",  "unix|-||-||/a/b" },
	{ "local:x@y",               "local|-||-||/x@y" },
};

static const struct {
	const char *text;
	int code;
	const char *reason;
	size_t pos;
} bad[] = {
	{ "",          PM_ERR_NOTHOST, NULL, 0 },
	{ "pcp:",      PM_ERR_NOTHOST, NULL, 0 },
	{ "pcps://",   PM_ERR_NOTHOST, NULL, 0 },
	{ "/h",        PM_ERR_NOTHOST, NULL, 0 },
	{ "?a",        PM_ERR_NOTHOST, NULL, 0 },
	{ ":",         PM_ERR_GENERIC, "unexpected terminal character", 0 },
	{ ":44321",    PM_ERR_GENERIC, "unexpected terminal character", 0 },
	{ "@p",        PM_ERR_GENERIC, "unexpected terminal character", 0 },
	{ "pcp:@p",    PM_ERR_GENERIC, "unexpected terminal character", 4 },
	{ "unix:/x:1", PM_ERR_GENERIC, "unexpected terminal character", 7 },
	{ "local:a:",  PM_ERR_GENERIC, "unexpected terminal character", 7 },
	{ "[::1",      PM_ERR_GENERIC, "missing closing ']' for host spec", 4 },
	{ "[",         PM_ERR_GENERIC, "missing closing ']' for host spec", 1 },
	{ "a@[b",      PM_ERR_GENERIC, "missing closing ']' for host spec", 4 },
	{ "[::1]x",    PM_ERR_GENERIC, "extra characters after host spec", 5 },
	{ "a@[b]c",    PM_ERR_GENERIC, "extra characters after host spec", 5 },
	{ "a:",        PM_ERR_GENERIC, "missing port", 2 },
	{ "a:1,",      PM_ERR_GENERIC, "missing port", 4 },
	{ "a:,1",      PM_ERR_GENERIC, "missing port", 2 },
	{ "a:1,,2",    PM_ERR_GENERIC, "missing port", 4 },
	{ "a:@b",      PM_ERR_GENERIC, "missing port", 2 },
	{ "a:?x",      PM_ERR_GENERIC, "missing port", 2 },
	{ "http://x",  PM_ERR_GENERIC, "missing port", 5 },
	{ "a@b:",      PM_ERR_GENERIC, "missing port", 4 },
	{ "a:b",       PM_ERR_GENERIC, "non-numeric port", 2 },
	{ "a:1x",      PM_ERR_GENERIC, "non-numeric port", 3 },
	{ "a:-1",      PM_ERR_GENERIC, "non-numeric port", 2 },
	{ "a: 1",      PM_ERR_GENERIC, "non-numeric port", 2 },
	{ "a:0x1",     PM_ERR_GENERIC, "non-numeric port", 3 },
	{ "a:1:2",     PM_ERR_GENERIC, "non-numeric port", 3 },
	{ "a:1@b:x",   PM_ERR_GENERIC, "non-numeric port", 6 },
	{ "PCP:h",     PM_ERR_GENERIC, "non-numeric port", 4 },
};

static const struct {
	const char *text;
	enum hostspec_attr attr;
	const char *want; /* NULL: absent */
} attrs[] = {
	{ "h?container=x",             HOSTSPEC_CONTAINER, "x" },
	{ "h?container",               HOSTSPEC_CONTAINER, "" },
	{ "h?container=",              HOSTSPEC_CONTAINER, "" },
	{ "h?containers=x",            HOSTSPEC_CONTAINER, NULL },
	{ "h?contain=x",               HOSTSPEC_CONTAINER, NULL },
	{ "h?a=b&container=x&c",       HOSTSPEC_CONTAINER, "x" },
	{ "h?&&container=x&&",         HOSTSPEC_CONTAINER, "x" },
	{ "h?container=a&container=b", HOSTSPEC_CONTAINER, "b" },
	{ "h?container=a=b?c",         HOSTSPEC_CONTAINER, "a=b?c" },
	{ "h?container=a+b%20%2fc",    HOSTSPEC_CONTAINER, "a b /c" },
	{ "h?container=%zz%4",         HOSTSPEC_CONTAINER, "%zz%4" },
	{ "h?container=%",             HOSTSPEC_CONTAINER, "%" },
	{ "h/?container=x",            HOSTSPEC_CONTAINER, NULL },
	{ "unix:/p?user=me",           HOSTSPEC_USERNAME,  "me" },
	{ "h?pass=a%26b",              HOSTSPEC_PASSWORD,  "a&b" },
	{ "h?authmeth=plain",          HOSTSPEC_METHOD,    "plain" },
	{ "h?authorize",               HOSTSPEC_USERAUTH,  "" },
	{ "h?secure=relaxed",          HOSTSPEC_SECURE,    "relaxed" },
};
/* clang-format on */

static void test_good(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct hostspec_error error;
		struct hostspec spec;
		char text[256];

		print_message("%s\n", good[i].text);
		assert_int_equal(hostspec_parse(good[i].text, &spec, &error), 0);
		describe(&spec, text, sizeof(text));
		assert_string_equal(text, good[i].want);
		hostspec_done(&spec);
	}
}

static void test_bad(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct hostspec_error error = {NULL, 0};
		struct hostspec spec;

		print_message("%s\n", bad[i].text);
		assert_int_equal(hostspec_parse(bad[i].text, &spec, &error), bad[i].code);
		if (bad[i].reason == NULL) {
			assert_null(error.reason);
			continue;
		}
		assert_string_equal(error.reason, bad[i].reason);
		assert_int_equal(error.pos, bad[i].pos);
	}
}

static void test_attrs(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		struct hostspec_error error;
		struct hostspec spec;

		print_message("%s\n", attrs[i].text);
		assert_int_equal(hostspec_parse(attrs[i].text, &spec, &error), 0);
		if (attrs[i].want == NULL)
			assert_null(spec.attrs[attrs[i].attr]);
		else
			assert_string_equal(spec.attrs[attrs[i].attr], attrs[i].want);
		hostspec_done(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_good),
	    cmocka_unit_test(test_bad),
	    cmocka_unit_test(test_attrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
