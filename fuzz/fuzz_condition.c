/*
 * fuzz_condition - the text of a condition on a field, as a user or a script writes it. An accepted
 * condition has a name and a value from the text, and is true for a number exactly if its opposite
 * is false.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tools/pmevent/pmevent.h"

static bool holds(const char *name, const char *op, const char *value, const struct field *f)
{
	size_t room = strlen(name) + strlen(op) + strlen(value) + 1;
	char *text = malloc(room);
	struct condition c;
	bool result;

	FUZZ_REQUIRE(text != NULL);
	pmsprintf(text, room, "%s%s%s", name, op, value);
	FUZZ_REQUIRE(condition_parse(text, &c) == 0);
	result = condition_holds(&c, f);
	condition_done(&c);
	free(text);
	return result;
}

static void check_field(const struct condition *c, const struct field *f)
{
	int relations;

	condition_holds(c, f);
	if (c->value[0] == '=')
		return; /* would form another operator */
	relations = holds(c->name, "<", c->value, f) + holds(c->name, "=", c->value, f) +
		    holds(c->name, ">", c->value, f);
	FUZZ_REQUIRE(relations <= 1);
	FUZZ_REQUIRE(holds(c->name, "=", c->value, f) != holds(c->name, "!=", c->value, f));
	FUZZ_REQUIRE(holds(c->name, "<=", c->value, f) ==
		     (holds(c->name, "<", c->value, f) || holds(c->name, "=", c->value, f)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char word[] = "word";
	const struct field fields[] = {
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_32, .value.l = -17},
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_U64, .value.ull = UINT64_MAX},
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_FLOAT, .value.f = 0.1f},
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_STRING, .value.cp = word},
	};
	char *text = malloc(size + 1);
	struct condition c;
	int sts;

	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	sts = condition_parse(text, &c);
	FUZZ_REQUIRE(sts == 0 || sts == -EINVAL);
	if (sts == 0) {
		FUZZ_REQUIRE(strncmp(text, c.name, strlen(c.name)) == 0 && c.name[0] != '\0');
		FUZZ_REQUIRE(strstr(text, c.value) != NULL);
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			check_field(&c, &fields[i]);
		condition_done(&c);
	}
	free(text);
	return 0;
}
