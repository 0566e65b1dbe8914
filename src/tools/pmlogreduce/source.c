#include "tools/pmlogreduce/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "tools/archive/bases.h"
#include "tools/archive/damage.h"
#include "tools/archive/metadata.h"
#include "tools/archive/stamp.h"

static bool report_unopened(const char *name, const char *which, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Error: cannot open archive \"%s\" (%s): %s\n", pmGetProgname(), name,
		which, pmErrStr_r(code, text, sizeof(text)));
	return false;
}

static bool open_part(struct source_part *part, const char *name)
{
	int sts;

	part->name = strdup(name);
	if (part->name == NULL)
		pmNoMem("input", strlen(name), PM_FATAL_ERR);
	sts = recording_open(name, 0, &part->recording);
	if (sts >= 0)
		sts = metadata_new(&part->recording, &part->metadata);
	return sts >= 0 ? true : report_unopened(name, "metadata", sts);
}

static int by_start(const void *a, const void *b)
{
	const struct source_part *x = a, *y = b;

	return stamp_compare(&x->recording.label->start, &y->recording.label->start);
}

static bool open_parts(struct source *s)
{
	struct bases bases;
	int sts = bases_find(s->name, &bases);
	bool ok = sts >= 0 ? true : report_unopened(s->name, "metadata", sts);

	s->parts = calloc(bases.n + 1, sizeof(*s->parts));
	if (s->parts == NULL)
		pmNoMem("input", sizeof(*s->parts), PM_FATAL_ERR);
	while (ok && s->n < bases.n) {
		ok = open_part(&s->parts[s->n], bases.names[s->n]);
		s->n++;
	}
	bases_done(&bases);
	if (ok)
		qsort(s->parts, s->n, sizeof(*s->parts), by_start);
	return ok;
}

static void unite(struct source *s)
{
	s->label = *s->parts[0].recording.label;
	s->end = s->parts[0].recording.end;
	for (size_t i = 1; i < s->n; i++) {
		const struct recording *r = &s->parts[i].recording;

		if (r->label->version > s->label.version)
			s->label.version = r->label->version;
		if (stamp_compare(&r->end, &s->end) > 0)
			s->end = r->end;
	}
}

bool source_open(struct source *s, const char *name)
{
	*s = (struct source){.name = name, .records = -1};
	s->values = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	if (s->values < 0)
		return report_unopened(name, "ctx_a", s->values);
	s->records = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	if (s->records < 0)
		return report_unopened(name, "ctx_b", s->records);
	if (!open_parts(s))
		return false;
	unite(s);
	for (size_t i = 0; i < s->n; i++)
		recording_warn(&s->parts[i].recording, s->parts[i].name);
	return true;
}

void source_close(struct source *s)
{
	for (size_t i = 0; i < s->n; i++) {
		metadata_free(s->parts[i].metadata);
		recording_close(&s->parts[i].recording);
		free(s->parts[i].name);
	}
	free(s->parts);
	if (s->records >= 0)
		pmDestroyContext(s->records);
	if (s->values >= 0)
		pmDestroyContext(s->values);
}

void source_report_damage(const struct source *s)
{
	struct result_view view;

	for (size_t i = 0; i < s->n; i++) {
		struct archive *a = s->parts[i].recording.archive;
		int sts;

		archive_rewind(a);
		do {
			sts = archive_next(a, &view);
			if (sts > 0 && result_view_check(&view) < 0)
				sts = PM_ERR_LOGREC;
		} while (sts > 0);
		if (sts < 0)
			damage_report(a, s->parts[i].name, sts, "What follows it is not processed.");
	}
}
