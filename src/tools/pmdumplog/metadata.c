/*
 * metadata - sections -e, -h, -i, -I and -t: labels, help texts, instance domains, the temporal
 * index.
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"
#include "tools/archive/metadata.h"
#include "tools/archive/window.h"

/*
 * Labels
 */

/* The place of a label record, and its sort keys. */
struct place {
	struct timespec stamp;
	int rank; /* the identifier in its level */
	uint32_t ident;
	uint64_t offset;
};

struct places {
	struct place *list; /* owned */
	size_t n, room;
};

static int rank_of(int type)
{
	static const int order[] = {PM_LABEL_CONTEXT, PM_LABEL_DOMAIN, PM_LABEL_CLUSTER,
				    PM_LABEL_ITEM,    PM_LABEL_INDOM,  PM_LABEL_INSTANCES};
	int n = (int)(sizeof(order) / sizeof(order[0]));

	for (int i = 0; i < n; i++)
		if (order[i] == type)
			return i;
	return n;
}

static void metadata_add(struct places *p, const struct meta_label *label, uint64_t offset)
{
	if (p->n == p->room) {
		p->room = p->room * 2 + 64;
		p->list = reallocarray(p->list, p->room, sizeof(p->list[0]));
		if (p->list == NULL)
			pmNoMem("labels", p->room * sizeof(p->list[0]), PM_FATAL_ERR);
	}
	p->list[p->n++] = (struct place){label->stamp, rank_of(label->type), label->ident, offset};
}

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = stamp_compare(&x->stamp, &y->stamp);

	if (order == 0)
		order = x->rank - y->rank;
	if (order == 0)
		order = (x->ident > y->ident) - (x->ident < y->ident);
	return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static void metadata_print_record(const struct meta_label *label)
{
	for (uint32_t i = 0; i < label->numset; i++) {
		const struct wire_labelset *set = &label->sets[i];
		pmLabelSet host = {.inst = (unsigned int)set->inst,
				   .nlabels = set->nlabels > 0 ? set->nlabels : 0,
				   .json = (char *)set->json.s,
				   .jsonlen = set->json.len,
				   .labels = (pmLabel *)set->labels};

		pmPrintLabelSets(stdout, (int)label->ident, label->type, &host, 1);
	}
}

static int metadata_print_all(const struct dump *d, struct meta_walk *w, const struct places *p)
{
	const struct timespec *last = NULL;
	union meta_body body;
	enum meta_type type;
	int sts;

	for (size_t i = 0; i < p->n; i++) {
		if (last == NULL || stamp_compare(last, &p->list[i].stamp) != 0) {
			last = &p->list[i].stamp;
			when_print(d, last);
			putchar('\n');
		}
		sts = meta_walk_at(w, p->list[i].offset, &type, &body);
		if (sts < 0)
			return sts;
		metadata_print_record(&body.label);
	}
	return 0;
}

int labels_print(const struct dump *d)
{
	struct places places = {0};
	union meta_body body;
	struct meta_walk w;
	enum meta_type type;
	int sts;

	puts("\nMetric Labels in the Log ...");
	meta_walk_begin(&w, archive_meta_member(d->recording.archive), d->recording.label->version);
	while ((sts = meta_walk_next(&w, 1u << META_LABEL | 1u << META_LABEL_V2, &type, &body)) > 0)
		metadata_add(&places, &body.label, w.at);
	if (places.n > 0)
		qsort(places.list, places.n, sizeof(places.list[0]), by_time);
	if (sts == 0)
		sts = metadata_print_all(d, &w, &places);
	meta_walk_end(&w);
	free(places.list);
	return sts;
}

/*
 * Help texts
 */

/* The subject of a text. */
struct subject {
	int target; /* PM_TEXT_PMID, PM_TEXT_INDOM */
	uint32_t ident;
};

struct subjects {
	struct subject *list; /* owned */
	size_t n, room;
};

static void texts_add(struct subjects *s, const struct meta_text *text)
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
	meta_walk_begin(&w, archive_meta_member(d->recording.archive), d->recording.label->version);
	while ((sts = meta_walk_next(&w, 1u << META_TEXT, &type, &body)) > 0)
		texts_add(&subjects, &body.text);
	meta_walk_end(&w);
	if (subjects.n > 0)
		qsort(subjects.list, subjects.n, sizeof(subjects.list[0]), by_ident);
	for (size_t i = 0; i < subjects.n; i++)
		if (i == 0 || by_ident(&subjects.list[i - 1], &subjects.list[i]) != 0)
			print_texts(d, &subjects.list[i]);
	free(subjects.list);
	return sts;
}

