/*
 * inputs - the archives that are read: opening them, whether they can be merged, and metrics that
 * differ.
 */
#include "tools/pmlogextract/pmlogextract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libstore/archive_meta.h"
#include "tools/archive/metadata.h"
#include "tools/archive/recording.h"
#include "tools/common/cmdline.h"

/*
 * Inputs
 */

static int open_input(struct input *input, const char *name)
{
	int sts = recording_open(name, 0, &input->recording);

	return sts < 0 ? sts : metadata_new(&input->recording, &input->metadata);
}

static void close_input(struct input *input)
{
	metadata_free(input->metadata);
	recording_close(&input->recording);
	free(input->name);
}

static void report_unopened(const char *name, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Error: cannot open archive \"%s\": %s\n", pmGetProgname(), name,
		pmErrStr_r(code, text, sizeof(text)));
}

static bool add_input(struct inputs *in, const char *name)
{
	struct input *list = reallocarray(in->list, in->n + 1, sizeof(*list)), *input;
	int sts;

	if (list == NULL)
		pmNoMem("input", sizeof(*list), PM_FATAL_ERR);
	in->list = list;
	input = &list[in->n];
	memset(input, 0, sizeof(*input));
	input->name = strdup(name);
	if (input->name == NULL)
		pmNoMem("input", strlen(name), PM_FATAL_ERR);
	sts = open_input(input, name);
	if (sts >= 0) {
		in->n++;
		return true;
	}
	close_input(input);
	if (sts == PM_ERR_NODATA) {
		fprintf(finding(), "%s: Warning: empty archive \"%s\" will be skipped\n",
			pmGetProgname(), name);
		return true;
	}
	report_unopened(name, sts);
	return false;
}

static bool add_all(struct inputs *in, const char *argument)
{
	struct bases bases;
	int sts = bases_find(argument, &bases);
	bool ok = sts >= 0;

	if (sts < 0)
		report_unopened(bases.failed != NULL ? bases.failed : argument, sts);
	for (size_t i = 0; i < bases.n && ok; i++)
		ok = add_input(in, bases.names[i]);
	bases_done(&bases);
	return ok;
}

bool inputs_open(struct inputs *in, const struct options *o)
{
	for (int i = 0; i < o->ninputs; i++)
		if (!add_all(in, o->inputs[i]))
			return false;
	if (in->n == 0)
		fprintf(finding(),
			"%s: Warning: all input archive(s) are empty, no output archive created\n",
			pmGetProgname());
	return in->n > 0;
}

void inputs_close(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		close_input(&in->list[i]);
	free(in->list);
}

static const struct log_label *label_of(const struct inputs *in, size_t i)
{
	return in->list[i].recording.label;
}

static void warn_zones(const struct inputs *in, size_t used)
{
	const char *zone = label_of(in, used)->timezone;
	bool said = false;

	for (size_t i = 0; i < in->n; i++) {
		if (strcmp(label_of(in, i)->timezone, zone) == 0)
			continue;
		if (!said)
			fprintf(finding(),
				"%s: Warning: timezone mismatch for input archives\n"
				"archive: %s timezone: %s [will be used]\n",
				pmGetProgname(), in->list[used].name, zone);
		said = true;
		fprintf(stderr, "archive: %s timezone: %s [will be ignored]\n", in->list[i].name,
			label_of(in, i)->timezone);
	}
}

static bool same_hosts(const struct inputs *in)
{
	const char *host = label_of(in, 0)->host;

	for (size_t i = 1; i < in->n; i++) {
		if (strcmp(label_of(in, i)->host, host) == 0)
			continue;
		fprintf(stderr,
			"%s: Error: host name mismatch for input archives\n"
			"archive: %s host: %s\narchive: %s host: %s\n",
			pmGetProgname(), in->list[0].name, host, in->list[i].name,
			label_of(in, i)->host);
		return false;
	}
	return true;
}

static bool choose_version(const struct inputs *in, int asked, int *ret_version)
{
	size_t newest = 0;

	for (size_t i = 1; i < in->n; i++)
		if (label_of(in, i)->version > label_of(in, newest)->version)
			newest = i;
	*ret_version = asked != 0 ? asked : label_of(in, newest)->version;
	if (*ret_version >= label_of(in, newest)->version)
		return true;
	fprintf(stderr,
		"%s: Error: input archive version must be no more than %d\n"
		"archive: %s version: %d\n",
		pmGetProgname(), asked, in->list[newest].name, label_of(in, newest)->version);
	return false;
}

bool inputs_label(const struct inputs *in, const struct options *o, struct log_label *ret_label)
{
	size_t zone = o->first_zone ? 0 : in->n - 1;

	*ret_label = *label_of(in, zone);
	ret_label->start = (struct timespec){0};
	ret_label->pid = getpid();
	warn_zones(in, zone);
	return same_hosts(in) && choose_version(in, o->version, &ret_label->version);
}

/*
 * Conflicts
 */

enum { TEXT_ROOM = 1024 };

