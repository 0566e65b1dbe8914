/*
 * chkhelp - prints compiled help texts, or lists metrics without one (docs/spec/pmda.md 18.2).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "tools/chkhelp/index.h"
#include "tools/chkhelp/options.h"
#include "tools/common/output.h"

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

static void print_metric(const struct chkhelp *c, pmID pmid)
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

static void print_indom(const struct chkhelp *c, uint32_t id)
{
	char buf[32];

	printf("\nInDom %s:", pmInDomStr_r(id & ~INDEX_INDOM, buf, sizeof(buf)));
	print_texts(c, id);
}

static void print_all(const struct chkhelp *c, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((ids[i] & INDEX_INDOM) == 0) {
			if (c->options.all_metrics)
				print_metric(c, ids[i]);
		} else if (c->options.all_indoms) {
			print_indom(c, ids[i]);
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
static int run(struct chkhelp *c)
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
		print_all(c, ids, n);
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
		status = run(&c);
	return output_finish(status);
}
