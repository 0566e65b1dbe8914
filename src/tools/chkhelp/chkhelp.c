/*
 * chkhelp - prints compiled help texts, or lists metrics without one (docs/spec/pmda.md 18.2).
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "tools/common/cmdline.h"

/*
 * index - the identifiers that a compiled help file has texts of (docs/spec/pmda.md 15.1).
 */

/* Flag in the identifier of an instance domain. */
#define INDEX_INDOM (1u << 31)

/*
 * Reads a line of the file; the first line is the header, which ends with the number of the others.
 */
struct line {
	uint32_t id;
	uint32_t oneline;
	uint32_t help;
};

static int read_lines(FILE *f, uint32_t **ret_ids, size_t *ret_n)
{
	struct line line;
	struct stat st;
	uint32_t n, *ids;

	if (fread(&line, sizeof(line), 1, f) != 1 || fstat(fileno(f), &st) < 0)
		return -EINVAL;
	n = line.help;
	if (st.st_size / (off_t)sizeof(line) <= (off_t)n)
		return -EINVAL;
	ids = calloc((size_t)n + 1, sizeof(ids[0]));
	if (ids == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (fread(&line, sizeof(line), 1, f) != 1) {
			free(ids);
			return -EINVAL;
		}
		ids[i] = line.id;
	}
	*ret_ids = ids;
	*ret_n = n;
	return 0;
}

/*
 * Reads the identifiers of BASE.dir in their order; the caller frees them. Returns 0, -EINVAL if
 * the file is truncated or not an index, or -errno.
 */
static int index_read(const char *base, uint32_t **ret_ids, size_t *ret_n)
{
	char path[MAXPATHLEN];
	FILE *f;
	int sts;

	pmsprintf(path, sizeof(path), "%s.dir", base);
	f = fopen(path, "re");
	if (f == NULL)
		return -errno;
	sts = read_lines(f, ret_ids, ret_n);
	fclose(f);
	return sts;
}

/*
 * options - the command line of chkhelp.
 *
 * Debian's chkhelp reads its options with getopt(3). Its messages about bad options begin with the
 * name by which the program was called.
 */

struct options {
	pmOptions pm;
	bool missing;          /* -e: names of metrics that have no text */
	bool oneline;          /* -O, also if neither -O nor -H is given */
	bool help;             /* -H */
	bool all_metrics;      /* -p */
	bool all_indoms;       /* -i */
	const char *namespace; /* -n, else NULL */
	const char *file;
	char **names; /* the other arguments */
	int n_names;
};

/* Reports an error of the command line on standard error, and counts it. */
static void chkhelp_complain(struct options *o, const char *text)
{
	fprintf(stderr, "%s: %s\n", pmGetProgname(), text);
	o->pm.errors++;
}

static void check_version(void *options)
{
	struct options *o = options;
	char *end;
	long version = strtol(o->pm.optarg, &end, 10);

	if (*end != '\0')
		chkhelp_complain(o, "-v requires numeric argument");
	if (version != 2)
		chkhelp_complain(o, "deprecated option - only version 2 is supported");
}

static void set_debug(void *options)
{
	struct options *o = options;

	if (pmSetDebug(o->pm.optarg) >= 0)
		return;
	fprintf(stderr, "%s: unrecognized debug options specification (%s)\n", pmGetProgname(),
		o->pm.optarg);
	o->pm.errors++;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "", 1, 'D', "debug", NULL }, CMDLINE_CALL, .call = set_debug },
	{ { "", 0, 'e', 0, "exists check, only report metrics with no help text" }, CMDLINE_FLAG, AT(missing) },
	{ { "", 0, 'H', 0, "display verbose help text" }, CMDLINE_FLAG, AT(help) },
	{ { "", 0, 'i', 0, "process all the instance domains" }, CMDLINE_FLAG, AT(all_indoms) },
	{ { "", 1, 'n', "pmnsfile", "use an alternative PMNS" }, CMDLINE_TEXT, AT(namespace) },
	{ { "", 0, 'O', 0, "display the one line help summary" }, CMDLINE_FLAG, AT(oneline) },
	{ { "", 0, 'p', 0, "process all the metrics (PMIDs)" }, CMDLINE_FLAG, AT(all_metrics) },
	{ { "", 1, 'v', "version", "deprecated (only version 2 format supported)" }, CMDLINE_CALL, .call = check_version },
	{ { "", 0, '?', 0, NULL }, CMDLINE_REFUSED },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* The usage in Debian's form, whose columns are not those of pmUsageMessage(3). */
