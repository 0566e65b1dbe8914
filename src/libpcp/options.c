/*
 * options - the options of every client (docs/spec/pmapi.md 19.3), and the usage message (19.4).
 *
 * One row an option: its letter, its long name, its environment variables, its function. Hosts,
 * archives and the time window are in optsource.c.
 */
#include "libpcp/options.h"

#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"
#include "libpcp/message.h"

#define NOT_LONG -1

static void opt_align(pmOptions *opts, char *arg)
{
	opts->align_optarg = arg;
}

static void opt_debug(pmOptions *opts, char *arg)
{
	if (pmSetDebug(arg) < 0)
		options_usage_error(opts, "unrecognized debug options specification (%s)", arg);
}

static void opt_guimode(pmOptions *opts, char *arg)
{
	if (opts->guiport_optarg != NULL)
		options_usage_error(opts, "at most one of -g and -p allowed");
	else
		opts->guiflag = 1;
}

static void opt_guiport(pmOptions *opts, char *arg)
{
	if (opts->guiflag) {
		options_usage_error(opts, "at most one of -g and -p allowed");
		return;
	}
	opts->guiport_optarg = arg;
	opts->guiport = (int)strtol(arg, NULL, 10);
}

static void opt_hostsfile(pmOptions *opts, char *arg)
{
	options_add_hosts_file(opts, arg);
}

void options_local_table(pmOptions *opts, char *arg)
{
	char *why = pmSpecLocalPMDA(arg);

	if (why != NULL)
		options_usage_error(opts, "pmSpecLocalPMDA failed: %s", why);
}

void options_local(pmOptions *opts, char *arg)
{
	(void)arg;
	if (opts->context != 0 && opts->context != PM_CONTEXT_LOCAL)
		options_usage_error(opts, "at most one of -a, -h and -L allowed");
	else
		opts->Lflag = 1;
}

static void load_names(pmOptions *opts, char *path, int dupok)
{
	char text[PM_MAXERRMSGLEN];
	int r = pmLoadASCIINameSpace(path, dupok);

	if (r < 0)
		options_runtime_error(opts, "Cannot load namespace from \"%s\": %s", path,
				      pmErrStr_r(r, text, sizeof(text)));
	else
		opts->nsflag = 1;
}

static void opt_namespace(pmOptions *opts, char *arg)
{
	load_names(opts, arg, 1);
}

static void opt_uniqnames(pmOptions *opts, char *arg)
{
	load_names(opts, arg, 0);
}

static void opt_origin(pmOptions *opts, char *arg)
{
	opts->origin_optarg = arg;
}

static void opt_start(pmOptions *opts, char *arg)
{
	opts->start_optarg = arg;
}

static void opt_samples(pmOptions *opts, char *arg)
{
	char *end;

	opts->samples = (int)strtol(arg, &end, 10);
	if (*end != '\0' || opts->samples < 0)
		options_usage_error(opts, "-s requires a positive numeric argument");
}

static void opt_finish(pmOptions *opts, char *arg)
{
	opts->finish_optarg = arg;
}

static void opt_interval(pmOptions *opts, char *arg)
{
	bool highres = opts->version >= PMAPI_VERSION_3;
	struct timespec interval;
	char *message;

	if (pmParseHighResInterval(arg, &interval, &message) == 0) {
		options_set_time(opts, OPTIONS_INTERVAL, &interval);
		return;
	}
	options_usage_error(
	    opts, "-t argument not in pmParse%sInterval(3) format:", highres ? "HighRes" : "");
	pmprintf("%s\n", message);
	free(message);
}

static void opt_version(pmOptions *opts, char *arg)
{
	pmprintf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING, PITOT_VERSION);
	opts->flags |= PM_OPTFLAG_EXIT;
}

static void opt_timezone(pmOptions *opts, char *arg)
{
	if (opts->tzflag)
		options_usage_error(opts, "at most one of -Z and -z allowed");
	else
		opts->timezone = arg;
}

