/*
 * pcp - runs a command with a source of metrics, or summarizes an installation
 * (docs/spec/tools.md 11).
 *
 * Options become variables of the environment, which every client of the library reads. The command
 * is executed in place of this process, without a shell.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/pcp/pcp.h"

#define PREFIX "pcp-" /* of the programs that are commands */

/*
 * Options
 */

struct options {
	pmOptions pm;
	const char *align, *archive, *host, *namespace, *origin, *guiport, *start, *samples,
	    *finish, *interval, *timezone;
	bool guimode, local, hostzone, pmie, help;
};

static void want_help(void *options)
{
	struct options *o = options;

	o->help = true;
	o->pm.errors++;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Summary Options") },
	{ { "archive", 1, 'a', "FILE", "metrics source is a PCP log archive" }, CMDLINE_TEXT, AT(archive) },
	{ { "host", 1, 'h', "HOST", "metrics source is PMCD on host" }, CMDLINE_TEXT, AT(host) },
	{ { "origin", 1, 'O', "TIME", "initial sample time within the time window" }, CMDLINE_TEXT, AT(origin) },
	{ { "namespace", 1, 'n', "FILE", "use an alternative PMNS" }, CMDLINE_TEXT, AT(namespace) },
	{ { "pmie", 0, 'P', 0, "display pmie evaluation statistics" }, CMDLINE_FLAG, AT(pmie) },
	{ { "help", 0, '?', 0, "show this usage message and exit" }, CMDLINE_CALL, .call = want_help },
	{ PMAPI_OPTIONS_HEADER("Command Options") },
	{ { "align", 1, 'A', "TIME", "align sample times on natural boundaries" }, CMDLINE_TEXT, AT(align) },
	{ { "archive", 1, 'a', "FILE", "metrics source is a PCP log archive" } },
	{ PMOPT_DEBUG },
	{ { "guimode", 0, 'g', 0, "start in GUI mode with new time control" }, CMDLINE_FLAG, AT(guimode) },
	{ { "host", 1, 'h', "HOST", "metrics source is PMCD on host" } },
	{ { "local-PMDA", 0, 'L', 0, "metrics source is local connection to a PMDA" }, CMDLINE_FLAG, AT(local) },
	{ { "namespace", 1, 'n', "FILE", "use an alternative PMNS" } },
	{ { "origin", 1, 'O', "TIME", "initial sample time within the time window" } },
	{ { "guiport", 1, 'p', "N", "port for connection to existing time control" }, CMDLINE_TEXT, AT(guiport) },
	{ { "start", 1, 'S', "TIME", "start of the time window" }, CMDLINE_TEXT, AT(start) },
	{ { "samples", 1, 's', "N", "terminate after this many samples" }, CMDLINE_TEXT, AT(samples) },
	{ { "finish", 1, 'T', "TIME", "end of the time window" }, CMDLINE_TEXT, AT(finish) },
	{ { "interval", 1, 't', "DELTA", "sampling interval" }, CMDLINE_TEXT, AT(interval) },
	{ { "timezone", 1, 'Z', "TZ", "set reporting timezone" }, CMDLINE_TEXT, AT(timezone) },
	{ { "hostzone", 0, 'z', 0, "set reporting timezone to local time of metrics source" }, CMDLINE_FLAG, AT(hostzone) },
	{ PMOPT_VERSION },
	{ PMAPI_OPTIONS_END },
};

/* The variable of each option. */
static const struct variable {
	const char *name;
	size_t target;
	bool flag;
} variables[] = {
	{ "PCP_ALIGN_TIME", AT(align), false },
	{ "PCP_ARCHIVE", AT(archive), false },
	{ "PCP_FINISH_TIME", AT(finish), false },
	{ "PCP_GUIMODE", AT(guimode), true },
	{ "PCP_GUIPORT", AT(guiport), false },
	{ "PCP_HOST", AT(host), false },
	{ "PCP_HOSTZONE", AT(hostzone), true },
	{ "PCP_INTERVAL", AT(interval), false },
	{ "PCP_LOCALMODE", AT(local), true },
	{ "PCP_NAMESPACE", AT(namespace), false },
	{ "PCP_ORIGIN_TIME", AT(origin), false },
	{ "PCP_SAMPLES", AT(samples), false },
	{ "PCP_START_TIME", AT(start), false },
	{ "PCP_TIMEZONE", AT(timezone), false },
	{ NULL, 0, false },
};
/* clang-format on */

