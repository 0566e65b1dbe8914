/*
 * archive_walk - what an archive says through libpcp, in text: the same with our library and with
 * the reference's (archives.py).
 *
 *     archive_walk NAME SEED STEPS
 *
 * Everything about names, descriptors, instances, labels and texts, then STEPS fetches in each of
 * some dozen walks: forward, back and interpolated, with positions, steps, metrics and profiles
 * that a generator of SEED chooses.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

enum { MAX_METRICS = 4000, MAX_FETCH = 12, MAX_SHOWN = 40 };

static struct {
	int n;
	char *names[MAX_METRICS];
	pmID pmids[MAX_METRICS];
	pmDesc descs[MAX_METRICS];
} all;

static const char *archive;
static struct timespec first, last;
static uint64_t state;

static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n == 0 ? 0 : (uint32_t)(state >> 33) % n;
}

static double since(const struct timespec *t)
{
	return (double)(t->tv_sec - first.tv_sec) + (double)(t->tv_nsec - first.tv_nsec) / 1e9;
}

static void print_error(int code)
{
	char buf[PM_MAXERRMSGLEN];

	printf(" error %d %s", code, pmErrStr_r(code, buf, sizeof(buf)));
}

static const char *safe(const char *s)
{
	return s == NULL ? "(null)" : s;
}

static uint64_t hash_of(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325u;

	while (len-- > 0)
		h = (h ^ *p++) * 0x100000001b3u;
	return h;
}

/*
 * The archive
 */

static void keep_name(const char *name, void *arg)
{
	if (strncmp(name, "event.", 6) != 0 && all.n < MAX_METRICS)
		all.names[all.n++] = strdup(name);
}

static void print_label(void)
{
	pmHighResLogLabel label;
	pmLogLabel old;
	struct timeval end;
	int r = pmGetHighResArchiveLabel(&label);

	printf("label %d", r);
	if (r >= 0)
		printf(" %x %d %" PRId64 ".%09ld <%s> <%s> <%s>", label.magic, (int)label.pid,
		       (int64_t)label.start.tv_sec, label.start.tv_nsec, label.hostname,
		       label.timezone, label.zoneinfo);
	first = label.start;
	r = pmGetArchiveLabel(&old);
	if (r >= 0)
		printf(" %x %d %" PRId64 ".%06ld <%s> <%s>", old.ll_magic, (int)old.ll_pid,
		       (int64_t)old.ll_start.tv_sec, (long)old.ll_start.tv_usec, old.ll_hostname,
		       old.ll_tz);
	r = pmGetHighResArchiveEnd(&last);
	printf("\nend %d", r);
	if (r >= 0)
		printf(" %.9f", since(&last));
	else
		last = (struct timespec){.tv_sec = first.tv_sec + 100};
	r = pmGetArchiveEnd(&end);
	printf(" %d", r);
	if (r >= 0)
		printf(" %ld", (long)end.tv_usec);
	printf("\nhost <%s>\n", pmGetContextHostName(pmWhichContext()));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_names_of(pmID pmid)
{
	char **names;
	int n = pmNameAll(pmid, &names);

	printf(" names %d", n);
	if (n <= 0)
		return;
	qsort(names, (size_t)n, sizeof(names[0]), compare_names);
	for (int i = 0; i < n; i++)
		printf(" %s", names[i]);
	free(names);
}

static void print_metric(int i)
{
	const char *name = all.names[i];
	pmDesc *desc = &all.descs[i];
	char units[60];
	int r = pmLookupName(1, &name, &all.pmids[i]);

	printf("metric %s %d %x", name, r, all.pmids[i]);
	r = pmLookupDesc(all.pmids[i], desc);
	printf(" desc %d", r);
	if (r < 0)
		memset(desc, 0, sizeof(*desc));
	else
		printf(" %x type %d indom %x sem %d %s", desc->pmid, desc->type, desc->indom,
		       desc->sem, pmUnitsStr_r(&desc->units, units, sizeof(units)));
	print_names_of(all.pmids[i]);
	printf("\n");
}

static void print_children(const char *name)
{
	char **children = NULL;
	int *status = NULL;
	int n = pmGetChildrenStatus(name, &children, &status);

	printf("children <%s> %d", name, n);
	for (int i = 0; i < n; i++)
		printf(" %s:%d", children[i], status[i]);
	printf("\n");
	if (n > 0) {
		free(children);
		free(status);
	}
}

static void print_names(void)
{
	static const char *const odd[] = {"", "no.such", "kernel", "sample", "kernel.all", "."};
	pmID pmid;

	printf("location %d\n", pmGetPMNSLocation());
	printf("traverse %d\n", pmTraversePMNS_r("", keep_name, NULL));
	for (int i = 0; i < all.n; i++)
		print_metric(i);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		const char *name = odd[i];

		print_children(name);
		if (*name != '\0')
			printf("name <%s> %d\n", name, pmLookupName(1, &name, &pmid));
	}
	for (int i = 0; i < 20 && i < all.n; i++) {
		char *name = strdup(all.names[random_below((uint32_t)all.n)]);
		char *dot = strrchr(name, '.');

		if (dot != NULL)
			*dot = '\0';
		print_children(name);
		free(name);
	}
	printf("unknown %d %d\n", pmLookupDesc(pmID_build(77, 7, 7), &all.descs[MAX_METRICS - 1]),
	       pmNameID(pmID_build(77, 7, 7), &(char *){NULL}));
}

