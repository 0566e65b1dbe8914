/*
 * archives - the table of the commands below `pitot archives`, their options and their folders.
 */
#include "tools/pitot/archives/archives.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/up/up.h"

/*
 * Limits
 */

struct limit_unit {
	char letter;
	uint64_t times;
};

/* A number with a unit's letter, or without one: then the first unit counts. 0, or -1. */
static int parse_limit(const char *text, const struct limit_unit *units, uint64_t *ret_value)
{
	uint64_t value, times = units[0].times;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno != 0 || value == 0)
		return -1;
	if (*end != '\0') {
		while (units->letter != '\0' && units->letter != tolower((unsigned char)*end))
			units++;
		if (units->letter == '\0' || end[1] != '\0')
			return -1;
		times = units->times;
	}
	if (value > INT64_MAX / times)
		return -1;
	*ret_value = value * times;
	return 0;
}

int archives_parse_size(const char *option, const char *text, uint64_t *ret_bytes)
{
	static const struct limit_unit units[] = {{'b', 1},          {'k', 1ull << 10},
						  {'m', 1ull << 20}, {'g', 1ull << 30},
						  {'t', 1ull << 40}, {0}};

	if (parse_limit(text, units, ret_bytes) == 0)
		return 0;
	pitot_complain("%s: '%s' is not a size such as 500m or 2g", option, text);
	return -1;
}

int archives_parse_age(const char *option, const char *text, int64_t *ret_seconds)
{
	static const struct limit_unit units[] = {{'d', 86400}, {'s', 1},         {'m', 60},
						  {'h', 3600},  {'w', 7 * 86400}, {0}};
	uint64_t seconds;

	if (parse_limit(text, units, &seconds) == 0) {
		*ret_seconds = (int64_t)seconds;
		return 0;
	}
	pitot_complain("%s: '%s' is not an age such as 30d, 36h or 8w", option, text);
	return -1;
}

/* A limit is the option, or else the variable of pcp.conf or the environment. */
static int take_limits(struct archives_options *o)
{
	static const char size_name[] = "PITOT_ARCHIVES_MAX_SIZE",
			  age_name[] = "PITOT_ARCHIVES_MAX_AGE";
	const bool given = o->max_size != NULL || o->max_age != NULL;
	const char *size = given ? o->max_size : pmGetOptionalConfig(size_name);
	const char *age = given ? o->max_age : pmGetOptionalConfig(age_name);

	if (size != NULL && size[0] != '\0' &&
	    archives_parse_size(given ? "--max-size" : size_name, size, &o->size) < 0)
		return -1;
	if (age != NULL && age[0] != '\0' &&
	    archives_parse_age(given ? "--max-age" : age_name, age, &o->age_s) < 0)
		return -1;
	return 0;
}

/*
 * Commands
 */

#define AT(member) offsetof(struct archives_options, member)

