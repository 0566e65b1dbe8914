/*
 * parity_options - command lines and environments through pmgetopt_r and pmGetOptions: see
 * parity.py.
 *
 * Each case runs in a process of its own, because options change the state of the process.
 */
#define PMAPI_VERSION 3
#include <ctype.h>
#include <sys/wait.h>

#include <pcp/pmapi.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define WORDS_MAX 24

static pmLongOptions tool_options[] = {
    PMAPI_OPTIONS_HEADER("General options"),
    PMOPT_ALIGN,
    PMOPT_ARCHIVE,
    PMOPT_DEBUG,
    PMOPT_GUIMODE,
    PMOPT_HOST,
    PMOPT_HOSTSFILE,
    PMOPT_SPECLOCAL,
    PMOPT_LOCALPMDA,
    PMOPT_NAMESPACE,
    PMOPT_UNIQNAMES,
    PMOPT_ORIGIN,
    PMOPT_GUIPORT,
    PMOPT_START,
    PMOPT_SAMPLES,
    PMOPT_FINISH,
    PMOPT_INTERVAL,
    PMOPT_TIMEZONE,
    PMOPT_HOSTZONE,
    PMOPT_VERSION,
    PMOPT_HELP,
    PMOPT_ARCHIVE_LIST,
    PMOPT_ARCHIVE_FOLIO,
    PMOPT_HOST_LIST,
    PMOPT_CONTAINER,
    PMOPT_DERIVED,
    PMAPI_OPTIONS_HEADER("Own options"),
    {"all", 0, 'x', NULL, "everything"},
    {"allow", 1, 'y', "WHAT",
     "a message that is too long for one line, and therefore has to go on on the next"},
    {"optional", 2, 'o', "MAYBE", "argument or not"},
    {"longonly", 0, 0, NULL, "no letter"},
    {"longarg", 1, 0, "ARGUMENT", "no letter, with an argument"},
    {"hidden", 0, 'q', NULL, NULL},
    {"a-very-long-option-name-indeed", 1, 'Q', "LONGARGUMENT", "over the column"},
    PMAPI_OPTIONS_TEXT("Some text."),
    PMAPI_OPTIONS_TEXT(""),
    PMAPI_OPTIONS_END,
};

#define SHORT_OPTIONS PMAPI_OPTIONS "H:K:LN:xy:o::qQ:W;"

struct test {
	const char *name;
	const char *short_options;
	int flags;
	const char *words; /* environment "NAME=value" first, then "--" is the program */
};

static void print_string(const char *what, const char *s)
{
	if (s != NULL)
		printf(" %s=<%s>", what, s);
}

static void print_time(const char *what, struct timespec ts)
{
	if (ts.tv_sec != 0 || ts.tv_nsec != 0)
		printf(" %s=%ld.%09ld", what, ts.tv_sec, ts.tv_nsec);
}

/* Flags of pmOptions that PCP has not. */
#define OURS_ALONE (1 << 30)

static void print_options(const pmOptions *o)
{
	printf("  version %d flags %x errors %d context %d samples %d guiport %d gui %d tz %d ns "
	       "%d L %d",
	       o->version, (unsigned int)(o->flags & ~OURS_ALONE), o->errors, o->context,
	       o->samples, o->guiport, o->guiflag, o->tzflag, o->nsflag, o->Lflag);
	for (int i = 0; i < o->nhosts; i++)
		print_string("host", o->hosts[i]);
	for (int i = 0; i < o->narchives; i++)
		print_string("archive", o->archives[i]);
	print_string("align", o->align_optarg);
	print_string("start", o->start_optarg);
	print_string("finish", o->finish_optarg);
	print_string("origin", o->origin_optarg);
	print_string("guiport", o->guiport_optarg);
	print_string("timezone", o->timezone);
	print_time("interval", o->interval);
	printf("\n");
}

static int split(char *text, char **words)
{
	int n = 0;

	for (char *word = strtok(text, " "); word != NULL && n < WORDS_MAX - 1;
	     word = strtok(NULL, " "))
		words[n++] = strcmp(word, "''") == 0 ? (char *)"" : word;
	words[n] = NULL;
	return n;
}

static int own_option(int c, pmOptions *opts)
{
	return c == 's' || c == 'T';
}