static void opt_hostzone(pmOptions *opts, char *arg)
{
	if (opts->timezone != NULL)
		options_usage_error(opts, "at most one of -Z and -z allowed");
	else
		opts->tzflag = 1;
}

static void opt_help(pmOptions *opts, char *arg)
{
	opts->errors++;         /* so that the usage is printed */
	if (!message_pending()) /* else getopt's '?' is its complaint */
		opts->flags |= OPTIONS_HELP_ASKED;
}

static void opt_derived(pmOptions *opts, char *arg)
{
	char text[PM_MAXERRMSGLEN];
	int r = pmLoadDerivedConfig(arg);

	if (r < 0)
		options_usage_error(opts, "pmLoadDerivedConfig failed: %s",
				    pmErrStr_r(r, text, sizeof(text)));
}

struct standard {
	int letter; /* 0: none */
	const char *name;
	const char *variables[2];
	void (*apply)(pmOptions *opts, char *arg);
};

/* clang-format off */
static const struct standard standards[] = {
	/* the environment is read in this order */
	{ 'D', PMLONGOPT_DEBUG,         { "PCP_DEBUG" },                       opt_debug },
	{ 'A', PMLONGOPT_ALIGN,         { "PCP_ALIGN_TIME" },                  opt_align },
	{ 'a', PMLONGOPT_ARCHIVE,       { "PCP_ARCHIVE" },                     __pmAddOptArchive },
	{ 0,   PMLONGOPT_ARCHIVE_LIST,  { "PCP_ARCHIVE_LIST" },                __pmAddOptArchiveList },
	{ 0,   PMLONGOPT_ARCHIVE_FOLIO, { "PCP_FOLIO" },                       __pmAddOptArchiveFolio },
	{ 'g', PMLONGOPT_GUIMODE,       { "PCP_GUIMODE" },                     opt_guimode },
	{ 'H', PMLONGOPT_HOSTSFILE,     { NULL },                              opt_hostsfile },
	{ 'h', PMLONGOPT_HOST,          { "PCP_HOST" },                        __pmAddOptHost },
	{ 0,   PMLONGOPT_HOST_LIST,     { "PCP_HOST_LIST" },                   __pmAddOptHostList },
	{ 'K', PMLONGOPT_SPECLOCAL,     { "PCP_SPECLOCAL" },                   options_local_table },
	{ 'L', PMLONGOPT_LOCALPMDA,     { "PCP_LOCALPMDA", "PCP_LOCALMODE" },  options_local },
	{ 'n', PMLONGOPT_NAMESPACE,     { "PCP_NAMESPACE" },                   opt_namespace },
	{ 'N', PMLONGOPT_UNIQNAMES,     { "PCP_UNIQNAMES" },                   opt_uniqnames },
	{ 'O', PMLONGOPT_ORIGIN,        { "PCP_ORIGIN", "PCP_ORIGIN_TIME" },   opt_origin },
	{ 'p', PMLONGOPT_GUIPORT,       { "PCP_GUIPORT" },                     opt_guiport },
	{ 'S', PMLONGOPT_START,         { "PCP_START_TIME" },                  opt_start },
	{ 's', PMLONGOPT_SAMPLES,       { "PCP_SAMPLES" },                     opt_samples },
	{ 'T', PMLONGOPT_FINISH,        { "PCP_FINISH_TIME" },                 opt_finish },
	{ 't', PMLONGOPT_INTERVAL,      { "PCP_INTERVAL" },                    opt_interval },
	{ 'V', PMLONGOPT_VERSION,       { NULL },                              opt_version },
	{ 'Z', PMLONGOPT_TIMEZONE,      { "PCP_TIMEZONE" },                    opt_timezone },
	{ 'z', PMLONGOPT_HOSTZONE,      { "PCP_HOSTZONE" },                    opt_hostzone },
	{ '?', PMLONGOPT_HELP,          { NULL },                              opt_help },
	{ 0,   PMLONGOPT_CONTAINER,     { NULL },                              __pmAddOptContainer },
	{ 0,   PMLONGOPT_DERIVED,       { NULL },                              opt_derived },
};
/* clang-format on */

