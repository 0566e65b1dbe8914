/* test_archive_meta - what .meta files say, one and several, whole and growing, right and wrong. */
#include "libstore/archive_meta.h"

#include <errno.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libstore/member.h"
#include "store_test.h"

enum { INSTS = 40 };

/* A .meta that is being made, and what was loaded of it. */
struct file {
	struct buffer b;
	const char *name;
	int version;
	struct member *m;
	uint64_t loaded;
};

static void file_begin(struct file *f, const char *name, int version)
{
	struct log_label label = {
	    .version = version, .pid = 1, .start = {1000, 0}, .volume = LOG_LABEL_VOL_META};

	*f = (struct file){.b = BUFFER_INIT, .name = name, .version = version};
	assert_int_equal(log_label_encode(&f->b, &label), 0);
	f->loaded = f->b.len;
}

static void put(struct file *f, enum meta_type type, union meta_body body)
{
	assert_int_equal(meta_encode(&f->b, type, &body), 0);
}

static void put_desc(struct file *f, pmDesc desc, const char *name, const char *name2)
{
	struct wire_str names[] = {{name, name != NULL ? (uint32_t)strlen(name) : 0},
				   {name2, name2 != NULL ? (uint32_t)strlen(name2) : 0}};
	uint32_t n = name == NULL ? 0 : name2 == NULL ? 1 : 2;

	put(f, META_DESC, (union meta_body){.desc = {desc, n, names}});
}

/* Instances from text, "1=a 5=b", in this order; "7-" is a deleted one. */
static void put_indom(struct file *f, enum meta_type type, time_t when, pmInDom indom,
		      const char *text)
{
	AUTO_FREE char *copy = strdup(text);
	struct wire_inst insts[INSTS];
	uint32_t n = 0;
	char *save;

	for (char *word = strtok_r(copy, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save)) {
		char *end;

		insts[n].inst = (int32_t)strtol(word, &end, 10);
		insts[n].name = *end == '=' ? (struct wire_str){end + 1, (uint32_t)strlen(end + 1)}
					    : (struct wire_str){NULL, 0};
		for (char *p = end; *p != '\0'; p++)
			*p = *p == '_' ? ' ' : *p;
		n++;
	}
	put(f, type, (union meta_body){.indom = {{when, 0}, indom, n, insts}});
}

static void put_label(struct file *f, time_t when, int type, uint32_t ident, const char *json)
{
	pmLabel label = {
	    .name = 2, .namelen = 1, .flags = (unsigned int)type, .value = 5, .valuelen = 1};
	struct wire_labelset set = {-1, 1, {json, (uint32_t)strlen(json)}, &label};

	put(f, f->version == 2 ? META_LABEL_V2 : META_LABEL,
	    (union meta_body){.label = {{when, 0}, type, ident, 1, &set}});
}

static void put_text(struct file *f, int type, uint32_t ident, const char *text)
{
	put(f, META_TEXT, (union meta_body){.text = {type, ident, {text, (uint32_t)strlen(text)}}});
}

/* Writes what was put, and loads what is new. */
static int load(void **state, struct file *f, struct archive_meta *meta, int source)
{
	store_test_file(state, f->name, f->b.data, f->b.len);
	if (f->m == NULL)
		assert_int_equal(member_open(store_test_path(state, f->name), &f->m), 0);
	return archive_meta_load(meta, f->m, f->version, source, f->loaded, &f->loaded);
}

static void file_done(struct file *f)
{
	member_close(f->m);
	buffer_done(&f->b);
}

static struct archive_meta *meta_new(void)
{
	struct archive_meta *meta;

	assert_int_equal(archive_meta_new(&meta), 0);
	return meta;
}

static const pmDesc counter = {
    .pmid = 10, .type = PM_TYPE_U64, .indom = 7, .sem = PM_SEM_COUNTER, .units = {.dimCount = 1}};
static const pmDesc word = {
    .pmid = 11, .type = PM_TYPE_STRING, .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE};

