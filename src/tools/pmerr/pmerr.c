/*
 * pmerr - prints the meaning of error codes (docs/spec/tools.md 7).
 *
 * Codes are negative numbers, so an argument that begins with '-' and a digit is not an option.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"

static int print_table(void)
{
	__pmDumpErrTab(stdout);
	return 1;
}

static int pmerr_print_usage(void)
{
	fputs("Usage: pmerr [options] [code]\n\n"
	      "  -l, --list   causes all known error codes to be listed\n",
	      stderr);
	return 1;
}

static int pmerr_print_version(void)
{
	fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
		pmGetAPIConfig("pcp_version"), PITOT_VERSION);
	return 0;
}

/* Words that are an option if they are the first argument. */
static const struct {
	const char *word;
	int (*run)(void); /* returns the exit status */
} options[] = {
    {"-l", print_table},           {"--list", print_table},     {"-?", pmerr_print_usage},
    {"--help", pmerr_print_usage}, {"-V", pmerr_print_version}, {"--version", pmerr_print_version},
};

static int run_option(const char *arg)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(arg, options[i].word) == 0)
			return options[i].run();
	fprintf(stderr, "Illegal option -- %s\n", arg + 1);
	return pmerr_print_usage();
}

static bool is_hex(const char *arg)
{
	size_t digits;

	if (arg[0] != '0' || (arg[1] != 'x' && arg[1] != 'X'))
		return false;
	digits = strspn(arg + 2, "0123456789abcdefABCDEF");
	return digits > 0 && arg[2 + digits] == '\0';
}

/*
 * Returns false for an argument that is not a number. Characters after a decimal number are
 * ignored; of a number that is too large, the low 32 bits are used.
 */
static bool parse_code(const char *arg, int *ret_code)
{
	char *end;

	if (is_hex(arg))
		*ret_code = (int)strtoul(arg, &end, 16);
	else
		*ret_code = (int)strtol(arg, &end, 10);
	return end != arg;
}

static void print_code(const char *arg)
{
	int code;

	if (!parse_code(arg, &code)) {
		printf("Cannot decode \"%s\" - neither decimal nor hexadecimal\n", arg);
		return;
	}
	if (code > 0) {
		code = -code;
		printf("Code is positive, assume you mean %d\n", code);
	}
	printf("Code: %d 0x%x Text: %s\n", code, (unsigned int)code, pmErrStr(code));
}

int main(int argc, char **argv)
{
	pmSetProgname(argv[0]);
	if (argc > 1 && argv[1][0] == '-' && !isxdigit((unsigned char)argv[1][1]))
		return output_finish(run_option(argv[1]));
	for (int i = 1; i < argc; i++)
		print_code(argv[i]);
	return output_finish(0);
}
