#include "tools/pmdumplog/texts.h"

#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "tools/archive/meta_walk.h"
#include "tools/pmdumplog/dump.h"

/* The subject of a text. */
struct subject {
	int target; /* PM_TEXT_PMID, PM_TEXT_INDOM */
	uint32_t ident;
};

struct subjects {
	struct subject *list; /* owned */
	size_t n, room;
};

static void add(struct subjects *s, const struct meta_text *text)
{
	if (s->n == s->room) {
		s->room = s->room * 2 + 64;
		s->list = reallocarray(s->list, s->room, sizeof(s->list[0]));
		if (s->list == NULL)
			pmNoMem("texts", s->room * sizeof(s->list[0]), PM_FATAL_ERR);
	}
	s->list[s->n++] =
	    (struct subject){text->type & (PM_TEXT_PMID | PM_TEXT_INDOM), text->ident};
}

static int by_ident(const void *a, const void *b)
{
	const struct subject *x = a, *y = b;

	if (x->target != y->target)
		return x->target - y->target;
	return (x->ident > y->ident) - (x->ident < y->ident);
}

static const char *name_of(const struct subject *s, char *buf, int size)
{
	if (s->target == PM_TEXT_PMID)
		return pmIDStr_r(s->ident, buf, size);
	return pmInDomStr_r(s->ident, buf, size);
}

static void print_texts(const struct dump *d, const struct subject *s)
{
	const char *word = s->target == PM_TEXT_PMID ? "PMID" : "InDom";
	const char *oneline, *help;
	char name[32];
	int sts;

	name_of(s, name, sizeof(name));
	oneline = archive_meta_text(d->recording.meta, s->target | PM_TEXT_ONELINE, s->ident, &sts);
	if (oneline != NULL)
		printf("%s: %s [%s]\n", word, name, oneline);
	help = archive_meta_text(d->recording.meta, s->target | PM_TEXT_HELP, s->ident, &sts);
	if (help != NULL)
		printf("%s: %s\n%s\n", word, name, help);
}

int texts_print(const struct dump *d)
{
	struct subjects subjects = {0};
	union meta_body body;
	struct meta_walk w;
	enum meta_type type;
	int sts;

	puts("\nMetric Help Text in the Log ...");
	meta_walk_begin(&w, archive_meta_member(d->recording.archive),
			d->recording.label->version);
	while ((sts = meta_walk_next(&w, 1u << META_TEXT, &type, &body)) > 0)
		add(&subjects, &body.text);
	meta_walk_end(&w);
	if (subjects.n > 0)
		qsort(subjects.list, subjects.n, sizeof(subjects.list[0]), by_ident);
	for (size_t i = 0; i < subjects.n; i++)
		if (i == 0 || by_ident(&subjects.list[i - 1], &subjects.list[i]) != 0)
			print_texts(d, &subjects.list[i]);
	free(subjects.list);
	return sts;
}
