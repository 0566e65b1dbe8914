/*
 * live_walk - all data of a collector, one line per fact: with two libraries the lines must be the
 * same. "key<TAB>fact"; live.py leaves out keys whose facts change by themselves.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

enum { METRICS_MAX = 20000, BATCH = 700 };

static char *names[METRICS_MAX];
static pmID pmids[METRICS_MAX];
static pmDesc descs[METRICS_MAX];
static int nmetric;

static void note_name(const char *name, void *closure)
{
	if (nmetric < METRICS_MAX)
		names[nmetric++] = strdup(name);
}

static const char *id(pmID pmid)
{
	static char buf[32];

	return pmIDStr_r(pmid, buf, sizeof(buf));
}

/* Text on one line. */
static void print_text(const char *text)
{
	for (; *text != '\0'; text++)
		putchar(*text == '\n' ? '|' : *text == '\t' ? ' ' : *text);
	putchar('\n');
}

static void walk_children(const char *node)
{
	char **kids;
	int *status;
	int n = pmGetChildrenStatus(node, &kids, &status);

	printf("children %s\t%d", node, n);
	for (int i = 0; i < n; i++)
		printf(" %s:%d", kids[i], status[i]);
	printf("\n");
	for (int i = 0; i < n; i++) {
		char path[1024];

		snprintf(path, sizeof(path), "%s%s%s", node, *node == '\0' ? "" : ".", kids[i]);
		if (status[i] == PMNS_NONLEAF_STATUS)
			walk_children(path);
	}
	if (n > 0) {
		free(kids);
		free(status);
	}
}

static void print_texts(const char *what, const char *key, unsigned int ident,
			int (*lookup)(unsigned int, int, char **))
{
	static const int levels[] = {PM_TEXT_ONELINE, PM_TEXT_HELP, PM_TEXT_HELP | PM_TEXT_DIRECT};

	for (int i = 0; i < 3; i++) {
		char *text;
		int r = lookup(ident, levels[i], &text);

		printf("%s %d %s\t%d ", what, levels[i], key, r);
		print_text(r < 0 ? "" : text);
		if (r >= 0)
			free(text);
	}
}

static void print_labels(const char *what, const char *key, int r, pmLabelSet *sets)
{
	printf("labels %s %s\t%d", what, key, r);
	for (int i = 0; i < r; i++) {
		printf(" [%d %d %u %s", (int)sets[i].inst, sets[i].nlabels, sets[i].jsonlen,
		       sets[i].json == NULL ? "-" : sets[i].json);
		for (int j = 0; j < sets[i].nlabels; j++) {
			const pmLabel *l = &sets[i].labels[j];

			printf(" %u,%u,%x,%u,%u", l->name, l->namelen, l->flags, l->value,
			       l->valuelen);
		}
		printf("]");
	}
	printf("\n");
	if (r > 0)
		pmFreeLabelSets(sets, r);
}

static void walk_indom(pmInDom indom)
{
	char key[32];
	pmLabelSet *sets = NULL;
	char **instances;
	int *ids;
	int n;

	pmInDomStr_r(indom, key, sizeof(key));
	n = pmGetInDom(indom, &ids, &instances);
	printf("indom %s\t%d", key, n);
	for (int i = 0; i < n; i++)
		printf(" %d=%s", ids[i], instances[i]);
	printf("\n");
	for (int i = 0; i < n && i < 5; i++) {
		char *name = NULL;
		int r = pmNameInDom(indom, ids[i], &name);

		printf("inst %s %d\t%d %s %d\n", key, ids[i], r, r < 0 ? "" : name,
		       pmLookupInDom(indom, instances[i]));
		free(name);
	}
	if (n > 0) {
		free(ids);
		free(instances);
	}
	print_texts("indomtext", key, indom, pmLookupInDomText);
	n = pmGetInDomLabels(indom, &sets);
	print_labels("indom", key, n, sets);
	sets = NULL;
	n = pmGetInstancesLabels(indom, &sets);
	print_labels("instances", key, n, sets);
}

/* Instances and layout of every metric; the values of those that do not change by themselves. */
static void print_values(const char *name, const pmDesc *desc, const pmValueSet *vset)
{
	unsigned int domain = pmID_domain(desc->pmid);
	int steady = desc->sem == PM_SEM_DISCRETE || domain == 29 || domain == 30;

	printf("value %s\t%d", name, vset->numval);
	if (vset->numval > 0)
		printf(" f%d", vset->valfmt == PM_VAL_INSITU);
	for (int i = 0; i < vset->numval; i++) {
		const pmValue *v = &vset->vlist[i];

		printf(" %d:", v->inst);
		if (vset->valfmt == PM_VAL_INSITU) {
			printf("%d", steady ? v->value.lval : 0);
			continue;
		}
		printf("%d/%d/", v->value.pval->vtype, v->value.pval->vlen);
		for (int j = 0; steady && j < (int)v->value.pval->vlen - PM_VAL_HDR_SIZE; j++)
			printf("%02x", (unsigned char)v->value.pval->vbuf[j]);
	}
	printf("\n");
}

