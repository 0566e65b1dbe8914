/* options - see options.h. */
#include "daemons/pmlogger/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libbase/cleanup.h"

enum {
	INTERVAL_DEFAULT_MS = 60000,
	LETTER_KEEP_SIZE = 1, /* ours: they have no letter */
	LETTER_KEEP_AGE = 2,
	LETTER_COMPRESS = 3,
	LETTER_COMPRESS_FILE = 4,
	LETTER_CHECK_SYNTAX = 5,
};

#define LETTERS "c:CD:h:H:I:K:l:Lm:n:NoPp:rs:T:t:uU:v:V:x:y?"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	PMOPT_DEBUG,
	{ "config", 1, 'c', "FILE", "file to load configuration from" },
	{ "check", 0, 'C', NULL, "parse configuration and exit" },
	{ "host", 1, 'h', "HOST", "metrics source is PMCD on host" },
	{ "labelhost", 1, 'H', "LABELHOST", "specify the hostname for the PCP archive label" },
	{ "pmlc-ipc-version", 1, 'I', "VERSION", "highest version of the control protocol (2 or 3)" },
	{ "spec-local", 1, 'K', "SPEC", "additional PMDA spec for local connection" },
	{ "log", 1, 'l', "FILE", "redirect diagnostics and trace output" },
	{ "linger", 0, 'L', NULL, "run even if not primary logger instance and nothing to log" },
	{ "note", 1, 'm', "MSG", "descriptive note to be added to the port map file" },
	{ "namespace", 1, 'n', "FILE", "use an alternative PMNS" },
	{ "notify", 0, 'N', NULL, "notify service manager on startup" },
	{ "local-PMDA", 0, 'o', NULL, "metrics source is local without PMCD" },
	{ "PID", 1, 'p', "PID", "log until specified process exits" },
	{ "primary", 0, 'P', NULL, "execute as primary logger instance" },
	{ "report", 0, 'r', NULL, "report record sizes and archive growth rate" },
	{ "size", 1, 's', "SIZE", "terminate after endsize has been accumulated" },
	{ "interval", 1, 't', "DELTA", "default logging interval [default 60.0 seconds]" },
	{ "finish", 1, 'T', "TIME", "end of the time window" },
	{ "", 0, 'u', NULL, "output is unbuffered [default now, so -u is a no-op]" },
	{ "username", 1, 'U', "USER", "in daemon mode, run as named user [default pcp]" },
	{ "volsize", 1, 'v', "SIZE", "switch log volumes after size has been accumulated" },
	{ "version", 1, 'V', "NUM", "version for archive (default and only version is 3 or 2)" },
	{ "", 1, 'x', "FD", "control file descriptor for running from pmRecordControl(3)" },
	{ "", 0, 'y', NULL, "set timezone for times to local time rather than from PMCD host" },
	{ "keep-size", 1, LETTER_KEEP_SIZE, "SIZE", NULL },
	{ "keep-age", 1, LETTER_KEEP_AGE, "TIME", NULL },
	{ "compress", 1, LETTER_COMPRESS, "FORM", NULL },
	{ "compress-file", 1, LETTER_COMPRESS_FILE, "FILE", NULL },
	{ "check-syntax", 0, LETTER_CHECK_SYNTAX, NULL, NULL },
	{ "", 0, '|', NULL, "  --keep-size=SIZE      remove the oldest archives beyond this many bytes" },
	{ "", 0, '|', NULL, "  --keep-age=TIME       remove archives that ended so long ago" },
	{ "", 0, '|', NULL, "  --compress=FORM       compress closed volumes: xz, or zst" },
	{ "", 0, '|', NULL, "  --compress-file=FILE  compress this closed volume, and exit" },
	{ "", 0, '|', NULL, "  --check-syntax        parse the configuration without a collector, and exit" },
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};

static const struct unit {
	const char *words; /* separated by blanks; a final s is allowed */
	uint64_t factor;
} units[] = {
	{ "b byte", 1 },
	{ "k kb kib kbyte kibibyte kilobyte", 1ull << 10 },
	{ "m mb mib mbyte mebibyte megabyte", 1ull << 20 },
	{ "g gb gib gbyte gibibyte gigabyte", 1ull << 30 },
};
/* clang-format on */

static int options_is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter != 'D' && letter != '?';
}

static void __attribute__((format(printf, 2, 3))) complain(struct options *o, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pmprintf("%s: %s\n", pmGetProgname(), text);
	o->pm.errors++;
}

static bool is_unit(const char *word, size_t len, const char *list)
{
	while (*list != '\0') {
		size_t n = strcspn(list, " ");

		if (n == len && strncasecmp(word, list, n) == 0)
			return true;
		list += n + (list[n] == ' ');
	}
	return false;
}

static uint64_t factor_of(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (is_unit(word, len, units[i].words))
			return units[i].factor;
		if (len > 1 && tolower((unsigned char)word[len - 1]) == 's' &&
		    is_unit(word, len - 1, units[i].words))
			return units[i].factor;
	}
	return 0;
}