/*
 * Instance domains
 */

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

static int metadata_print_indom(const struct dump *d, pmInDom indom)
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
		sts = metadata_print_indom(d, indoms[i]);
	return sts;
}

static void indoms_print_record(const struct dump *d, enum meta_type type,
				const struct meta_indom *indom)
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
	meta_walk_begin(&w, archive_meta_member(d->recording.archive), d->recording.label->version);
	while ((sts = meta_walk_next(&w, wanted, &type, &body)) > 0)
		indoms_print_record(d, type, &body.indom);
	meta_walk_end(&w);
	return sts;
}

/*
 * The temporal index
 */

enum { NSEC_PER_SEC = 1000000000 };

/* The data that entries are compared with. */
struct check {
	const struct dump *dump;
	uint64_t meta_size;
	struct member *volume; /* owned: the entry's volume; NULL: missing */
	int volume_number;
	bool any_volume; /* a volume has been opened or searched */
	const struct index_entry *before;
};

static void open_volume(struct check *c, int number)
{
	const struct archive_files *files = archive_files(c->dump->recording.archive);

	if (c->any_volume && c->volume_number == number)
		return;
	if (c->volume != NULL)
		member_close(c->volume);
	c->volume = NULL;
	for (size_t i = 0; i < files->nvolumes; i++)
		if (files->volumes[i].number == number &&
		    member_open(files->volumes[i].path, &c->volume) < 0)
			c->volume = NULL;
	c->volume_number = number;
	c->any_volume = true;
}

static void check_entry(struct check *c, const struct index_entry *e)
{
	open_volume(c, e->volume);
	if (e->stamp.tv_sec < 0 || e->stamp.tv_nsec < 0 || e->stamp.tv_nsec >= NSEC_PER_SEC)
		printf("\t\tError: illegal timestamp value (%lld sec, %ld nsec)\n",
		       (long long)e->stamp.tv_sec, e->stamp.tv_nsec);
	if (e->meta_offset < 0 || (uint64_t)e->meta_offset > c->meta_size)
		printf("\t\tError: offset to meta file past end of file (%" PRIu64 ")\n",
		       c->meta_size);
	if (c->volume == NULL)
		printf("\t\tWarning: file missing for log volume %d\n", e->volume);
	else if (e->data_offset < 0 || (uint64_t)e->data_offset > member_size(c->volume))
		printf("\t\tError: offset to log file past end of file (%" PRIu64 ")\n",
		       member_size(c->volume));
}

static void metadata_check_order(const struct check *c, const struct index_entry *e)
{
	const struct index_entry *before = c->before;

	if (before == NULL)
		return;
	if (stamp_compare(&e->stamp, &before->stamp) < 0) {
		printf("\t\tError: timestamp went backwards in time ");
		when_print(c->dump, &before->stamp);
		printf(" -> ");
		when_print(c->dump, &e->stamp);
		putchar('\n');
	}
	if (e->volume < before->volume)
		puts("\t\tError: volume number decreased");
	if (e->volume == before->volume && e->meta_offset < before->meta_offset)
		puts("\t\tError: offset to meta file decreased");
	if (e->volume == before->volume && e->data_offset < before->data_offset)
		puts("\t\tError: offset to log file decreased");
}

static void metadata_print_heading(const struct dump *d)
{
	int tabs = d->recording.label->version == DISK_V2 ? 2 : 3;

	tabs += d->options->detail > 1 ? 4 : d->options->detail > 0 ? 2 : 0;
	puts("\nTemporal Index");
	while (tabs-- > 0)
		putchar('\t');
	puts("Log Vol    end(meta)     end(log)");
}

int index_print(const struct dump *d)
{
	const struct index_entry *entries;
	size_t n = 0;
	int sts = archive_index(d->recording.archive, &entries, &n);
	struct check c = {.dump = d,
			  .meta_size = member_size(archive_meta_member(d->recording.archive))};

	metadata_print_heading(d);
	for (size_t i = 0; i < n; i++) {
		when_print(d, &entries[i].stamp);
		printf("\t  %5d  %11" PRId64 "  %11" PRId64 "\n", entries[i].volume,
		       entries[i].meta_offset, entries[i].data_offset);
		check_entry(&c, &entries[i]);
		metadata_check_order(&c, &entries[i]);
		c.before = &entries[i];
	}
	if (c.volume != NULL)
		member_close(c.volume);
	return sts;
}
