/*
 * An identifier is the SHA-1 of a JSON text (docs/spec/tools.md 2). Optional labels are not part of
 * the identifiers of sources and metrics, because they describe the observer. They are part of
 * those of instances, since other programs compute these identifiers with them.
 */
#include "tools/pminfo/series.h"

#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/instance.h"
#include "tools/pminfo/label.h"
#include "tools/pminfo/metric.h"
#include "tools/pminfo/sha1.h"

/* Labels, and names of unlimited length around them; longer texts are cut. */
#define TEXT_LEN (PM_MAXLABELJSONLEN + 8192)

static int is_intrinsic(const pmLabel *label, const char *json, void *arg)
{
	(void)json;
	(void)arg;
	return (label->flags & PM_LABEL_OPTIONAL) == 0;
}

/* Sources without labels are distinguished by their host names. */
static void use_hostname(char *buf)
{
	char host[PM_MAX_HOSTNAMELEN];

	pmGetContextHostName_r(pmWhichContext(), host, sizeof(host));
	pmsprintf(buf, PM_MAXLABELJSONLEN, "{\"hostname\":\"%s\"}", host);
}

static void get_labels(const struct metric *m, unsigned int levels, char *buf)
{
	if (label_merge(m->pmid, m->desc.indom, levels, NULL, is_intrinsic, buf) <= 0)
		use_hostname(buf);
}

static void print_hash(const char *what, const char *text)
{
	char hex[SHA1_HEX_LEN];

	sha1_hex(text, strlen(text), hex);
	printf("%s%s\n", what, hex);
}

void series_print_metric(const struct metric *m, const struct options *o)
{
	char labels[PM_MAXLABELJSONLEN], text[TEXT_LEN];
	char type[32], sem[32], units[64];

	(void)o;
	get_labels(m, PM_LABEL_CONTEXT, labels);
	pmsprintf(text, sizeof(text), "{\"series\":\"source\",\"labels\":%s}", labels);
	print_hash("    Source: ", text);

	get_labels(m, LABEL_OF_METRIC, labels);
	pmTypeStr_r(m->desc.type, type, sizeof(type));
	pmSemStr_r(m->desc.sem, sem, sizeof(sem));
	pmUnitsStr_r(&m->desc.units, units, sizeof(units));
	pmsprintf(text, sizeof(text),
		  "{\"series\":\"metric\",\"name\":\"%s\",\"labels\":%s,"
		  "\"semantics\":\"%s\",\"type\":\"%s\",\"units\":\"%s\"}",
		  m->name, labels, sem, type, units);
	print_hash("    Series: ", text);
}

static void print_instance(const struct metric *m, int inst, pmLabelSet *set)
{
	char labels[PM_MAXLABELJSONLEN], text[TEXT_LEN];
	const char *name = "DISAPPEARED";

	instance_name(m->desc.indom, inst, &name);
	if (label_merge(m->pmid, m->desc.indom, LABEL_OF_INDOM, set, NULL, labels) <= 0)
		use_hostname(labels);
	pmsprintf(text, sizeof(text), "{\"series\":\"instance\",\"name\":\"%s\",\"labels\":%s}",
		  name, labels);
	printf("    inst [%d or \"%s\"]", inst, name);
	print_hash(" series ", text);
}

void series_print_instances(const struct metric *m, const struct options *o)
{
	(void)o;
	label_each_instance(m, print_instance);
}
