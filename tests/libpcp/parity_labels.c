/*
 * parity_labels - label sets from JSON texts, right and wrong, merged and printed: see parity.py.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const texts[] = {
    "{}",
    "{\"a\":1}",
    "{\"b\":1,\"a\":\"q\"}",
    "{\"a\":\"x\",\"b\":true,\"c\":false,\"d\":null,\"e\":-1.5e3,\"f\":[1,2,3]}",
    " { \"a\" : 1 , \"b\" : \"two words\" } ",
    "{\"a\":1}\n",
    "{\"a_b\":1}",
    "{\"A1\":1}",
    "{\"abc\":1,\"ab\":2,\"a\":3}",
    "{\"a\":\"with \\\"quotes\\\"\"}",
    "{\"a\":\"\"}",
    "{\"z\":1,\"y\":2,\"x\":3}",
    "{\"a\":[\"x\",\"y\"]}",
    "",
    " ",
    "}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\" 1}",
    "{a:1}",
    "{\"a\":b}",
    "{\"1a\":1}",
    "{\"_a\":1}",
    "{\"\":1}",
    "{\"a b\":1}",
    "{\"a-b\":1}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1}}",
    "{\"a\":01}",
    "{\"a\":+1}",
    "{\"a\":.5}",
    "{\"a\":tru}",
    "{\"a\":[1,2}",
    "nonsense"};

static const char *const more[] = {"{\"a\":\"over\",\"m\":2}", "{\"b\":\"y\",\"c\":{\"e\":true}}",
				   "{}", "{\"k\":{\"l\":1,\"m\":2}}"};

static void parse(const char *text)
{
	pmLabelSet *set = NULL;
	int r = __pmAddLabels(&set, text, PM_LABEL_ITEM);

	printf("add <%s>: %d\n", text, r);
	if (r > 0) {
		pmPrintLabelSets(stdout, (int)pmID_build(3, 4, 5), PM_LABEL_ITEM, set, 1);
		r = __pmAddLabels(&set, "{\"a\":\"new\",\"n\":5}", PM_LABEL_OPTIONAL);
		printf("and a note: %d\n", r);
		pmPrintLabelSets(stdout, (int)pmInDom_build(3, 4), PM_LABEL_INSTANCES, set, 1);
		pmPrintLabelSets(stdout, 3, PM_LABEL_DOMAIN, set, 1);
		pmPrintLabelSets(stdout, (int)pmInDom_build(3, 4), PM_LABEL_INDOM, set, 1);
		pmPrintLabelSets(stdout, (int)pmID_build(3, 4, 5), PM_LABEL_CLUSTER, set, 1);
		pmPrintLabelSets(stdout, 0, PM_LABEL_CONTEXT, set, 1);
	}
	if (set != NULL)
		pmFreeLabelSets(set, 1);
}

static void merge(const char *a, const char *b)
{
	char *jsons[] = {(char *)a, (char *)b};
	char buf[512] = "";
	int r = pmMergeLabels(jsons, 2, buf, sizeof(buf));

	printf("merge <%s> <%s>: %d %s\n", a, b, r, r > 0 ? buf : "");
}

static int not_a(const pmLabel *label, const char *json, void *arg)
{
	return json[label->name] != 'a' || label->namelen > 1;
}

static void merge_sets(const char *a, const char *b)
{
	pmLabelSet *sets[3] = {NULL, NULL, NULL};
	char buf[512] = "", small[12] = "";
	int r;

	if (__pmAddLabels(&sets[0], a, 0) < 0 || __pmAddLabels(&sets[2], b, 0) < 0)
		return;
	r = pmMergeLabelSets(sets, 3, buf, sizeof(buf), NULL, NULL);
	printf("sets <%s> <%s>: %d %s\n", a, b, r, r > 0 ? buf : "");
	r = pmMergeLabelSets(sets, 3, buf, sizeof(buf), not_a, NULL);
	printf("sets filtered: %d %s\n", r, r > 0 ? buf : "");
	r = pmMergeLabelSets(sets, 3, small, sizeof(small), NULL, NULL);
	printf("sets small: %d\n", r < 0 ? r : 0);
	pmFreeLabelSets(sets[0], 1);
	pmFreeLabelSets(sets[2], 1);
}

int main(void)
{
	pmLabelSet none = {0}, *empty = &none;
	char buf[16];

	for (size_t i = 0; i < COUNT(texts); i++)
		parse(texts[i]);
	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t j = 0; j < COUNT(more); j++)
			merge(texts[i], more[j]);
	for (size_t i = 0; i < 13; i++)
		for (size_t j = 0; j < 1; j++)
			merge_sets(texts[i], more[j]);
	printf("empty set: %d", pmMergeLabelSets(&empty, 1, buf, sizeof(buf), NULL, NULL));
	printf(" %s\n", buf);
	printf("none: %d %d\n", pmMergeLabels(NULL, 0, buf, sizeof(buf)),
	       pmMergeLabelSets(NULL, 0, buf, sizeof(buf), NULL, NULL));
	return 0;
}
