#include "tools/archive/recording.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "libstore/member.h"
#include "tools/common/finding.h"

bool recording_is_one(const char *name)
{
	struct stat st;

	if (strchr(name, ',') == NULL && (stat(name, &st) < 0 || !S_ISDIR(st.st_mode)))
		return true;
	fprintf(stderr, "%s: Multiple archives are not supported\n", pmGetProgname());
	return false;
}

static int load_meta(struct recording *r)
{
	int version = archive_label(r->archive)->version;
	int sts = archive_meta_new(&r->meta);

	if (sts < 0)
		return sts;
	return archive_meta_load(r->meta, archive_meta_member(r->archive), version, 0,
				 log_label_len(version), &r->meta_end);
}

static void note_end(struct recording *r)
{
	if (r->end_error < 0)
		r->end = (struct timespec){.tv_sec = PM_MAX_TIME_T};
}

int recording_open(const char *name, unsigned int flags, struct recording *ret_recording)
{
	struct recording r = {0};
	int sts = archive_open(name, flags, &r.archive);

	if (sts >= 0)
		sts = load_meta(&r);
	if (sts < 0) {
		recording_close(&r);
		return sts;
	}
	r.label = archive_label(r.archive);
	r.end_error = archive_end(r.archive, &r.end);
	note_end(&r);
	*ret_recording = r;
	return 0;
}

int recording_open_set(const char *names, struct recording *ret_recording)
{
	struct recording r = {0};
	int sts = archive_set_open(names, 0, &r.set);

	if (sts < 0)
		return sts;
	r.meta = archive_set_meta(r.set);
	r.label = archive_set_first_label(r.set);
	r.end_error = archive_set_end(r.set, &r.end);
	note_end(&r);
	*ret_recording = r;
	return 0;
}

static void report_refusal(const char *line)
{
	fprintf(finding(), "%s: Error: %s\n", pmGetProgname(), line);
}

void recording_report_refusals(void)
{
	member_on_refusal(report_refusal);
}

void recording_warn(const struct recording *r, const char *name)
{
	char text[PM_MAXERRMSGLEN];

	if (r->end_error < 0)
		fprintf(finding(),
			"%s: Cannot locate end of archive %s: %s\n\n"
			"WARNING: This archive is sufficiently damaged that it may not be possible "
			"to\n"
			"         produce complete information.  Continuing and hoping for the "
			"best.\n\n",
			pmGetProgname(), name, pmErrStr_r(r->end_error, text, sizeof(text)));
}

void recording_close(struct recording *r)
{
	if (r->set != NULL)
		archive_set_close(r->set);
	else
		archive_meta_free(r->meta);
	if (r->archive != NULL)
		archive_close(r->archive);
	*r = (struct recording){0};
}
