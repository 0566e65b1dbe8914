/*
 * main - the program pmval.
 */
#include "tools/pmval/pmval.h"

static const struct cmdline_row rows[] = {PMVAL_ROWS, {PMAPI_OPTIONS_END}};

int main(int argc, char **argv)
{
	return pmval_run(argc, argv, rows);
}