static void print_usage(void)
{
	fputs("Usage: chkhelp helpfile\n"
	      "       chkhelp [options] helpfile [metricname ...]\n\nOptions:\n",
	      stderr);
	for (const struct cmdline_row *row = rows; row->option.long_opt != NULL; row++) {
		const char *argname = row->option.argname != NULL ? row->option.argname : "";

		if (row->option.message != NULL)
			fprintf(stderr, "  -%c %-10s%s\n", row->option.short_opt, argname,
				row->option.message);
	}
	fputs("\nNo options implies silently check internal integrity of the helpfile.\n", stderr);
}

static void complain_if(struct options *o, bool wrong, const char *text)
{
	if (!wrong)
		return;
	chkhelp_complain(o, text);
	fputc('\n', stderr);
}

/* Reports options that exclude each other. */
static void chkhelp_check(struct options *o)
{
	bool all = o->all_metrics || o->all_indoms;
	bool named = o->n_names > 0;

	complain_if(o, o->file == NULL, "missing helpfile argument");
	complain_if(o, named && all, "metricname arguments cannot be used with -i or -p");
	complain_if(o, (o->oneline || o->help) && !named && !all,
		    "-O or -H require metricname arguments or -i or -p");
	complain_if(o, o->missing && all, "-e cannot be used with -i or -p");
}

/*
 * Handles the long options that all our programs have. Returns true if the program ends with
 * *ret_status.
 */
static bool run_long_option(int argc, char **argv, int *ret_status)
{
	if (argc != 2 || strncmp(argv[1], "--", 2) != 0)
		return false;
	if (strcmp(argv[1], "--version") == 0) {
		fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
			pmGetAPIConfig("pcp_version"), PITOT_VERSION);
		*ret_status = 0;
		return true;
	}
	if (strcmp(argv[1], "--help") != 0)
		return false;
	print_usage();
	*ret_status = 1;
	return true;
}

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	if (run_long_option(argc, argv, ret_status))
		return false;
	while (cmdline_next_letter(o, rows, argc, argv, "") != EOF)
		;
	if (optind < argc) {
		o->file = argv[optind];
		o->names = argv + optind + 1;
		o->n_names = argc - optind - 1;
	}
	chkhelp_check(o);
	if (o->pm.errors > 0) {
		print_usage();
		*ret_status = 1;
		return false;
	}
	if (!o->help)
		o->oneline = true;
	return true;
}

/*
 * The program
 */

struct chkhelp {
	struct options options;
	int file; /* handle of the help file */
};

static const char *get_text(const struct chkhelp *c, uint32_t id, int type)
{
	if ((id & INDEX_INDOM) != 0)
		return pmdaGetInDomHelp(c->file, id & ~INDEX_INDOM, type);
	return pmdaGetHelp(c->file, id, type);
}

static const char *or_else(const char *text, const char *absent, const char *empty)
{
	return text == NULL ? absent : text[0] == '\0' ? empty : text;
}

/* Prints the requested texts, after the heading of an entry. */
static void print_texts(const struct chkhelp *c, uint32_t id)
{
	if (c->options.oneline)
		printf(" %s\n", or_else(get_text(c, id, PM_TEXT_ONELINE), "<empty one line string>",
					"<no one line available>"));
	if (c->options.help)
		printf("%s\n", or_else(get_text(c, id, PM_TEXT_HELP), "<empty full text string>",
				       "<no full text available>"));
}

