/*
 * document - what pminfo knows about metrics and instance domains, as one JSON document.
 *
 * The members of a metric are a table, in the order of the plain report. A member that is not
 * available is an object with its error.
 */
#include "tools/pminfo/pminfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/jsontext.h"
#include "tools/common/names.h"

/*
 * Descriptions
 */

static void put_indom(struct jsontext *j, pmInDom indom, const struct options *o)
{
	char buf[32];

	jsontext_text(j, "indom",
		      indom != PM_INDOM_NULL ? pmInDomStr_r(indom, buf, sizeof(buf)) : NULL);
	if ((o->show & SHOW_FULL_INDOM) != 0 && indom != PM_INDOM_NULL)
		jsontext_integer(j, "indom_number", indom);
}

static void put_desc(struct jsontext *j, const struct metric *m, const struct options *o)
{
	char buf[64];

	jsontext_text(j, "pmid", pmIDStr_r(m->pmid, buf, sizeof(buf)));
	if ((o->show & SHOW_FULL_PMID) != 0)
		jsontext_integer(j, "pmid_number", m->pmid);
	jsontext_text(j, "type", pmTypeStr_r(m->desc.type, buf, sizeof(buf)));
	jsontext_text(j, "semantics", pmSemStr_r(m->desc.sem, buf, sizeof(buf)));
	pmUnitsStr_r(&m->desc.units, buf, sizeof(buf));
	jsontext_text(j, "units", buf[0] != '\0' ? buf : "none");
	put_indom(j, m->desc.indom, o);
}

/*
 * Help texts
 */

