/* test_config - the language of docs/spec/logger.md A2: what is in it, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/pmlogger/config.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"

/* A short form of a parsed configuration. */
static void describe(const struct config *c, struct buffer *out)
{
	static const char *const states[] = {"off", "maybe", "on"};

	for (const struct config_statement *s = c->statements; s != NULL; s = s->next) {
		buffer_printf(out, "%s %s %u:", s->mandatory ? "M" : "A", states[s->state],
			      s->delta_ms);
		for (const struct config_metric *m = s->metrics; m != NULL; m = m->next) {
			buffer_printf(out, " %s", m->name);
			for (const struct config_inst *i = m->insts; i != NULL; i = i->next) {
				if (i->name != NULL)
					buffer_printf(out, "<%s>", i->name);
				else
					buffer_printf(out, "<#%d>", i->number);
			}
		}
		buffer_printf(out, ";");
	}
	for (const struct config_access *a = c->access; a != NULL; a = a->next) {
		buffer_printf(out, "%u/%u", a->specified, a->denied);
		for (const struct config_host *h = a->hosts; h != NULL; h = h->next)
			buffer_printf(out, " %s", h->name);
		buffer_printf(out, ";");
	}
	if (c->error != NULL)
		buffer_printf(out, "!%s:%u %s", c->error_file, c->error_line, c->error);
}

static const struct row {
	const char *text;
	const char *says;
} rows[] = {
    {"", ""},
    {"# nothing\n", ""},
    {"log mandatory on 1 sec { a.b c }", "M on 1000: a.b c;"},
    {"on once a", "A on 0: a;"},
    {"advisory on every 2 mins {a, b}", "A on 120000: a b;"},
    {"mandatory on default a", "M on 7000: a;"},
    {"mandatory off { a } log off b", "M off 0: a;A off 0: b;"},
    {"advisory off a", "A off 0: a;"},
    {"mandatory maybe a", "M maybe 0: a;"},
    {"mandatory on 1 hour a [ \"1 minute\" 5, x ]", "M on 3600000: a<1 minute><#5><x>;"},
    {"mandatory on 500 msec { log.on.access default [3] sec }",
     "M on 500: log.on.access default<#3> sec;"},
    {"log mandatory on once { sec }", "M on 0: sec;"},
    {"log mandatory on 0 sec a", "M on 0: a;"},
    {"log mandatory on once {a}\n[access]\nallow localhost : all;\n"
     "disallow .*, 10.1.*, fe80::*, unix:/a* : mandatory, advisory;\n"
     "allow my-host.org : all except enquire; disallow * : all except enquire;\n"
     "allow b : enquire;",
     "M on 0: a;7/0 localhost;3/3 .* 10.1.* fe80::* unix:/a*;7/4 my-host.org;7/3 *;4/0 b;"},
    {"# 12 \"other\"\nlog on\n# 7 \"third\"\n{ }", "A on 0:;!third:7 syntax error"},
    {"advisory maybe a", "!f:1 syntax error"},
    {"log on once { }", "A on 0:;!f:1 syntax error"},
    {"log on 1 sec\n\na [access]\nallow a : all;", "A on 1000: a;!f:3 syntax error"},
    {"log on 74 hours a log on 75 hours b",
     "A on 266400000: a;A on 0:;!f:1 Logging delta (270000000 msec) cannot be bigger than "
     "268435455 msec"},
    {"\n\nlog $", "!f:3 Unexpected character '$'"},
    {"Log on once a", "!f:1 syntax error"},
    {"log on once a [ \"\" ]", "A on 0: a;!f:1 Unexpected character '\"'"},
};

static void language(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buffer says = BUFFER_INIT;
		struct config c;
		int r;

		config_init(&c);
		r = config_parse(&c, rows[i].text, strlen(rows[i].text), "f", 7000);
		describe(&c, &says);
		assert_string_equal(buffer_str(&says), rows[i].says);
		assert_int_equal(r, strchr(rows[i].says, '!') != NULL ? -22 : 0);
		config_done(&c);
		buffer_done(&says);
	}
}

/* Truncations are errors or shorter configurations, never more. */
static void truncations(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t len = 0; len < strlen(rows[i].text); len++) {
			struct config c;

			config_init(&c);
			config_parse(&c, rows[i].text, len, "f", 7000);
			config_done(&c);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(language),
	    cmocka_unit_test(truncations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