static void set_variables(const struct options *o)
{
	for (const struct variable *v = variables; v->name != NULL; v++) {
		const void *target = (const char *)o + v->target;
		const char *value = v->flag ? (*(const bool *)target ? "true" : NULL)
					    : *(const char *const *)target;

		if (value != NULL && setenv(v->name, value, 1) < 0)
			pmNoMem("environment", strlen(value), PM_FATAL_ERR);
	}
}

/*
 * Commands
 */

/* The folder of commands with that number, or NULL. */
static const char *folder(int i, char *buf, size_t size)
{
	const char *home = getenv("HOME");

	if (i == 1)
		return pmGetConfig("PCP_BINADM_DIR");
	if (i != 0 || home == NULL || home[0] == '\0')
		return NULL;
	pmsprintf(buf, size, "%s/.pcp/bin", home);
	return buf;
}

#define FOLDERS 2

static int is_command(const struct dirent *entry)
{
	return strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0;
}

/* Appends a word to a paragraph whose first line is shorter. */
static void print_word(const char *word, int *column)
{
	int length = (int)strlen(word);

	if (*column + length > 48) {
		fprintf(stderr, "\n          ");
		*column = 0;
	}
	fprintf(stderr, " %s", word);
	*column += length + 1;
}

/* Prints the commands that are installed, and the one of this program. */
static void print_commands(void)
{
	char buf[MAXPATHLEN];
	int column = 0;

	fprintf(stderr, "\nAvailable Commands:    ");
	for (int i = 0; i < FOLDERS; i++) {
		const char *path = folder(i, buf, sizeof(buf));
		struct dirent **entries;
		int n = path != NULL ? scandir(path, &entries, is_command, alphasort) : -1;

		for (int e = 0; e < n; e++) {
			if (strcmp(entries[e]->d_name, PREFIX "summary") != 0)
				print_word(entries[e]->d_name + strlen(PREFIX), &column);
			free(entries[e]);
		}
		if (n >= 0)
			free(entries);
	}
	print_word("summary", &column);
	fputc('\n', stderr);
}

/* Executes a command. Returns only if there is no such command. */
static void execute(char **argv)
{
	char buf[MAXPATHLEN], path[MAXPATHLEN];

	for (int i = 0; i < FOLDERS && strchr(argv[0], '/') == NULL; i++) {
		const char *where = folder(i, buf, sizeof(buf));

		if (where == NULL)
			continue;
		pmsprintf(path, sizeof(path), "%s/" PREFIX "%s", where, argv[0]);
		if (access(path, X_OK) == 0)
			execv(path, argv);
	}
	if (strchr(argv[0], '/') != NULL && access(argv[0], X_OK) == 0)
		execv(argv[0], argv);
}

static int run(const struct options *o, char **argv)
{
	set_variables(o);
	if (argv[0] == NULL)
		return output_finish(summary_run(o->pmie));
	execute(argv);
	if (strcmp(argv[0], "summary") == 0)
		return output_finish(summary_run(o->pmie));
	fprintf(
	    stderr,
	    "Cannot find a pcp-%s command to execute\nPlease install pcp system tools package\n",
	    argv[0]);
	return 1;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	int status;

	o.pm.version = PMAPI_VERSION_3;
	o.pm.flags = PM_OPTFLAG_POSIX;
	o.pm.short_usage = "[options] [[...] command [...]]";
	cmdline_parse(&o, rows, argc, argv);
	if (!cmdline_accept(&o.pm, &status)) {
		if (o.help)
			print_commands();
		pmFreeOptions(&o.pm);
		return output_finish(status);
	}
	return run(&o, argv + o.pm.optind);
}
