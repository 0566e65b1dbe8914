/*
 * commands - a table of commands, the options of a command, and messages.
 */
#include "tools/pitot/pitot.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"

/* Messages */

void pitot_complain(const char *fmt, ...)
{
	va_list ap;

	fputs("pitot: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/*
 * Tables of commands
 */

enum { COMMANDS_MAX = 32 };

/* Prints the help text. Returns PITOT_OK if the user requested it (on stdout), else PITOT_USAGE. */
static int commands_help(const struct commands *table, FILE *f)
{
	fprintf(f, "Usage: %s COMMAND [OPTIONS]\n\n%s\n\nCommands:\n", table->program,
		table->about);
	for (size_t i = 0; i < table->n; i++)
		fprintf(f, "  %-10s %s\n", table->rows[i].name, table->rows[i].summary);
	fprintf(f,
		"\nOptions:\n"
		"  --help     show this text; `%s COMMAND --help` shows a command's\n%s",
		table->program, table->options);
	return f == stdout ? PITOT_OK : PITOT_USAGE;
}

/* Returns NULL if there is none. */
static const struct pitot_command *commands_find(const struct commands *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(name, table->rows[i].name) == 0)
			return &table->rows[i];
	}
	return NULL;
}

static int unknown_command(const struct commands *table, const char *name)
{
	const char *names[COMMANDS_MAX], *near;
	const char *inner = strchr(table->program, ' ');
	size_t n = table->n < COMMANDS_MAX ? table->n : COMMANDS_MAX;

	for (size_t i = 0; i < n; i++)
		names[i] = table->rows[i].name;
	near = nearest(name, names, n);
	inner = inner != NULL ? inner + 1 : "";
	if (near != NULL)
		pitot_complain("%s%sunknown command '%s': did you mean '%s %s'?", inner,
			       inner[0] != '\0' ? ": " : "", name, table->program, near);
	else
		pitot_complain("%s%sunknown command '%s': see %s --help", inner,
			       inner[0] != '\0' ? ": " : "", name, table->program);
	return PITOT_USAGE;
}

int commands_run(const struct commands *table, int argc, char **argv)
{
	const struct pitot_command *command;

	if (argc < 2)
		return commands_help(table, stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "-?") == 0)
		return output_finish(commands_help(table, stdout));
	command = commands_find(table, argv[1]);
	return command != NULL ? command->run(argc - 1, argv + 1) : unknown_command(table, argv[1]);
}

/*
 * Options
 */

enum {
	OPTIONS_MAX = 32,
	OPTIONS_LEFT = 22,   /* width of the column of options */
	OPTIONS_LONG = 256,  /* getopt_long() returns this and the index of a row */
	OPTIONS_HELP = 1000, /* or this */
};

/*
 * Prints an option in the form of all tools: "-h HOST, --host=HOST", or "--port N" without a
 * letter.
 */
static void print_row(FILE *f, const pmLongOptions *option)
{
	const char *arg = option->argname != NULL ? option->argname : "";
	const char *blank = option->argname != NULL ? " " : "";
	char left[80];

	if (option->short_opt != 0)
		snprintf(left, sizeof(left), "-%c%s%s, --%s%s%s", option->short_opt, blank, arg,
			 option->long_opt, option->argname != NULL ? "=" : "", arg);
	else
		snprintf(left, sizeof(left), "--%s%s%s", option->long_opt, blank, arg);
	if (strlen(left) > OPTIONS_LEFT)
		fprintf(f, "  %s\n  %-*s %s\n", left, OPTIONS_LEFT, "", option->message);
	else
		fprintf(f, "  %-*s %s\n", OPTIONS_LEFT, left, option->message);
}

static void commands_print_usage(const struct options *o, FILE *f)
{
	static const pmLongOptions help = {"help", 0, 0, NULL, "show this text"};

	fprintf(f, "Usage: pitot %s [OPTIONS]%s%s\n\n%s\n\nOptions:\n", o->command,
		o->operands != NULL ? " " : "", o->operands != NULL ? o->operands : "", o->purpose);
	for (const struct cmdline_row *row = o->rows; row->option.long_opt != NULL; row++)
		print_row(f, &row->option);
	print_row(f, &help);
}

