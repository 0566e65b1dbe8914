/*
 * value - prints the values of a metric; event records with their parameters.
 */
#include "tools/pminfo/pminfo.h"

#include <stdio.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"
#include "tools/common/value.h"

/*
 * event - prints the records inside an event value.
 */

static void value_print_head(int number)
{
	printf("    --- event record [%d] timestamp ", number);
}

static void value_print_parameter(const struct event_parameter *p, const pmValueSet *vset)
{
	char buf[32];

	pmIDStr_r(p->pmid, buf, sizeof(buf));
	if (p->nnames < 0) {
		printf("\tPMID: %s\n", buf);
	} else {
		fputs("    ", stdout);
		for (int i = 0; i < p->nnames; i++)
			printf("%s%s", i > 0 ? " or " : "", p->names[i]);
		printf(" (%s)\n", buf);
	}
	if (p->sts < 0) {
		printf("\tpmLookupDesc: %s\n", pmErrStr(p->sts));
		return;
	}
	for (int i = 0; i < vset->numval; i++) {
		fputs("        value ", stdout);
		pmPrintValue(stdout, vset->valfmt, p->desc.type, &vset->vlist[i], 1);
		putchar('\n');
	}
}

static const struct event_style style = {
    .print_head = value_print_head,
    .print_parameter = value_print_parameter,
    .missed_indent = "        ",
    .no_parameters = "\tNo parameters",
};

/* Unpacks value i of the set and prints each record. Does nothing for other types. */
static void event_report(const pmValueSet *vset, int i, int type)
{
	struct event_records records;
	int sts;

	if (type != PM_TYPE_EVENT && type != PM_TYPE_HIGHRES_EVENT)
		return;
	sts = event_unpack(vset, i, type, &records);
	if (sts < 0)
		fprintf(stderr, "%s: %s: %s\n", pmGetProgname(),
			type == PM_TYPE_EVENT ? "pmUnpackEventRecords"
					      : "pmUnpackHighResEventRecords",
			pmErrStr(sts));
	event_print(&records, &style);
	event_free(&records);
}

/*
 * Values
 */

/*
 * Prints an instance. Returns false if it has gone and all instances are shown: then it has no
 * value.
 */
static bool value_print_instance(const struct metric *m, int inst, const struct options *o)
{
	const char *name;
	char buf[32];
	int sts = instance_name(m->desc.indom, inst, &name);

	if (sts >= 0) {
		printf("    inst [%d or \"%s\"]", inst, name);
		return true;
	}
	if ((o->show & SHOW_ALL_INSTANCES) != 0) {
		printf("    inst [%d \"%s\"]\n", inst, "DISAPPEARED");
		return false;
	}
	printf("pmNameIndom: indom=%s inst=%d: %s\n", pmInDomStr_r(m->desc.indom, buf, sizeof(buf)),
	       inst, pmErrStr(sts));
	printf("    inst [%d]", inst);
	return true;
}

static void value_print_value(const struct metric *m, const pmValueSet *vset, int i,
			      const struct options *o)
{
	if (m->desc.indom == PM_INDOM_NULL)
		fputs("   ", stdout);
	else if (!value_print_instance(m, vset->vlist[i].inst, o))
		return;
	fputs(" value ", stdout);
	pmPrintValue(stdout, vset->valfmt, m->desc.type, &vset->vlist[i], 1);
	putchar('\n');
	if ((o->show & SHOW_EVENTS) != 0)
		event_report(vset, i, m->desc.type);
}

static void value_print_set(const struct metric *m, const pmValueSet *vset, const struct options *o)
{
	if (vset->numval < 0)
		printf("Error: %s\n", pmErrStr(vset->numval));
	else if (vset->numval == 0)
		puts("No value(s) available!");
	for (int i = 0; i < vset->numval; i++)
		value_print_value(m, vset, i, o);
}

int value_fetch_explicit(const struct metric *m, pmResult **ret_result)
{
	const struct instances *in = instance_get(m->desc.indom);
	pmID pmid = m->pmid;
	int sts;

	if (in->n <= 0)
		return in->n;
	pmDelProfile(PM_INDOM_NULL, 0, NULL);
	pmAddProfile(m->desc.indom, in->n, in->ids);
	sts = pmFetch(1, &pmid, ret_result);
	pmAddProfile(PM_INDOM_NULL, 0, NULL);
	return sts;
}

static void print_explicit(const struct metric *m, const struct options *o)
{
	pmResult *result = NULL;
	const struct instances *in = instance_get(m->desc.indom);
	int sts = value_fetch_explicit(m, &result);

	if (in->n < 0)
		printf("%s: pmGetIndom: %s\n", m->name, pmErrStr(in->n));
	else if (in->n == 0)
		printf("%s: pmGetIndom: No instances?\n", m->name);
	else if (sts < 0)
		printf("%s: pmFetch: %s\n", m->name, pmErrStr(sts));
	else
		value_print_set(m, result->vset[0], o);
	if (result != NULL)
		pmFreeResult(result);
}

void value_print(const struct metric *m, const struct options *o)
{
	if ((o->show & SHOW_ALL_INSTANCES) != 0 && m->values->numval == PM_ERR_PROFILE)
		print_explicit(m, o);
	else
		value_print_set(m, m->values, o);
}