void __pmStartOptions(pmOptions *opts)
{
	if (opts->flags & PM_OPTFLAG_INIT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(standards); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(standards[i].variables); j++) {
			const char *name = standards[i].variables[j];
			char *value = name != NULL ? getenv(name) : NULL;

			if (value != NULL)
				standards[i].apply(opts, value);
		}
	}
	opts->flags |= PM_OPTFLAG_INIT;
}

/* The source, as far as the options name it. A program that takes care of -a or -h by itself has
 * set it. */
static void choose_context(pmOptions *opts)
{
	if (opts->context != 0)
		return;
	if (opts->Lflag)
		opts->context = PM_CONTEXT_LOCAL;
	else if (opts->nhosts > 0 && opts->narchives == 0)
		opts->context = PM_CONTEXT_HOST;
	else if (opts->narchives > 0 && opts->nhosts == 0)
		opts->context = PM_CONTEXT_ARCHIVE;
	else if (opts->nhosts == 0 && opts->origin_optarg != NULL) {
		__pmAddOptArchivePath(opts);
		opts->context = PM_CONTEXT_ARCHIVE;
	}
}

static bool has_archive(const pmOptions *opts)
{
	return opts->narchives > 0 || opts->context == PM_CONTEXT_ARCHIVE;
}

static bool has_host(const pmOptions *opts)
{
	return opts->nhosts > 0 || opts->context == PM_CONTEXT_HOST;
}

int __pmEndOptions(pmOptions *opts)
{
	bool windowed =
	    opts->start_optarg != NULL || opts->align_optarg != NULL || opts->origin_optarg != NULL;

	if (opts->flags & PM_OPTFLAG_DONE)
		return opts->errors;
	if (opts->version == 0)
		opts->version = PMAPI_VERSION_2;
	choose_context(opts);
	if (windowed && !has_archive(opts))
		options_usage_error(opts, "time window options are supported for archives only");
	if (opts->tzflag && !has_host(opts) && !has_archive(opts))
		options_usage_error(opts, "use of timezone from metric source requires a source");
	if (opts->errors > 0 && (opts->flags & PM_OPTFLAG_RUNTIME_ERR) == 0)
		opts->flags |= PM_OPTFLAG_USAGE_ERR;
	opts->flags |= PM_OPTFLAG_DONE;
	return opts->errors;
}

/* By the name of the long option that was given, else by the letter. */
static const struct standard *find_standard(const pmOptions *opts, int c, int long_index)
{
	const char *name = long_index != NOT_LONG ? opts->long_options[long_index].long_opt : NULL;

	for (size_t i = 0; name != NULL && i < ARRAY_SIZE(standards); i++)
		if (strcmp(name, standards[i].name) == 0)
			return &standards[i];
	for (size_t i = 0; c != 0 && i < ARRAY_SIZE(standards); i++)
		if (c == standards[i].letter)
			return &standards[i];
	return NULL;
}

static bool takes_none(const struct standard *s)
{
	return s->apply == opt_guimode || s->apply == options_local || s->apply == opt_version ||
	       s->apply == opt_hostzone || s->apply == opt_help;
}

int options_long(pmOptions *opts)
{
	const struct standard *standard = find_standard(opts, 0, opts->index);

	if (standard == NULL || standard->apply == opt_help)
		return 1;
	standard->apply(opts, opts->optarg);
	return 0;
}

/* The next option, and which long one it was. */
static int next_option(int argc, char *const *argv, pmOptions *opts, int *ret_long_index)
{
	int before = opts->index;
	int c;

	opts->index = NOT_LONG;
	c = pmgetopt_r(argc, argv, opts);
	*ret_long_index = opts->index;
	if (opts->index == NOT_LONG)
		opts->index = before;
	return c;
}

