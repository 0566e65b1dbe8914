#include "tools/pmprobe/line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/instance.h"
#include "tools/pmprobe/options.h"

void line_print_error(const char *name, int sts, const char *step)
{
	printf("%s %d %s", name, sts, pmErrStr(sts));
	if (step != NULL)
		printf(" (%s)", step);
	putchar('\n');
}

/* An instance whose name is unknown (NULL) is printed as its number. */
static void print_instance(int inst, const char *name, const struct options *o)
{
	if (o->internal_ids)
		printf(" ?%d", inst);
	if (o->external_names && name != NULL)
		printf(" \"%s\"", name);
	else if (o->external_names)
		printf(" ?%d", inst);
}

static void print_no_instance(const struct options *o)
{
	if (o->internal_ids)
		fputs(" PM_IN_NULL", stdout);
	if (o->external_names)
		fputs(" PM_IN_NULL", stdout);
}

static void print_values(const pmValueSet *vset, int type)
{
	for (int i = 0; i < vset->numval; i++) {
		putchar(' ');
		pmPrintValue(stdout, vset->valfmt, type, &vset->vlist[i], 1);
	}
}

static bool is_archive(const struct options *o)
{
	return o->pm.context == PM_CONTEXT_ARCHIVE;
}

/* The name at the time of the values; in an archive, else the name at another time. */
static void print_named(pmInDom indom, int inst, const struct options *o)
{
	const char *name = NULL;
	char *other = NULL;

	if (o->external_names && instance_name(indom, inst, &name) < 0 && is_archive(o) &&
	    pmNameInDomArchive(indom, inst, &other) >= 0)
		name = other;
	print_instance(inst, name, o);
	free(other);
}

static void print_set_instances(const pmValueSet *vset, pmInDom indom, const struct options *o)
{
	for (int i = 0; i < vset->numval; i++) {
		if (indom == PM_INDOM_NULL)
			print_no_instance(o);
		else
			print_named(indom, vset->vlist[i].inst, o);
	}
}

void line_print_values(const char *name, const pmValueSet *vset, const pmDesc *desc,
		       const struct options *o)
{
	int sts = 0;

	if (vset->numval > 0 && o->external_names && desc->indom != PM_INDOM_NULL && !is_archive(o))
		sts = instance_get(desc->indom)->n;
	if (sts < 0) {
		line_print_error(name, sts, "pmGetInDom");
		return;
	}
	if (vset->numval < 0) {
		line_print_error(name, vset->numval, NULL);
		return;
	}
	printf("%s %d", name, vset->numval);
	if (o->internal_ids || o->external_names)
		print_set_instances(vset, desc->indom, o);
	else if (o->values)
		print_values(vset, desc->type);
	putchar('\n');
}

static int get_indom(pmInDom indom, int **ret_ids, char ***ret_names, const struct options *o)
{
	if (is_archive(o))
		return pmGetInDomArchive(indom, ret_ids, ret_names);
	return pmGetInDom(indom, ret_ids, ret_names);
}

static void print_indom(const char *name, pmInDom indom, const struct options *o)
{
	int *ids;
	char **names;
	int n = get_indom(indom, &ids, &names, o);

	if (n < 0) {
		line_print_error(name, n, "pmGetInDom");
		return;
	}
	printf("%s %d", name, n);
	for (int i = 0; i < n; i++)
		print_instance(ids[i], names[i], o);
	putchar('\n');
	free(ids);
	free(names);
}

void line_print_instances(const char *name, const pmDesc *desc, const struct options *o)
{
	if (desc->indom != PM_INDOM_NULL) {
		print_indom(name, desc->indom, o);
		return;
	}
	printf("%s 1", name);
	print_no_instance(o);
	putchar('\n');
}
