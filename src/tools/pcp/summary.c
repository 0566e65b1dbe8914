/*
 * A line a subject, with the values of one or a few metrics. A metric without a value leaves its
 * part of the line empty. From an archive come the first values at or after the origin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/pcp/pcp.h"

#define INDENT 11 /* of the continuation of a line */
#define WIDTH  64 /* of a line, after the indent */
#define FOLDED 59 /* the same, if there is more than one line */

static pmOptions summary; /* static: the source, for every fetch */

/* The values of a metric. */
struct values {
	pmID pmid;
	pmDesc desc;
	pmResult *result; /* NULL: no values */
	int n;
};

static void values_get(struct values *v, const char *name)
{
	*v = (struct values){0};
	if (pmLookupName(1, &name, &v->pmid) < 0 || pmLookupDesc(v->pmid, &v->desc) < 0)
		return;
	if (summary.context == PM_CONTEXT_ARCHIVE)
		pmSetModeHighRes(PM_MODE_FORW, &summary.origin, NULL);
	if (pmFetch(1, &v->pmid, &v->result) < 0) {
		v->result = NULL;
		return;
	}
	if (v->result->numpmid == 1 && v->result->vset[0]->numval > 0)
		v->n = v->result->vset[0]->numval;
}

static void values_done(struct values *v)
{
	if (v->result != NULL)
		pmFreeResult(v->result);
}

/* Value i as text, which the caller frees; "" if it cannot be extracted. */
static char *value_text(const struct values *v, int i)
{
	const pmValueSet *vset = v->result->vset[0];
	pmAtomValue atom;
	char *text = NULL;

	if (v->desc.type == PM_TYPE_STRING &&
	    pmExtractValue(vset->valfmt, &vset->vlist[i], v->desc.type, &atom, PM_TYPE_STRING) >= 0)
		return atom.cp;
	if (v->desc.type != PM_TYPE_STRING &&
	    pmExtractValue(vset->valfmt, &vset->vlist[i], v->desc.type, &atom, PM_TYPE_DOUBLE) >= 0)
		if (asprintf(&text, "%.15g", atom.d) < 0)
			text = NULL;
	if (text == NULL)
		text = strdup("");
	if (text == NULL)
		pmNoMem("value", 1, PM_FATAL_ERR);
	return text;
}

/* The first value of a metric as text, or NULL; the caller frees it. */
static char *single_text(const char *name)
{
	struct values v;
	char *text = NULL;

	values_get(&v, name);
	if (v.n > 0)
		text = value_text(&v, 0);
	values_done(&v);
	return text;
}

/* The value of a metric that has exactly one; otherwise NULL. The caller frees it. */
static char *only_text(const char *name)
{
	struct values v;
	char *text = NULL;

	values_get(&v, name);
	if (v.n == 1)
		text = value_text(&v, 0);
	values_done(&v);
	return text;
}

/* The first value of a metric as a number, or -1. */
static long single_number(const char *name)
{
	char *text = single_text(name);
	long n = text != NULL ? strtol(text, NULL, 10) : -1;

	free(text);
	return n;
}

/* The value of an instance as text, or NULL; the caller frees it. */
static char *inst_text(const struct values *v, int inst)
{
	for (int i = 0; i < v->n; i++)
		if (v->result->vset[0]->vlist[i].inst == inst)
			return value_text(v, i);
	return NULL;
}

/* The name of an instance, or NULL; the caller frees it. */
static char *inst_name(pmInDom indom, int inst)
{
	char *name;

	if (pmNameInDom(indom, inst, &name) >= 0 || pmNameInDomArchive(indom, inst, &name) >= 0)
		return name;
	return NULL;
}

/*
 * The lines
 */

static void print_line(const char *title, char *text, const char *none)
{
	if (text != NULL || none != NULL)
		printf("%9s: %s\n", title, text != NULL ? text : none);
	free(text);
}

/* Prints ", <n> <noun>s" unless the number is 0 or unknown. */
static void print_count(const char **separator, long n, const char *kind, const char *noun)
{
	if (n <= 0)
		return;
	printf("%s%ld %s%s%s%s", *separator, n, kind, kind[0] != '\0' ? " " : "", noun,
	       n == 1 ? "" : "s");
	*separator = ", ";
}

