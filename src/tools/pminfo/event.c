/*
 * A record is a result of its own: the value sets of its parameters, preceded by those of the
 * anonymous metrics event.flags and event.missed (docs/spec/pmapi.md 21.1).
 */
#include "tools/pminfo/event.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/event.h"

/* A parameter's names and description: asked for once, however many records carry it. */
struct parameter {
	pmID pmid;
	int nnames; /* or the error */
	char **names;
	int sts; /* of the description */
	pmDesc desc;
};

static struct parameter *parameters;
static size_t n_parameters;

static const struct parameter *find_parameter(pmID pmid)
{
	struct parameter *more, *p;

	for (size_t i = 0; i < n_parameters; i++)
		if (parameters[i].pmid == pmid)
			return &parameters[i];
	more = reallocarray(parameters, n_parameters + 1, sizeof(more[0]));
	if (more == NULL)
		pmNoMem("event", sizeof(more[0]), PM_FATAL_ERR);
	parameters = more;
	p = &parameters[n_parameters++];
	*p = (struct parameter){.pmid = pmid};
	p->nnames = pmNameAll(pmid, &p->names);
	p->sts = pmLookupDesc(pmid, &p->desc);
	return p;
}

static void print_parameter(const pmValueSet *vset)
{
	const struct parameter *p = find_parameter(vset->pmid);
	char buf[32];

	if (p->nnames < 0) {
		printf("\tPMID: %s\n", pmIDStr_r(vset->pmid, buf, sizeof(buf)));
	} else {
		fputs("    ", stdout);
		for (int i = 0; i < p->nnames; i++)
			printf("%s%s", i > 0 ? " or " : "", p->names[i]);
		printf(" (%s)\n", pmIDStr_r(vset->pmid, buf, sizeof(buf)));
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

/* What follows the stamp of a record. */
static void print_record(int numpmid, pmValueSet *const *vset)
{
	int i = 0;

	if (numpmid > 0 && vset[0]->pmid == event_flags_pmid()) {
		unsigned int flags = (unsigned int)vset[0]->vlist[0].value.lval;
		char buf[64];

		printf(" flags 0x%x (%s)", flags, pmEventFlagsStr_r((int)flags, buf, sizeof(buf)));
		i = 1;
	}
	puts(" ---");
	if (numpmid == 0)
		puts("\tNo parameters");
	else if (numpmid < 0)
		printf("\tError: illegal number of parameters (%d)\n", numpmid);
	for (; i < numpmid; i++) {
		if (vset[i]->pmid == event_missed_pmid())
			printf("        ==> %d missed event records\n",
			       vset[i]->vlist[0].value.lval);
		else
			print_parameter(vset[i]);
	}
}

static void print_records(const pmValueSet *vset, int i)
{
	pmResult **records = NULL;
	int n = pmUnpackEventRecords((pmValueSet *)vset, i, &records);

	if (n < 0)
		fprintf(stderr, "%s: pmUnpackEventRecords: %s\n", pmGetProgname(), pmErrStr(n));
	for (int r = 0; r < n; r++) {
		printf("    --- event record [%d] timestamp ", r);
		pmPrintStamp(stdout, &records[r]->timestamp);
		print_record(records[r]->numpmid, records[r]->vset);
	}
	if (n > 0)
		pmFreeEventResult(records);
}

static void print_highres_records(const pmValueSet *vset, int i)
{
	pmHighResResult **records = NULL;
	int n = pmUnpackHighResEventRecords((pmValueSet *)vset, i, &records);

	if (n < 0)
		fprintf(stderr, "%s: pmUnpackHighResEventRecords: %s\n", pmGetProgname(),
			pmErrStr(n));
	for (int r = 0; r < n; r++) {
		printf("    --- event record [%d] timestamp ", r);
		pmPrintHighResStamp(stdout, &records[r]->timestamp);
		print_record(records[r]->numpmid, records[r]->vset);
	}
	if (n > 0)
		pmFreeHighResEventResult(records);
}

void event_print(const pmValueSet *vset, int i, int type)
{
	if (type == PM_TYPE_EVENT)
		print_records(vset, i);
	else if (type == PM_TYPE_HIGHRES_EVENT)
		print_highres_records(vset, i);
}