/* "time=1=a,5=b time=..." of all observations. */
static void check_indom(struct archive_meta *meta, pmInDom indom, const char *expected)
{
	const struct archive_indom *const *all;
	char text[1000] = "";
	size_t len = 0;
	int n = archive_meta_indom(meta, indom, &all);

	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%ld:", i > 0 ? " " : "",
					(long)all[i]->stamp.tv_sec);
		for (size_t j = 0; j < all[i]->n; j++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d=%.*s",
						j > 0 ? "," : "", all[i]->insts[j].inst,
						(int)all[i]->insts[j].name.len,
						all[i]->insts[j].name.s);
	}
	assert_string_equal(text, expected);
}

static void metrics(void **state)
{
	struct archive_meta *meta = meta_new();
	const struct archive_metric *const *all;
	struct file f, g;
	size_t n;

	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", "a.number");
	put_desc(&f, word, "a.word", "a.count"); /* taken */
	put_desc(&f, counter, "a.count", "a.third");
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_int_equal(f.loaded, f.b.len);
	file_begin(&g, "b.meta", 2);
	put_desc(&g, word, "b.word", NULL);
	assert_int_equal(load(state, &g, meta, 1), 0);
	all = archive_meta_metrics(meta, &n);
	assert_int_equal(n, 2);
	assert_ptr_equal(all[0], archive_meta_metric(meta, 10));
	assert_int_equal(all[0]->nnames, 3);
	assert_string_equal(all[0]->names[2], "a.third");
	assert_int_equal(all[1]->nnames, 2);
	assert_string_equal(all[1]->names[0], "a.word");
	assert_string_equal(all[1]->names[1], "b.word");
	assert_memory_equal(&all[0]->desc, &counter, sizeof(counter));
	assert_int_equal(archive_meta_pmid(meta, "a.count"), 10);
	assert_int_equal(archive_meta_pmid(meta, "b.word"), 11);
	assert_int_equal(archive_meta_pmid(meta, "a"), PM_ID_NULL);
	assert_null(archive_meta_metric(meta, 12));
	archive_meta_free(meta);
	file_done(&f);
	file_done(&g);
}

static void many_metrics(void **state)
{
	enum { MANY = 30000 };
	struct archive_meta *meta = meta_new();
	pmDesc desc = counter;
	struct file f;
	char name[32];

	file_begin(&f, "a.meta", 2);
	for (pmID i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many.m%u", i);
		desc.pmid = i;
		put_desc(&f, desc, name, NULL);
	}
	assert_true(f.b.len > 1 << 20); /* more than one chunk */
	assert_int_equal(load(state, &f, meta, 0), 0);
	for (pmID i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many.m%u", i);
		assert_int_equal(archive_meta_pmid(meta, name), i);
		assert_string_equal(archive_meta_metric(meta, i)->names[0], name);
	}
	archive_meta_free(meta);
	file_done(&f);
}