static void print_hardware(void)
{
	static const char *const nouns[][2] = {
	    {"hinv.ndisk", "disk"}, {"hinv.nnode", "node"}, {"hinv.nrouter", "router"},
	    {"hinv.nxbow", "xbow"}, {"hinv.ncell", "cell"},
	};
	char *kind = only_text("hinv.cputype");
	const char *separator = "";
	long ram = single_number("hinv.physmem");

	printf("%9s: ", "hardware");
	print_count(&separator, single_number("hinv.ncpu"), kind != NULL ? kind : "", "cpu");
	for (size_t i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++)
		print_count(&separator, single_number(nouns[i][0]), "", nouns[i][1]);
	if (ram >= 0)
		printf("%s%ldMB RAM\n", separator, ram);
	else
		puts(separator[0] != '\0' ? "," : "");
	free(kind);
}

static void print_pmcd(void)
{
	char *version = single_text("pmcd.version"), *build = single_text("pmcd.build");
	long agents = single_number("pmcd.numagents"), clients = single_number("pmcd.numclients");

	printf("%9s: Version %s%s%s,", "pmcd", version != NULL ? version : "unknown",
	       build != NULL ? "-" : "", build != NULL ? build : "");
	if (agents >= 0) {
		printf(" %ld agent%s", agents, agents == 1 ? "" : "s");
		/* This program is a client too. */
		if (clients > 1)
			printf(", %ld client%s", clients - 1, clients == 2 ? "" : "s");
		else if (clients < 0)
			putchar(',');
	}
	putchar('\n');
	free(version);
	free(build);
}

static void print_folded(const char *word, int width, int *column)
{
	int length = (int)strlen(word);

	if (*column > 0 && *column + 1 + length > width) {
		printf("\n%*s", INDENT, "");
		*column = 0;
	}
	printf("%s%s", *column > 0 ? " " : "", word);
	*column += length + (*column > 0 ? 1 : 0);
}

/* Puts the name of agent i in a buffer, with its status if it does not work. */
static void agent_text(const struct values *status, int i, char *buf, size_t size)
{
	char *name = inst_name(status->desc.indom, status->result->vset[0]->vlist[i].inst);
	char *text = value_text(status, i);

	if (strcmp(text, "0") == 0)
		pmsprintf(buf, size, "%s", name != NULL ? name : "?");
	else
		pmsprintf(buf, size, "%s[%s]", name != NULL ? name : "?", text);
	free(name);
	free(text);
}

static void print_agents(void)
{
	struct values status;
	char word[256];
	int column = 0, width = -1;

	values_get(&status, "pmcd.agent.status");
	for (int i = 0; i < status.n; i++) {
		agent_text(&status, i, word, sizeof(word));
		width += (int)strlen(word) + 1;
	}
	if (status.n > 0)
		printf("%9s: ", "pmda");
	for (int i = 0; i < status.n; i++) {
		agent_text(&status, i, word, sizeof(word));
		print_folded(word, width <= WIDTH ? WIDTH : FOLDED, &column);
	}
	if (status.n > 0)
		putchar('\n');
	values_done(&status);
}

/* A family of processes with the same metrics. */
struct family {
	const char *title;
	const char *primary; /* the name of the first process */
	const char *files, *hosts;
};

static void print_process(const char *title, int n, const char *name, const char *file)
{
	if (n == 0)
		printf("%9s: ", title);
	else
		printf("%*s", INDENT, "");
	printf("%s: %s\n", name, file);
}

/* The statistics of an inference engine (-P). */
static void print_statistics(int inst)
{
	static const char *const names[] = {"pmcd.pmie.numrules",   "pmcd.pmie.eval.true",
					    "pmcd.pmie.eval.false", "pmcd.pmie.eval.unknown",
					    "pmcd.pmie.actions",    "pmcd.pmie.eval.expected"};
	char *texts[sizeof(names) / sizeof(names[0])];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct values v;

		values_get(&v, names[i]);
		texts[i] = inst_text(&v, inst);
		values_done(&v);
		if (texts[i] == NULL)
			texts[i] = strdup("0");
		if (texts[i] == NULL)
			pmNoMem("statistics", 2, PM_FATAL_ERR);
	}
	printf("%*s(%s rules)\n", INDENT, "", texts[0]);
	printf("%*sevaluations true=%s false=%s unknown=%s (actions=%s)\n", INDENT, "", texts[1],
	       texts[2], texts[3], texts[4]);
	printf("%*sexpected evaluation rate=%.2f rules/sec\n", INDENT, "", strtod(texts[5], NULL));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		free(texts[i]);
}

