#include "tools/pmval/event.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/event.h"
#include "tools/pmval/columns.h"
#include "tools/pmval/options.h"
#include "tools/pmval/stamp.h"
#include "tools/pmval/target.h"
#include "tools/pmval/view.h"

static void print_aggregate(const pmValueBlock *block)
{
	const unsigned char *bytes = (const unsigned char *)block->vbuf;
	int len = (int)block->vlen - PM_VAL_HDR_SIZE;

	putchar('[');
	for (int i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar(']');
}

static void print_head(int number)
{
	(void)number; /* printed after the stamp */
	fputs("  ", stdout);
}

static void print_number(int number)
{
	printf(" --- event record [%d]", number);
}

static void print_parameter(const struct event_parameter *p, const pmValueSet *vset)
{
	char buf[32];

	pmIDStr_r(p->pmid, buf, sizeof(buf));
	if (p->nnames < 0) {
		printf("\t%s: pmNameID: %s\n", buf, pmErrStr(p->nnames));
		return;
	}
	if (p->sts < 0) {
		printf("\t%s: pmLookupDesc: %s\n", buf, pmErrStr(p->sts));
		return;
	}
	printf("    %s", p->names[0]);
	for (int i = 0; i < vset->numval; i++) {
		putchar(' ');
		if ((p->desc.type == PM_TYPE_AGGREGATE ||
		     p->desc.type == PM_TYPE_AGGREGATE_STATIC) &&
		    vset->valfmt != PM_VAL_INSITU)
			print_aggregate(vset->vlist[i].value.pval);
		else
			pmPrintValue(stdout, vset->valfmt, p->desc.type, &vset->vlist[i], 1);
	}
	putchar('\n');
}

static const struct event_style style = {
    .print_head = print_head,
    .print_number = print_number,
    .print_parameter = print_parameter,
    .missed_indent = "    ",
    .no_parameters = "    ==> No parameters",
};

/* Prints the records of value i, after the name that begins the line. */
static void print_records(const pmValueSet *vset, int i, int type)
{
	struct event_records records;
	int n = event_unpack(vset, i, type, &records);

	if (n >= 0)
		printf(" %d event records\n", n);
	else
		printf(" pmUnpackEventRecords: %s\n", pmErrStr(n));
	event_print(&records, &style);
	event_free(&records);
}

static void print_instance(const struct view *v, int inst)
{
	pmInDom indom = v->target->desc.indom;
	char *name, buf[32];
	int sts = options_archive(v->options) ? pmNameInDomArchive(indom, inst, &name)
					      : pmNameInDom(indom, inst, &name);

	if (sts < 0) {
		printf("%s: pmNameInDom: %s[%u]: %s\n", v->target->name,
		       pmInDomStr_r(indom, buf, sizeof(buf)), inst, pmErrStr(sts));
		return;
	}
	printf("%s[%s]:", v->target->name, name);
	free(name);
}

void event_report(const struct view *v, const struct sample *now)
{
	const struct target *t = v->target;

	if (v->stamps) {
		stamp_print(&now->stamp, v->options->stamp);
		fputs("  ", stdout);
	}
	for (int i = 0; i < now->values->numval; i++) {
		int inst = now->values->vlist[i].inst;

		if (t->desc.indom != PM_INDOM_NULL && !target_wants(t, inst))
			continue;
		if (t->desc.indom == PM_INDOM_NULL)
			printf("%s:", t->name);
		else
			print_instance(v, inst);
		print_records(now->values, i, t->desc.type);
	}
}
