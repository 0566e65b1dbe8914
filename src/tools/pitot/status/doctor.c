/*
 * doctor - the table of checks, and the checks of the recorder.
 */
#include "tools/pitot/status/doctor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"
#include "tools/pitot/status/facts.h"

/*
 * doctor_recorder - checks of the recorder of the user's `pitot up`; rows below.
 *
 * Of down, restarting, stalled and folder-gone at most one is reported: the cause, not its
 * consequences.
 */

enum {
	ENDS_MANY = 2,       /* this many ends within ... */
	ENDS_RECENT_S = 600, /* ... means "again and again" */
	INTERVALS_MISSED = 3,
	STALLED_MIN_S = 15, /* a delay that a busy host may cause */
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

/* After the repair the running `pitot up` starts the recorder by itself. */
static void mend_by_log(struct doctor *d, const struct facts *f)
{
	if (config_is_bad(f))
		doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->recorder.config));
	doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->target.place.pmlogger_log));
}

static void check_recorder_down(struct doctor *d, const struct facts *f)
{
	if (!f->recording || runs(f) || ends_again_and_again(f) || folder_is_gone(f))
		return;
	doctor_find(d, NULL, "the recorder does not run%s%s",
		    f->recorder.why[0] != '\0' ? ": it " : "", f->recorder.why);
	mend_by_log(d, f);
}

static void check_recorder_restarting(struct doctor *d, const struct facts *f)
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

/* Without a collector that answers nothing can be recorded. */
static void check_recorder_stalled(struct doctor *d, const struct facts *f)
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

/* `pitot up` restarts a recorder that was ended, and the new one makes another archive. */
static void check_recorder_folder_gone(struct doctor *d, const struct facts *f)
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
		doctor_find(d, folder, "the folder of the archives %s: %s", folder,
			    strerror(errno));
	if (there && end[0] != '\0')
		doctor_mend(d, "%s", end);
	else if (!there)
		doctor_mend(
		    d, "install -d -m %s -o %s %s%s", geteuid() == 0 ? "755" : "700",
		    user_name(f->process.uid >= 0 ? f->process.uid : geteuid(), user, sizeof(user)),
		    word, end);
}

static void check_recorder_overlapping(struct doctor *d, const struct facts *f)
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

static void check_recorder_configuration(struct doctor *d, const struct facts *f)
{
	const char *first = f->record_text;
	int len = (int)strcspn(first, "\n");
	const char *second =
	    first + len + (first[len] == '\n'); /* the line number and the mistake */

	if (!config_is_bad(f))
		return;
	doctor_find(d, f->recorder.config, "%.*s%s%.*s", len, first, second[0] != '\0' ? " " : "",
		    (int)strcspn(second, "\n"), second);
	doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->recorder.config));
}

/* The table of checks; the functions are here and in doctor_*.c. */

