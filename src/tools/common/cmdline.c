/*
 * cmdline - a program's options, the source that they name, its findings, and the end of its
 * output.
 */
#include "tools/common/cmdline.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"

/*
 * Options
 */

bool cmdline_is_version(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--version") != 0)
		return false;
	pmSetProgname(argv[0]);
	printf("%s version %s (Pitot %s)\n", pmGetProgname(), pmGetAPIConfig("pcp_version"),
	       PITOT_VERSION);
	return true;
}

void cmdline_complain(pmOptions *opts, const char *text)
{
	pmprintf("%s: %s\n", pmGetProgname(), text);
	opts->errors++;
}

/* The rows in use: of a tool that parses, for the override, which has no argument. */
static const struct cmdline_row *current_rows;

/* The row of an option that the tool reads itself. */
static const struct cmdline_row *own_row(int letter)
{
	for (const struct cmdline_row *row = current_rows; row->option.long_opt != NULL; row++)
		if (row->kind != CMDLINE_LIBRARY && row->option.short_opt == letter)
			return row;
	return NULL;
}

static int is_own(int letter, pmOptions *opts)
{
	(void)opts;
	return own_row(letter) != NULL;
}

static bool is_letter(const struct cmdline_row *row)
{
	int c = row->option.short_opt;

	return row->form != CMDLINE_LONG_ONLY && (c == '?' || (c > 0 && c < 128 && isalnum(c)));
}

/* Sets the letters, after `order`, and the long options; the library keeps the pointers. */
static void use_rows(pmOptions *opts, const struct cmdline_row *rows, const char *order)
{
	static pmLongOptions *longs;
	static char *letters;
	pmLongOptions *row;
	char *letter;
	size_t n = 0;

	while (rows[n].option.long_opt != NULL)
		n++;
	free(longs);
	free(letters);
	longs = row = calloc(n + 1, sizeof(longs[0]));
	letters = letter = calloc(strlen(order) + 2 * n + 1, 1);
	if (longs == NULL || letters == NULL)
		pmNoMem("options", n * sizeof(longs[0]), PM_FATAL_ERR);
	while (*order != '\0')
		*letter++ = *order++;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].form != CMDLINE_LETTER_ONLY)
			*row++ = rows[i].option;
		if (!is_letter(&rows[i]))
			continue;
		*letter++ = (char)rows[i].option.short_opt;
		if (rows[i].option.has_arg)
			*letter++ = ':';
	}
	current_rows = rows;
	opts->short_options = letters;
	opts->long_options = longs;
}

static void take_batch(pmOptions *opts, int *ret_n)
{
	char *end;
	long n = strtol(opts->optarg, &end, 10);

	if (*end != '\0' || n < 0)
		cmdline_complain(opts, "-b requires numeric argument");
	else
		*ret_n = n < 1 ? 1 : n > INT_MAX ? INT_MAX : (int)n;
}

static long take_number(pmOptions *opts, const struct cmdline_row *row)
{
	char *end;
	long n = strtol(opts->optarg, &end, 10);

	if (*end == '\0' && n >= row->min && n <= row->max) /* "" is 0, as in PCP */
		return n;
	cmdline_complain(opts, row->complaint);
	return 0;
}

void cmdline_take(void *options, const struct cmdline_row *row)
{
	pmOptions *opts = options;
	void *target = (char *)options + row->target;

	switch (row->kind) {
	case CMDLINE_FLAG:
	case CMDLINE_OFF:
		*(bool *)target = row->kind == CMDLINE_FLAG;
		break;
	case CMDLINE_COUNT:
		++*(int *)target;
		break;
	case CMDLINE_BITS:
		*(unsigned int *)target |= row->bits;
		break;
	case CMDLINE_TEXT:
		*(char **)target = opts->optarg;
		break;
	case CMDLINE_WORDS:
		wordlist_add(target, opts->optarg);
		break;
	case CMDLINE_INT:
		*(int *)target = (int)take_number(opts, row);
		break;
	case CMDLINE_LONG:
		*(long *)target = take_number(opts, row);
		break;
	case CMDLINE_BATCH_N:
		take_batch(opts, target);
		break;
	case CMDLINE_STRICT:
		finding_be_strict();
		break;
	case CMDLINE_CALL:
		row->call(options);
		break;
	case CMDLINE_SET:
		row->set(opts, row, target);
		break;
	case CMDLINE_REFUSED:
		opts->errors++;
		break;
	default:
		break;
	}
}