/* The row with this letter, or NULL. */
static const struct cmdline_row *row_of_letter(const struct options *o, int letter)
{
	for (const struct cmdline_row *row = o->rows; row->option.long_opt != NULL; row++) {
		if (row->option.short_opt == letter)
			return row;
	}
	return NULL;
}

/* -h is help unless the command has an option with that letter; status and doctor have -h HOST. */
static bool asks_help(const struct options *o, int c)
{
	return c == OPTIONS_HELP ||
	       (c == '?' && (optopt == '?' || (optopt == 'h' && row_of_letter(o, 'h') == NULL)));
}

/* Converts the rows to the form of getopt_long. */
static void commands_convert(const struct options *o, struct option *longs, char *letters)
{
	int n = 0;

	if (o->runs)
		*letters++ = '+'; /* options end at the first operand */
	*letters++ = ':';
	for (const struct cmdline_row *row = o->rows;
	     row->option.long_opt != NULL && n < OPTIONS_MAX; row++) {
		const pmLongOptions *option = &row->option;

		longs[n] =
		    (struct option){option->long_opt, option->has_arg != 0, NULL, OPTIONS_LONG + n};
		n++;
		if (option->short_opt == 0)
			continue;
		*letters++ = (char)option->short_opt;
		if (option->has_arg != 0)
			*letters++ = ':';
	}
	longs[n++] = (struct option){"help", no_argument, NULL, OPTIONS_HELP};
	longs[n] = (struct option){NULL, 0, NULL, 0};
	*letters = '\0';
}

/* Sets what a row names. Returns 0, or -1 after a message. */
static int commands_take(void *arg, const struct cmdline_row *row)
{
	pmOptions *opts = arg;
	void *target = (char *)arg + row->target;
	long v;

	opts->optarg = optarg;
	if (row->kind != CMDLINE_INT && row->kind != CMDLINE_LONG) {
		cmdline_take(arg, row);
		return opts->errors == 0 ? 0 : -1;
	}
	if (options_integer(row->option.long_opt, optarg, row->max, &v) < 0)
		return -1;
	if (row->kind == CMDLINE_INT)
		*(int *)target = (int)v;
	else
		*(long *)target = v;
	return 0;
}

int options_parse(const struct options *o, int argc, char **argv, void *arg)
{
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
	int c;

	commands_convert(o, longs, letters);
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (asks_help(o, c)) {
			commands_print_usage(o, stdout);
			return PITOT_OK;
		}
		if (c == '?' || c == ':') {
			pitot_complain("%s: %s '%s': see pitot %s --help", o->command,
				       c == ':' ? "an argument is missing after" : "unknown option",
				       argv[optind - 1], o->command);
			return PITOT_USAGE;
		}
		if (commands_take(arg, c >= OPTIONS_LONG ? &o->rows[c - OPTIONS_LONG]
							 : row_of_letter(o, c)) < 0)
			return PITOT_USAGE;
	}
	if (optind < argc && o->operands == NULL) {
		pitot_complain("%s: unexpected argument '%s': see pitot %s --help", o->command,
			       argv[optind], o->command);
		return PITOT_USAGE;
	}
	return -1;
}

int options_integer(const char *name, const char *text, long max, long *ret_value)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || v < 0 || v > max) {
		pitot_complain("--%s: '%s' is no number from 0 to %ld", name, text, max);
		return -1;
	}
	*ret_value = v;
	return 0;
}

int options_number(const char *name, const char *text, double min, double max, double *ret_value)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || isnan(v) || v < min || v > max) {
		pitot_complain("--%s: '%s' is no number from %g to %g", name, text, min, max);
		return -1;
	}
	*ret_value = v;
	return 0;
}
