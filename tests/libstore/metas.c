/*
 * metas - what the metadata of every archive of a folder says, in the words of pmdumplog -d -i.
 *
 *     metas FOLDER | BASE
 *     archive BASE, or: archive BASE error=CODE
 *     metric PMID TYPE SEM INDOM NAME...
 *     InDom: D.S, then as pmdumplog has it
 *
 * Everything that can be asked is asked: each id and name of an observation, the union, labels and
 * texts of each metric and domain.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libstore/archive.h"
#include "libstore/archive_meta.h"

static void require(int yes, const char *what)
{
	if (!yes)
		printf("differ=%s\n", what);
}

static void print_metric(const struct archive_meta *meta, const struct archive_metric *m)
{
	pmID pmid = m->desc.pmid;

	printf("metric %u.%u.%u %d %d 0x%x", pmid >> 22 & 0x1ff, pmid >> 10 & 0xfff, pmid & 0x3ff,
	       m->desc.type, m->desc.sem, m->desc.indom);
	for (size_t i = 0; i < m->nnames; i++) {
		printf(" %s", m->names[i]);
		require(archive_meta_pmid(meta, m->names[i]) == pmid, "pmid");
	}
	printf("\n");
	require(archive_meta_metric(meta, pmid) == m, "metric");
}

static void check_name(const struct archive_indom *o, const struct wire_inst *inst)
{
	char *name = strndup(inst->name.s, inst->name.len);
	int found = archive_indom_lookup(o, name);
	const struct wire_inst *other = archive_indom_inst(o, found);

	require(other != NULL && other->name.len == inst->name.len &&
		    memcmp(other->name.s, inst->name.s, inst->name.len) == 0,
		"lookup");
	free(name);
}

static void print_observation(struct archive_meta *meta, const struct archive_indom *o, int version,
			      const struct archive_indom *all)
{
	const struct archive_indom *at;
	struct tm tm;
	char text[32];

	gmtime_r(&o->stamp.tv_sec, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	if (version == 2)
		printf("%s.%06ld %zu instances\n", text, o->stamp.tv_nsec / 1000, o->n);
	else
		printf("%s.%09ld %zu instances\n", text, o->stamp.tv_nsec, o->n);
	for (size_t i = 0; i < o->n; i++) {
		const struct wire_inst *inst = &o->insts[i];

		printf("   %d or \"%.*s\"\n", inst->inst, (int)inst->name.len, inst->name.s);
		require(archive_indom_inst(o, inst->inst) == inst, "inst");
		require(archive_indom_inst(all, inst->inst) != NULL, "union");
		check_name(o, inst);
	}
	require(archive_meta_indom_at(meta, o->indom, &o->stamp, &at) == 0 && at != NULL &&
		    at->stamp.tv_sec == o->stamp.tv_sec && at->stamp.tv_nsec == o->stamp.tv_nsec,
		"at");
}

static void print_indom(struct archive_meta *meta, pmInDom indom, int version)
{
	const struct archive_indom *const *observations;
	const struct archive_indom *all, *before;
	struct timespec early = {INT32_MIN, 0};
	int n = archive_meta_indom(meta, indom, &observations);

	if (n == 0)
		return;
	printf("InDom: %u.%u\n", indom >> 22 & 0x1ff, indom & 0x3fffff);
	if (n < 0 || archive_meta_indom_union(meta, indom, &all) < 0) {
		printf("error=%d\n", n);
		return;
	}
	for (int i = 0; i < n; i++)
		print_observation(meta, observations[i], version, all);
	require(archive_meta_indom_at(meta, indom, &early, &before) == 0 && before == NULL,
		"before");
}

static void ask_labels(struct archive_meta *meta, int type, uint32_t ident)
{
	struct timespec late = {INT64_MAX, 0};
	pmLabelSet *sets = NULL;
	int n = archive_meta_labels(meta, type, ident, &late, &sets);

	if (n < 0)
		require(n == PM_ERR_NOLABELS, "labels");
	for (int i = 0; i < n; i++) {
		free(sets[i].json);
		free(sets[i].labels);
	}
	if (n > 0)
		free(sets);
}

static void ask_text(struct archive_meta *meta, int type, uint32_t ident)
{
	int err = 0;

	if (archive_meta_text(meta, type, ident, &err) == NULL)
		require(err == PM_ERR_TEXT || err == PM_ERR_NOTHOST, "text");
}

static void all_of(struct archive_meta *meta, int version)
{
	size_t n;
	const struct archive_metric *const *metrics = archive_meta_metrics(meta, &n);
	const pmInDom *indoms;

	for (size_t i = 0; i < n; i++) {
		print_metric(meta, metrics[i]);
		ask_labels(meta, PM_LABEL_ITEM, metrics[i]->desc.pmid);
		ask_labels(meta, PM_LABEL_CLUSTER, metrics[i]->desc.pmid & ~0x3ffu);
		ask_text(meta, PM_TEXT_ONELINE | PM_TEXT_PMID, metrics[i]->desc.pmid);
		ask_text(meta, PM_TEXT_HELP | PM_TEXT_PMID, metrics[i]->desc.pmid);
	}
	n = archive_meta_indoms(meta, &indoms);
	for (size_t i = 0; i < n; i++) {
		print_indom(meta, indoms[i], version);
		ask_labels(meta, PM_LABEL_INSTANCES, indoms[i]);
		ask_text(meta, PM_TEXT_ONELINE | PM_TEXT_INDOM, indoms[i]);
	}
	ask_labels(meta, PM_LABEL_CONTEXT, PM_ID_NULL);
}

static void one(const char *base)
{
	struct archive *archive = NULL;
	struct archive_meta *meta = NULL;
	uint64_t offset;
	int version = 0;
	int r = archive_open(base, 0, &archive);

	if (r == 0)
		r = archive_meta_new(&meta);
	if (r == 0) {
		version = archive_label(archive)->version;
		r = archive_meta_load(meta, archive_meta_member(archive), version, 0,
				      log_label_len(version), &offset);
	}
	if (r < 0) {
		printf("archive %s error=%d\n", base, r);
	} else {
		printf("archive %s\n", base);
		all_of(meta, version);
	}
	archive_meta_free(meta);
	archive_close(archive);
}

int main(int argc, char **argv)
{
	char **bases = NULL;
	int n = argc == 2 ? archive_files_list(argv[1], &bases) : -1;

	if (n < 0 && argc == 2)
		one(argv[1]);
	for (int i = 0; i < n; i++) {
		one(bases[i]);
		free(bases[i]);
	}
	free(bases);
	return argc != 2;
}