static void conflicts(void **state)
{
	static const struct {
		pmDesc desc;
		int error;
	} cases[] = {
	    {{.pmid = 10, .type = PM_TYPE_64, .indom = 8, .sem = PM_SEM_INSTANT},
	     PM_ERR_LOGCHANGETYPE},
	    {{.pmid = 10, .type = PM_TYPE_U64, .indom = 8, .sem = PM_SEM_INSTANT},
	     PM_ERR_LOGCHANGESEM},
	    {{.pmid = 10, .type = PM_TYPE_U64, .indom = 8, .sem = PM_SEM_COUNTER},
	     PM_ERR_LOGCHANGEINDOM},
	    {{.pmid = 10, .type = PM_TYPE_U64, .indom = 7, .sem = PM_SEM_COUNTER},
	     PM_ERR_LOGCHANGEUNITS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct archive_meta *meta = meta_new();
		struct file f;

		file_begin(&f, "a.meta", 3);
		put_desc(&f, counter, "a.count", NULL);
		put_desc(&f, cases[i].desc, "a.other", NULL);
		assert_int_equal(load(state, &f, meta, 0), cases[i].error);
		assert_int_equal(archive_meta_pmid(meta, "a.count"), 10);
		archive_meta_free(meta);
		file_done(&f);
	}
}

static void deltas(void **state)
{
	struct archive_meta *meta = meta_new();
	const struct archive_indom *at, *all;
	const pmInDom *indoms;
	struct timespec when = {115, 0};
	struct file f;

	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	put_indom(&f, META_INDOM, 100, 7, "1=one 2=two_b 5=five");
	put_indom(&f, META_INDOM, 100, 6, "3=x");
	put_indom(&f, META_INDOM_DELTA, 110, 7, "2- 3=three");
	put_indom(&f, META_INDOM_DELTA, 120, 7, "0=zero 5- 9=two_c");
	put_indom(&f, META_INDOM, 130, 7, "5=cinq");
	assert_int_equal(load(state, &f, meta, 0), 0);
	check_indom(meta, 7,
		    "100:1=one,2=two b,5=five 110:1=one,3=three,5=five "
		    "120:0=zero,1=one,3=three,9=two c 130:5=cinq");
	check_indom(meta, 5, "");
	assert_int_equal(archive_meta_indoms(meta, &indoms), 2);
	assert_int_equal(indoms[0], 6);
	assert_int_equal(archive_meta_indom_at(meta, 7, &when, &at), 0);
	assert_true(at->delta);
	assert_int_equal(at->stamp.tv_sec, 110);
	when.tv_sec = 99;
	assert_int_equal(archive_meta_indom_at(meta, 7, &when, &at), 0);
	assert_null(at);
	assert_int_equal(archive_meta_indom_at(meta, 5, &when, &at), 0);
	assert_null(at);
	assert_int_equal(archive_meta_indom_union(meta, 7, &all), 0);
	assert_int_equal(all->n, 6);
	assert_string_equal(archive_indom_inst(all, 5)->name.s, "cinq");
	assert_string_equal(archive_indom_inst(all, 2)->name.s, "two b");
	assert_null(archive_indom_inst(all, 4));
	assert_int_equal(archive_meta_indom_union(meta, 5, &all), 0);
	assert_null(all);
	/* It grows: decoding goes on with the last list. */
	put_indom(&f, META_INDOM_DELTA, 140, 7, "6=six");
	put_indom(&f, META_INDOM, 140, 5, "1=a");
	assert_int_equal(load(state, &f, meta, 0), 0);
	when.tv_sec = 1000;
	assert_int_equal(archive_meta_indom_at(meta, 7, &when, &at), 0);
	assert_int_equal(at->n, 2);
	assert_int_equal(archive_meta_indom_union(meta, 7, &all), 0);
	assert_int_equal(all->n, 7);
	check_indom(meta, 5, "140:1=a");
	archive_meta_free(meta);
	file_done(&f);
}

/* Two archives on one time line: each has its own deltas, and what both say is said once. */
static void two_archives(void **state)
{
	struct archive_meta *meta = meta_new();
	struct file f, g;

	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	put_indom(&f, META_INDOM, 100, 7, "1=a 2=b");
	put_indom(&f, META_INDOM_DELTA, 120, 7, "3=c");
	file_begin(&g, "b.meta", 3);
	put_desc(&g, counter, "a.count", NULL);
	put_indom(&g, META_INDOM, 130, 7, "1=a 2=b 3=c");
	put_indom(&g, META_INDOM_DELTA, 150, 7, "1-");
	assert_int_equal(load(state, &g, meta, 1), 0);
	check_indom(meta, 7, "130:1=a,2=b,3=c 150:2=b,3=c");
	assert_int_equal(load(state, &f, meta, 0), 0);
	check_indom(meta, 7, "100:1=a,2=b 120:1=a,2=b,3=c 150:2=b,3=c");
	/* The earlier one goes on. */
	put_indom(&f, META_INDOM_DELTA, 125, 7, "3-");
	put_indom(&g, META_INDOM_DELTA, 160, 7, "4=d");
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_int_equal(load(state, &g, meta, 1), 0);
	check_indom(meta, 7, "100:1=a,2=b 120:1=a,2=b,3=c 125:1=a,2=b 150:2=b,3=c 160:2=b,3=c,4=d");
	archive_meta_free(meta);
	file_done(&f);
	file_done(&g);
}

static void odd_lists(void **state)
{
	struct archive_meta *meta = meta_new();
	const struct archive_indom *const *all;
	struct file f;

	file_begin(&f, "a.meta", 2);
	put_desc(&f, counter, "a.count", NULL);
	put_indom(&f, META_INDOM_V2, 100, 7, "5=e 1=a 5=f 3=c"); /* in no order */
	put_indom(&f, META_INDOM_V2, 90, 7, "2=b");              /* nor in time */
	put_indom(&f, META_INDOM_V2, 110, 7, "");                /* prints nothing */
	put_indom(&f, META_INDOM_V2, 120, 7, "1=a");
	put_indom(&f, META_INDOM_V2, 120, 7, "1=b");
	put_indom(&f, META_INDOM_V2, 120, 7, "1=a");
	put_indom(&f, META_INDOM, 130, 7, "1=v3"); /* of the other version */
	put_indom(&f, META_INDOM_DELTA, 100, 8, "1=a");
	put_indom(&f, META_INDOM_V2, 100, 9, "");
	assert_int_equal(load(state, &f, meta, 0), 0);
	check_indom(meta, 7, "90:2=b 100:1=a,3=c,5=e 120:1=b 120:1=a 130:1=v3");
	assert_int_equal(archive_meta_indom(meta, 8, &all), PM_ERR_LOGREC);
	check_indom(meta, 9, "");
	archive_meta_free(meta);
	file_done(&f);
}

static void names_of_instances(void **state)
{
	static const struct {
		const char *name;
		int inst;
	} cases[] = {{"10", 1}, {"10 a", 1}, {"10 b", 2}, {"b", 3},    {"b x", 4},
		     {"a", -1}, {"", -1},    {"10 ", -1}, {"57", 107}, {"79", 129}};
	struct archive_meta *meta = meta_new();
	const struct archive_indom *at;
	struct timespec when = {200, 0};
	struct file f;
	char text[400] = "1=10_a 2=10_b 3=b 4=b_x";

	for (int i = 5; i < 30; i++) /* long enough for tables */
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d=%d", 100 + i,
			 50 + i);
	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	put_indom(&f, META_INDOM, 100, 7, text);
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_int_equal(archive_meta_indom_at(meta, 7, &when, &at), 0);
	for (int turn = 0; turn < 3; turn++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_int_equal(archive_indom_lookup(at, cases[i].name), cases[i].inst);
	}
	archive_meta_free(meta);
	file_done(&f);
}

