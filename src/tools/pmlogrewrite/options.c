#include "tools/pmlogrewrite/options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdisk/limits.h"
#include "tools/common/cmdline.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "config", 1, 'c', "PATH", "file or directory to load rules from" },
	{ "check", 0, 'C', 0, "parse config file(s) and quit (verbose warnings also)" },
	{ "desperate", 0, 'd', 0, "desperate, save output archive even after error" },
	{ "", 0, 'i', 0, "rewrite in place, input-archive will be over-written" },
	{ "quick", 0, 'q', 0, "quick mode, no output if no change" },
	{ "scale", 0, 's', 0, "do scale conversion" },
	{ "verbose", 0, 'v', 0, "increased diagnostic verbosity" },
	{ "version", 1, 'V', "N", "output archive in version N [2/3] format" },
	{ "warnings", 0, 'w', 0, "emit warnings [default is silence]" },
	PMOPT_HELP,
	PMAPI_OPTIONS_TEXT(""),
	PMAPI_OPTIONS_TEXT("output-archive is required unless -i is specified"),
	PMAPI_OPTIONS_END
};
/* clang-format on */

static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'V' || letter == 's';
}

static void complain(struct options *o, const char *fmt, const char *what, const char *why)
{
	char text[4096];

	pmsprintf(text, sizeof(text), fmt, what, why);
	cmdline_complain(&o->pm, text);
}

static void add_config(struct options *o, char *path)
{
	char **list = reallocarray(o->configs, o->nconfigs + 1, sizeof(*list));

	if (list == NULL || path == NULL)
		pmNoMem("config", sizeof(*list), PM_FATAL_ERR);
	o->configs = list;
	o->configs[o->nconfigs++] = path;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The files and links of a folder, sorted by name. */
static void add_folder(struct options *o, const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_visible, alphasort);

	if (n < 0) {
		complain(o, "Error: opendir(%s) failed: %s", folder, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			path = NULL;
		free(entries[i]);
		if (path != NULL && is_folder(path))
			free(path);
		else
			add_config(o, path);
	}
	free(entries);
}

static void set_config(struct options *o, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		complain(o, "stat(%s) failed: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		add_folder(o, path);
	else if (S_ISREG(st.st_mode))
		add_config(o, strdup(path));
	else
		complain(o, "Error: -c config %s is not a file or directory", path, "");
}

static void set_version(struct options *o)
{
	char *end, number[32];
	long n = strtol(o->pm.optarg, &end, 10);

	o->version = (int)n;
	if (*end == '\0' && (n == DISK_V2 || n == DISK_V3))
		return;
	pmsprintf(number, sizeof(number), "%ld", *end == '\0' ? n : 0);
	complain(o, "Error: unsupported version (%s) requested", number, "");
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'c':
		set_config(o, o->pm.optarg);
		break;
	case 'C':
		o->check = o->verbose = o->warn = true;
		break;
	case 'd':
		o->desperate = true;
		break;
	case 'i':
		o->in_place = true;
		break;
	case 'q':
		o->quick = true;
		break;
	case 's':
		o->rescale = true;
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'V':
		set_version(o);
		break;
	case 'w':
		o->warn = true;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter, left, wanted;

	memset(o, 0, sizeof(*o));
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "c:CdD:iqsvV:w?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] input-archive [output-archive]";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	left = argc - o->pm.optind;
	wanted = o->in_place ? 1 : 2;
	if (left != wanted && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		o->pm.errors++;
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->input = argv[o->pm.optind];
	o->output = o->in_place ? NULL : argv[o->pm.optind + 1];
	return true;
}

void options_done(struct options *o)
{
	for (size_t i = 0; i < o->nconfigs; i++)
		free(o->configs[i]);
	free(o->configs);
	pmFreeOptions(&o->pm);
}
