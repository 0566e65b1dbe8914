/*
 * A setting of the command line counts more than one of a configuration, so both are read before
 * the first is applied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/common/cmdline.h"
#include "tools/common/jsontext.h"
#include "tools/pmrep/config.h"
#include "tools/pmrep/report.h"

/* Settings with an argument, and those without, with their value. */
#define TEXTS(X)                                                                                   \
	X(colxrow)                                                                                 \
	X(count_scale)                                                                             \
	X(count_scale_force)                                                                       \
	X(delimiter)                                                                               \
	X(derived)                                                                                 \
	X(limit_filter)                                                                            \
	X(limit_filter_force)                                                                      \
	X(names_change)                                                                            \
	X(output)                                                                                  \
	X(precision)                                                                               \
	X(precision_force)                                                                         \
	X(predicate)                                                                               \
	X(rank)                                                                                    \
	X(repeat_header)                                                                           \
	X(sort_metric)                                                                             \
	X(space_scale)                                                                             \
	X(space_scale_force)                                                                       \
	X(time_scale)                                                                              \
	X(time_scale_force)                                                                        \
	X(timefmt)                                                                                 \
	X(width)                                                                                   \
	X(width_force)
#define FLAGS(X)                                                                                   \
	X(daemonize, "yes")                                                                        \
	X(delay, "yes")                                                                            \
	X(dynamic_header, "yes")                                                                   \
	X(extcsv, "yes")                                                                           \
	X(extheader, "yes")                                                                        \
	X(fixed_header, "yes")                                                                     \
	X(globals, "no")                                                                           \
	X(header, "no")                                                                            \
	X(ignore_incompat, "yes")                                                                  \
	X(ignore_unknown, "yes")                                                                   \
	X(include_labels, "yes")                                                                   \
	X(include_texts, "yes")                                                                    \
	X(instinfo, "no")                                                                          \
	X(interpol, "no")                                                                          \
	X(invert_filter, "yes")                                                                    \
	X(live_filter, "yes")                                                                      \
	X(omit_flat, "yes")                                                                        \
	X(overall_rank, "yes")                                                                     \
	X(overall_rank_alt, "yes")                                                                 \
	X(separate_header, "yes")                                                                  \
	X(timestamp, "yes")                                                                        \
	X(type, "raw")                                                                             \
	X(type_prefer, "raw")                                                                      \
	X(unitinfo, "no")

#define TEXT_MEMBER(key)        const char *key;
#define FLAG_MEMBER(key, value) bool key;

struct command {
	pmOptions pm;
	TEXTS(TEXT_MEMBER)
	FLAGS(FLAG_MEMBER)
	char *instances; /* -i, several joined by commas; owned */
	const char *config, *file;
	bool check, json;
};

static void add_instances(void *options)
{
	struct command *c = options;
	char *joined;

	if (asprintf(&joined, "%s%s%s", c->instances != NULL ? c->instances : "",
		     c->instances != NULL ? "," : "", c->pm.optarg) < 0)
		pmNoMem("instances", strlen(c->pm.optarg), PM_FATAL_ERR);
	free(c->instances);
	c->instances = joined;
}

/* Adds an agent of a local context; other sources have none. */
static void add_agent(void *options)
{
	struct command *c = options;
	char *why;

	if (!c->pm.Lflag || (why = pmSpecLocalPMDA(c->pm.optarg)) == NULL)
		return;
	pmprintf("%s: pmSpecLocalPMDA failed: %s\n", pmGetProgname(), why);
	c->pm.errors++;
}

#define AT(member) offsetof(struct command, member)

