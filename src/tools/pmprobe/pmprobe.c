/*
 * pmprobe - prints how many values a metric has (docs/spec/tools.md 3).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/jsontext.h"
#include "tools/common/names.h"

/*
 * options - the command line of pmprobe.
 */

struct options {
	pmOptions pm;        /* the standard options; pm.optind is the first argument */
	int batch;           /* -b: metrics fetched at a time, at least 1 */
	bool all_instances;  /* -f: list the instances of the domain, with or without values */
	bool leaf_names;     /* -F: arguments are names of metrics, not of branches */
	bool external_names; /* -I */
	bool internal_ids;   /* -i */
	bool values;         /* -v */
	bool traffic;        /* -V */
	bool json;
	struct jsontext *document; /* with --json; else NULL */
};

static void set_internal(void *options)
{
	struct options *o = options;

	if (o->values)
		cmdline_complain(&o->pm, "at most one of -i and -v allowed");
	o->internal_ids = true;
}

static void set_external(void *options)
{
	struct options *o = options;

	if (o->values)
		cmdline_complain(&o->pm, "at most one of -I and -v allowed");
	o->external_names = true;
}

static void set_values(void *options)
{
	struct options *o = options;

	if (o->internal_ids || o->external_names)
		cmdline_complain(&o->pm, "at most one of -v and (-i or -I) allowed");
	o->values = true;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_ARCHIVE },
	{ PMOPT_DEBUG },
	{ PMOPT_HOST },
	{ PMOPT_CONTAINER },
	{ PMOPT_DERIVED },
	{ PMOPT_LOCALPMDA },
	{ PMOPT_SPECLOCAL },
	{ PMOPT_NAMESPACE },
	{ PMOPT_ORIGIN },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE },
	{ { PMLONGOPT_VERSION, 0, 'd', 0, "display version number and exit" }, CMDLINE_LIBRARY, .form = CMDLINE_LONG_ONLY },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Protocol options") },
	{ { "batch", 1, 'b', "N", "fetch at most N metrics at a time [128]" }, CMDLINE_BATCH_N, AT(batch) },
	{ PMAPI_OPTIONS_HEADER("Reporting options") },
	{ { "force", 0, 'f', 0, "report all pmGetIndom or pmGetInDomArchive instances" }, CMDLINE_FLAG, AT(all_instances) },
	{ { "faster", 0, 'F', 0, "assume given metric names are PMNS leaf nodes" }, CMDLINE_FLAG, AT(leaf_names) },
	{ { "external", 0, 'I', 0, "list external instance names" }, CMDLINE_CALL, .call = set_external },
	{ { "internal", 0, 'i', 0, "list internal instance numbers" }, CMDLINE_CALL, .call = set_internal },
	{ { "verbose", 0, 'V', 0, "report PDU operations (verbose)" }, CMDLINE_FLAG, AT(traffic) },
	{ { "values", 0, 'v', 0, "list metric values" }, CMDLINE_CALL, .call = set_values },
	{ { "", 0, 'e', 0, NULL }, CMDLINE_REFUSED, .form = CMDLINE_LETTER_ONLY },
	JSONTEXT_ROW(AT(json)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->batch = CMDLINE_BATCH;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_usage = "[options] [metricname ...]";
	cmdline_parse(o, rows, argc, argv);
	if (o->json) /* notes would break the document */
		o->pm.flags &= ~PM_OPTFLAG_STDOUT_TZ;
	return cmdline_accept(&o->pm, ret_status);
}

/*
 * line - the output of pmprobe for one metric: "name count" or "name code text", and the requested
 * values. With --json each metric is an object in an array.
 */

static void document_begin(struct jsontext *j, const char *name)
{
	jsontext_begin(j, NULL, '{');
	jsontext_text(j, "name", name);
}

static void document_end(struct jsontext *j)
{
	jsontext_end(j, '}');
	jsontext_line(j);
}

/*
 * The members of an instance that the options ask for; one without a name has its number.
 * numbered: the metric has instances.
 */