static void run(const struct test *t, int standard)
{
	char text[1024], *words[WORDS_MAX], **argv = words;
	pmOptions opts = {.version = PMAPI_VERSION,
			  .flags = t->flags,
			  .short_options = t->short_options,
			  .long_options = tool_options,
			  .short_usage = "[options] [names ...]"};
	int argc, c, calls = 0;

	snprintf(text, sizeof(text), "%s", t->words);
	argc = split(text, words);
	while (argc > 0 && strchr(argv[0], '=') != NULL && isupper((unsigned char)argv[0][0])) {
		putenv(argv[0]);
		argv++;
		argc--;
	}
	if (strcmp(t->name, "override") == 0)
		opts.override = own_option;
	if (strcmp(t->name, "version2") == 0)
		opts.version = 0;
	do {
		opts.optarg = NULL;
		c = standard ? pmGetOptions(argc, argv, &opts) : pmgetopt_r(argc, argv, &opts);
		printf("  %d %c index %d optind %d optopt %d", c, c > 32 ? c : '-',
		       c == 0 ? opts.index : -1, opts.optind, opts.optopt);
		print_string("optarg", opts.optarg);
		printf("\n");
	} while (c != -1 && ++calls < 30);
	for (int i = 0; i < argc; i++)
		printf("  argv %d <%s>\n", i, argv[i]);
	printf("  container %s prog %s\n", getenv("PCP_CONTAINER") ? getenv("PCP_CONTAINER") : "-",
	       pmGetProgname());
	if (standard)
		print_options(&opts);
	if (opts.errors > 0 ||
	    (opts.flags & (PM_OPTFLAG_USAGE_ERR | PM_OPTFLAG_RUNTIME_ERR | PM_OPTFLAG_EXIT)))
		pmUsageMessage(&opts);
	pmflush();
	if (standard)
		pmFreeOptions(&opts);
}

static void run_apart(const struct test *t, int standard)
{
	int status;
	pid_t pid;

	printf("case %s: %s %s\n", standard ? "pmGetOptions" : "pmgetopt_r", t->name, t->words);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(1, 2);
		setvbuf(stdout, NULL, _IONBF, 0);
		run(t, standard);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		printf("  status %x\n", (unsigned int)status);
}

