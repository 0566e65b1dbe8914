/* config_check - see config_check.h. */
#include "daemons/pmlogger/config_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/preprocess.h"
#include "libbase/buffer.h"

/* 0: nothing is logged again and again. */
static uint32_t shortest_ms(const struct config *c)
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

int config_check(const char *file, uint32_t default_ms)
{
	struct buffer text = BUFFER_INIT;
	struct config config;
	const char *name;
	int r = preprocess(file, &text, &name);

	config_init(&config);
	if (r == 0)
		r = config_parse(&config, (const char *)text.data, text.len, name, default_ms);
	if (r == -EINVAL && config.error != NULL)
		config_print_error(&config);
	else if (r < 0)
		fprintf(stderr, "%s: Cannot check the configuration: %s\n", pmGetProgname(),
			pmErrStr(r));
	else
		fprintf(stderr, "Config parsed, shortest interval %u msec\n",
			shortest_ms(&config));
	buffer_done(&text);
	config_done(&config);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
