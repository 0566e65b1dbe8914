#include "tools/pmstore/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/pmstore/target.h"

static void print_instance(pmInDom indom, int inst)
{
	char *name;

	if (pmNameInDom(indom, inst, &name) < 0) {
		printf(" inst [%d]", inst);
		return;
	}
	printf(" inst [%d or \"%s\"]", inst, name);
	free(name);
}

/*
 * Results of one metric usually have their instances in the same order: look at the same index
 * first.
 */
static const pmValue *find_value(const pmValueSet *vset, int inst, int place)
{
	if (place < vset->numval && vset->vlist[place].inst == inst)
		return &vset->vlist[place];
	for (int i = 0; i < vset->numval; i++)
		if (vset->vlist[i].inst == inst)
			return &vset->vlist[i];
	return NULL;
}

void report_print(const struct target *t, const pmValueSet *before, const pmValueSet *now)
{
	for (int i = 0; i < now->numval; i++) {
		int inst = now->vlist[i].inst;
		const pmValue *old = find_value(before, inst, i);

		fputs(t->name, stdout);
		if (t->desc.indom != PM_INDOM_NULL)
			print_instance(t->desc.indom, inst);
		fputs(" old value=", stdout);
		if (old != NULL)
			pmPrintValue(stdout, before->valfmt, t->desc.type, old, 1);
		else
			fputs("\"(none)\"", stdout);
		fputs(" new value=", stdout);
		pmPrintValue(stdout, now->valfmt, t->desc.type, &now->vlist[i], 1);
		putchar('\n');
	}
}