/*
 * Instances, labels, texts
 */

static void print_insts(const char *what, int n, int *ids, char **names)
{
	uint64_t hash = 0;

	printf(" %s %d", what, n);
	for (int i = 0; i < n; i++) {
		hash = hash * 31 + hash_of(names[i], strlen(names[i])) + (uint32_t)ids[i];
		if (i < 8)
			printf(" %d:<%s>", ids[i], names[i]);
	}
	printf(" (%" PRIx64 ")", hash);
	if (n > 0) {
		free(ids);
		free(names);
	}
}

static void print_one_inst(pmInDom indom, int id, const char *name)
{
	char *back = NULL;
	char *word = strdup(name);
	int r;

	printf("inst %x %d <%s> now %d", indom, id, name, pmLookupInDom(indom, name));
	printf(" ever %d", pmLookupInDomArchive(indom, name));
	word[strcspn(word, " ")] = '\0';
	if (*word != '\0')
		printf(" word %d %d", pmLookupInDom(indom, word),
		       pmLookupInDomArchive(indom, word));
	free(word);
	r = pmNameInDom(indom, id, &back);
	printf(" name %d %s", r, r < 0 ? "-" : back);
	if (r >= 0)
		free(back);
	r = pmNameInDomArchive(indom, id, &back);
	printf(" ever %d %s\n", r, r < 0 ? "-" : back);
	if (r >= 0)
		free(back);
}

static bool is_first_of_indom(int i)
{
	if (all.descs[i].indom == PM_INDOM_NULL)
		return false;
	for (int k = 0; k < i; k++) {
		if (all.descs[k].indom == all.descs[i].indom)
			return false;
	}
	return true;
}

static void print_indom(pmInDom indom)
{
	int *ids = NULL;
	char **names = NULL;
	int n = pmGetInDom(indom, &ids, &names);

	printf("indom %x", indom);
	print_insts("now", n, ids, names);
	n = pmGetInDomArchive(indom, &ids, &names);
	print_insts("ever", n, ids, names);
	printf("\n");
	n = pmGetInDomArchive(indom, &ids, &names);
	for (int i = 0; i < n && i < 3; i++) {
		int k = (int)random_below((uint32_t)n);

		print_one_inst(indom, ids[k], names[k]);
	}
	if (n > 0) {
		free(ids);
		free(names);
	}
	print_one_inst(indom, 123456789, "no such instance");
}

static void print_indoms(void)
{
	for (int i = 0; i < all.n; i++) {
		if (is_first_of_indom(i))
			print_indom(all.descs[i].indom);
	}
}