static bool size_of_interval(const char *text, struct size_limit *ret_size)
{
	struct timeval t;
	char *message = NULL;

	if (pmParseInterval(text, &t, &message) < 0) {
		free(message);
		return false;
	}
	*ret_size =
	    (struct size_limit){SIZE_TIME, (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000};
	return t.tv_sec > 0; /* "0.03" is not a time: its unit was forgotten */
}

bool options_size(const char *text, struct size_limit *ret_size)
{
	char *end;
	long long n;
	uint64_t factor;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (end == text || errno != 0)
		return size_of_interval(text, ret_size);
	while (isspace((unsigned char)*end))
		end++;
	if (*end == '\0') {
		*ret_size = (struct size_limit){SIZE_SAMPLES, (uint64_t)n};
		return n > 0;
	}
	factor = factor_of(end);
	if (factor == 0)
		return size_of_interval(text, ret_size);
	if (n <= 0 || (uint64_t)n > UINT64_MAX / factor)
		return false;
	*ret_size = (struct size_limit){SIZE_BYTES, (uint64_t)n * factor};
	return true;
}

static void set_size(struct options *o, struct size_limit *size, const char *what)
{
	if (!options_size(o->pm.optarg, size))
		complain(o, "illegal size argument '%s' for %s", o->pm.optarg, what);
}

static void set_version(struct options *o)
{
	o->version = (int)strtol(o->pm.optarg, NULL, 10);
	if (o->version != 2 && o->version != 3)
		complain(o, "-V requires a version number of 2 or 3");
}

static void set_control_version(struct options *o)
{
	o->control_version = (int)strtol(o->pm.optarg, NULL, 10);
	if (o->control_version != 2 && o->control_version != 3)
		complain(o, "-I requires a version number of 2 or 3");
}

/* A number of seconds, or an interval of pmParseInterval. */
static void set_interval(struct options *o)
{
	struct timeval t;
	char *message = NULL;
	uint64_t ms;

	if (pmParseInterval(o->pm.optarg, &t, &message) < 0) {
		pmprintf("%s: illegal -t argument\n%s", pmGetProgname(), message);
		free(message);
		o->pm.errors++;
		return;
	}
	ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000;
	if (ms > 0x0fffffff)
		complain(o, "illegal -t argument '%s'", o->pm.optarg);
	else
		o->interval_ms = (uint32_t)ms;
}

static void set_watched(struct options *o)
{
	char *end;
	long pid = strtol(o->pm.optarg, &end, 10);

	if (*end != '\0')
		complain(o, "invalid process identifier (%s)", o->pm.optarg);
	else if (pid <= 0 || pid > INT_MAX || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		complain(o, "PID error - no such process (%ld)", pid);
	else
		o->watched = (pid_t)pid;
}

static void set_session(struct options *o)
{
	char *end;
	long fd = strtol(o->pm.optarg, &end, 10);

	if (end == o->pm.optarg || *end != '\0' || fd < 0 || fd > INT_MAX)
		complain(o, "illegal file descriptor '%s'", o->pm.optarg);
	else
		o->session_fd = (int)fd;
	snprintf(o->session_note, sizeof(o->session_note), "-x %ld", fd);
	if (o->note == NULL)
		o->note = o->session_note;
}

static void set_local_agent(struct options *o)
{
	if (o->nlocal_spec == OPTIONS_SPECS_MAX)
		complain(o, "too many agents, at most %d", OPTIONS_SPECS_MAX);
	else
		o->local_specs[o->nlocal_spec++] = o->pm.optarg;
}

static void set_keep_size(struct options *o)
{
	struct size_limit size;

	o->keep_auto = strcmp(o->pm.optarg, "auto") == 0;
	if (o->keep_auto)
		return;
	if (!options_size(o->pm.optarg, &size) || size.kind == SIZE_TIME)
		complain(o, "illegal size argument '%s' for keep size", o->pm.optarg);
	else
		o->keep_bytes = size.value;
}

static void set_keep_age(struct options *o)
{
	struct size_limit size;

	if (!size_of_interval(o->pm.optarg, &size))
		complain(o, "illegal time argument '%s' for keep age", o->pm.optarg);
	else
		o->keep_s = size.value / 1000;
}

static void set_compress(struct options *o)
{
	o->compress = true;
	o->form = strcmp(o->pm.optarg, "zst") == 0 ? ARCHIVE_ZST : ARCHIVE_XZ;
	if (o->form == ARCHIVE_XZ && strcmp(o->pm.optarg, "xz") != 0)
		complain(o, "illegal form '%s' for compress, expected xz or zst", o->pm.optarg);
}

static void set_note(struct options *o)
{
	static const char *const daemons[] = {"pmlogger_check", "pmlogger_daily", "reexec"};

	o->note = o->pm.optarg;
	for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
		o->daemon |= strncmp(o->note, daemons[i], strlen(daemons[i])) == 0;
}

static void set_local(struct options *o)
{
	o->local = true;
	set_local_agent(o);
}

static void set_primary(struct options *o)
{
	o->primary = o->daemon = true;
}

static void set_end(struct options *o)
{
	set_size(o, &o->end, "exit size");
}

static void set_user(struct options *o)
{
	o->user = o->pm.optarg;
	o->daemon = true;
}

static void set_volume(struct options *o)
{
	set_size(o, &o->volume, "volume size");
}

/* -u: records are written at once in any case. */
static void set_nothing(struct options *o)
{
	(void)o;
}

/* The effect of an option: its argument is a text, it is a flag, or it has a function. */
#define TEXT(field) .text = offsetof(struct options, field)
#define FLAG(field) .flag = offsetof(struct options, field)
#define CALL(word)  .call = set_##word

/* No text or flag is the first field of the options. */
_Static_assert(offsetof(struct options, pm) == 0, "0 stands for none");

/* clang-format off */
static const struct rule {
	int letter;
	size_t text, flag;
	void (*call)(struct options *o);
} rules[] = {
	{ 'c', TEXT(config) },
	{ 'C', FLAG(check_only) },
	{ 'h', TEXT(host) },
	{ 'H', TEXT(label_host) },
	{ 'I', CALL(control_version) },
	{ 'K', CALL(local) },
	{ 'l', TEXT(log_path) },
	{ 'L', FLAG(linger) },
	{ 'm', CALL(note) },
	{ 'n', TEXT(namespace_file) },
	{ 'N', FLAG(notify) },
	{ 'o', FLAG(local) },
	{ 'p', CALL(watched) },
	{ 'P', CALL(primary) },
	{ 'r', FLAG(report) },
	{ 's', CALL(end) },
	{ 't', CALL(interval) },
	{ 'T', TEXT(stop_time) },
	{ 'u', CALL(nothing) },
	{ 'U', CALL(user) },
	{ 'v', CALL(volume) },
	{ 'V', CALL(version) },
	{ 'x', CALL(session) },
	{ 'y', FLAG(local_time) },
	{ LETTER_KEEP_SIZE, CALL(keep_size) },
	{ LETTER_KEEP_AGE, CALL(keep_age) },
	{ LETTER_COMPRESS, CALL(compress) },
	{ LETTER_COMPRESS_FILE, TEXT(compress_file) },
	{ LETTER_CHECK_SYNTAX, FLAG(syntax_only) },
};
/* clang-format on */

static void options_follow(struct options *o, const struct rule *rule)
{
	if (rule->text != 0)
		*(const char **)((char *)o + rule->text) = o->pm.optarg;
	else if (rule->flag != 0)
		*(bool *)((char *)o + rule->flag) = true;
	else
		rule->call(o);
}

static void options_set_option(struct options *o, int letter)
{
	for (size_t k = 0; k < ARRAY_SIZE(rules); k++) {
		if (rules[k].letter == letter) {
			options_follow(o, &rules[k]);
			return;
		}
	}
	o->pm.errors++;
}

static void options_check(struct options *o, int argc)
{
	int left = argc - o->pm.optind;

	if (o->primary && o->host != NULL) {
		complain(o,
			 "-P and -h are mutually exclusive; use -P only when running\n%s on the "
			 "same (local) host as the PMCD to which it connects.",
			 pmGetProgname());
	} else if (o->host != NULL && o->local) {
		complain(o, "-o and -h are mutually exclusive");
	}
	if (o->pm.errors == 0 && !o->check_only && !o->syntax_only && o->compress_file == NULL &&
	    left < 1)
		complain(o, "insufficient arguments");
	if (o->pm.errors == 0 && left > 1)
		complain(o, "too many arguments");
}

/* $PMLOGGER_INTERVAL, in seconds. */
static uint32_t default_interval(void)
{
	const char *text = getenv("PMLOGGER_INTERVAL");
	char *end;
	long s;

	if (text == NULL)
		return INTERVAL_DEFAULT_MS;
	s = strtol(text, &end, 10);
	if (end == text || *end != '\0' || s <= 0 || s > 0x0fffffff / 1000) {
		fprintf(stderr, "%s: illegal PMLOGGER_INTERVAL '%s' ignored, expected seconds\n",
			pmGetProgname(), text);
		return INTERVAL_DEFAULT_MS;
	}
	return (uint32_t)s * 1000;
}

static int default_version(void)
{
	const char *text = pmGetOptionalConfig("PCP_ARCHIVE_VERSION");

	return text != NULL && strcmp(text, "2") == 0 ? 2 : 3;
}

static bool tell_version(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--version") != 0)
		return false;
	printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING, PITOT_VERSION);
	return true;
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	*ret_status = 0;
	if (tell_version(argc, argv))
		return false;
	o->argv = argv;
	o->control_version = 3;
	o->log_path = "pmlogger.log";
	o->session_fd = -1;
	o->interval_ms = default_interval();
	o->version = default_version();
	o->pm.short_options = LETTERS;
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] archive";
	o->pm.override = options_is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		options_set_option(o, letter);
	options_check(o, argc);
	if (o->pm.errors > 0 || (o->pm.flags & PM_OPTFLAG_EXIT) != 0) {
		pmUsageMessage(&o->pm);
		*ret_status = 1;
		return false;
	}
	o->base = o->pm.optind < argc ? argv[o->pm.optind] : NULL;
	return true;
}