/* Long options without a letter. */
enum { LONG_DAEMONIZE = 1, LONG_NO_INST, LONG_TEXTS };

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_ARCHIVE },
	{ PMOPT_ARCHIVE_FOLIO },
	{ PMOPT_CONTAINER },
	{ PMOPT_DEBUG },
	{ PMOPT_HOST },
	{ PMOPT_LOCALPMDA },
	{ { "spec-local", 1, 'K', "SPEC", "optional additional PMDA spec for local connection" }, CMDLINE_CALL, .call = add_agent },
	{ { "config", 1, 'c', "FILE", "config file path" }, CMDLINE_TEXT, AT(config) },
	{ { "check", 0, 'C', 0, "check config and metrics and exit" }, CMDLINE_FLAG, AT(check) },
	{ { "output", 1, 'o', "OUTPUT", "output target: archive, csv, stdout (default)" }, CMDLINE_TEXT, AT(output) },
	{ { "output-file", 1, 'F', "OUTFILE", "output file" }, CMDLINE_TEXT, AT(file) },
	{ { "derived", 1, 'e', "FILE|DFNT", "derived metrics definitions" }, CMDLINE_TEXT, AT(derived) },
	{ { "daemonize", 0, LONG_DAEMONIZE, NULL, NULL }, CMDLINE_FLAG, AT(daemonize) },
	{ PMAPI_OPTIONS_TEXT("  --daemonize           daemonize on startup") },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Reporting options") },
	{ { "no-header", 0, 'H', 0, "omit headers" }, CMDLINE_FLAG, AT(header) },
	{ { "no-unit-info", 0, 'U', 0, "omit unit info from headers" }, CMDLINE_FLAG, AT(unitinfo) },
	{ { "no-inst-info", 0, LONG_NO_INST, NULL, NULL }, CMDLINE_FLAG, AT(instinfo) },
	{ PMAPI_OPTIONS_TEXT("  --no-inst-info        omit instance info from headers") },
	{ { "no-globals", 0, 'G', 0, "omit global metrics" }, CMDLINE_FLAG, AT(globals) },
	{ { "timestamps", 0, 'p', 0, "print timestamps" }, CMDLINE_FLAG, AT(timestamp) },
	{ PMOPT_ALIGN },
	{ PMOPT_START },
	{ PMOPT_FINISH },
	{ PMOPT_ORIGIN },
	{ PMOPT_SAMPLES },
	{ PMOPT_INTERVAL },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE },
	{ { "delay", 0, 'd', 0, "delay, pause between updates for archive replay" }, CMDLINE_FLAG, AT(delay) },
	{ { "raw", 0, 'r', 0, "output raw counter values (no rate conversion)" }, CMDLINE_FLAG, AT(type) },
	{ { "raw-prefer", 0, 'R', 0, "prefer output raw counter values (no rate conversion)" }, CMDLINE_FLAG, AT(type_prefer) },
	{ { "ignore-incompat", 0, 'I', 0, "ignore incompatible instances (default: abort)" }, CMDLINE_FLAG, AT(ignore_incompat) },
	{ { "ignore-unknown", 0, '5', 0, "ignore unknown metrics (default: abort)" }, CMDLINE_FLAG, AT(ignore_unknown) },
	{ { "instances", 1, 'i', "STR", "instances to report (default: all current)" }, CMDLINE_CALL, .call = add_instances },
	{ { "live-filter", 0, 'j', 0, "perform instance live filtering" }, CMDLINE_FLAG, AT(live_filter) },
	{ { "rank", 1, 'J', "COUNT", "limit results to COUNT highest/lowest valued instances" }, CMDLINE_TEXT, AT(rank) },
	{ { "overall-rank", 0, '2', 0, "report overall ranking from archive" }, CMDLINE_FLAG, AT(overall_rank) },
	{ { "overall-rank-alt", 0, '3', 0, "report overall ranking from archive in pmrep format" }, CMDLINE_FLAG, AT(overall_rank_alt) },
	{ { "names-change", 1, '4', "ACTION", "update/ignore/abort on PMNS changes (default: ignore)" }, CMDLINE_TEXT, AT(names_change) },
	{ { "limit-filter", 1, '8', "LIMIT", "default limit for value filtering" }, CMDLINE_TEXT, AT(limit_filter) },
	{ { "limit-filter-force", 1, '9', "LIMIT", "forced limit for value filtering" }, CMDLINE_TEXT, AT(limit_filter_force) },
	{ { "invert-filter", 0, 'n', 0, "perform ranking before live filtering" }, CMDLINE_FLAG, AT(invert_filter) },
	{ { "predicate", 1, 'N', "METRIC", "set predicate filter reference metric" }, CMDLINE_TEXT, AT(predicate) },
	{ { "sort-metric", 1, '6', "METRIC", "set sort reference metric for colxrow output" }, CMDLINE_TEXT, AT(sort_metric) },
	{ { "omit-flat", 0, 'v', 0, "omit single-valued metrics" }, CMDLINE_FLAG, AT(omit_flat) },
	{ { "include-labels", 0, 'm', 0, "include metric label info" }, CMDLINE_FLAG, AT(include_labels) },
	{ { "include-texts", 0, LONG_TEXTS, NULL, NULL }, CMDLINE_FLAG, AT(include_texts) },
	{ PMAPI_OPTIONS_TEXT("  --include-texts       include metric help texts in archive output") },
	{ { "colxrow", 1, 'X', "STR", "swap stdout columns and rows using STR as header label" }, CMDLINE_TEXT, AT(colxrow) },
	{ { "width", 1, 'w', "N", "default column width" }, CMDLINE_TEXT, AT(width) },
	{ { "width-force", 1, 'W', "N", "forced column width" }, CMDLINE_TEXT, AT(width_force) },
	{ { "precision", 1, 'P', "N", "prefer N digits after decimal separator (default: 3)" }, CMDLINE_TEXT, AT(precision) },
	{ { "precision-force", 1, '0', "N", "force N digits after decimal separator" }, CMDLINE_TEXT, AT(precision_force) },
	{ { "delimiter", 1, 'l', "STR", "delimiter to separate csv/stdout columns" }, CMDLINE_TEXT, AT(delimiter) },
	{ { "extended-csv", 0, 'k', 0, "write extended CSV" }, CMDLINE_FLAG, AT(extcsv) },
	{ { "extended-header", 0, 'x', 0, "display extended header" }, CMDLINE_FLAG, AT(extheader) },
	{ { "fixed-header", 0, '7', 0, "fixed header and dynamic instances with colxrow output" }, CMDLINE_FLAG, AT(fixed_header) },
	{ { "repeat-header", 1, 'E', "N", "repeat stdout headers every N lines" }, CMDLINE_TEXT, AT(repeat_header) },
	{ { "dynamic-header", 0, '1', 0, "update header dynamically on metric/instance changes" }, CMDLINE_FLAG, AT(dynamic_header) },
	{ { "separate-header", 0, 'g', 0, "write separated header before metrics" }, CMDLINE_FLAG, AT(separate_header) },
	{ { "timestamp-format", 1, 'f', "STR", "strftime string for timestamp format" }, CMDLINE_TEXT, AT(timefmt) },
	{ { "no-interpol", 0, 'u', 0, "disable interpolation mode with archives" }, CMDLINE_FLAG, AT(interpol) },
	{ { "count-scale", 1, 'q', "SCALE", "default count unit" }, CMDLINE_TEXT, AT(count_scale) },
	{ { "count-scale-force", 1, 'Q', "SCALE", "forced count unit" }, CMDLINE_TEXT, AT(count_scale_force) },
	{ { "space-scale", 1, 'b', "SCALE", "default space unit" }, CMDLINE_TEXT, AT(space_scale) },
	{ { "space-scale-force", 1, 'B', "SCALE", "forced space unit" }, CMDLINE_TEXT, AT(space_scale_force) },
	{ { "time-scale", 1, 'y', "SCALE", "default time unit" }, CMDLINE_TEXT, AT(time_scale) },
	{ { "time-scale-force", 1, 'Y', "SCALE", "forced time unit" }, CMDLINE_TEXT, AT(time_scale_force) },
	JSONTEXT_ROW(AT(json)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

#define APPLY_TEXT(key)                                                                            \
	if (sts >= 0 && c->key != NULL)                                                            \
		sts = settings_set(s, #key, c->key);
#define APPLY_FLAG(key, value)                                                                     \
	if (sts >= 0 && c->key)                                                                    \
		sts = settings_set(s, #key, value);

/* Applies what the command line has set. */
static int apply(struct settings *s, const struct command *c)
{
	int sts = 0;

	TEXTS(APPLY_TEXT)
	FLAGS(APPLY_FLAG)
	APPLY_TEXT(instances)
	return sts;
}

/* Applies the settings and adds the metrics of one argument. */
static int add_argument(const struct config *config, const char *argument,
			struct settings *settings, struct specs *specs)
{
	if (argument[0] == ':')
		return config_set(config, argument + 1, settings, specs);
	return specs_add_argument(specs, argument);
}

static int add_arguments(const struct config *config, char **arguments, struct settings *settings,
			 struct specs *specs)
{
	int sts = 0;

	for (; *arguments != NULL && sts >= 0; arguments++)
		sts = add_argument(config, *arguments, settings, specs);
	return sts;
}

/*
 * The settings of sets decide whether there are global metrics, and these come first; so sets are
 * read twice.
 */
static int use_config(struct report *r, const struct command *c, const struct config *config,
		      char **arguments)
{
	struct settings scratch;
	int sts = config_options(config, &r->settings);

	if (sts >= 0)
		sts = add_arguments(config, arguments, &r->settings, &r->specs);
	if (sts >= 0)
		sts = apply(&r->settings, c);
	if (sts < 0 || !r->settings.globals)
		return sts;
	specs_done(&r->specs);
	sts = config_globals(config, &r->specs);
	settings_init(&scratch);
	if (sts >= 0)
		sts = add_arguments(config, arguments, &scratch, &r->specs);
	settings_done(&scratch);
	return sts;
}

static int choose_output(struct report *r)
{
	const char *name = r->settings.output != NULL ? r->settings.output : "stdout";

	if (strcmp(name, "csv") == 0) {
		r->output = &csv_output;
	} else if (strcmp(name, "stdout") == 0) {
		r->output = &table_output;
	} else if (strcmp(name, "json") == 0) {
		r->output = &json_output;
	} else if (strcmp(name, "archive") == 0) {
		r->output = &archive_output;
		r->settings.record = r->settings.raw = true;
		r->settings.interpol = false;
		if (r->file == NULL) {
			fprintf(stderr, "Output archive must be defined with archive output.\n");
			return PM_ERR_CONV;
		}
	} else {
		fprintf(stderr, "Error while parsing options: Invalid output target specified.\n");
		return PM_ERR_CONV;
	}
	return 0;
}

/* Gives settings that are not set the defaults of the output. */
static void set_defaults(struct report *r)
{
	struct settings *s = &r->settings;
	bool csv = r->output == &csv_output;

	if (s->delimiter == NULL)
		settings_set(s, "delimiter", csv ? "," : "\"  \"");
	if (s->timefmt == NULL)
		settings_set(s, "timefmt", csv ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S");
	if (csv)
		s->timestamp = true;
	if (s->names_change != NULL && strcmp(s->names_change, "update") == 0)
		s->dynamic_header = true;
}

static int check_settings(const struct report *r)
{
	const struct settings *s = &r->settings;

	if (s->names_change != NULL && strcmp(s->names_change, "update") != 0 &&
	    strcmp(s->names_change, "ignore") != 0 && strcmp(s->names_change, "abort") != 0) {
		fprintf(stderr, "Unknown names-change action '%s' specified.\n", s->names_change);
		return PM_ERR_CONV;
	}
	if ((s->overall_rank || s->overall_rank_alt) && s->rank == 0) {
		fprintf(stderr, "Overall ranking requires ranking enabled.\n");
		return PM_ERR_CONV;
	}
	if ((s->overall_rank || s->overall_rank_alt) && r->output == &archive_output) {
		fprintf(stderr,
			"Overall ranking supported only with archive input and stdout output.\n");
		return PM_ERR_CONV;
	}
	if ((s->overall_rank || s->overall_rank_alt) && r->output == &json_output) {
		fprintf(stderr, "Overall ranking is not available with JSON output.\n");
		return PM_ERR_CONV;
	}
	return 0;
}

/* The source of the configuration, unless the command line has one. */
static void use_source(struct report *r)
{
	char *source = r->settings.source;

	if (source == NULL || r->pm.nhosts > 0 || r->pm.narchives > 0 || r->pm.Lflag)
		return;
	if (strcmp(source, "@") == 0)
		r->pm.Lflag = 1;
	else if (strchr(source, '/') != NULL)
		__pmAddOptArchive(&r->pm, source);
	else
		__pmAddOptHost(&r->pm, source);
	r->pm.context = r->pm.Lflag           ? PM_CONTEXT_LOCAL
			: r->pm.narchives > 0 ? PM_CONTEXT_ARCHIVE
					      : PM_CONTEXT_HOST;
}

static int use_interval(struct report *r)
{
	char *why;

	r->samples = r->pm.samples > 0 ? r->pm.samples : r->settings.samples;
	r->interval = r->pm.interval;
	if (r->interval.tv_sec != 0 || r->interval.tv_nsec != 0)
		return 0;
	r->interval.tv_sec = 1;
	if (r->settings.interval == NULL)
		return 0;
	if (pmParseHighResInterval(r->settings.interval, &r->interval, &why) < 0) {
		pmprintf("%s: interval argument not in pmParseHighResInterval(3) format:\n%s\n",
			 pmGetProgname(), why);
		free(why);
		pmUsageMessage(&r->pm);
		return PM_ERR_CONV;
	}
	if (r->interval.tv_sec != 0 || r->interval.tv_nsec != 0)
		return 0;
	fprintf(stderr, "Interval must be greater than zero.\n");
	return PM_ERR_CONV;
}

/* Predicates are reported too. */
static int add_predicates(struct report *r)
{
	const char *list = r->settings.predicate;
	int sts = 0;

	while (list != NULL && *list != '\0' && sts >= 0) {
		size_t n = strcspn(list, ",");
		char *name = strndup(list, n);

		if (name == NULL)
			pmNoMem("predicate", n, PM_FATAL_ERR);
		if (n > 0 && !specs_have(&r->specs, name))
			sts = specs_add(&r->specs, name, NULL);
		free(name);
		list += n + (list[n] == ',');
	}
	return sts;
}

static int finish(struct report *r)
{
	int sts = choose_output(r);

	if (sts >= 0)
		sts = add_predicates(r);

	if (sts >= 0)
		sts = check_settings(r);
	if (sts >= 0)
		sts = use_interval(r);
	if (sts < 0)
		return sts;
	set_defaults(r);
	use_source(r);
	return 0;
}

bool options_parse(struct report *r, int argc, char **argv, int *ret_status)
{
	struct command c = {0};
	struct config config = {0};
	int sts;

	settings_init(&r->settings);
	c.pm.version = PMAPI_VERSION_3;
	c.pm.flags = PM_OPTFLAG_BOUNDARIES;
	c.pm.short_usage = "[option...] metricspec [...]";
	cmdline_parse(&c, rows, argc, argv);
	if (strcmp(pmGetProgname(), "pcp2csv") == 0)
		c.output = "csv";
	if (c.json)
		c.output = "json";
	r->pm = c.pm;
	r->check = c.check;
	r->file = c.file;
	if (!cmdline_accept(&r->pm, ret_status)) {
		free(c.instances);
		return false;
	}
	*ret_status = 1;
	sts = config_read(&config, c.config);
	if (sts >= 0)
		sts = use_config(r, &c, &config, argv + r->pm.optind);
	if (sts >= 0)
		sts = finish(r);
	if (sts >= 0 && r->pm.optind >= argc) {
		fprintf(stderr, "No metrics specified.\n");
		pmUsageMessage(&r->pm);
		sts = PM_ERR_NAME;
	}
	config_done(&config);
	free(c.instances);
	return sts >= 0;
}
