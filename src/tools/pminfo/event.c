#include "tools/pminfo/event.h"

#include <stdio.h>

#include "tools/common/event.h"

static void print_head(int number)
{
	printf("    --- event record [%d] timestamp ", number);
}

static void print_parameter(const struct event_parameter *p, const pmValueSet *vset)
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
    .print_head = print_head,
    .print_parameter = print_parameter,
    .missed_indent = "        ",
    .no_parameters = "\tNo parameters",
};

void event_report(const pmValueSet *vset, int i, int type)
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