static void document_instance(bool numbered, int inst, const char *name, const struct options *o)
{
	struct jsontext *j = o->document;

	jsontext_begin(j, NULL, '{');
	if (numbered && (o->internal_ids || name == NULL))
		jsontext_integer(j, "inst", inst);
	else if (o->internal_ids)
		jsontext_null(j, "inst");
	if (o->external_names)
		jsontext_text(j, "instance", name);
	jsontext_end(j, '}');
}

/* A metric with an error; step: the function that failed, or NULL. */
static void line_print_error(const char *name, int sts, const char *step, const struct options *o)
{
	if (o->document != NULL) {
		document_begin(o->document, name);
		jsontext_failure(o->document, sts);
		document_end(o->document);
		return;
	}
	printf("%s %d %s", name, sts, pmErrStr(sts));
	if (step != NULL)
		printf(" (%s)", step);
	putchar('\n');
}

/* An instance whose name is unknown (NULL) is printed as its number. */
static void pmprobe_print_instance(int inst, const char *name, const struct options *o)
{
	if (o->document != NULL) {
		document_instance(true, inst, name, o);
		return;
	}
	if (o->internal_ids)
		printf(" ?%d", inst);
	if (o->external_names && name != NULL)
		printf(" \"%s\"", name);
	else if (o->external_names)
		printf(" ?%d", inst);
}

static void print_no_instance(const struct options *o)
{
	if (o->document != NULL) {
		document_instance(false, 0, NULL, o);
		return;
	}
	if (o->internal_ids)
		fputs(" PM_IN_NULL", stdout);
	if (o->external_names)
		fputs(" PM_IN_NULL", stdout);
}

static void print_values(const pmValueSet *vset, int type)
{
	for (int i = 0; i < vset->numval; i++) {
		putchar(' ');
		pmPrintValue(stdout, vset->valfmt, type, &vset->vlist[i], 1);
	}
}

static bool is_archive(const struct options *o)
{
	return o->pm.context == PM_CONTEXT_ARCHIVE;
}

/* The name at the time of the values; in an archive, else the name at another time. */
static void print_named(pmInDom indom, int inst, const struct options *o)
{
	const char *name = NULL;
	char *other = NULL;

	if (o->external_names && instance_name(indom, inst, &name) < 0 && is_archive(o) &&
	    pmNameInDomArchive(indom, inst, &other) >= 0)
		name = other;
	pmprobe_print_instance(inst, name, o);
	free(other);
}

static void print_set_instances(const pmValueSet *vset, pmInDom indom, const struct options *o)
{
	for (int i = 0; i < vset->numval; i++) {
		if (indom == PM_INDOM_NULL)
			print_no_instance(o);
		else
			print_named(indom, vset->vlist[i].inst, o);
	}
}

static void document_values(const char *name, const pmValueSet *vset, const pmDesc *desc,
			    const struct options *o)
{
	struct jsontext *j = o->document;

	document_begin(j, name);
	jsontext_integer(j, "count", vset->numval);
	if (o->internal_ids || o->external_names) {
		jsontext_begin(j, "instances", '[');
		print_set_instances(vset, desc->indom, o);
		jsontext_end(j, ']');
	} else if (o->values) {
		jsontext_begin(j, "values", '[');
		for (int i = 0; i < vset->numval; i++)
			jsontext_value(j, NULL, vset, i, desc->type, false);
		jsontext_end(j, ']');
	}
	document_end(j);
}

/* The metric's values as the fetch returned them; desc: NULL if the options need none. */
static void line_print_values(const char *name, const pmValueSet *vset, const pmDesc *desc,
			      const struct options *o)
{
	int sts = 0;

	if (vset->numval > 0 && o->external_names && desc->indom != PM_INDOM_NULL && !is_archive(o))
		sts = instance_get(desc->indom)->n;
	if (sts < 0) {
		line_print_error(name, sts, "pmGetInDom", o);
		return;
	}
	if (vset->numval < 0) {
		line_print_error(name, vset->numval, NULL, o);
		return;
	}
	if (o->document != NULL) {
		document_values(name, vset, desc, o);
		return;
	}
	printf("%s %d", name, vset->numval);
	if (o->internal_ids || o->external_names)
		print_set_instances(vset, desc->indom, o);
	else if (o->values)
		print_values(vset, desc->type);
	putchar('\n');
}