/* clang-format off */
static const struct cmdline_row list_rows[] = {
	{ { "json", 0, 'j', NULL, "print one JSON object" }, CMDLINE_FLAG, AT(json) },
	{ PMAPI_OPTIONS_END },
};
static const struct cmdline_row no_rows[] = {
	{ PMAPI_OPTIONS_END },
};
static const struct cmdline_row cull_rows[] = {
	{ { "max-size", 1, 's', "SIZE", "of all archives of a folder, such as 500m or 2g" }, CMDLINE_TEXT, AT(max_size) },
	{ { "max-age",  1, 'a', "AGE",  "since an archive changed last, such as 30d or 36h" }, CMDLINE_TEXT, AT(max_age) },
	{ { "dry-run",  0, 'n', NULL,   "only print what would be removed" }, CMDLINE_FLAG, AT(dry_run) },
	{ PMAPI_OPTIONS_END },
};
static const struct cmdline_row daily_rows[] = {
	{ { "max-size", 1, 's', "SIZE", "as for cull" }, CMDLINE_TEXT, AT(max_size) },
	{ { "max-age",  1, 'a', "AGE",  "as for cull" }, CMDLINE_TEXT, AT(max_age) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options list_options = {"archives list",
					    "Lists the archives of a folder, and their states.",
					    list_rows, "[DIR...]", false};
static const struct options check_options = {"archives check",
					     "Reads all archives of a folder and reports damage.",
					     no_rows, "[DIR...]", false};
static const struct options compress_options = {"archives compress",
						"Compresses the volumes of complete archives.",
						no_rows, "[DIR...]", false};
static const struct options merge_options = {
    "archives merge", "Merges the archives of a host and a past day into one.", no_rows, "[DIR...]",
    false};
static const struct options cull_options = {
    "archives cull", "Removes whole archives, the oldest first, until the limits hold.", cull_rows,
    "[DIR...]", false};
static const struct options daily_options = {
    "archives daily",
    "Checks, merges, compresses and culls the archives of a folder, in this order.", daily_rows,
    "[DIR...]", false};

/* The folders of the command line, or that of `pitot up`. Returns their number; 0 after a message.
 */
static size_t choose_folders(int argc, char **argv, struct place *p, char **own, char ***ret_dirs)
{
	if (optind < argc) {
		*ret_dirs = argv + optind;
		return (size_t)(argc - optind);
	}
	if (place_find(p) < 0)
		return 0;
	*own = p->archive_dir;
	*ret_dirs = own;
	return 1;
}

static int list_run(int argc, char **argv)
{
	struct archives_options o = {.json = false};
	struct place p;
	char *own, **dirs;
	int status = options_parse(&list_options, argc, argv, &o);
	size_t n;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	n = choose_folders(argc, argv, &p, &own, &dirs);
	return n > 0 ? output_finish(list_folders(&o, dirs, n)) : PITOT_FAILED;
}

/* Runs the works, one after the other, on each folder. */
static int work_run(struct archives_options *o, int argc, char **argv, archives_work *const works[])
{
	struct place p;
	char *own, **dirs;
	size_t n = choose_folders(argc, argv, &p, &own, &dirs);
	int status = n > 0 ? PITOT_OK : PITOT_FAILED;

	for (size_t i = 0; i < n; i++) {
		for (size_t w = 0; works[w] != NULL; w++) {
			if (works[w](o, dirs[i]) != PITOT_OK)
				status = PITOT_FAILED;
		}
	}
	return output_finish(status);
}

static int check_run(int argc, char **argv)
{
	static archives_work *const works[] = {check_folder, NULL};
	struct archives_options o = {.json = false};
	int status = options_parse(&check_options, argc, argv, &o);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	return work_run(&o, argc, argv, works);
}

static int compress_run(int argc, char **argv)
{
	static archives_work *const works[] = {compress_folder, NULL};
	struct archives_options o = {.json = false};
	int status = options_parse(&compress_options, argc, argv, &o);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	return work_run(&o, argc, argv, works);
}

static int merge_run(int argc, char **argv)
{
	static archives_work *const works[] = {merge_folder, NULL};
	struct archives_options o = {.json = false};
	int status = options_parse(&merge_options, argc, argv, &o);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	return work_run(&o, argc, argv, works);
}

static int cull_run(int argc, char **argv)
{
	static archives_work *const works[] = {cull_folder, NULL};
	struct archives_options o = {.json = false};
	int status = options_parse(&cull_options, argc, argv, &o);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (take_limits(&o) < 0)
		return PITOT_USAGE;
	if (o.size == 0 && o.age_s == 0) {
		pitot_complain("archives cull: --max-size or --max-age is missing");
		return PITOT_USAGE;
	}
	return work_run(&o, argc, argv, works);
}

/* Without a limit nothing is removed. */
static int daily_run(int argc, char **argv)
{
	static archives_work *const works[] = {check_folder, merge_folder, compress_folder,
					       cull_folder, NULL};
	struct archives_options o = {.json = false};
	int status = options_parse(&daily_options, argc, argv, &o);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (take_limits(&o) < 0)
		return PITOT_USAGE;
	return work_run(&o, argc, argv, works);
}

static const struct pitot_command commands[] = {
    {"list", "the archives of a folder, and their states", list_run},
    {"check", "read all archives and report damage", check_run},
    {"merge", "merge the archives of a host and a past day into one", merge_run},
    {"compress", "compress the volumes of complete archives", compress_run},
    {"cull", "remove the oldest archives until the limits hold", cull_run},
    {"daily", "check, merge, compress and cull", daily_run},
};

static const struct commands table = {
    .program = "pitot archives",
    .about = "Looks after the archives of a folder, by default that of pitot up.",
    .options = "",
    .rows = commands,
    .n = sizeof(commands) / sizeof(commands[0]),
};

int archives_run(int argc, char **argv)
{
	return commands_run(&table, argc, argv);
}
