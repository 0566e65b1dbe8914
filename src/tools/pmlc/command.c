/* command - see command.h. */
#include "tools/pmlc/command.h"

void command_reset(struct command *c)
{
	struct arena mem = c->mem;

	arena_reset(&mem);
	*c = (struct command){.mem = mem};
}

void command_done(struct command *c)
{
	arena_done(&c->mem);
	*c = (struct command){0};
}