/* clang-format off */
const struct doctor_check doctor_checks[] = {
	/* name                 severity          reason */
	{ "not-running",        SEVERITY_ERROR,   "there are no metrics without a collector",                     check_not_running },
	{ "unreachable",        SEVERITY_ERROR,   "no client can ask it",                                         check_unreachable },
	{ "collector-hung",     SEVERITY_ERROR,   "clients wait for answers that do not come",                    check_hung },
	{ "collector-restarting", SEVERITY_ERROR, "it ended and has not come back; its log says why",             check_restarting },
	{ "port-taken",         SEVERITY_ERROR,   "a collector can't listen there",                               check_port_taken },
	{ "other-collector",    SEVERITY_NOTE,    "clients that name no host may ask that one",                   check_other_collector },
	{ "stale-socket",       SEVERITY_WARNING, "clients that try it are refused",                              check_stale_socket },
	{ "stale-lock",         SEVERITY_NOTE,    "an earlier `pitot up` was killed; the next one takes the lock over", check_stale_lock },
	{ "stale-pidfile",      SEVERITY_WARNING, "scripts take another process for the collector",               check_stale_pidfile },
	{ "agent-down",         SEVERITY_ERROR,   "its metrics have no values",                                   check_agent_down },
	{ "agent-restarting",   SEVERITY_ERROR,   "it dies as soon as it is asked; its metrics come and go",      check_agent_restarting },
	{ "agent-late",         SEVERITY_ERROR,   "until it answers its metrics have no values",                  check_agent_late },
	{ "agent-timeouts",     SEVERITY_WARNING, "samples are missing in what clients show and record",          check_agent_timeouts },
	{ "agent-notready",     SEVERITY_WARNING, "its metrics have no values until it says that it is ready",    check_agent_notready },
	{ "agent-fenced",       SEVERITY_WARNING, "its metrics are kept from all clients",                        check_agent_fenced },
	{ "recorder-down",      SEVERITY_ERROR,   "nothing is recorded until it runs again",                      check_recorder_down },
	{ "recorder-restarting", SEVERITY_ERROR,  "nothing is recorded; its log says why",                        check_recorder_restarting },
	{ "recorder-stalled",   SEVERITY_ERROR,   "what happens now is missing in what was recorded",             check_recorder_stalled },
	{ "recorder-folder-gone", SEVERITY_ERROR, "what is recorded now can't be read by anybody",                check_recorder_folder_gone },
	{ "recorder-overlapping", SEVERITY_WARNING, "tools that read the folder pass by the records of one of the two", check_recorder_overlapping },
	{ "recorder-configuration", SEVERITY_ERROR, "the next start of the recorder fails",                       check_recorder_configuration },
	{ "directory",          SEVERITY_ERROR,   "what belongs there can't be written",                          check_directory },
	{ "directory-owner",    SEVERITY_WARNING, "another user may put files there in place of the collector's", check_directory_owner },
	{ "disk-full",          SEVERITY_ERROR,   "nothing more can be written there",                            check_disk_full },
	{ "disk-nearly-full",   SEVERITY_WARNING, "soon nothing more can be written there",                       check_disk_nearly_full },
	{ "descriptors",        SEVERITY_WARNING, "a client takes a descriptor; without one it is refused",      check_descriptors },
	{ "descriptors-gone",   SEVERITY_ERROR,   "new clients are refused, or other clients are closed for them",           check_descriptors_gone },
	{ "descriptors-limit",  SEVERITY_WARNING, "so many clients is all that it can serve",                     check_descriptors_limit },
	{ "clock-stepped",      SEVERITY_WARNING, "rates over that moment are wrong, and recordings have a gap",  check_clock_stepped },
	{ "clock-was-stepped",  SEVERITY_NOTE,    "rates over that moment were wrong",                            check_clock_was_stepped },
	{ "clock-differs",      SEVERITY_WARNING, "its time stamps can't be held against those of this host",     check_clock_differs },
	{ "clock-free-running", SEVERITY_NOTE,    "time stamps drift away from those of other hosts",             check_clock_free_running },
	{ "version",            SEVERITY_WARNING, "what was installed since is not what runs",                    check_version },
	{ "program-replaced",   SEVERITY_WARNING, "what was installed since is not what runs",                    check_program_replaced },
	{ "environment",        SEVERITY_WARNING, "clients in this shell go elsewhere, or see something else",    check_environment },
	{ "configuration",      SEVERITY_ERROR,   "the next start or SIGHUP refuses it, or leaves an agent out",  check_configuration },
	{ "name-space",         SEVERITY_ERROR,   "the names in that file are missing",                           check_name_space },
};
/* clang-format on */

const int doctor_nchecks = sizeof(doctor_checks) / sizeof(doctor_checks[0]);

void doctor_examine(struct doctor *d, const struct facts *f)
{
	for (int i = 0; i < doctor_nchecks; i++) {
		d->current = &doctor_checks[i];
		d->current->check(d, f);
	}
}
