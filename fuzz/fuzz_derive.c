/*
 * fuzz_derive - the expression of a derived metric. A mistake is inside the text and has a code; an
 * expression that is read has its operands before each node, and the rules take it or say why not.
 */
#include <errno.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"
#include "libpcp/derive/parse.h"
#include "libpcp/derive/rules.h"

/* Each name is that of a metric whose kind comes from its letters. */
static pmDesc desc_of(const char *name)
{
	unsigned int n = (unsigned char)name[0] + (unsigned int)strlen(name);

	return (pmDesc){
	    .type = (int)(n % (PM_TYPE_EVENT + 1)),
	    .indom = n % 3 == 0 ? PM_INDOM_NULL : n % 4,
	    .sem = n % 5 == 0 ? PM_SEM_COUNTER : PM_SEM_INSTANT,
	    .units = {.dimSpace = n % 2, .dimTime = (int)(n % 3) - 1, .scaleTime = n % 6},
	};
}

static void check_meaning(const struct expr *e)
{
	struct rule *rules = calloc((size_t)e->n, sizeof(rules[0]));
	struct buffer text = BUFFER_INIT;
	const char *reason = NULL;
	int r = 0;

	FUZZ_REQUIRE(rules != NULL);
	for (int i = 0; i < e->n && r == 0; i++) {
		for (int k = 0; k < EXPR_ARGS; k++)
			FUZZ_REQUIRE(e->nodes[i].arg[k] >= EXPR_NONE && e->nodes[i].arg[k] < i);
		if (e->nodes[i].op == EXPR_NAME)
			rules[i].desc = desc_of(e->nodes[i].text);
		r = rules_apply(e, rules, i, &reason);
		FUZZ_REQUIRE((r == 0) == (reason == NULL));
		if (r < 0)
			rules_render(e, i, reason, &text);
	}
	buffer_done(&text);
	free(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct expr e = {0};
	struct parse p = {.e = &e};
	char *text = malloc(size + 1);
	int r;

	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	r = parse_run(&p, text);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_BADDERIVE || r == -ENOMEM);
	FUZZ_REQUIRE(p.at >= -1 && p.at <= (int)strlen(text));
	if (r == 0) {
		FUZZ_REQUIRE(e.n > 0);
		check_meaning(&e);
	}
	expr_done(&e);
	free(text);
	return 0;
}