/* The number of instances of a metric; the instances follow. */
static void line_begin(const char *name, int n, const struct options *o)
{
	if (o->document == NULL) {
		printf("%s %d", name, n);
		return;
	}
	document_begin(o->document, name);
	jsontext_integer(o->document, "count", n);
	jsontext_begin(o->document, "instances", '[');
}

static void line_end(const struct options *o)
{
	if (o->document == NULL) {
		putchar('\n');
		return;
	}
	jsontext_end(o->document, ']');
	document_end(o->document);
}

static int pmprobe_get_indom(pmInDom indom, int **ret_ids, char ***ret_names,
			     const struct options *o)
{
	if (is_archive(o))
		return pmGetInDomArchive(indom, ret_ids, ret_names);
	return pmGetInDom(indom, ret_ids, ret_names);
}

static void pmprobe_print_indom(const char *name, pmInDom indom, const struct options *o)
{
	int *ids;
	char **names;
	int n = pmprobe_get_indom(indom, &ids, &names, o);

	if (n < 0) {
		line_print_error(name, n, "pmGetInDom", o);
		return;
	}
	line_begin(name, n, o);
	for (int i = 0; i < n; i++)
		pmprobe_print_instance(ids[i], names[i], o);
	line_end(o);
	free(ids);
	free(names);
}

/* The instances of the metric's domain, with or without values (-f with -i or -I). */
static void line_print_instances(const char *name, const pmDesc *desc, const struct options *o)
{
	if (desc->indom != PM_INDOM_NULL) {
		pmprobe_print_indom(name, desc->indom, o);
		return;
	}
	line_begin(name, 1, o);
	print_no_instance(o);
	line_end(o);
}

/*
 * traffic - the number of PDUs of each type that the library has sent and received.
 */

/* The library's counters, one for each PDU type from PDU_ERROR on (docs/spec/pmapi.md 24). */
#define N_PDU_TYPES 23

static void print_counters(const char *title, const unsigned int *counters)
{
	unsigned int total = 0;

	fputs(title, stdout);
	for (int i = 0; i < N_PDU_TYPES; i++) {
		printf(" %3d", (int)counters[i]);
		total += counters[i];
	}
	printf("\nTotal: %d\n", (int)total);
}

static void document_counters(struct jsontext *j, const char *name, const unsigned int *counters)
{
	jsontext_begin(j, name, '[');
	for (int i = 0; i < N_PDU_TYPES; i++)
		jsontext_integer(j, NULL, counters[i]);
	jsontext_end(j, ']');
}

/* Prints the counters of sent and received PDUs, and their sums. */
static void traffic_print(const struct options *o)
{
	if (o->document != NULL) {
		document_counters(o->document, "sent", __pmPDUCntOut);
		document_counters(o->document, "received", __pmPDUCntIn);
		return;
	}
	print_counters("PDUs send", __pmPDUCntOut);
	print_counters("PDUs recv", __pmPDUCntIn);
}

/*
 * The program
 *
 * Unknown arguments are reported while the names are collected. Then all metrics are fetched, a
 * batch at a time.
 */

static void add_branch(const char *branch, struct names *names, const struct options *o)
{
	int sts = pmTraversePMNS_r(branch, names_add, names);

	if (sts < 0)
		line_print_error(branch, sts, NULL, o);
}

static void add_arguments(int argc, char **argv, struct names *names, const struct options *o)
{
	if (o->pm.optind >= argc)
		add_branch("", names, o);
	for (int i = o->pm.optind; i < argc; i++) {
		if (o->leaf_names)
			names_add(argv[i], names);
		else
			add_branch(argv[i], names, o);
	}
}

