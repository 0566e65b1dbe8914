#include "tools/pmlogsummary/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

enum {
	PRECISION = 3,
	PRECISION_MAX = 300,
	BINS_MAX = 100000,
};

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "all", 0, 'a', 0, "print all information (equivalent to -blmMy)" },
	{ "", 0, 'b', 0, "print both stochastic and time averages for counter metrics" },
	{ "bins", 1, 'B', "N", "print value distribution across a number of bins" },
	{ "", 0, 'f', 0, "print using \"spreadsheet\" format (tab delimited fields)" },
	{ "", 0, 'F', 0, "print using \"spreadsheet\" format (comma separated values)" },
	{ "header", 0, 'H', 0, "print one-line header at start showing each column" },
	{ "mintime", 0, 'i', 0, "also print timestamp for minimum value" },
	{ "maxtime", 0, 'I', 0, "also print timestamp for maximum value" },
	{ "label", 0, 'l', 0, "also print the archive label and time window" },
	{ "minimum", 0, 'm', 0, "also print minimum value" },
	{ "maximum", 0, 'M', 0, "also print maximum value" },
	PMOPT_NAMESPACE,
	{ "", 0, 'N', 0, "suppress warnings from individual archive fetches (default)" },
	{ "precision", 1, 'p', "N", "number of digits to display after the decimal point" },
	{ "sum", 0, 's', 0, "only print the sum of all values of each metric" },
	PMOPT_START,
	PMOPT_FINISH,
	{ "verbose", 0, 'v', 0, "verbose, enable warnings from individual archive fetches" },
	{ "", 0, 'x', 0, "print only stochastic averages for counter metrics" },
	{ "samples", 0, 'y', 0, "print sample count for each metric" },
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};

/* Options that add fields. */
static const struct {
	int letter;
	unsigned int fields;
} choices[] = {
	{ 'a', FIELD_STOCHASTIC | FIELD_TIME | FIELD_MIN | FIELD_MAX | FIELD_COUNT },
	{ 'b', FIELD_STOCHASTIC | FIELD_TIME },
	{ 'B', FIELD_BINS },
	{ 'i', FIELD_MIN_TIME },
	{ 'I', FIELD_MAX_TIME },
	{ 'm', FIELD_MIN },
	{ 'M', FIELD_MAX },
	{ 's', FIELD_SUM },
	{ 'x', FIELD_STOCHASTIC },
	{ 'y', FIELD_COUNT },
};
/* clang-format on */

static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return strchr("aNps", letter) != NULL || window_letter(letter);
}

/* The argument as a number from 0 up; otherwise an error is reported and counted. */
static int get_number(struct options *o, const char *complaint, int most)
{
	char *end;
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= 0 && n <= most)
		return (int)n;
	cmdline_complain(&o->pm, complaint);
	return 0;
}

static void set_option(void *arg, int letter)
{
	struct options *o = arg;

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (choices[i].letter == letter)
			o->fields |= choices[i].fields;
	o->heading |= letter == 'a' || letter == 'l';
	o->header |= letter == 'H';
	if (letter == 'v' || letter == 'N')
		o->verbose = letter == 'v';
	if (letter == 'B')
		o->bins = get_number(o, "-B requires positive numeric argument", BINS_MAX);
	else if (letter == 'p')
		o->precision = get_number(o, "-p requires numeric argument", PRECISION_MAX);
	else if (letter == 'f')
		o->delimiter = '\t';
	else if (letter == 'F')
		o->delimiter = ',';
	else if (strchr("abBiImMsxylHNv", letter) == NULL)
		o->pm.errors++;
}

/*
 * Completes the choice: no bins without a number of them, the sum alone, the time average by
 * default.
 */
static void choose_fields(struct options *o)
{
	if (o->bins == 0)
		o->fields &= ~FIELD_BINS;
	if (o->fields & FIELD_SUM)
		o->fields = FIELD_SUM;
	else if ((o->fields & FIELD_STOCHASTIC) == 0)
		o->fields |= FIELD_TIME;
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->delimiter = ' ';
	o->precision = PRECISION;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "abB:D:fFHiIlmMn:Np:sS:T:vVxyZ:z?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] archive [metricname ...]";
	o->pm.override = is_ours;
	window_options(&o->pm, argc, argv, "at most one of -Z and -z allowed", set_option, o);
	if (o->pm.errors == 0 && o->pm.optind >= argc && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		pmprintf("Error: no archive specified\n\n");
		o->pm.errors++;
	}
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	choose_fields(o);
	o->archive = argv[o->pm.optind];
	o->metrics = argv + o->pm.optind + 1;
	o->nmetrics = argc - o->pm.optind - 1;
	return true;
}

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}