/* Writes a text without the newlines at its end, and frees it; or its error. */
static void put_help(struct jsontext *j, const char *name, int sts, char *text)
{
	size_t len = sts >= 0 ? strlen(text) : 0;

	if (sts < 0) {
		jsontext_error(j, name, sts);
		return;
	}
	while (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	jsontext_text(j, name, text);
	free(text);
}

static void put_oneline(struct jsontext *j, const struct metric *m, const struct options *o)
{
	char *text = NULL;
	int sts = pmLookupText(m->pmid, PM_TEXT_ONELINE, &text);

	(void)o;
	put_help(j, "oneline", sts, text);
}

static void put_helptext(struct jsontext *j, const struct metric *m, const struct options *o)
{
	char *text = NULL;
	int sts = pmLookupText(m->pmid, PM_TEXT_HELP, &text);

	(void)o;
	put_help(j, "help", sts, text);
}

/*
 * Labels and series
 */

/* Merged labels, sts bytes of JSON; without labels an empty object. */
static void put_merged(struct jsontext *j, int sts, const char *labels)
{
	if (sts < 0)
		jsontext_error(j, "labels", sts);
	else
		jsontext_raw(j, "labels", sts > 0 ? labels : "{}");
}

static void document_begin_instance(struct jsontext *j, const struct metric *m, int inst)
{
	const char *name = NULL;

	instance_name(m->desc.indom, inst, &name);
	jsontext_begin(j, NULL, '{');
	jsontext_instance(j, inst, name);
}

static void put_instance_labels(const struct metric *m, int inst, pmLabelSet *set, void *arg)
{
	struct jsontext *j = arg;
	char buf[PM_MAXLABELJSONLEN];
	int sts = label_merge(m->pmid, m->desc.indom, LABEL_OF_METRIC, set, NULL, buf);

	document_begin_instance(j, m, inst);
	put_merged(j, sts, buf);
	jsontext_end(j, '}');
}

static void put_labels(struct jsontext *j, const struct metric *m, const struct options *o)
{
	char buf[PM_MAXLABELJSONLEN];
	int sts = label_merge(m->pmid, m->desc.indom, LABEL_OF_METRIC, NULL, NULL, buf);

	(void)o;
	put_merged(j, sts, buf);
	jsontext_begin(j, "instance_labels", '[');
	label_each_instance(m, put_instance_labels, j);
	jsontext_end(j, ']');
}

static void put_instance_series(const struct metric *m, int inst, pmLabelSet *set, void *arg)
{
	struct jsontext *j = arg;
	char hex[SHA1_HEX_LEN];

	series_of_instance(m, inst, set, hex);
	document_begin_instance(j, m, inst);
	jsontext_text(j, "series", hex);
	jsontext_end(j, '}');
}

static void put_series(struct jsontext *j, const struct metric *m, const struct options *o)
{
	char hex[SHA1_HEX_LEN];

	(void)o;
	series_of_source(m, hex);
	jsontext_text(j, "source", hex);
	series_of_metric(m, hex);
	jsontext_text(j, "series", hex);
	jsontext_begin(j, "instance_series", '[');
	label_each_instance(m, put_instance_series, j);
	jsontext_end(j, ']');
}

/*
 * Values
 */

static void put_value(struct jsontext *j, const struct metric *m, const pmValueSet *vset, int i,
		      const struct options *o)
{
	bool records = (o->show & SHOW_EVENTS) != 0;

	if (m->desc.indom == PM_INDOM_NULL)
		jsontext_begin(j, NULL, '{');
	else
		document_begin_instance(j, m, vset->vlist[i].inst);
	jsontext_value(j, "value", vset, i, m->desc.type, records);
	jsontext_end(j, '}');
}

static void put_set(struct jsontext *j, const struct metric *m, const pmValueSet *vset,
		    const struct options *o)
{
	if (vset->numval < 0) {
		jsontext_error(j, "values", vset->numval);
		return;
	}
	jsontext_begin(j, "values", '[');
	for (int i = 0; i < vset->numval; i++)
		put_value(j, m, vset, i, o);
	jsontext_end(j, ']');
}

static void put_values(struct jsontext *j, const struct metric *m, const struct options *o)
{
	pmResult *result = NULL;
	int sts;

	if ((o->show & SHOW_ALL_INSTANCES) == 0 || m->values->numval != PM_ERR_PROFILE) {
		put_set(j, m, m->values, o);
		return;
	}
	sts = value_fetch_explicit(m, &result);
	if (sts < 0) {
		jsontext_error(j, "values", sts);
	} else if (result == NULL) { /* no instances */
		jsontext_begin(j, "values", '[');
		jsontext_end(j, ']');
	} else {
		put_set(j, m, result->vset[0], o);
	}
	if (result != NULL)
		pmFreeResult(result);
}

/*
 * The document
 */

/* clang-format off */
static const struct member {
	unsigned int when; /* the options that ask for the member */
	void (*put)(struct jsontext *j, const struct metric *m, const struct options *o);
} members[] = {
	{ ~0u,          put_desc },
	{ SHOW_ONELINE, put_oneline },
	{ SHOW_SERIES,  put_series },
	{ SHOW_LABELS,  put_labels },
	{ SHOW_HELP,    put_helptext },
	{ SHOW_VALUES,  put_values },
};
/* clang-format on */

/* The reason why a metric has no values; NULL: it has some. */
static const char *document_failure(const struct metric *m, int sts)
{
	if (sts < 0)
		return pmErrStr(sts);
	if (m->desc.type == PM_TYPE_NOSUPPORT)
		return "Not Supported";
	if (m->values->numval < 0)
		return pmErrStr(m->values->numval);
	return m->values->numval == 0 ? "No value(s) available" : NULL;
}

void document_metric(const struct metric *m, int sts, const struct options *o)
{
	struct jsontext *j = o->document;
	bool failures = (o->show & SHOW_FAILURES) != 0;
	const char *failure = failures ? document_failure(m, sts) : NULL;

	if (failures && failure == NULL)
		return;
	jsontext_begin(j, NULL, '{');
	jsontext_text(j, "name", m->name);
	if (failures)
		jsontext_text(j, "error", failure);
	else if (sts < 0)
		jsontext_failure(j, sts);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && !failures && sts >= 0; i++)
		if (members[i].when == ~0u || (members[i].when & o->show) != 0)
			members[i].put(j, m, o);
	jsontext_end(j, '}');
	jsontext_line(j);
}

void document_indom(pmInDom indom, const struct options *o)
{
	struct jsontext *j = o->document;
	char labels[PM_MAXLABELJSONLEN], *text = NULL;
	int sts;

	jsontext_begin(j, NULL, '{');
	put_indom(j, indom, o);
	if ((o->show & SHOW_ONELINE) != 0) {
		sts = pmLookupInDomText(indom, PM_TEXT_ONELINE, &text);
		put_help(j, "oneline", sts, text);
	}
	if ((o->show & SHOW_LABELS) != 0) {
		sts = label_merge(PM_ID_NULL, indom, LABEL_OF_INDOM, NULL, NULL, labels);
		put_merged(j, sts, labels);
	}
	if ((o->show & SHOW_HELP) != 0) {
		sts = pmLookupInDomText(indom, PM_TEXT_HELP, &text);
		put_help(j, "help", sts, text);
	}
	jsontext_end(j, '}');
}
