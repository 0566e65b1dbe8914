/*
 * test_labels - the labels of an archive after rules: a real archive is read, its label records are
 * rewritten by a real plan, and the labels of the new archive are looked up. Messages, and the rest
 * of a rewritten archive, are compared with PCP's by end-to-end tests.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libdisk/meta.h"
#include "libstore/archive.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"
#include "tools/pmlogrewrite/pmlogrewrite.h"
#include "tools/pmlogrewrite/rules.h"

enum {
	BEGIN_S = 1000, /* of the input */
	CONTEXT = PM_LABEL_CONTEXT,
	DOMAIN = PM_LABEL_DOMAIN,
	CLUSTER = PM_LABEL_CLUSTER,
	ITEM = PM_LABEL_ITEM,
	INDOM = PM_LABEL_INDOM,
	INSTANCES = PM_LABEL_INSTANCES,
};

#define PMID(d, c, i)    ((uint32_t)(d) << 22 | (c) << 10 | (i))
#define NUMBER(d, s)     ((uint32_t)(d) << 22 | (s)) /* of an instance domain */
#define CLUSTER_OF(d, c) PMID(d, c, 0)
#define NONE             "none"

static char folder[] = "/tmp/test_labels.XXXXXX";

/*
 * The input
 */

static const struct {
	const char *name;
	uint32_t pmid;
	pmInDom indom;
} metrics[] = {
    {"a.one", PMID(29, 0, 1), PM_INDOM_NULL},
    {"a.many", PMID(29, 0, 2), NUMBER(29, 1)},
    {"a.other", PMID(29, 1, 3), PM_INDOM_NULL},
    {"b.many", PMID(30, 0, 1), NUMBER(30, 2)},
};

static const struct wire_inst insts[] = {
    {1, {"one", 3}},
    {2, {"two", 3}},
    {3, {"three", 5}},
};

/* Labels, in the order of their times. A set has one label, or two. */
static const struct {
	int when; /* seconds after the start */
	int type;
	uint32_t ident;
	struct {
		int inst;
		const char *names[2], *values[2];
	} sets[2];
} labels[] = {
    {0, CONTEXT, PM_ID_NULL, {{-1, {"host", "x"}, {"\"here\"", "1"}}}},
    {0, DOMAIN, 29, {{-1, {"agent"}, {"\"s\""}}}},
    {0, CLUSTER, CLUSTER_OF(29, 0), {{-1, {"c"}, {"0"}}}},
    {0, CLUSTER, CLUSTER_OF(29, 1), {{-1, {"c", "z"}, {"1", "2"}}}},
    {0, ITEM, PMID(29, 0, 1), {{-1, {"unit"}, {"\"m\""}}}},
    {0, INDOM, NUMBER(29, 1), {{-1, {"kind"}, {"\"n\""}}}},
    {0, INSTANCES, NUMBER(29, 1), {{1, {"id", "x"}, {"1", "5"}}, {2, {"id"}, {"2"}}}},
    {10, CONTEXT, PM_ID_NULL, {{-1, {"host", "x"}, {"\"here\"", "2"}}}},
    {10, DOMAIN, 29, {{-1, {"agent"}, {"\"t\""}}}},
    {10, INSTANCES, NUMBER(29, 1), {{1, {"id"}, {"1"}}, {2, {"id", "y"}, {"2", "6"}}}},
};

static const char *path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct archive_writer *new_archive(const char *name)
{
	struct log_label label = {
	    .version = DISK_V3, .start = {BEGIN_S, 0}, .host = "here", .timezone = "UTC"};
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(path_of(name), &label, &w), 0);
	return w;
}

