#include "tools/pmdumplog/indoms.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "tools/archive/meta_walk.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/when.h"

static void print_inst(const char *word, const struct wire_inst *inst)
{
	printf("   %s%d or \"%.*s\"\n", word, inst->inst, (int)inst->name.len, inst->name.s);
}

/* Old loggers sometimes repeated an observation: with the same stamp, and without changes. */
static bool comes_again(const struct archive_indom *const *list, int i, int n)
{
	for (int j = i + 1; j < n && stamp_compare(&list[i]->stamp, &list[j]->stamp) == 0; j++)
		if (archive_indom_same(list[i], list[j]))
			return true;
	return false;
}

static int print_indom(const struct dump *d, pmInDom indom)
{
	const struct archive_indom *const *list;
	int n = archive_meta_indom(d->recording.meta, indom, &list);
	char name[32];

	if (n < 0)
		return n;
	printf("InDom: %s\n", pmInDomStr_r(indom, name, sizeof(name)));
	for (int i = 0; i < n; i++) {
		if (comes_again(list, i, n))
			continue;
		when_print(d, &list[i]->stamp);
		printf(" %zu instances\n", list[i]->n);
		for (size_t j = 0; j < list[i]->n; j++)
			print_inst("", &list[i]->insts[j]);
	}
	return 0;
}

int indoms_print(const struct dump *d)
{
	const pmInDom *indoms;
	size_t n = archive_meta_indoms(d->recording.meta, &indoms);
	int sts = 0;

	puts("\nInstance Domains in the Log ...");
	for (size_t i = 0; i < n && sts >= 0; i++)
		sts = print_indom(d, indoms[i]);
	return sts;
}

static void print_record(const struct dump *d, enum meta_type type, const struct meta_indom *indom)
{
	char name[32];

	when_print(d, &indom->stamp);
	printf(" InDom: %s%s %u instances\n", pmInDomStr_r(indom->indom, name, sizeof(name)),
	       type == META_INDOM_DELTA ? " delta" : "", indom->numinst);
	for (uint32_t i = 0; i < indom->numinst; i++) {
		if (indom->insts[i].name.s == NULL)
			printf("   del %d\n", indom->insts[i].inst);
		else
			print_inst(type == META_INDOM_DELTA ? "add " : "", &indom->insts[i]);
	}
}

int indoms_print_records(const struct dump *d)
{
	static const unsigned int wanted =
	    1u << META_INDOM | 1u << META_INDOM_V2 | 1u << META_INDOM_DELTA;
	union meta_body body;
	struct meta_walk w;
	enum meta_type type;
	int sts;

	puts("\nInstance Domains on-disk ...");
	meta_walk_begin(&w, archive_meta_member(d->recording.archive),
			d->recording.label->version);
	while ((sts = meta_walk_next(&w, wanted, &type, &body)) > 0)
		print_record(d, type, &body.indom);
	meta_walk_end(&w);
	return sts;
}
