/*
 * A record is a result of its own: the value sets of its parameters, preceded by those of the
 * anonymous metrics event.flags and event.missed (docs/spec/pmapi.md 21.1).
 */
#include "tools/pmval/event.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/event.h"
#include "tools/pmval/columns.h"
#include "tools/pmval/options.h"
#include "tools/pmval/stamp.h"
#include "tools/pmval/target.h"
#include "tools/pmval/view.h"

/* A parameter's name and type: asked for once, however many records carry it. */
struct parameter {
	pmID pmid;
	int name_sts;
	char *name;
	int desc_sts;
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
	p->name_sts = pmNameID(pmid, &p->name);
	p->desc_sts = pmLookupDesc(pmid, &p->desc);
	return p;
}

/* Bytes as text where all of them can be printed, else in hexadecimal. */
static void print_aggregate(const pmValueBlock *block)
{
	const unsigned char *bytes = (const unsigned char *)block->vbuf;
	int len = (int)block->vlen - PM_VAL_HDR_SIZE;
	bool text = len > 0;

	for (int i = 0; i < len && text; i++)
		text = isprint(bytes[i]) != 0;
	if (text) {
		printf("[\"%.*s\"]", len, block->vbuf);
		return;
	}
	putchar('[');
	for (int i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar(']');
}

static void print_parameter(const pmValueSet *vset)
{
	const struct parameter *p = find_parameter(vset->pmid);
	char buf[32];

	pmIDStr_r(vset->pmid, buf, sizeof(buf));
	if (p->name_sts < 0) {
		printf("\t%s: pmNameID: %s\n", buf, pmErrStr(p->name_sts));
		return;
	}
	if (p->desc_sts < 0) {
		printf("\t%s: pmLookupDesc: %s\n", buf, pmErrStr(p->desc_sts));
		return;
	}
	printf("    %s", p->name);
	for (int i = 0; i < vset->numval; i++) {
		putchar(' ');
		if (p->desc.type == PM_TYPE_AGGREGATE && vset->valfmt != PM_VAL_INSITU)
			print_aggregate(vset->vlist[i].value.pval);
		else
			pmPrintValue(stdout, vset->valfmt, p->desc.type, &vset->vlist[i], 1);
	}
	putchar('\n');
}

/* What follows the stamp of a record. */
static void print_record(int number, int numpmid, pmValueSet *const *vset)
{
	int i = 0;

	printf(" --- event record [%d]", number);
	if (numpmid > 0 && vset[0]->pmid == event_flags_pmid()) {
		unsigned int flags = (unsigned int)vset[0]->vlist[0].value.lval;
		char buf[64];

		printf(" flags 0x%x (%s)", flags, pmEventFlagsStr_r((int)flags, buf, sizeof(buf)));
		i = 1;
	}
	puts(" ---");
	if (numpmid == 0)
		puts("    ==> No parameters");
	else if (numpmid < 0)
		printf("\tError: illegal number of parameters (%d)\n", numpmid);
	for (; i < numpmid; i++) {
		if (vset[i]->pmid == event_missed_pmid())
			printf("    ==> %d missed event records\n", vset[i]->vlist[0].value.lval);
		else
			print_parameter(vset[i]);
	}
}

static void print_count(int n)
{
	if (n >= 0)
		printf(" %d event records\n", n);
	else
		printf(" pmUnpackEventRecords: %s\n", pmErrStr(n));
}

static void print_records(const pmValueSet *vset, int i)
{
	pmResult **records = NULL;
	int n = pmUnpackEventRecords((pmValueSet *)vset, i, &records);

	print_count(n);
	for (int r = 0; r < n; r++) {
		fputs("  ", stdout);
		pmPrintStamp(stdout, &records[r]->timestamp);
		print_record(r, records[r]->numpmid, records[r]->vset);
	}
	if (n > 0)
		pmFreeEventResult(records);
}

static void print_highres_records(const pmValueSet *vset, int i)
{
	pmHighResResult **records = NULL;
	int n = pmUnpackHighResEventRecords((pmValueSet *)vset, i, &records);

	print_count(n);
	for (int r = 0; r < n; r++) {
		fputs("  ", stdout);
		pmPrintHighResStamp(stdout, &records[r]->timestamp);
		print_record(r, records[r]->numpmid, records[r]->vset);
	}
	if (n > 0)
		pmFreeHighResEventResult(records);
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

void event_print(const struct view *v, const struct sample *now)
{
	const struct target *t = v->target;

	if (v->stamps) {
		stamp_print(&now->stamp, v->options->stamp);
		fputs("  ", stdout);
	}
	if (now->values->numval < 0)
		printf("%s: Error: %s\n", t->name, pmErrStr(now->values->numval));
	else if (now->values->numval == 0)
		printf("%s: No value(s) available!\n", t->name);
	for (int i = 0; i < now->values->numval; i++) {
		int inst = now->values->vlist[i].inst;

		if (t->desc.indom != PM_INDOM_NULL && !target_wants(t, inst))
			continue;
		if (t->desc.indom == PM_INDOM_NULL)
			printf("%s:", t->name);
		else
			print_instance(v, inst);
		if (t->desc.type == PM_TYPE_EVENT)
			print_records(now->values, i);
		else
			print_highres_records(now->values, i);
	}
}