static void print_sets(const char *what, unsigned int ident,
		       int (*get)(unsigned int, pmLabelSet **))
{
	pmLabelSet *sets = NULL;
	int n = get(ident, &sets);

	printf("labels %s %x %d", what, ident, n);
	for (int i = 0; i < n && i < MAX_SHOWN; i++)
		printf(" %d:%d:%.*s", sets[i].inst, sets[i].nlabels, (int)sets[i].jsonlen,
		       sets[i].json == NULL ? "" : sets[i].json);
	printf("\n");
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

static void print_text(const char *what, unsigned int ident, int level,
		       int (*get)(unsigned int, int, char **))
{
	char *text = NULL;
	int r = get(ident, level, &text);

	printf("text %s %x %d: %d <%.60s>\n", what, ident, level, r, r < 0 ? "" : safe(text));
	if (r >= 0)
		free(text);
}

static int context_labels(unsigned int ident, pmLabelSet **sets)
{
	return pmGetContextLabels(sets);
}

static int domain_labels(unsigned int ident, pmLabelSet **sets)
{
	return pmGetDomainLabels((int)ident, sets);
}

static void print_about_indom(pmInDom indom)
{
	print_sets("indom", indom, pmGetInDomLabels);
	print_sets("instances", indom, pmGetInstancesLabels);
	print_text("indom", indom, PM_TEXT_ONELINE, pmLookupInDomText);
	print_text("indom", indom, PM_TEXT_HELP, pmLookupInDomText);
}

static void print_about(void)
{
	print_sets("context", 0, context_labels);
	for (int i = 0; i < all.n; i += 7) {
		pmID pmid = all.pmids[i];

		print_sets("domain", pmID_domain(pmid), domain_labels);
		print_sets("cluster", pmid, pmGetClusterLabels);
		print_sets("item", pmid, pmGetItemLabels);
		print_sets("all", pmid, pmLookupLabels);
		if (all.descs[i].indom != PM_INDOM_NULL)
			print_about_indom(all.descs[i].indom);
		print_text("metric", pmid, PM_TEXT_ONELINE, pmLookupText);
		print_text("metric", pmid, PM_TEXT_HELP, pmLookupText);
	}
}

/*
 * Values
 */

static void print_value(const pmValueSet *vset, int i)
{
	const pmValue *v = &vset->vlist[i];
	const pmValueBlock *block = v->value.pval;

	if (vset->valfmt == PM_VAL_INSITU) {
		printf(" %d=%d", v->inst, v->value.lval);
		return;
	}
	printf(" %d=%u/%u:", v->inst, block->vtype, block->vlen);
	if (block->vtype == PM_TYPE_DOUBLE && block->vlen == 12) {
		double d;

		memcpy(&d, block->vbuf, sizeof(d));
		printf("%.15g", d);
	} else if (block->vtype == PM_TYPE_FLOAT && block->vlen == 8) {
		float f;

		memcpy(&f, block->vbuf, sizeof(f));
		printf("%.7g", (double)f);
	} else if (block->vlen == 12) {
		int64_t n;

		memcpy(&n, block->vbuf, sizeof(n));
		printf("%" PRId64, n);
	} else {
		printf("%" PRIx64, hash_of(block->vbuf, block->vlen - PM_VAL_HDR_SIZE));
	}
}

static void print_result(pmHighResResult *result, bool sorted)
{
	printf(" at %.9f", since(&result->timestamp));
	if (sorted)
		pmSortHighResInstances(result);
	for (int i = 0; i < result->numpmid && i < MAX_SHOWN; i++) {
		const pmValueSet *vset = result->vset[i];

		printf(" [%x %d", vset->pmid, vset->numval);
		if (vset->numval > 0)
			printf(" %s", vset->valfmt == PM_VAL_INSITU ? "word" : "block");
		for (int k = 0; k < vset->numval && k < MAX_SHOWN; k++)
			print_value(vset, k);
		printf("]");
	}
	printf(" %d\n", result->numpmid);
	pmFreeHighResResult(result);
}

static struct timespec at(double t)
{
	int64_t ns = first.tv_nsec + (int64_t)(t * 1e9);
	struct timespec ts = {first.tv_sec + ns / 1000000000, ns % 1000000000};

	if (ts.tv_nsec < 0) {
		ts.tv_nsec += 1000000000;
		ts.tv_sec--;
	}
	return ts;
}

static double length(void)
{
	return since(&last);
}

/* A new context each time: the reference may not come back from a search after one for others. */
static void open_again(void)
{
	pmDestroyContext(pmWhichContext());
	pmNewContext(PM_CONTEXT_ARCHIVE, archive);
}

static void set_mode(int mode, double t, double delta)
{
	struct timespec when = at(t);
	struct timespec step = {(time_t)delta, (long)((delta - (double)(time_t)delta) * 1e9)};

	printf("mode %d %.6f %.6f: %d\n", mode, t, delta, pmSetModeHighRes(mode, &when, &step));
}

static int choose(pmID *pmids, int most)
{
	int n = 1 + (int)random_below((uint32_t)most);
	int at = (int)random_below((uint32_t)all.n);
	int stride = all.n / most < 2 ? 1 : 1 + (int)random_below((uint32_t)(all.n / most));

	/* Neighbours in steps, each once: the reference does not take a metric twice. */
	n = n > all.n ? all.n : n;
	for (int i = 0; i < n; i++)
		pmids[i] = all.pmids[(at + i * stride) % all.n];
	if (random_below(20) == 0)
		pmids[n - 1] = pmID_build(77, 7, 7);
	return n;
}

static bool fetch(int n, pmID *pmids, bool sorted)
{
	pmHighResResult *result;
	int r = n == 0 ? pmFetchHighResArchive(&result) : pmFetchHighRes(n, pmids, &result);

	printf("fetch %d", n);
	if (r < 0) {
		print_error(r);
		printf("\n");
		return r == PM_ERR_LOGOVERLAP;
	}
	print_result(result, sorted);
	return true;
}

static void walk_records(int steps)
{
	pmID pmids[MAX_FETCH];

	for (int mode = PM_MODE_FORW; mode <= PM_MODE_BACK; mode++) {
		set_mode(mode, mode == PM_MODE_FORW ? 0 : length(), 0);
		for (int i = 0; i < steps && fetch(0, NULL, false); i++)
			;
		set_mode(mode, length() * random_below(1000) / 1000, 0);
		for (int i = 0; i < steps && fetch(0, NULL, false); i++)
			;
		for (int round = 0; round < 4; round++) {
			int n = choose(pmids, MAX_FETCH);

			set_mode(mode, length() * random_below(1000) / 1000, 0);
			for (int i = 0; i < steps && fetch(n, pmids, false); i++)
				;
		}
	}
}

static void walk_interpolated(int steps)
{
	pmID pmids[MAX_FETCH];

	for (int round = 0; round < 8; round++) {
		int n = choose(pmids, MAX_FETCH);
		double step = length() / (1 + random_below(3 * (uint32_t)steps));
		bool back = random_below(3) == 0;

		open_again();
		if (random_below(4) == 0)
			step = 0.1 * random_below(50);
		set_mode(PM_MODE_INTERP,
			 back ? length() * (0.5 + random_below(500) / 1000.0)
			      : length() * random_below(500) / 1000.0 - 0.5,
			 back ? -step : step);
		for (int i = 0; i < steps; i++)
			fetch(n, pmids, true);
	}
	/* Positions without an order. */
	for (int round = 0; round < steps; round++) {
		int n = choose(pmids, 3);

		open_again();
		set_mode(PM_MODE_INTERP, length() * random_below(1000000) / 999999, 0.25);
		fetch(n, pmids, true);
		fetch(n, pmids, true);
	}
}

static void walk_profiles(int steps)
{
	pmID pmid = PM_ID_NULL;
	pmInDom indom = PM_INDOM_NULL;
	int *ids = NULL;
	char **names = NULL;
	int n;

	for (int i = 0; i < 50 && indom == PM_INDOM_NULL; i++) {
		int k = (int)random_below((uint32_t)all.n);

		indom = all.descs[k].indom;
		pmid = all.pmids[k];
	}
	n = pmGetInDomArchive(indom, &ids, &names);
	if (n == 1) {
		free(ids);
		free(names);
	}
	if (n <= 1)
		return;
	open_again();
	pmDelProfile(indom, 0, NULL);
	pmAddProfile(indom, n / 2, ids);
	set_mode(PM_MODE_FORW, 0, 0);
	for (int i = 0; i < steps && fetch(1, &pmid, true); i++)
		;
	set_mode(PM_MODE_INTERP, 0, length() / steps);
	for (int i = 0; i < steps; i++)
		fetch(1, &pmid, true);
	pmAddProfile(PM_INDOM_NULL, 0, NULL);
	free(ids);
	free(names);
}

int main(int argc, char **argv)
{
	int steps = argc > 3 ? atoi(argv[3]) : 10;
	int r;

	setvbuf(stdout, NULL, _IOLBF, 0);
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	archive = argv[1];
	r = pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	printf("context %d", r < 0 ? r : 0);
	if (r < 0) {
		print_error(r);
		printf("\n");
		return 0;
	}
	printf("\n");
	print_label();
	print_names();
	print_indoms();
	if (all.n == 0)
		return 0;
	set_mode(PM_MODE_FORW, length() / 2, 0);
	print_indoms();
	print_about();
	walk_records(steps);
	walk_interpolated(steps);
	walk_profiles(steps);
	r = pmDupContext();
	printf("dup %d\n", r < 0 ? r : 0);
	fetch(1, all.pmids, true);
	printf("destroy %d\n", pmDestroyContext(pmWhichContext()));
	for (int i = 0; i < all.n; i++)
		free(all.names[i]);
	return 0;
}