static void inputs_report(bool skip, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void inputs_report(bool skip, const char *format, ...)
{
	va_list args;

	fprintf(finding(), "%s: %s: metric ", pmGetProgname(), skip ? "Warning" : "Error");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("!\n", stderr);
}

static void inputs_add(struct conflicts *c, pmID pmid)
{
	pmID *more;

	if (conflicts_has(c, pmid))
		return;
	more = reallocarray(c->pmids, c->n + 1, sizeof(*more));
	if (more == NULL)
		pmNoMem("metrics", sizeof(*more), PM_FATAL_ERR);
	c->pmids = more;
	more[c->n++] = pmid;
}

static const char *indom_text(pmInDom indom, char *buf, int room)
{
	return indom == PM_INDOM_NULL ? "PM_INDOM_NULL" : pmInDomStr_r(indom, buf, room);
}

static const char *units_text(const pmUnits *units, char *buf, int room)
{
	pmUnitsStr_r(units, buf, room);
	return *buf != '\0' ? buf : "none";
}

/* All names of a metric as text. */
static const char *names_text(const struct archive_metric *m, char *buf)
{
	size_t at = 0;

	pmsprintf(buf, TEXT_ROOM, "%s", m->nnames == 0 ? "?" : "");
	for (size_t i = 0; i < m->nnames && at < TEXT_ROOM; i++)
		at += (size_t)pmsprintf(buf + at, TEXT_ROOM - at, "%s%s", i > 0 ? ", " : "",
					m->names[i]);
	return buf;
}

/* Reports the first difference of b. */
static bool desc_differs(bool skip, const struct archive_metric *a, const struct archive_metric *b)
{
	char from[64], to[64], name[TEXT_ROOM];

	names_text(b, name);
	if (a->desc.type != b->desc.type)
		inputs_report(skip, "%s: type changed from %s to %s", name,
			      pmTypeStr_r(a->desc.type, from, sizeof(from)),
			      pmTypeStr_r(b->desc.type, to, sizeof(to)));
	else if (a->desc.indom != b->desc.indom)
		inputs_report(skip, "%s: indom changed from %s to %s", name,
			      indom_text(a->desc.indom, from, sizeof(from)),
			      indom_text(b->desc.indom, to, sizeof(to)));
	else if (a->desc.sem != b->desc.sem)
		inputs_report(skip, "%s: semantics changed from %s to %s", name,
			      pmSemStr_r(a->desc.sem, from, sizeof(from)),
			      pmSemStr_r(b->desc.sem, to, sizeof(to)));
	else if (memcmp(&a->desc.units, &b->desc.units, sizeof(a->desc.units)) != 0)
		inputs_report(skip, "%s: units changed from %s to %s", name,
			      units_text(&a->desc.units, from, sizeof(from)),
			      units_text(&b->desc.units, to, sizeof(to)));
	else
		return false;
	return true;
}

static bool has_name(const struct archive_metric *m, const char *name)
{
	for (size_t i = 0; i < m->nnames; i++)
		if (strcmp(m->names[i], name) == 0)
			return true;
	return false;
}

static bool has_names(const struct archive_metric *m, const struct archive_metric *of)
{
	for (size_t i = 0; i < of->nnames; i++)
		if (!has_name(m, of->names[i]))
			return false;
	return true;
}

static bool names_differ(bool skip, const struct archive_metric *a, const struct archive_metric *b)
{
	char id[32], from[TEXT_ROOM], to[TEXT_ROOM];

	if (has_names(a, b) && has_names(b, a))
		return false;
	inputs_report(skip, "PMID %s: name changed from %s to %s",
		      pmIDStr_r(b->desc.pmid, id, sizeof(id)), names_text(a, from),
		      names_text(b, to));
	return true;
}

/* The PMID that a name of b has in a; PM_ID_NULL if every name has the same PMID in both. */
static pmID other_pmid(const struct archive_meta *a, const struct archive_metric *b)
{
	for (size_t i = 0; i < b->nnames; i++) {
		pmID pmid = archive_meta_pmid(a, b->names[i]);

		if (pmid != PM_ID_NULL && pmid != b->desc.pmid)
			return pmid;
	}
	return PM_ID_NULL;
}

/*
 * Compares a metric with the same one of an earlier input. Returns the PMID to leave out, or
 * PM_ID_NULL if there is no difference.
 */
static pmID differs(bool skip, const struct archive_meta *a, const struct archive_metric *b)
{
	const struct archive_metric *same = archive_meta_metric(a, b->desc.pmid);
	pmID other = other_pmid(a, b);
	char from[32], to[32], name[TEXT_ROOM];

	if (other != PM_ID_NULL) {
		inputs_report(skip, "%s: PMID changed from %s to %s", names_text(b, name),
			      pmIDStr_r(other, from, sizeof(from)),
			      pmIDStr_r(b->desc.pmid, to, sizeof(to)));
		return other;
	}
	return same != NULL && (desc_differs(skip, same, b) || names_differ(skip, same, b))
		   ? b->desc.pmid
		   : PM_ID_NULL;
}

/* Compares the metrics of input i with those of all inputs before it. */
static bool inputs_compare(struct conflicts *c, const struct inputs *in, size_t i, bool skip)
{
	size_t n;
	const struct archive_metric *const *metrics =
	    archive_meta_metrics(in->list[i].recording.meta, &n);

	for (size_t k = 0; k < n; k++) {
		for (size_t j = 0; j < i; j++) {
			pmID pmid = PM_ID_NULL;

			if (!conflicts_has(c, metrics[k]->desc.pmid))
				pmid = differs(skip, in->list[j].recording.meta, metrics[k]);
			if (pmid == PM_ID_NULL)
				continue;
			inputs_add(c, pmid);
			if (!skip)
				return false;
		}
	}
	return true;
}

bool conflicts_find(struct conflicts *c, const struct inputs *in, bool skip)
{
	char id[32];

	for (size_t i = 1; i < in->n; i++)
		if (!inputs_compare(c, in, i, skip))
			return false;
	if (c->n > 0)
		fprintf(stderr,
			"Warning: the metrics below will be missing from the output archive\n");
	for (size_t i = 0; i < c->n; i++)
		fprintf(stderr, "\tPMID: %s\n", pmIDStr_r(c->pmids[i], id, sizeof(id)));
	return true;
}

bool conflicts_has(const struct conflicts *c, pmID pmid)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->pmids[i] == pmid)
			return true;
	return false;
}

void conflicts_done(struct conflicts *c)
{
	free(c->pmids);
}