/* Each metric of an archive is searched from the origin on. */
static int rewind_archive(const struct options *o)
{
	if (o->pm.context != PM_CONTEXT_ARCHIVE)
		return 0;
	return pmSetMode(PM_MODE_FORW, &o->pm.origin, 0);
}

/* Metrics that are requested together. */
struct batch {
	int n;
	char *const *names;
	pmID *pmids;
	pmDesc *descs; /* NULL if the options need none */
	int *stss;     /* errors of the descriptions */
};

static void probe_values(const struct batch *b, const struct options *o)
{
	const char *step = "pmSetMode";
	pmResult *result = NULL;
	int sts = rewind_archive(o);

	if (sts >= 0) {
		step = "pmFetch";
		sts = pmFetch(b->n, b->pmids, &result);
	}
	instance_forget();
	for (int i = 0; i < b->n; i++) {
		if (sts < 0)
			line_print_error(b->names[i], sts, step, o);
		else if (b->descs != NULL && b->stss[i] < 0)
			line_print_error(b->names[i], b->stss[i], "pmLookupDesc", o);
		else
			line_print_values(b->names[i], result->vset[i],
					  b->descs != NULL ? &b->descs[i] : NULL, o);
	}
	if (sts >= 0)
		pmFreeResult(result);
}

static void probe_instances(const struct batch *b, const struct options *o)
{
	for (int i = 0; i < b->n; i++) {
		if (b->stss[i] < 0)
			line_print_error(b->names[i], b->stss[i], "pmLookupDesc", o);
		else
			line_print_instances(b->names[i], &b->descs[i], o);
	}
}

static void look_up_descs(struct batch *b)
{
	b->descs = calloc(b->n, sizeof(b->descs[0]));
	b->stss = calloc(b->n, sizeof(b->stss[0]));
	if (b->descs == NULL || b->stss == NULL)
		pmNoMem("probe", b->n * sizeof(b->descs[0]), PM_FATAL_ERR);
	descs_get(b->n, b->pmids, b->descs, b->stss);
}

static void probe(char *const *names, int n, const struct options *o)
{
	struct batch b = {.n = n, .names = names, .pmids = calloc(n, sizeof(pmID))};
	bool instances = o->internal_ids || o->external_names;
	int sts;

	if (b.pmids == NULL)
		pmNoMem("probe", n * sizeof(pmID), PM_FATAL_ERR);
	sts = pmLookupName(n, (const char **)names, b.pmids);
	if (sts < 0 && n == 1) {
		line_print_error(names[0], sts, NULL, o);
	} else {
		if (instances || o->values)
			look_up_descs(&b);
		if (instances && o->all_instances)
			probe_instances(&b, o);
		else
			probe_values(&b, o);
	}
	free(b.stss);
	free(b.descs);
	free(b.pmids);
}

static void probe_all(const struct names *names, const struct options *o)
{
	size_t most = o->pm.context == PM_CONTEXT_ARCHIVE ? 1 : (size_t)o->batch;

	for (size_t i = 0; i < names->n && !ferror(stdout); i += most) {
		size_t some = names->n - i < most ? names->n - i : most;

		probe(names->list + i, (int)some, o);
	}
}

/* Returns the exit status. */
static int pmprobe_report(int argc, char **argv, struct options *o)
{
	struct jsontext document = {.out = stdout};
	struct names names = {0};

	if (source_open_options(&o->pm, "make standalone connection on localhost") < 0)
		return 1;
	if (o->json) {
		o->document = &document;
		jsontext_begin(&document, NULL, '{');
		jsontext_begin(&document, "metrics", '[');
		jsontext_line(&document);
	}
	add_arguments(argc, argv, &names, o);
	probe_all(&names, o);
	names_free(&names);
	if (o->json)
		jsontext_end(&document, ']');
	if (o->traffic)
		traffic_print(o);
	if (o->json) {
		jsontext_end(&document, '}');
		putchar('\n');
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = pmprobe_report(argc, argv, &o);
	pmFreeOptions(&o.pm);
	return output_finish(status);
}
