/*
 * pmrep - reports the values of metrics in columns (docs/spec/tools.md 12).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/pmrep/derived.h"
#include "tools/pmrep/report.h"

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

/* With -T, either the number of samples or the interval follows from the window. */
static void fit_window(struct report *r)
{
	double window = seconds(&r->pm.finish) - seconds(&r->pm.origin), interval;

	if (r->pm.finish_optarg == NULL || window < 0)
		return;
	if (r->samples == 0) {
		r->samples = (int)(window / seconds(&r->interval)) + 1;
	} else {
		if (r->samples == 1)
			r->samples = 2;
		interval = window / (r->samples - 1);
		r->interval.tv_sec = (time_t)interval;
		r->interval.tv_nsec = (long)((interval - (double)r->interval.tv_sec) * 1e9);
	}
}

static int set_mode(struct report *r)
{
	int sts = 0;

	if (r->archive && r->settings.interpol)
		sts = pmSetModeHighRes(PM_MODE_INTERP, &r->pm.origin, &r->interval);
	else if (r->archive)
		sts = pmSetModeHighRes(PM_MODE_FORW, &r->pm.origin, NULL);
	return sts;
}

static int report_failure(int sts)
{
	fprintf(stderr, "%s: %s%s\n", pmGetProgname(), pmErrStr(sts),
		sts == -ECONNREFUSED ? "; is pmcd running?" : "");
	return sts;
}

/* Opens the source, with its time zone and window. */
static int open_source(struct report *r, pmFG *ret_group)
{
	int type = r->pm.narchives > 0  ? PM_CONTEXT_ARCHIVE
		   : r->pm.context != 0 ? r->pm.context
					: PM_CONTEXT_HOST;
	int sts;

	if (r->pm.narchives > 0)
		r->source = r->pm.archives[0];
	else if (type == PM_CONTEXT_HOST)
		r->source = r->pm.nhosts > 0 ? r->pm.hosts[0] : SOURCE_DEFAULT_HOST;
	r->archive = type == PM_CONTEXT_ARCHIVE;
	r->pm.context = type;
	sts = pmCreateFetchGroup(ret_group, type, r->source);
	if (sts < 0)
		return report_failure(sts);
	pmGetContextHostName_r(pmGetFetchGroupContext(*ret_group), r->host, sizeof(r->host));
	sts = pmGetContextOptions(pmGetFetchGroupContext(*ret_group), &r->pm);
	if (sts < 0) {
		pmflush();
		return sts;
	}
	fit_window(r);
	sts = set_mode(r);
	return sts < 0 ? report_failure(sts) : 0;
}

/* True if a file of the archive to be written exists, or its folder does not; this is reported. */
static bool archive_is_refused(const struct report *r)
{
	char path[MAXPATHLEN];
	const char *slash = strrchr(r->file, '/');

	pmsprintf(path, sizeof(path), "%.*s", slash != NULL ? (int)(slash - r->file + 1) : 0,
		  r->file);
	if (slash != NULL && access(path, W_OK) != 0) {
		path[strlen(path) - 1] = '\0';
		fprintf(stderr, "Output directory %s not accessible.\n", path);
		return true;
	}
	pmsprintf(path, sizeof(path), "%s.index", r->file);
	if (access(path, F_OK) != 0)
		return false;
	fprintf(stderr, "Archive %s already exists.\n", r->file);
	return true;
}

/* Standard output becomes the file of -F, which must not exist. */
static int open_file(const struct report *r)
{
	if (r->file == NULL)
		return 0;
	if (access(r->file, F_OK) == 0) {
		fprintf(stderr, "File %s already exists.\n", r->file);
		return -EEXIST;
	}
	if (r->output == &archive_output)
		return archive_is_refused(r) ? -EEXIST : 0;
	if (freopen(r->file, "we", stdout) != NULL)
		return 0;
	fprintf(stderr, "%s: cannot write %s: %s\n", pmGetProgname(), r->file, strerror(errno));
	return -EIO;
}

static int report_all(struct report *r)
{
	int status = 0;

	if (open_file(r) < 0)
		return 1;
	if (r->settings.daemonize && daemon(1, 0) < 0)
		return 1;
	r->metrics.stamp = r->pm.origin;
	if (!r->settings.overall_rank && !r->settings.overall_rank_alt)
		r->output->begin(r);
	if (r->check)
		return 0;
	if (!r->failed)
		status = sample_run(r);
	if (r->output->end != NULL)
		r->output->end(r);
	return r->failed ? 1 : status;
}

int main(int argc, char **argv)
{
	struct report r = {0};
	pmFG group = NULL;
	int status;

	pmSetProgname(argv[0]);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (options_parse(&r, argc, argv, &status)) {
		status = 1;
		if (derived_register(&r.specs, r.settings.derived) >= 0 &&
		    open_source(&r, &group) >= 0 &&
		    metrics_find(&r.metrics, group, &r.specs, &r.settings) >= 0 &&
		    rank_check(&r) >= 0)
			status = report_all(&r);
	}
	places_done(&r.header);
	metrics_done(&r.metrics);
	if (group != NULL)
		pmDestroyFetchGroup(group);
	specs_done(&r.specs);
	settings_done(&r.settings);
	pmFreeOptions(&r.pm);
	return output_finish(status);
}