/* The instance of the primary process among those with a file, or -1. */
static int primary_inst(const struct values *files)
{
	for (int i = 0; i < files->n; i++) {
		int inst = files->result->vset[0]->vlist[i].inst;
		char *name = inst_name(files->desc.indom, inst);
		bool primary = name != NULL && strcmp(name, "primary") == 0;

		free(name);
		if (primary)
			return inst;
	}
	return -1;
}

/* The primary process, and then those with another file, with the host that they watch. */
static void print_family(const struct family *family, bool statistics)
{
	struct values files, hosts;
	int n = 0, primary;
	char *first;

	values_get(&files, family->files);
	values_get(&hosts, family->hosts);
	primary = primary_inst(&files);
	first = primary != -1 ? inst_text(&files, primary) : NULL;
	if (first != NULL) {
		print_process(family->title, n++, family->primary, first);
		if (statistics)
			print_statistics(primary);
	}
	for (int i = 0; i < files.n; i++) {
		int inst = files.result->vset[0]->vlist[i].inst;
		char *host = inst_text(&hosts, inst), *file = value_text(&files, i);

		if (inst != primary && host != NULL &&
		    (first == NULL || strcmp(first, file) != 0)) {
			print_process(family->title, n++, host, file);
			if (statistics)
				print_statistics(inst);
		}
		free(host);
		free(file);
	}
	free(first);
	values_done(&files);
	values_done(&hosts);
}

/* The time zone of the collector, or that of the archive; the caller frees it. */
static char *zone_text(void)
{
	pmHighResLogLabel label;
	char *text = single_text("pmcd.timezone");

	if (text == NULL && summary.context == PM_CONTEXT_ARCHIVE &&
	    pmGetHighResArchiveLabel(&label) >= 0)
		text = strdup(label.timezone);
	return text;
}

static void print_all(bool pmie)
{
	static const struct family loggers = {"pmlogger", "primary logger", "pmcd.pmlogger.archive",
					      "pmcd.pmlogger.pmcd_host"};
	struct family engines = {"pmie", "primary engine",
				 pmie ? "pmcd.pmie.configfile" : "pmcd.pmie.logfile",
				 "pmcd.pmie.pmcd_host"};
	char host[MAXHOSTNAMELEN], *name = single_text("pmcd.hostname");

	pmGetContextHostName_r(pmWhichContext(), host, sizeof(host));
	printf("Performance Co-Pilot configuration on %s:\n\n", name != NULL      ? name
								: host[0] != '\0' ? host
										  : "unknown host");
	free(name);
	if (summary.narchives > 0)
		printf("%9s: %s\n", "archive", summary.archives[0]);
	print_line("platform", single_text("pmda.uname"), "");
	print_hardware();
	print_line("timezone", zone_text(), "Unknown");
	print_line("services", single_text("pmcd.services"), NULL);
	print_pmcd();
	print_agents();
	print_family(&loggers, false);
	print_family(&engines, pmie);
}

int summary_run(bool pmie)
{
	static char name[] = "pcp-summary";
	static pmLongOptions none[] = {PMAPI_OPTIONS_END};
	char *argv[] = {name, NULL};
	int status = 1;

	pmSetProgname(name);
	summary.version = PMAPI_VERSION_3;
	summary.flags = PM_OPTFLAG_BOUNDARIES;
	summary.short_options = PMAPI_OPTIONS "L";
	summary.long_options = none;
	while (pmGetOptions(1, argv, &summary) != EOF)
		summary.errors++;
	if (cmdline_accept(&summary, &status) &&
	    source_open_options(&summary, "make standalone connection on localhost") >= 0) {
		print_all(pmie);
		status = 0;
	} else {
		status = 1;
	}
	pmFreeOptions(&summary);
	return status;
}