static void chkhelp_print_metric(const struct chkhelp *c, pmID pmid)
{
	char buf[32], **names;
	int n = pmNameAll(pmid, &names);

	printf("\nPMID %s", pmIDStr_r(pmid, buf, sizeof(buf)));
	for (int i = 0; i < n; i++)
		printf("%s%s", i > 0 ? " or " : " ", names[i]);
	if (n > 0)
		free(names);
	putchar(':');
	print_texts(c, pmid);
}

static void chkhelp_print_indom(const struct chkhelp *c, uint32_t id)
{
	char buf[32];

	printf("\nInDom %s:", pmInDomStr_r(id & ~INDEX_INDOM, buf, sizeof(buf)));
	print_texts(c, id);
}

static void chkhelp_print_all(const struct chkhelp *c, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((ids[i] & INDEX_INDOM) == 0) {
			if (c->options.all_metrics)
				chkhelp_print_metric(c, ids[i]);
		} else if (c->options.all_indoms) {
			chkhelp_print_indom(c, ids[i]);
		}
	}
}

static void print_named(const struct chkhelp *c, const char *name)
{
	char buf[32];
	pmID pmid;
	int sts = pmLookupName(1, &name, &pmid);

	if (sts < 0) {
		printf("\n%s: %s\n", name, pmErrStr(sts));
	} else if (pmid == PM_ID_NULL) {
		printf("\n%s: unknown metric\n", name);
	} else {
		printf("\nPMID %s %s:", pmIDStr_r(pmid, buf, sizeof(buf)), name);
		print_texts(c, pmid);
	}
}

static void print_if_missing(const char *name, void *arg)
{
	const struct chkhelp *c = arg;
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) < 0)
		return;
	if (get_text(c, pmid, PM_TEXT_ONELINE) == NULL && get_text(c, pmid, PM_TEXT_HELP) == NULL)
		puts(name);
}

static void print_missing(struct chkhelp *c, const char *branch)
{
	int sts = pmTraversePMNS_r(branch, print_if_missing, c);

	if (sts < 0) {
		fflush(stdout);
		fprintf(stderr, "Error: pmTraversePMNS(\"%s\", ...): %s\n", branch, pmErrStr(sts));
	}
}

/* Checks that every text can be read; there is nothing else to check. */
static void check_all(const struct chkhelp *c, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		get_text(c, ids[i], PM_TEXT_ONELINE);
		get_text(c, ids[i], PM_TEXT_HELP);
	}
}

static int report_open(const char *path, int sts)
{
	fprintf(stderr, "pmdaOpenHelp: failed to open \"%s\": %s\n", path,
		sts == -EINVAL ? "Bad format, not version 2 PCP help text" : pmErrStr(sts));
	return 1;
}

/* Returns the exit status. */
static int chkhelp_run(struct chkhelp *c)
{
	const struct options *o = &c->options;
	uint32_t *ids = NULL;
	size_t n = 0;
	int sts;

	c->file = pmdaOpenHelp(o->file);
	sts = c->file < 0 ? c->file : index_read(o->file, &ids, &n);
	if (sts < 0)
		return report_open(o->file, sts);
	sts = pmLoadASCIINameSpace(o->namespace, 1);
	if (sts < 0) {
		fprintf(stderr, "pmLoadASCIINameSpace(%s, 1): %s\n",
			o->namespace != NULL ? o->namespace : "DEFAULT", pmErrStr(sts));
		free(ids);
		return 1;
	}
	if (o->missing && o->n_names == 0)
		print_missing(c, "");
	else if (o->n_names == 0 && !o->all_metrics && !o->all_indoms)
		check_all(c, ids, n);
	else if (o->n_names == 0)
		chkhelp_print_all(c, ids, n);
	for (int i = 0; i < o->n_names; i++) {
		if (o->missing)
			print_missing(c, o->names[i]);
		else
			print_named(c, o->names[i]);
	}
	free(ids);
	return 0;
}

int main(int argc, char **argv)
{
	struct chkhelp c;
	int status;

	pmSetProgname(argv[0]);
	if (options_parse(&c.options, argc, argv, &status))
		status = chkhelp_run(&c);
	return output_finish(status);
}