int pmGetOptions(int argc, char *const *argv, pmOptions *opts)
{
	const struct standard *standard;
	int c, long_index;

	if ((opts->flags & PM_OPTFLAG_INIT) == 0) {
		pmSetProgname(argv[0]);
		__pmStartOptions(opts);
	}
	if (opts->flags & PM_OPTFLAG_ENV_ONLY) {
		__pmEndOptions(opts);
		return -1;
	}
	while ((c = next_option(argc, argv, opts, &long_index)) != -1) {
		if (opts->override != NULL && opts->override(c, opts))
			return c;
		standard = find_standard(opts, c, long_index);
		/* A letter that the program has declared without an argument is its own. */
		if (standard == NULL || (opts->optarg == NULL && !takes_none(standard)))
			return c;
		standard->apply(opts, opts->optarg);
	}
	__pmEndOptions(opts);
	return -1;
}

/* ---- The usage message ---------------------------------------------------------------------- */

#define MESSAGE_COLUMN 24

/* Bindings give "" for none. */
static bool has_argument(const pmLongOptions *l)
{
	return l->argname != NULL && *l->argname != '\0';
}

/* "  -c ARG, --long=ARG" or as much of it as there is. */
static void add_option(struct text *t, const pmLongOptions *l)
{
	bool has_long = l->long_opt != NULL && *l->long_opt != '\0';

	text_add(t, "  ");
	if (l->short_opt != 0) {
		text_printf(t, "-%c", l->short_opt);
		if (has_argument(l))
			text_printf(t, " %s", l->argname);
	}
	if (l->short_opt != 0 && has_long)
		text_add(t, ", ");
	if (has_long) {
		text_printf(t, "--%s", l->long_opt);
		if (has_argument(l))
			text_printf(t, "=%s", l->argname);
	}
}

static void print_option(const pmLongOptions *l)
{
	char buf[256];
	struct text t = text_in(buf, sizeof(buf));

	add_option(&t, l);
	if (t.len < MESSAGE_COLUMN)
		pmprintf("%-*s%s\n", MESSAGE_COLUMN, buf, l->message);
	else
		pmprintf("%s\n%*s%s\n", buf, MESSAGE_COLUMN, "", l->message);
}

static bool has_help(const pmOptions *opts)
{
	const pmLongOptions *l = opts->long_options;

	for (; l != NULL && l->long_opt != NULL; l++) {
		if (strcmp(l->long_opt, "help") == 0)
			return true;
	}
	return false;
}

static void print_usage(const pmOptions *opts)
{
	const pmLongOptions *l = opts->long_options;

	pmprintf("Usage: %s %s\n", pmGetProgname(),
		 opts->short_usage != NULL ? opts->short_usage : "[options]");
	for (; l != NULL && l->long_opt != NULL; l++) {
		if (l->message == NULL)
			continue;
		if (l->short_opt == '-')
			pmprintf("\n%s:\n", l->message);
		else if (l->short_opt == '|')
			pmprintf("%s\n", l->message);
		else
			print_option(l);
	}
}

/*
 * After a complaint, a user at a terminal gets a hint instead of the table: forty lines would push
 * the complaint off the screen. Scripts get the table, as PCP prints it.
 */
void pmUsageMessage(pmOptions *opts)
{
	if ((opts->flags & (PM_OPTFLAG_RUNTIME_ERR | PM_OPTFLAG_EXIT)) == 0) {
		if ((opts->flags & OPTIONS_HELP_ASKED) == 0 && has_help(opts) &&
		    message_pending() && message_goes_to_terminal())
			pmprintf("%s: `%s --help` lists the options.\n", pmGetProgname(),
				 pmGetProgname());
		else
			print_usage(opts);
	}
	if ((opts->flags & PM_OPTFLAG_NOFLUSH) == 0)
		pmflush();
}