static void write_metrics(struct archive_writer *w)
{
	static const pmInDom domains[] = {NUMBER(29, 1), NUMBER(30, 2)};

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		struct wire_str name = {metrics[i].name, (uint32_t)strlen(metrics[i].name)};
		union meta_body body = {.desc = {{.pmid = metrics[i].pmid,
						  .type = PM_TYPE_32,
						  .indom = metrics[i].indom,
						  .sem = PM_SEM_INSTANT},
						 1,
						 &name}};

		assert_int_equal(archive_writer_meta(w, META_DESC, &body), 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++) {
		union meta_body body = {
		    .indom = {{BEGIN_S, 0}, domains[i], ARRAY_SIZE(insts), insts}};

		assert_int_equal(archive_writer_meta(w, META_INDOM, &body), 1);
	}
}

/* The text of a set's labels, and where each of them is. */
static void put_set(struct buffer *json, struct wire_labelset *set, pmLabel *room, int type,
		    const char *const *names, const char *const *values)
{
	*set = (struct wire_labelset){.labels = room};
	for (int i = 0; i < 2 && names[i] != NULL; i++) {
		buffer_printf(json, "%c\"", i == 0 ? '{' : ',');
		room[i] = (pmLabel){.name = (uint16_t)json->len,
				    .namelen = (uint8_t)strlen(names[i]),
				    .flags = (uint8_t)type};
		buffer_printf(json, "%s\":", names[i]);
		room[i].value = (uint16_t)json->len;
		room[i].valuelen = (uint16_t)strlen(values[i]);
		buffer_printf(json, "%s", values[i]);
		set->nlabels++;
	}
	buffer_printf(json, "}");
	set->json = (struct wire_str){buffer_str(json), (uint32_t)json->len};
}

static void write_labels(struct archive_writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		struct buffer json[2] = {BUFFER_INIT, BUFFER_INIT};
		struct wire_labelset sets[2];
		pmLabel room[2][2];
		union meta_body body;
		uint32_t n = 0;

		for (; n < 2 && labels[i].sets[n].names[0] != NULL; n++) {
			put_set(&json[n], &sets[n], room[n], labels[i].type,
				labels[i].sets[n].names, labels[i].sets[n].values);
			sets[n].inst = labels[i].sets[n].inst;
		}
		body.label = (struct meta_label){
		    {BEGIN_S + labels[i].when, 0}, labels[i].type, labels[i].ident, n, sets};
		assert_int_equal(archive_writer_meta(w, META_LABEL, &body), 1);
		buffer_done(&json[0]);
		buffer_done(&json[1]);
	}
}

/* One value, so that the files are made; then the end. */
static void end_archive(struct archive_writer *w)
{
	pmValueSet set = {.pmid = metrics[0].pmid,
			  .numval = 1,
			  .valfmt = PM_VAL_INSITU,
			  .vlist = {{.inst = (int)PM_IN_NULL, .value.lval = 1}}};
	pmValueSet *list[] = {&set};
	struct timespec stamp = {BEGIN_S + 20, 0};

	assert_int_equal(archive_writer_result(w, &stamp, list, 1), 0);
	assert_int_equal(archive_writer_end(w), 0);
}

static void remove_files(const char *prefix)
{
	DIR *d = opendir(folder);
	const struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] != '.' && strncmp(e->d_name, prefix, strlen(prefix)) == 0)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
}

static int setup(void **state)
{
	struct archive_writer *w;

	assert_non_null(mkdtemp(folder));
	pmSetProgname("test_labels");
	w = new_archive("in");
	write_metrics(w);
	write_labels(w);
	end_archive(w);
	return 0;
}

static int teardown(void **state)
{
	remove_files("");
	return rmdir(folder);
}

/*
 * The output
 */

/* Rewrites the labels of the input; the first error. */
static int rewrite_labels(const struct recording *in, const struct plan *plan,
			  struct archive_writer *w)
{
	struct timespec start = plan_time(plan, &in->label->start);
	struct labels *l = labels_new(plan);
	enum meta_type type;
	union meta_body body;
	struct meta_walk walk;
	int r = labels_begin(l, w, &start), more = 1;

