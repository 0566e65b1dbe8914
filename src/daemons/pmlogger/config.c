/* config - see config.h. */
#include "daemons/pmlogger/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemons/pmlogger/config_parser.h"

enum {
	TEXT_MAX = 256 << 20,
};

void config_init(struct config *c)
{
	*c = (struct config){.mem = ARENA_INIT};
}

void config_done(struct config *c)
{
	arena_done(&c->mem);
	config_init(c);
}

int config_parse(struct config *c, const char *text, size_t len, const char *file,
		 uint32_t default_ms)
{
	struct config_parser p = {
	    .c = c, .text = text, .len = len, .line = 1, .default_ms = default_ms};
	int r;

	if (len > TEXT_MAX)
		return -EFBIG;
	p.statements_end = &c->statements;
	p.access_end = &c->access;
	p.file = config_word(&p, file, strlen(file));
	r = config_run_grammar(&p);
	if (p.nomem)
		return -ENOMEM;
	if (r != 0 && c->error == NULL)
		config_error(&p, "syntax error"); /* nested too deep */
	return c->error != NULL ? -EINVAL : 0;
}

uint32_t config_shortest_ms(const struct config *c)
{
	uint32_t shortest = 0;

	for (const struct config_statement *s = c->statements; s != NULL; s = s->next) {
		if (s->state == CONFIG_ON && s->delta_ms > 0 &&
		    (shortest == 0 || s->delta_ms < shortest))
			shortest = s->delta_ms;
	}
	return shortest;
}

void config_print_error(const struct config *c)
{
	fprintf(stderr, "Specification error in configuration file (%s)\n[line %u] %s\n",
		c->error_file, c->error_line, c->error);
}