void cmdline_parse(void *options, const struct cmdline_row *rows, int argc, char **argv)
{
	pmOptions *opts = options;
	const struct cmdline_row *row, *hostzone = NULL;
	char *start = NULL;
	int letter;

	use_rows(opts, rows, "");
	opts->override = is_own;
	while ((letter = pmGetOptions(argc, argv, opts)) != EOF) {
		row = own_row(letter);
		if (row == NULL)
			opts->errors++;
		else if (row->kind == CMDLINE_START)
			start = opts->optarg;
		else if (row->kind == CMDLINE_HOSTZONE)
			hostzone = row;
		else
			cmdline_take(options, row);
	}
	if (start != NULL)
		opts->start_optarg = start;
	if (hostzone == NULL)
		return;
	opts->tzflag = 1;
	if (opts->timezone != NULL)
		cmdline_complain(opts, hostzone->complaint);
}

int cmdline_next_letter(void *options, const struct cmdline_row *rows, int argc, char **argv,
			const char *order)
{
	pmOptions *opts = options;
	const struct cmdline_row *row;
	int letter;

	if (opts->short_options == NULL)
		use_rows(opts, rows, order);
	letter = getopt(argc, argv, opts->short_options);
	if (letter == EOF)
		return EOF;
	opts->optarg = optarg;
	row = own_row(letter);
	if (row != NULL)
		cmdline_take(options, row);
	else
		opts->errors++;
	return letter;
}

bool cmdline_has(const struct cmdline_row *rows, int argc, char **argv, const char *letters)
{
	/* pmgetopt_r() permutes its arguments, so it gets a copy. */
	char **copy = calloc((size_t)argc + 1, sizeof(copy[0]));
	pmOptions opts = {.flags = PM_OPTFLAG_QUIET};
	bool found = false;
	int letter;

	if (copy == NULL)
		pmNoMem("arguments", (size_t)argc * sizeof(copy[0]), PM_FATAL_ERR);
	memcpy(copy, argv, (size_t)argc * sizeof(copy[0]));
	use_rows(&opts, rows, "");
	while (!found && (letter = pmgetopt_r(argc, copy, &opts)) != EOF)
		found = letter > 0 && strchr(letters, letter) != NULL;
	free(copy);
	return found;
}

bool cmdline_accept(pmOptions *opts, int *ret_status)
{
	if (opts->errors == 0 && (opts->flags & PM_OPTFLAG_EXIT) == 0)
		return true;
	pmUsageMessage(opts);
	*ret_status = (opts->flags & PM_OPTFLAG_EXIT) != 0 ? 0 : 1;
	return false;
}

/*
 * The source
 */

void source_archive_failed(const char *name, int sts)
{
	char text[PM_MAXERRMSGLEN];
	struct stat st;

	fprintf(stderr, "%s: Cannot open archive \"%s\": %s\n", pmGetProgname(), name,
		pmErrStr_r(sts, text, sizeof(text)));
	if (sts == -ENOENT && stat(name, &st) == 0)
		fprintf(stderr,
			"%s: \"%s\" exists but is not an archive: expected NAME for the files "
			"NAME.meta, NAME.index and NAME.0, or a folder of archives\n",
			pmGetProgname(), name);
}

/*
 * No collector listens at the default address of this host: suggests the next command to a user at
 * a terminal. Scripts get only PCP's message.
 */
static void hint_at_collector(const char *name, int sts)
{
	if ((sts == -ECONNREFUSED || sts == -ENOENT) && strcmp(name, SOURCE_DEFAULT_HOST) == 0 &&
	    isatty(STDERR_FILENO) == 1)
		fprintf(stderr, "%s: no collector runs here: `pitot up` starts one\n",
			pmGetProgname());
}