static void fetch_all(const char *prefix)
{
	for (int i = 0; i < nmetric; i += BATCH) {
		int n = nmetric - i < BATCH ? nmetric - i : BATCH;
		pmResult *result;
		int r = pmFetch(n, pmids + i, &result);

		printf("fetch %s%d\t%d\n", prefix, i, r < 0 ? r : 0);
		if (r < 0)
			continue;
		for (int j = 0; j < n; j++) {
			char key[1024];

			snprintf(key, sizeof(key), "%s%s", prefix, names[i + j]);
			print_values(key, &descs[i + j], result->vset[j]);
		}
		pmFreeResult(result);
	}
}

static void walk_metric(int i)
{
	char **all = NULL;
	char *one = NULL;
	int r = pmNameAll(pmids[i], &all);

	printf("names %s\t%s %d", names[i], id(pmids[i]), r);
	for (int j = 0; j < r; j++)
		printf(" %s", all[j]);
	printf("\n");
	free(all);
	r = pmNameID(pmids[i], &one);
	printf("nameid %s\t%d %s\n", names[i], r, r < 0 ? "" : one);
	free(one);
	r = pmLookupDesc(pmids[i], &descs[i]);
	printf("desc %s\t%d", names[i], r);
	if (r >= 0)
		printf(" %s %d %x %d %s", id(descs[i].pmid), descs[i].type, descs[i].indom,
		       descs[i].sem, pmUnitsStr(&descs[i].units));
	else
		descs[i].indom = PM_INDOM_NULL;
	printf("\n");
}

static void walk_metrics(void)
{
	static pmDesc again[METRICS_MAX];

	/* How many there are changes with the machine, so what counts is how many of them are not
	 * found. */
	printf("lookup\t%d\n", nmetric - pmLookupName(nmetric, (const char **)names, pmids));
	for (int i = 0; i < nmetric; i++)
		walk_metric(i);
	for (int i = 0; i < nmetric; i += BATCH) {
		int n = nmetric - i < BATCH ? nmetric - i : BATCH;

		printf("descs %d\t%d %d\n", i, pmLookupDescs(n, pmids + i, again + i),
		       memcmp(again + i, descs + i, (size_t)n * sizeof(descs[0])) == 0);
	}
	for (int i = 0; i < nmetric; i++) {
		pmLabelSet *sets = NULL;
		int r;

		if (strncmp(names[i], "event.", 6) == 0)
			continue;
		print_texts("text", names[i], pmids[i], pmLookupText);
		r = pmLookupLabels(pmids[i], &sets);
		print_labels("lookup", names[i], r, sets);
		sets = NULL;
		r = pmGetItemLabels(pmids[i], &sets);
		print_labels("item", names[i], r, sets);
		sets = NULL;
		r = pmGetClusterLabels(pmids[i], &sets);
		print_labels("cluster", names[i], r, sets);
	}
}

static void walk_indoms(void)
{
	for (int i = 0; i < nmetric; i++) {
		int seen = descs[i].indom == PM_INDOM_NULL;

		for (int j = 0; j < i && !seen; j++)
			seen = descs[j].indom == descs[i].indom;
		if (!seen)
			walk_indom(descs[i].indom);
	}
}

/* Fetches with profiles: only the first instances of each domain, then only the instances of one
 * domain. */
static void fetch_profiles(void)
{
	int list[] = {0, 1, 2, 100, 200, 300};

	for (int i = 0; i < nmetric; i++) {
		if (descs[i].indom != PM_INDOM_NULL)
			pmAddProfile(descs[i].indom, 6, list);
	}
	fetch_all("some ");
	pmDelProfile(PM_INDOM_NULL, 0, NULL);
	fetch_all("none ");
	pmAddProfile(pmInDom_build(29, 1), 0, NULL);
	pmDelProfile(pmInDom_build(29, 1), 1, list + 3);
	fetch_all("one ");
	pmAddProfile(PM_INDOM_NULL, 0, NULL);
}

/* A stored value is fetched again, or the refusal is the same. */
static void store_all(void)
{
	for (int i = 0; i < nmetric; i++) {
		pmResult *result;
		int r;

		if (strncmp(names[i], "sampledso.", 10) != 0)
			continue;
		if (pmFetch(1, &pmids[i], &result) < 0 || result->vset[0]->numval < 1)
			continue;
		r = pmStore(result);
		printf("store %s\t%d\n", names[i], r);
		pmFreeResult(result);
	}
	fetch_all("stored ");
}

int main(int argc, char **argv)
{
	pmLabelSet *sets = NULL;
	char host[256];
	int handle;
	int r;

	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	handle = pmNewContext(PM_CONTEXT_HOST, argv[1]);
	printf("context\t%d %d\n", handle, pmGetPMNSLocation());
	if (handle < 0)
		return 1;
	r = pmGetHostName(handle, host, sizeof(host));
	printf("host\t%d %s\n", r, host);
	r = pmGetContextLabels(&sets);
	print_labels("context", "", r, sets);
	for (int domain = 0; domain < 512; domain++) {
		sets = NULL;
		snprintf(host, sizeof(host), "%d", domain);
		r = pmGetDomainLabels(domain, &sets);
		print_labels("domain", host, r, sets);
	}
	printf("traverse\t%d\n", pmTraversePMNS_r("", note_name, NULL));
	walk_children("");
	walk_metrics();
	walk_indoms();
	fetch_all("");
	fetch_profiles();
	store_all();
	return 0;
}
