/*
 * doctor_recorder - see doctor_recorder.h.
 *
 * Of down, restarting, stalled and folder-gone there is one finding at most: the cause, not its
 * consequences.
 */
#include "doctor_recorder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "doctor.h"
#include "facts.h"

enum {
	ENDS_MANY = 2, /* so many ends within ... */
	ENDS_RECENT_S = 600, /* ... is again and again */
	INTERVALS_MISSED = 3,
	STALLED_MIN_S = 15, /* a busy host may be late by this */
};

static bool runs(const struct facts *f)
{
	return f->recorder_process.pid > 0;
}

static bool folder_is_gone(const struct facts *f)
{
	return f->recording && (access(f->recorder.folder, F_OK) < 0 || f->archives.writing_gone);
}

static bool ends_again_and_again(const struct facts *f)
{
	return f->recording && f->recorder.ends >= ENDS_MANY &&
	       f->now_s - f->recorder.last_end < ENDS_RECENT_S;
}

static bool config_is_bad(const struct facts *f)
{
	return f->recording && f->record_status > 0 && f->record_status < CAPTURE_NOT_RUN;
}

/* The recorder that is started after a mend is that of the running `pitot up`, by itself. */
static void mend_by_log(struct doctor *d, const struct facts *f)
{
	if (config_is_bad(f))
		doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->recorder.config));
	doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->target.place.pmlogger_log));
}

void check_recorder_down(struct doctor *d, const struct facts *f)
{
	if (!f->recording || runs(f) || ends_again_and_again(f) || folder_is_gone(f))
		return;
	doctor_find(d, NULL, "the recorder does not run%s%s", f->recorder.why[0] != '\0' ? ": it " : "",
		    f->recorder.why);
	mend_by_log(d, f);
}

void check_recorder_restarting(struct doctor *d, const struct facts *f)
{
	if (!ends_again_and_again(f) || folder_is_gone(f))
		return;
	doctor_find(d, NULL, "the recorder ended %d times, %.0f s ago the last time: it %s",
		    f->recorder.ends, f->now_s - f->recorder.last_end, f->recorder.why);
	mend_by_log(d, f);
}

static double patience_s(const struct facts *f)
{
	return fmax(INTERVALS_MISSED * (double)f->recorder.interval_ms / 1000, STALLED_MIN_S);
}

/* Without a collector that answers there is nothing to record. */
void check_recorder_stalled(struct doctor *d, const struct facts *f)
{
	double age_s = f->now_s - f->archives.until;

	if (!f->recording || !runs(f) || folder_is_gone(f))
		return;
	if (f->recorder_process.stopped) {
		doctor_find(d, NULL, "the recorder (process %d) is stopped", (int)f->recorder.pid);
		doctor_mend(d, "kill -CONT %d", (int)f->recorder.pid);
		return;
	}
	if (f->reach < 0 || f->recorder.interval_ms == 0 || isnan(age_s) || age_s <= patience_s(f))
		return;
	doctor_find(d, NULL, "the last record is %.0f s old, and one is due every %.3g s", age_s,
		    (double)f->recorder.interval_ms / 1000);
	doctor_mend(d, "kill -KILL %d", (int)f->recorder.pid);
}

/* `pitot up` starts a recorder that was ended again, and that one makes an archive of its own. */
void check_recorder_folder_gone(struct doctor *d, const struct facts *f)
{
	const char *folder = f->recorder.folder;
	bool there = access(folder, F_OK) == 0;
	const char *word;
	char end[48] = "", user[64];

	if (!folder_is_gone(f))
		return;
	word = doctor_word(d, folder);
	if (runs(f))
		snprintf(end, sizeof(end), "%skill %d", there ? "" : "; ", (int)f->recorder.pid);
	if (there)
		doctor_find(d, folder, "the archive %s that is recorded is not in %s any more",
			    f->archives.writing, folder);
	else
		doctor_find(d, folder, "the folder of the archives %s: %s", folder, strerror(errno));
	if (there && end[0] != '\0')
		doctor_mend(d, "%s", end);
	else if (!there)
		doctor_mend(d, "install -d -m %s -o %s %s%s", geteuid() == 0 ? "755" : "700",
			    user_name(f->process.uid >= 0 ? f->process.uid : geteuid(), user,
				      sizeof(user)),
			    word, end);
}

void check_recorder_overlapping(struct doctor *d, const struct facts *f)
{
	const struct archives *a = &f->archives;
	const char *folder = f->recording ? f->recorder.folder : f->target.place.archive_dir;
	const char *word;

	if (f->target.kind != TARGET_UP || a->overlap_s <= 0)
		return;
	word = doctor_word(d, folder);
	doctor_find(d, a->covered, "the archives %s and %s in %s cover the same %.0f s", a->covered,
		    a->covering, folder, a->overlap_s);
	doctor_mend(d, "mkdir -p %s/aside; mv %s/%s.* %s/aside", word, word, a->covered, word);
}

void check_recorder_configuration(struct doctor *d, const struct facts *f)
{
	const char *first = f->record_text;
	int len = (int)strcspn(first, "\n");
	const char *second = first + len + (first[len] == '\n'); /* the line and the mistake */

	if (!config_is_bad(f))
		return;
	doctor_find(d, f->recorder.config, "%.*s%s%.*s", len, first, second[0] != '\0' ? " " : "",
		    (int)strcspn(second, "\n"), second);
	doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->recorder.config));
}