/* The text after an option letter is the same for all; each line is one command. */
static const struct test tests[] = {
    {"plain", SHORT_OPTIONS, 0, "/bin/prog"},
    {"plain", SHORT_OPTIONS, 0, "prog a b"},
    {"own", SHORT_OPTIONS, 0, "prog -x a -y v b -o -oval c"},
    {"own", SHORT_OPTIONS, 0, "prog -xyv -x -yv a -- -x"},
    {"own", SHORT_OPTIONS, 0, "prog --all --allow v --allow=v --optional --optional=v a"},
    {"own", SHORT_OPTIONS, 0, "prog --longonly --longarg v --longarg=w --longarg"},
    {"abbreviated", SHORT_OPTIONS, 0, "prog --longo --longa v --opt"},
    {"ambiguous", SHORT_OPTIONS, 0, "prog --al --long --h foo --a"},
    {"unknown", SHORT_OPTIONS, 0, "prog -k --nonsense -x --nonsense=5"},
    {"missing", SHORT_OPTIONS, 0, "prog -y"},
    {"missing", SHORT_OPTIONS, 0, "prog --allow"},
    {"colon", ":" SHORT_OPTIONS, 0, "prog -k -y"},
    {"colon", ":" SHORT_OPTIONS, 0, "prog --nonsense --allow"},
    {"surplus", SHORT_OPTIONS, 0, "prog --all=5 --longonly=6 --all="},
    {"empty argument", SHORT_OPTIONS, 0, "prog -y '' --allow '' --allow= ''"},
    {"dash", SHORT_OPTIONS, 0, "prog - -x - a"},
    {"plus", "+" SHORT_OPTIONS, 0, "prog -x a -x b"},
    {"minus", "-" SHORT_OPTIONS, 0, "prog -x a -x b"},
    {"posix", SHORT_OPTIONS, PM_OPTFLAG_POSIX, "prog -x a -x b"},
    {"posix", SHORT_OPTIONS, 0, "POSIXLY_CORRECT=1 prog -x a -x b"},
    {"quiet", SHORT_OPTIONS, PM_OPTFLAG_QUIET, "prog -k --nonsense -y"},
    {"W", SHORT_OPTIONS, 0, "prog -W all -W allow=5 -Wlongonly -W nonsense -W allow v -W"},
    {"long only", SHORT_OPTIONS, PM_OPTFLAG_LONG_ONLY, "prog -x -s 5 --samples 6 -y v"},
    {"permute", SHORT_OPTIONS, 0, "prog a b -x c -y v d -- e -x f"},
    {"permute", SHORT_OPTIONS, 0, "prog a -- -x"},
    {"no shorts", NULL, 0, "prog -x --all a"},
    {"host", SHORT_OPTIONS, 0, "prog -h one"},
    {"host", SHORT_OPTIONS, 0, "prog --host=one a"},
    {"hosts", SHORT_OPTIONS, 0, "prog -h one -h two"},
    {"hosts", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog -h one -h two -h one"},
    {"hosts", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --host-list one,two,,three"},
    {"hosts", SHORT_OPTIONS, 0, "prog --host-list one,two"},
    {"hosts", SHORT_OPTIONS, 0, "prog --host-list one"},
    {"hosts", SHORT_OPTIONS, 0, "PCP_HOST=env prog"},
    {"hosts", SHORT_OPTIONS, 0, "PCP_HOST=env prog -h one"},
    {"hosts", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "PCP_HOST=env PCP_HOST_LIST=b,c prog -h one"},
    {"hosts", SHORT_OPTIONS, 0, "PCP_HOST= prog"},
    {"hostsfile", SHORT_OPTIONS, 0, "prog -H /proc/nonexistent"},
    {"hostsfile", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog -H hostsfile"},
    {"archive", SHORT_OPTIONS, 0, "prog -a one"},
    {"archives", SHORT_OPTIONS, 0, "prog -a one -a two -a one,three"},
    {"archives", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog -a one -a two -a one,three -a one"},
    {"archives", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --archive-list one,two"},
    {"archives", SHORT_OPTIONS, 0, "prog --archive-list one,two"},
    {"archives", SHORT_OPTIONS, 0, "PCP_ARCHIVE=x PCP_ARCHIVE_LIST=y,z prog -a one"},
    {"folio", SHORT_OPTIONS, 0, "prog --archive-folio /proc/nonexistent"},
    {"folio", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --archive-folio folio1"},
    {"folio", SHORT_OPTIONS, 0, "prog --archive-folio folio2"},
    {"folio", SHORT_OPTIONS, 0, "prog --archive-folio folio3"},
    {"folio", SHORT_OPTIONS, 0, "prog --archive-folio folio4"},
    {"folio", SHORT_OPTIONS, 0, "prog --archive-folio folio5"},
    {"folio", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --archive-folio folio6"},
    {"folio", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --archive-folio folio7"},
    {"mixed", SHORT_OPTIONS, 0, "prog -h one -a two"},
    {"mixed", SHORT_OPTIONS, 0, "prog -a two -h one"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog -a two -h one"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog -h one -a two"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MULTI | PM_OPTFLAG_MIXED, "prog -h one -a two"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MIXED, "prog -h one -a two"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --host-list one,two --archive-list x,y"},
    {"mixed", SHORT_OPTIONS, PM_OPTFLAG_MULTI, "prog --archive-list x,y --host-list one,two"},
    {"local", SHORT_OPTIONS, 0, "prog -L"},
    {"local", SHORT_OPTIONS, 0, "prog -L -h one"},
    {"local", SHORT_OPTIONS, 0, "prog -h one -L"},
    {"local", SHORT_OPTIONS, 0, "prog -a one -L"},
    {"local", SHORT_OPTIONS, 0, "prog -L -L"},
    {"local", SHORT_OPTIONS, 0, "PCP_LOCALPMDA=1 prog"},
    {"local", SHORT_OPTIONS, 0, "PCP_LOCALMODE=1 prog"},
    {"gui", SHORT_OPTIONS, 0, "prog -g"},
    {"gui", SHORT_OPTIONS, 0, "prog -p 1234"},
    {"gui", SHORT_OPTIONS, 0, "prog -g -p 1234"},
    {"gui", SHORT_OPTIONS, 0, "prog -p 1234 -g"},
    {"gui", SHORT_OPTIONS, 0, "prog -p foo"},
    {"gui", SHORT_OPTIONS, 0, "PCP_GUIMODE=1 prog"},
    {"gui", SHORT_OPTIONS, 0, "PCP_GUIPORT=77 prog"},
    {"samples", SHORT_OPTIONS, 0, "prog -s 5"},
    {"samples", SHORT_OPTIONS, 0, "prog -s 0"},
    {"samples", SHORT_OPTIONS, 0, "prog -s -5"},
    {"samples", SHORT_OPTIONS, 0, "prog -s 5x"},
    {"samples", SHORT_OPTIONS, 0, "PCP_SAMPLES=9 prog"},
    {"samples", SHORT_OPTIONS, 0, "PCP_SAMPLES=z prog"},
    {"interval", SHORT_OPTIONS, 0, "prog -t 1.5"},
    {"interval", SHORT_OPTIONS, 0, "prog --interval=2min"},
    {"interval", SHORT_OPTIONS, 0, "prog -t 5foo"},
    {"interval", SHORT_OPTIONS, 0, "prog -t 0"},
    {"interval", SHORT_OPTIONS, 0, "PCP_INTERVAL=3 prog"},
    {"interval", SHORT_OPTIONS, 0, "PCP_INTERVAL=x prog"},
    {"window", SHORT_OPTIONS, 0, "prog -S 1min"},
    {"window", SHORT_OPTIONS, 0, "prog -T 1min"},
    {"window", SHORT_OPTIONS, 0, "prog -A 1min"},
    {"window", SHORT_OPTIONS, 0, "prog -a x -S 1min -T 2min -A 10 -O 5"},
    {"window", SHORT_OPTIONS, 0, "PCP_ALIGN_TIME=1 PCP_START_TIME=2 PCP_FINISH_TIME=3 prog -a x"},
    {"window", SHORT_OPTIONS, 0, "PCP_ORIGIN=1 prog -a x"},
    {"window", SHORT_OPTIONS, 0, "PCP_ORIGIN_TIME=1 prog -a x"},
    {"zone", SHORT_OPTIONS, 0, "prog -Z UTC"},
    {"zone", SHORT_OPTIONS, 0, "prog -z"},
    {"zone", SHORT_OPTIONS, 0, "prog -z -h one"},
    {"zone", SHORT_OPTIONS, 0, "prog -z -Z UTC -h one"},
    {"zone", SHORT_OPTIONS, 0, "prog -Z UTC -z -h one"},
    {"zone", SHORT_OPTIONS, 0, "PCP_TIMEZONE=X PCP_HOST=y prog"},
    {"zone", SHORT_OPTIONS, 0, "PCP_HOSTZONE=1 PCP_HOST=y prog"},
    {"debug", SHORT_OPTIONS, 0, "prog -D nonsense"},
    {"debug", SHORT_OPTIONS, 0, "prog -D appl9"},
    {"debug", SHORT_OPTIONS, 0, "PCP_DEBUG=nonsense prog"},
    {"names", SHORT_OPTIONS, 0, "prog -n /proc/nonexistent"},
    {"names", SHORT_OPTIONS, 0, "prog -N /proc/nonexistent"},
    {"names", SHORT_OPTIONS, 0, "prog -n one -n two"},
    {"version", SHORT_OPTIONS, 0, "prog -V"},
    {"version", SHORT_OPTIONS, 0, "prog --version a"},
    {"help", SHORT_OPTIONS, 0, "prog -?"},
    {"help", SHORT_OPTIONS, 0, "prog --help"},
    {"container", SHORT_OPTIONS, 0, "prog --container=c1"},
    {"derived", SHORT_OPTIONS, 0, "prog --derived=/proc/nonexistent"},
    {"several", SHORT_OPTIONS, 0, "prog -h one -t 2 -s 3 -x name -y v other"},
    {"override", SHORT_OPTIONS, 0, "prog -s 3 -T 4 -t 5"},
    {"version2", SHORT_OPTIONS, 0, "prog -s 3"},
    {"env only", SHORT_OPTIONS, PM_OPTFLAG_ENV_ONLY, "PCP_SAMPLES=4 prog -s 3 -h one"},
    {"long only", SHORT_OPTIONS, PM_OPTFLAG_LONG_ONLY, "PCP_SAMPLES=4 prog -s 3 --host=one"},
    {"few shorts", "s:x", 0, "prog -s 3 -x -t 4 -h one --host=two --interval=5"},
    {"multi O", SHORT_OPTIONS, 0, "prog -O 5"},
    {"spec", SHORT_OPTIONS, 0, "prog -K nonsense"},
};

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f != NULL) {
		fputs(text, f);
		fclose(f);
	}
}

int main(void)
{
	if (getenv("PITOT_SCRATCH") != NULL && chdir(getenv("PITOT_SCRATCH")) == 0) {
		write_file("hostsfile", "# comment\nalpha\n\n  beta  \ngamma # more\n");
		write_file("folio1", "PCPFolio\nVersion: 1\n# c\nCreated: on x\n\nArchive: host1 "
				     "path/a\nArchive:\thost2\t/abs/b\n");
		write_file("folio2", "");
		write_file("folio3", "Nonsense\nVersion: 1\n");
		write_file("folio4", "PCPFolio\n");
		write_file("folio5", "PCPFolio\nVersion: 2\n");
		write_file("folio6", "PCPFolio\nVersion: 1\nArchive:\n");
		write_file("folio7", "PCPFolio\nVersion: 1\nArchive: host1\n");
	}
	for (size_t i = 0; i < COUNT(tests); i++) {
		run_apart(&tests[i], 0);
		run_apart(&tests[i], 1);
	}
	return 0;
}