	meta_walk_begin(&walk, archive_meta_member(in->archive), in->label->version);
	while (r >= 0 && (more = meta_walk_next(&walk, ~0u, &type, &body)) > 0) {
		if (type == META_LABEL)
			r = labels_put(l, w, &body.label);
	}
	assert_true(r < 0 || more == 0);
	meta_walk_end(&walk);
	labels_free(l);
	return r;
}

static int rewrite(const char *text)
{
	struct recording in;
	struct plan plan = {.warn = true};
	struct rules rules = {.n = 0};
	struct archive_writer *w = new_archive("out");
	int r;

	assert_int_equal(recording_open(path_of("in"), 0, &in), 0);
	assert_int_equal(rules_parse(&rules, text, strlen(text)), 0);
	assert_int_equal(plan_load(&plan, &in, DISK_V3), 0);
	assert_true(plan_apply(&plan, "rules", &rules));
	assert_true(plan_check(&plan));
	write_metrics(w);
	r = rewrite_labels(&in, &plan, w);
	end_archive(w);
	plan_done(&plan);
	rules_done(&rules);
	recording_close(&in);
	return r < 0 ? r : 0;
}

/* The labels of a subject at a time: "{...}", for instances "1{...} 2{...}"; NONE. */
static void look_up(int type, uint32_t ident, int when, struct buffer *out)
{
	struct timespec at = {BEGIN_S + when, 0};
	struct recording made;
	pmLabelSet *sets = NULL;
	int n;

	assert_int_equal(recording_open(path_of("out"), 0, &made), 0);
	n = archive_meta_labels(made.meta, type, ident, &at, &sets);
	if (n == PM_ERR_NOLABELS)
		n = 0;
	assert_true(n >= 0);
	if (n == 0)
		buffer_printf(out, NONE);
	for (int i = 0; i < n; i++) {
		if (type == INSTANCES)
			buffer_printf(out, "%s%d", i > 0 ? " " : "", sets[i].inst);
		buffer_printf(out, "%.*s", sets[i].jsonlen, sets[i].json);
	}
	if (n > 0)
		pmFreeLabelSets(sets, n);
	recording_close(&made);
}