static void report_host(const char *name, int sts)
{
	fprintf(stderr, "%s: Cannot connect to PMCD on host \"%s\": %s\n", pmGetProgname(), name,
		pmErrStr(sts));
	hint_at_collector(name, sts);
}

int source_open(int type, const char *name, const char *local_text)
{
	int sts = pmNewContext(type, name);

	if (sts >= 0)
		return sts;
	fflush(stdout);
	if (type == PM_CONTEXT_HOST)
		report_host(name, sts);
	else if (type == PM_CONTEXT_LOCAL)
		fprintf(stderr, "%s: Cannot %s: %s\n", pmGetProgname(), local_text, pmErrStr(sts));
	else
		source_archive_failed(name, sts);
	return sts;
}

int source_open_options(pmOptions *opts, const char *local_text)
{
	int ctx;

	if (opts->context == PM_CONTEXT_ARCHIVE)
		ctx = source_open(PM_CONTEXT_ARCHIVE, opts->archives[0], local_text);
	else if (opts->context == PM_CONTEXT_LOCAL)
		ctx = source_open(PM_CONTEXT_LOCAL, NULL, local_text);
	else
		ctx = source_open(PM_CONTEXT_HOST,
				  opts->nhosts > 0 ? opts->hosts[0] : SOURCE_DEFAULT_HOST,
				  local_text);
	if (ctx >= 0 && opts->context == PM_CONTEXT_ARCHIVE && pmGetContextOptions(ctx, opts) < 0) {
		pmflush();
		return PM_ERR_GENERIC;
	}
	return ctx;
}

static double seconds_of(struct timespec t)
{
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A time in the reporting zone, without the newline of ctime(3). */
static const char *time_text(time_t t, char *text)
{
	pmCtime(&t, text);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

bool source_window_misses(struct timespec start, struct timespec finish, struct timespec begin,
			  struct timespec end)
{
	char from[32], to[32], first[32], last[32];

	if (seconds_of(begin) >
	    seconds_of(end)) /* a wrong label: nothing is known of the archive */
		return false;
	if (seconds_of(start) <= seconds_of(end) && seconds_of(finish) >= seconds_of(begin) &&
	    seconds_of(start) <= seconds_of(finish))
		return false;
	fflush(stdout);
	fprintf(stderr, "%s: the time window (%s to %s) has nothing of the archive (%s to %s)\n",
		pmGetProgname(), time_text(start.tv_sec, from), time_text(finish.tv_sec, to),
		time_text(begin.tv_sec, first), time_text(end.tv_sec, last));
	return true;
}

/*
 * Findings
 */

static struct {
	bool strict, any;
} state; /* static: a tool has one thread */

void finding_be_strict(void)
{
	state.strict = true;
}

FILE *finding(void)
{
	state.any = true;
	return stderr;
}

int finding_status(int status)
{
	return status == 0 && state.strict && state.any ? 1 : status;
}

/*
 * Output
 */

/* The error of a failed write; 0: none, or unknown (stdio keeps only the fact). */
static int reason;

/*
 * If a program were started with a standard descriptor closed, its connection would get that
 * number, and its output would be sent to the collector. The replacement cannot be written to, so
 * writing fails and is reported. This runs before main(), so that no program can forget it.
 */
__attribute__((constructor)) static void output_occupy(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

bool output_flush(void)
{
	if (fflush(stdout) != 0 && reason == 0)
		reason = errno;
	return reason == 0 && !ferror(stdout);
}

static bool reader_gone(void)
{
	struct pollfd fd = {.fd = STDOUT_FILENO};

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR) != 0;
}

int output_finish(int status)
{
	if (output_flush())
		return status;
	if (reason == 0)
		reason = reader_gone() ? EPIPE : EIO;
	if (reason != EPIPE)
		fprintf(stderr, "%s: cannot write to standard output: %s\n", pmGetProgname(),
			strerror(reason));
	return 1;
}
