#include "tools/pmlogextract/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/archive/bases.h"
#include "tools/archive/metadata.h"
#include "tools/common/finding.h"
#include "tools/pmlogextract/options.h"

static int open_input(struct input *input, const char *name)
{
	int sts = recording_open(name, 0, &input->recording);

	return sts < 0 ? sts : metadata_new(&input->recording, &input->metadata);
}

static void close_input(struct input *input)
{
	metadata_free(input->metadata);
	recording_close(&input->recording);
	free(input->name);
}

static void report_unopened(const char *name, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Error: cannot open archive \"%s\": %s\n", pmGetProgname(), name,
		pmErrStr_r(code, text, sizeof(text)));
}

static bool add_input(struct inputs *in, const char *name)
{
	struct input *list = reallocarray(in->list, in->n + 1, sizeof(*list)), *input;
	int sts;

	if (list == NULL)
		pmNoMem("input", sizeof(*list), PM_FATAL_ERR);
	in->list = list;
	input = &list[in->n];
	memset(input, 0, sizeof(*input));
	input->name = strdup(name);
	if (input->name == NULL)
		pmNoMem("input", strlen(name), PM_FATAL_ERR);
	sts = open_input(input, name);
	if (sts >= 0) {
		in->n++;
		return true;
	}
	close_input(input);
	if (sts == PM_ERR_NODATA) {
		fprintf(finding(), "%s: Warning: empty archive \"%s\" will be skipped\n",
			pmGetProgname(), name);
		return true;
	}
	report_unopened(name, sts);
	return false;
}

static bool add_all(struct inputs *in, const char *argument)
{
	struct bases bases;
	int sts = bases_find(argument, &bases);
	bool ok = sts >= 0;

	if (sts < 0)
		report_unopened(bases.failed != NULL ? bases.failed : argument, sts);
	for (size_t i = 0; i < bases.n && ok; i++)
		ok = add_input(in, bases.names[i]);
	bases_done(&bases);
	return ok;
}

bool inputs_open(struct inputs *in, const struct options *o)
{
	for (int i = 0; i < o->ninputs; i++)
		if (!add_all(in, o->inputs[i]))
			return false;
	if (in->n == 0)
		fprintf(finding(),
			"%s: Warning: all input archive(s) are empty, no output archive created\n",
			pmGetProgname());
	return in->n > 0;
}

void inputs_close(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		close_input(&in->list[i]);
	free(in->list);
}

static const struct log_label *label_of(const struct inputs *in, size_t i)
{
	return in->list[i].recording.label;
}

static void warn_zones(const struct inputs *in, size_t used)
{
	const char *zone = label_of(in, used)->timezone;
	bool said = false;

	for (size_t i = 0; i < in->n; i++) {
		if (strcmp(label_of(in, i)->timezone, zone) == 0)
			continue;
		if (!said)
			fprintf(finding(),
				"%s: Warning: timezone mismatch for input archives\n"
				"archive: %s timezone: %s [will be used]\n",
				pmGetProgname(), in->list[used].name, zone);
		said = true;
		fprintf(stderr, "archive: %s timezone: %s [will be ignored]\n", in->list[i].name,
			label_of(in, i)->timezone);
	}
}

static bool same_hosts(const struct inputs *in)
{
	const char *host = label_of(in, 0)->host;

	for (size_t i = 1; i < in->n; i++) {
		if (strcmp(label_of(in, i)->host, host) == 0)
			continue;
		fprintf(stderr,
			"%s: Error: host name mismatch for input archives\n"
			"archive: %s host: %s\narchive: %s host: %s\n",
			pmGetProgname(), in->list[0].name, host, in->list[i].name,
			label_of(in, i)->host);
		return false;
	}
	return true;
}

static bool choose_version(const struct inputs *in, int asked, int *ret_version)
{
	size_t newest = 0;

	for (size_t i = 1; i < in->n; i++)
		if (label_of(in, i)->version > label_of(in, newest)->version)
			newest = i;
	*ret_version = asked != 0 ? asked : label_of(in, newest)->version;
	if (*ret_version >= label_of(in, newest)->version)
		return true;
	fprintf(stderr,
		"%s: Error: input archive version must be no more than %d\n"
		"archive: %s version: %d\n",
		pmGetProgname(), asked, in->list[newest].name, label_of(in, newest)->version);
	return false;
}

bool inputs_label(const struct inputs *in, const struct options *o, struct log_label *ret_label)
{
	size_t zone = o->first_zone ? 0 : in->n - 1;

	*ret_label = *label_of(in, zone);
	ret_label->start = (struct timespec){0};
	ret_label->pid = getpid();
	warn_zones(in, zone);
	return same_hosts(in) && choose_version(in, o->version, &ret_label->version);
}