// clang-format off
static const struct {
	const char *rules;
	int type;
	uint32_t ident;
	int when;
	const char *labels;
} rows[] = {
	/* what no rule concerns */
	{ "", CONTEXT, PM_ID_NULL, 0, "{\"host\":\"here\",\"x\":1}" },
	{ "", CONTEXT, PM_ID_NULL, 9, "{\"host\":\"here\",\"x\":1}" },
	{ "", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\",\"x\":2}" },
	{ "", INSTANCES, NUMBER(29, 1), 0, "1{\"id\":1,\"x\":5} 2{\"id\":2}" },
	{ "", INSTANCES, NUMBER(30, 2), 0, NONE },
	/* delete */
	{ "label context \"x\" { delete }", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\"}" },
	{ "label context \"x\" 1 { delete }", CONTEXT, PM_ID_NULL, 0, "{\"host\":\"here\"}" },
	{ "label context \"x\" 1 { delete }", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\",\"x\":2}" },
	{ "label domain 29 { delete }", DOMAIN, 29, 0, NONE },
	{ "label instances 29.1 \"two\" { delete }", INSTANCES, NUMBER(29, 1), 10, "1{\"id\":1}" },
	{ "label instances 29.1 1 \"x\" { delete }", INSTANCES, NUMBER(29, 1), 0, "1{\"id\":1} 2{\"id\":2}" },
	/* names and values */
	{ "label context \"x\" { label -> \"y\" }", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\",\"y\":2}" },
	{ "label context \"x\" { value -> \"z\" }", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\",\"x\":\"z\"}" },
	{ "label context \"x\" 2 { value -> 7 }", CONTEXT, PM_ID_NULL, 0, "{\"host\":\"here\",\"x\":1}" },
	{ "label context \"x\" { label -> \"y\" value -> true }", CONTEXT, PM_ID_NULL, 0,
	  "{\"host\":\"here\",\"y\":true}" },
	{ "label context \"x\" { label -> \"host\" }", CONTEXT, PM_ID_NULL, 0, "{\"host\":1}" },
	/* new */
	{ "label context { new \"a\" 1 }", CONTEXT, PM_ID_NULL, 0, "{\"a\":1,\"host\":\"here\",\"x\":1}" },
	{ "label context { new \"a\" 1 }", CONTEXT, PM_ID_NULL, 10, "{\"a\":1,\"host\":\"here\",\"x\":2}" },
	{ "label context { new \"x\" 9 }", CONTEXT, PM_ID_NULL, 10, "{\"host\":\"here\",\"x\":9}" },
	{ "label domain 30 { new \"a\" 1 }", DOMAIN, 30, 0, "{\"a\":1}" },
	{ "label instances 29.1 { new \"a\" 1 }", INSTANCES, NUMBER(29, 1), 10,
	  "1{\"a\":1,\"id\":1} 2{\"a\":1,\"id\":2,\"y\":6} 3{\"a\":1}" },
	{ "label instances 29.1 3 { new \"a\" 1 }", INSTANCES, NUMBER(29, 1), 0,
	  "1{\"id\":1,\"x\":5} 2{\"id\":2} 3{\"a\":1}" },
	/* a label that moves replaces one of its name */
	{ "label domain 29 { domain -> 30 }", DOMAIN, 30, 0, "{\"agent\":\"s\"}" },
	{ "label domain 29 { domain -> 30 }", DOMAIN, 29, 0, NONE },
	{ "label cluster 29.0 { cluster -> 29.1 }", CLUSTER, CLUSTER_OF(29, 1), 0, "{\"c\":0,\"z\":2}" },
	{ "label cluster 29.0 { cluster -> 29.1 }", CLUSTER, CLUSTER_OF(29, 0), 0, NONE },
	{ "label cluster 29.1 \"z\" { cluster -> 29.0 }", CLUSTER, CLUSTER_OF(29, 0), 0, "{\"c\":0,\"z\":2}" },
	{ "label instances 29.1 { instances -> 30.2 }", INSTANCES, NUMBER(30, 2), 10,
	  "1{\"id\":1} 2{\"id\":2,\"y\":6}" },
	{ "label instances 29.1 1 { instance -> 3 }", INSTANCES, NUMBER(29, 1), 0, "2{\"id\":2} 3{\"id\":1,\"x\":5}" },
	/* nothing is left at a later time */
	{ "label domain 29 \"agent\" \"t\" { delete }", DOMAIN, 29, 0, "{\"agent\":\"s\"}" },
	{ "label domain 29 \"agent\" \"t\" { delete }", DOMAIN, 29, 10, "" },
	{ "label domain 29 \"agent\" \"s\" { domain -> 30 }", DOMAIN, 30, 9, "{\"agent\":\"s\"}" },
	{ "label domain 29 \"agent\" \"s\" { domain -> 30 }", DOMAIN, 30, 10, "" },
	{ "label domain 29 \"agent\" \"s\" { domain -> 30 }", DOMAIN, 29, 10, "{\"agent\":\"t\"}" },
	/* labels follow metrics and domains */
	{ "metric 29.*.* { pmid -> 31.*.* }", DOMAIN, 31, 0, "{\"agent\":\"s\"}" },
	{ "metric 29.*.* { pmid -> 31.*.* }", DOMAIN, 29, 0, NONE },
	{ "metric 29.*.* { pmid -> 31.*.* }", CLUSTER, CLUSTER_OF(31, 1), 0, "{\"c\":1,\"z\":2}" },
	{ "metric 29.0.1 { pmid -> 29.7.1 }", ITEM, PMID(29, 7, 1), 0, "{\"unit\":\"m\"}" },
	{ "metric 29.0.1 { pmid -> 29.7.1 }", CLUSTER, CLUSTER_OF(29, 7), 0, "{\"c\":0}" },
	{ "metric 29.0.1 { pmid -> 29.7.1 }", CLUSTER, CLUSTER_OF(29, 0), 0, "{\"c\":0}" },
	{ "metric 29.0.* { pmid -> 29.1.* }", CLUSTER, CLUSTER_OF(29, 1), 0, "{\"c\":0,\"z\":2}" },
	{ "metric 29.1.* { pmid -> 29.0.* }", CLUSTER, CLUSTER_OF(29, 0), 0, "{\"c\":1,\"z\":2}" },
	{ "metric 29.0.1 { delete }", ITEM, PMID(29, 0, 1), 0, NONE },
	{ "metric 29.0.2 { delete }", INSTANCES, NUMBER(29, 1), 0, NONE },
	{ "indom 29.1 { indom -> 29.5 }", INDOM, NUMBER(29, 5), 0, "{\"kind\":\"n\"}" },
	{ "indom 29.1 { indom -> 29.5 }", INDOM, NUMBER(29, 1), 0, NONE },
	{ "indom 29.1 { inst 1 -> 9 }", INSTANCES, NUMBER(29, 1), 0, "2{\"id\":2} 9{\"id\":1,\"x\":5}" },
	{ "indom 29.1 { inst 1 -> 2 inst 2 -> 1 }", INSTANCES, NUMBER(29, 1), 0, "1{\"id\":2} 2{\"id\":1,\"x\":5}" },
	{ "indom 29.1 { inst 1 -> delete }", INSTANCES, NUMBER(29, 1), 0, "2{\"id\":2}" },
	{ "indom 29.1 { indom -> duplicate 29.5 inst 1 -> 9 }", INSTANCES, NUMBER(29, 1), 0,
	  "1{\"id\":1,\"x\":5} 2{\"id\":2}" },
	{ "indom 29.1 { indom -> duplicate 29.5 inst 1 -> 9 }", INSTANCES, NUMBER(29, 5), 0,
	  "2{\"id\":2} 9{\"id\":1,\"x\":5}" },
	/* all times are shifted, those of labels too */
	{ "global { time -> 5 }", CONTEXT, PM_ID_NULL, 14, "{\"host\":\"here\",\"x\":1}" },
	{ "global { time -> 5 }", CONTEXT, PM_ID_NULL, 15, "{\"host\":\"here\",\"x\":2}" },
};
// clang-format on

static void labels_after_rules(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buffer out = BUFFER_INIT;

		assert_int_equal(rewrite(rows[i].rules), 0);
		look_up(rows[i].type, rows[i].ident, rows[i].when, &out);
		if (strcmp(buffer_str(&out), rows[i].labels) != 0)
			print_error("row %zu: %s\n", i, rows[i].rules);
		assert_string_equal(buffer_str(&out), rows[i].labels);
		buffer_done(&out);
		remove_files("out");
	}
}

/* Each label fits in a set, but not both of them. */
static void sets_that_are_too_long_are_refused(void **state)
{
	enum { LEN = 40000 };
	static const char form[] = "label domain 30 { new \"a\" \"%s\" }\n";
	struct buffer text = BUFFER_INIT;
	static char value[LEN + 1];

	memset(value, 'v', LEN);
	buffer_printf(&text, form, value);
	assert_int_equal(rewrite(buffer_str(&text)), 0);
	remove_files("out");
	buffer_printf(&text, "label domain 30 { new \"b\" \"%s\" }\n", value);
	assert_int_equal(rewrite(buffer_str(&text)), -E2BIG);
	remove_files("out");
	buffer_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(labels_after_rules),
	    cmocka_unit_test(sets_that_are_too_long_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
