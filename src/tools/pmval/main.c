/*
 * main - the program pmval.
 */
#include "tools/pmval/pmval.h"

int main(int argc, char **argv)
{
	return pmval_run(argc, argv, options_rows, OPTIONS_LETTERS);
}
