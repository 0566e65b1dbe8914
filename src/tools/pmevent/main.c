/*
 * pmevent - events of event metrics: in the form of pmval(1), or one a line (docs/spec/tools.md
 * 4.1).
 */
#include "tools/common/output.h"
#include "tools/pmevent/command.h"
#include "tools/pmevent/feed.h"
#include "tools/pmval/pmval.h"

int main(int argc, char **argv)
{
	struct command c;
	int status;

	if (!command_is_ours(argc, argv))
		return pmval_run(argc, argv, command_rows(), command_letters);
	if (command_parse(&c, argc, argv, &status))
		status = feed_run(&c, argc, argv);
	command_done(&c);
	return output_finish(status);
}
