/*
 * pmlogrewrite - copies an archive with other names, numbers, types, values, labels
 * (docs/spec/logger.md D6).
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libdisk/limits.h"
#include "libstore/archive.h"
#include "libstore/member.h"
#include "tools/archive/product.h"
#include "tools/archive/recording.h"
#include "tools/common/cmdline.h"
#include "tools/pmlogrewrite/in_place.h"
#include "tools/pmlogrewrite/plan.h"

/*
 * The command line
 */

static void pmlogrewrite_complain(struct options *o, const char *fmt, const char *what,
				  const char *why)
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
static void pmlogrewrite_add_folder(struct options *o, const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_visible, alphasort);

	if (n < 0) {
		pmlogrewrite_complain(o, "Error: opendir(%s) failed: %s", folder, strerror(errno));
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

static void set_config(void *options)
{
	struct options *o = options;
	const char *path = o->pm.optarg;
	struct stat st;

	if (stat(path, &st) < 0)
		pmlogrewrite_complain(o, "stat(%s) failed: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		pmlogrewrite_add_folder(o, path);
	else if (S_ISREG(st.st_mode))
		add_config(o, strdup(path));
	else
		pmlogrewrite_complain(o, "Error: -c config %s is not a file or directory", path,
				      "");
}

static void set_check(void *options)
{
	struct options *o = options;

	o->check = o->verbose = o->warn = true;
}

static void pmlogrewrite_set_version(void *options)
{
	struct options *o = options;
	char *end, number[32];
	long n = strtol(o->pm.optarg, &end, 10);

	o->version = (int)n;
	if (*end == '\0' && (n == DISK_V2 || n == DISK_V3))
		return;
	pmsprintf(number, sizeof(number), "%ld", *end == '\0' ? n : 0);
	pmlogrewrite_complain(o, "Error: unsupported version (%s) requested", number, "");
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ { "config", 1, 'c', "PATH", "file or directory to load rules from" }, CMDLINE_CALL, .call = set_config },
	{ { "check", 0, 'C', 0, "parse config file(s) and quit (verbose warnings also)" }, CMDLINE_CALL, .call = set_check },
	{ { "desperate", 0, 'd', 0, "desperate, save output archive even after error" }, CMDLINE_FLAG, AT(desperate) },
	{ { "", 0, 'i', 0, "rewrite in place, input-archive will be over-written" }, CMDLINE_FLAG, AT(in_place) },
	{ { "quick", 0, 'q', 0, "quick mode, no output if no change" }, CMDLINE_FLAG, AT(quick) },
	{ { "scale", 0, 's', 0, "do scale conversion" }, CMDLINE_FLAG, AT(rescale) },
	{ { "verbose", 0, 'v', 0, "increased diagnostic verbosity" }, CMDLINE_FLAG, AT(verbose) },
	{ { "version", 1, 'V', "N", "output archive in version N [2/3] format" }, CMDLINE_CALL, .call = pmlogrewrite_set_version },
	{ { "warnings", 0, 'w', 0, "emit warnings [default is silence]" }, CMDLINE_FLAG, AT(warn) },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_TEXT("") },
	{ PMAPI_OPTIONS_TEXT("output-archive is required unless -i is specified") },
	{ PMOPT_DEBUG, .form = CMDLINE_LETTER_ONLY },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* Returns false if the program is to end with *ret_status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int left, wanted;

	memset(o, 0, sizeof(*o));
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_usage = "[options] input-archive [output-archive]";
	cmdline_parse(o, rows, argc, argv);
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

static void options_done(struct options *o)
{
	for (size_t i = 0; i < o->nconfigs; i++)
		free(o->configs[i]);
	free(o->configs);
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

enum { CONFIG_MAX = 64 << 20 };

/* The texts of rules are valid as long as the plan. */
struct configs {
	struct rules *list;
	size_t n;
};

static bool apply_file(struct plan *plan, struct rules *rules, const char *path)
{
	struct buffer text = BUFFER_INIT;
	int sts = access(path, R_OK) < 0  ? -errno
		  : file_is_regular(path) ? file_read_all(path, CONFIG_MAX, &text)
					  : -EINVAL;
	bool ok = sts >= 0;

	if (ok) {
		rules_parse(rules, (const char *)buffer_head(&text), buffer_pending(&text));
		ok = plan_apply(plan, path, rules);
	} else {
		fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), path, strerror(-sts));
	}
	buffer_done(&text);
	return ok;
}

static bool apply_configs(struct plan *plan, struct configs *c, const struct options *o)
{
	c->list = calloc(o->nconfigs + 1, sizeof(*c->list));
	if (c->list == NULL)
		pmNoMem("config", o->nconfigs * sizeof(*c->list), PM_FATAL_ERR);
	for (; c->n < o->nconfigs; c->n++)
		if (!apply_file(plan, &c->list[c->n], o->configs[c->n])) {
			c->n++;
			return false;
		}
	return plan_check(plan);
}

