/*
 * One object a source and sample, on a line. Numbers are not rounded, and a value that the source
 * does not have is null.
 */
#include "tools/pmstat/pmstat.h"

#include <stdio.h>

#include "tools/common/jsontext.h"

static void put_number(struct jsontext *j, const char *name, const struct source *s, int metric)
{
	if (s->stss[metric] < 0)
		jsontext_null(j, name);
	else
		jsontext_atom(j, name, &s->values[metric], PM_TYPE_U64);
}

static void put_cpu(struct jsontext *j, const struct source *s)
{
	static const char *const names[LINE_CPU_SHARES] = {"user", "system", "idle", "wait",
							   "steal"};
	double percent;

	jsontext_begin(j, "cpu", '{');
	for (int i = 0; i < LINE_CPU_SHARES; i++) {
		if (line_cpu_share(s, i, &percent))
			jsontext_double(j, names[i], percent);
		else
			jsontext_null(j, names[i]);
	}
	jsontext_end(j, '}');
}

void json_print_values(const struct source *s)
{
	static const char *const names[] = {
	    [SWAP_USED] = "swap_used", [MEM_FREE] = "free",       [MEM_BUFFERS] = "buffers",
	    [MEM_CACHED] = "cached",   [PAGE_IN] = "page_in",     [PAGE_OUT] = "page_out",
	    [BLOCK_IN] = "block_in",   [BLOCK_OUT] = "block_out", [INTERRUPTS] = "interrupts",
	    [SWITCHES] = "switches",
	};
	struct jsontext j = {.out = stdout};

	jsontext_begin(&j, NULL, '{');
	jsontext_time(&j, &s->stamp);
	jsontext_text(&j, "host", s->host);
	if (s->stss[LOAD] < 0)
		jsontext_null(&j, "load");
	else
		jsontext_float(&j, "load", s->values[LOAD].f);
	for (int i = SWAP_USED; i <= SWITCHES; i++) {
		const char *name = names[i];

		if (s->swaps && i == PAGE_IN)
			name = "swap_in";
		else if (s->swaps && i == PAGE_OUT)
			name = "swap_out";
		put_number(&j, name, s, i);
	}
	put_cpu(&j, s);
	jsontext_end(&j, '}');
	putchar('\n');
}

void json_print_failure(const struct source *s, int sts)
{
	struct jsontext j = {.out = stdout};

	jsontext_begin(&j, NULL, '{');
	jsontext_text(&j, "host", s->host);
	jsontext_failure(&j, sts);
	jsontext_end(&j, '}');
	putchar('\n');
}