static void labels(void **state)
{
	struct archive_meta *meta = meta_new();
	struct timespec when = {99, 0};
	pmLabelSet *sets = NULL;
	struct file f;

	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	put_label(&f, 100, PM_LABEL_ITEM, 10, "{\"a\":1}");
	put_label(&f, 300, PM_LABEL_ITEM, 10, "{\"a\":3}");
	put_label(&f, 200, PM_LABEL_ITEM, 10, "{\"a\":2}");
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_int_equal(archive_meta_labels(meta, PM_LABEL_ITEM, 10, &when, &sets), 0);
	for (time_t t = 100; t < 400; t += 50) {
		char json[16];

		snprintf(json, sizeof(json), "{\"a\":%d}", (int)(t / 100));
		when.tv_sec = t;
		assert_int_equal(archive_meta_labels(meta, PM_LABEL_ITEM, 10, &when, &sets), 1);
		assert_string_equal(sets[0].json, json);
		assert_int_equal(sets[0].jsonlen, strlen(json));
		assert_int_equal(sets[0].nlabels, 1);
		assert_int_equal(sets[0].labels[0].value, 5);
		free(sets[0].json);
		free(sets[0].labels);
		free(sets);
	}
	assert_int_equal(archive_meta_labels(meta, PM_LABEL_CLUSTER, 10, &when, &sets),
			 PM_ERR_NOLABELS);
	archive_meta_free(meta);
	file_done(&f);
}

