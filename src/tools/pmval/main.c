/*
 * main - the program pmval.
 */
#include "tools/pmval/pmval.h"

#include "tools/common/jsontext.h"

static const struct cmdline_row rows[] = {
    PMVAL_ROWS, JSONTEXT_ROW(PMVAL_AT(json)), {PMAPI_OPTIONS_END}};

int main(int argc, char **argv)
{
	return pmval_run(argc, argv, rows);
}