static void drop_configs(struct configs *c)
{
	for (size_t i = 0; i < c->n; i++)
		rules_done(&c->list[i]);
	free(c->list);
}

/* Writes the new archive next to the old one, which it then replaces. */
static bool pmlogrewrite_replace(const struct options *o, struct plan *plan, struct in_place *place)
{
	int sts;

	if (!rewrite_run(o, plan, o->input, place->fresh))
		return false;
	sts = in_place_swap(place);
	if (sts < 0) {
		product_report(o->input, sts);
		in_place_drop(place);
	}
	return sts >= 0;
}

static int carry_out(const struct options *o, struct plan *plan, struct in_place *place)
{
	bool ok;

	if (o->verbose)
		plan_summary(plan);
	if (o->check || (o->quick && !plan_changes(plan)))
		return 0;
	output_flush();
	ok = o->in_place ? pmlogrewrite_replace(o, plan, place)
			 : rewrite_run(o, plan, o->input, o->output);
	return ok ? 0 : 1;
}

static int rewrite(const struct options *o, const struct recording *in, struct in_place *place)
{
	int version = o->version != 0 ? o->version : in->label->version, status = 1, sts;
	struct plan plan = {.warn = o->warn, .rescale = o->rescale};
	struct configs configs = {0};

	if (version < in->label->version) {
		fprintf(stderr, "%s: Error: cannot create a v%d archive from v%d (%s)\n",
			pmGetProgname(), version, in->label->version, o->input);
		return 1;
	}
	sts = plan_load(&plan, in, version);
	if (sts < 0)
		product_report(o->input, sts);
	else if (apply_configs(&plan, &configs, o))
		status = carry_out(o, &plan, place);
	plan_done(&plan);
	drop_configs(&configs);
	return status;
}

/* The undamaged part of the input is used, but not in place, where the rest would be lost. */
static bool accept_torn(const struct options *o, const struct recording *in)
{
	if (in->meta_end >= member_size(archive_meta_member(in->archive)))
		return true;
	fprintf(stderr, "%s: %s: metadata of \"%s\" is torn at byte offset %" PRIu64 "\n",
		pmGetProgname(), o->in_place ? "Error" : "Warning", o->input, in->meta_end);
	return !o->in_place;
}

/*
 * Returns -1 if the input is open, else the exit status. *ret_joined is the temporary joined
 * archive, or NULL.
 */
static int open_input(const struct options *o, struct recording *ret_in, char **ret_joined)
{
	char text[PM_MAXERRMSGLEN];
	int sts = 0;

	if (o->in_place && !recording_is_one(o->input))
		return 1;
	if (join_is_wanted(o->input))
		sts = join_make(o->input, o->output, ret_joined);
	if (sts >= 0)
		sts = recording_open(*ret_joined != NULL ? *ret_joined : o->input, 0, ret_in);
	if (sts >= 0)
		return -1;
	if (sts == PM_ERR_NODATA) {
		fprintf(stderr, "%s: Warning: empty archive \"%s\" will be skipped\n",
			pmGetProgname(), o->input);
		return 0;
	}
	fprintf(stderr, "%s: Error: cannot open archive \"%s\": %s\n", pmGetProgname(), o->input,
		pmErrStr_r(sts, text, sizeof(text)));
	return 1;
}

static int open_place(const struct options *o, struct in_place *place)
{
	char text[PM_MAXERRMSGLEN];
	int sts = in_place_open(place, o->input);

	if (sts < 0)
		fprintf(stderr, "%s: Error: cannot open archive \"%s\": %s\n", pmGetProgname(),
			o->input, pmErrStr_r(sts, text, sizeof(text)));
	else if (sts > 0)
		fprintf(
		    stderr,
		    "%s: Warning: rewriting of \"%s\" was interrupted: the old archive is back\n",
		    pmGetProgname(), o->input);
	return sts;
}

static int pmlogrewrite_run(const struct options *o)
{
	struct recording in = {0};
	struct in_place place = {.dir = -1};
	char *joined = NULL;
	int status;

	if (o->in_place && open_place(o, &place) < 0)
		return 1;
	status = open_input(o, &in, &joined);
	if (status < 0) {
		status = accept_torn(o, &in) ? rewrite(o, &in, &place) : 1;
		recording_close(&in);
	}
	if (o->in_place)
		in_place_close(&place);
	join_drop(joined);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status))
		status = pmlogrewrite_run(&o);
	options_done(&o);
	return output_finish(status);
}