static void texts(void **state)
{
	enum { LINE = PM_TEXT_ONELINE | PM_TEXT_PMID, INDOM = PM_TEXT_HELP | PM_TEXT_INDOM };
	struct archive_meta *meta = meta_new();
	struct file f;
	int err = 0;

	file_begin(&f, "a.meta", 2);
	put_desc(&f, counter, "a.count", NULL);
	put_text(&f, LINE, 10, "first");
	put_text(&f, LINE, 11, "");
	put_text(&f, LINE, 10, "later");
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_string_equal(archive_meta_text(meta, LINE, 10, &err), "later");
	assert_string_equal(archive_meta_text(meta, LINE, 11, &err), "");
	assert_null(archive_meta_text(meta, LINE, 12, &err));
	assert_int_equal(err, PM_ERR_TEXT);
	assert_null(archive_meta_text(meta, INDOM, 7, &err));
	assert_int_equal(err, PM_ERR_NOTHOST);
	archive_meta_free(meta);
	file_done(&f);
}

/* A file that is cut anywhere gives what is whole; one that is wrong in the middle is an error. */
static void damaged(void **state)
{
	struct file f;
	size_t whole;
	int r;

	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	whole = f.b.len;
	put_indom(&f, META_INDOM, 100, 7, "1=a 2=b");
	for (size_t len = LOG_LABEL_LEN_V3; len < f.b.len; len++) {
		struct archive_meta *meta = meta_new();
		struct member *m;
		uint64_t offset = 0;

		store_test_file(state, "a.meta", f.b.data, len);
		assert_int_equal(member_open(store_test_path(state, "a.meta"), &m), 0);
		r = archive_meta_load(meta, m, 3, 0, LOG_LABEL_LEN_V3, &offset);
		assert_int_equal(r, len < whole ? PM_ERR_LOGREC : 0);
		if (r == 0)
			assert_int_equal(offset, whole);
		member_close(m);
		archive_meta_free(meta);
	}
	for (int i = 0; i < 3; i++) {
		static const struct {
			uint32_t at, word;
			int error;
		} cases[] = {{0, 5, PM_ERR_LOGREC}, {4, 9, PM_ERR_RECTYPE}, {4, 0, PM_ERR_RECTYPE}};
		struct archive_meta *meta = meta_new();
		uint8_t *p = f.b.data + whole + cases[i].at;
		uint32_t before = load_be32(p);

		store_be32(p, cases[i].word);
		assert_int_equal(load(state, &f, meta, 0), cases[i].error);
		store_be32(p, before);
		archive_meta_free(meta);
	}
	file_done(&f);
}

/* A record that takes more bytes than are read at a time, and a claim of many that are not there.
 */
static void long_record(void **state)
{
	struct archive_meta *meta = meta_new();
	AUTO_FREE char *text = malloc(5 << 20);
	uint8_t claim[8] = {0x0f, 0xff, 0xff, 0xff};
	struct file f;
	int err;

	memset(text, 'x', (5 << 20) - 1);
	text[(5 << 20) - 1] = '\0';
	file_begin(&f, "a.meta", 3);
	put_desc(&f, counter, "a.count", NULL);
	put_text(&f, PM_TEXT_HELP | PM_TEXT_PMID, 10, text);
	put_desc(&f, word, "a.word", NULL);
	buffer_put(&f.b, claim, sizeof(claim));
	assert_int_equal(load(state, &f, meta, 0), 0);
	assert_int_equal(f.loaded, f.b.len - sizeof(claim));
	assert_string_equal(archive_meta_text(meta, PM_TEXT_HELP | PM_TEXT_PMID, 10, &err), text);
	assert_int_equal(archive_meta_pmid(meta, "a.word"), 11);
	archive_meta_free(meta);
	file_done(&f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_test_setup, store_test_teardown)
	static const struct CMUnitTest tests[] = {
	    TEST(metrics),      TEST(many_metrics), TEST(conflicts),          TEST(deltas),
	    TEST(two_archives), TEST(odd_lists),    TEST(names_of_instances), TEST(labels),
	    TEST(texts),        TEST(damaged),      TEST(long_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
