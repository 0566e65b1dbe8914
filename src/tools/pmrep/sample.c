#include "tools/pmrep/report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/cmdline.h"

#define NS_PER_S 1000000000

static void sample_add(struct timespec *t, const struct timespec *more)
{
	t->tv_sec += more->tv_sec;
	t->tv_nsec += more->tv_nsec;
	if (t->tv_nsec >= NS_PER_S) {
		t->tv_nsec -= NS_PER_S;
		t->tv_sec++;
	}
}

static volatile sig_atomic_t interrupted;

static void sample_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* Makes SIGINT end the loop, for an output that must be completed. */
static void sample_catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = sample_interrupt, .sa_flags = SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

static void sample_wait(const struct report *r, struct timespec *due)
{
	if (r->archive && !r->settings.delay)
		return;
	sample_add(due, &r->interval);
	while (!interrupted && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL) == EINTR)
		continue;
}

static bool is_overall(const struct report *r)
{
	return r->settings.overall_rank || r->settings.overall_rank_alt;
}

/* Fetches and prints once. Returns 1 at the end of the report, 0, or an error after reporting it.
 */
static int sample_step(struct report *r)
{
	int sts = metrics_fetch(&r->metrics, &r->settings);

	if (sts == PM_ERR_EOL && r->archive)
		return 1;
	if (sts < 0) {
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", pmGetProgname(), pmErrStr(sts));
		return sts;
	}
	if ((sts & PMCD_NAMES_CHANGE) != 0 && r->settings.names_change != NULL &&
	    strcmp(r->settings.names_change, "abort") == 0)
		return 1;
	if (is_overall(r)) {
		rank_collect(r);
		return 0;
	}
	rank_values(r);
	r->output->sample(r);
	r->last = r->metrics.stamp;
	r->sampled = true;
	return 0;
}

int sample_run(struct report *r)
{
	struct timespec due;
	int sts = 0;

	if (r->output->end != NULL)
		sample_catch_interrupt();
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (int n = 0; r->samples == 0 || n < r->samples; n++) {
		if (n > 0)
			sample_wait(r, &due);
		if (interrupted)
			break;
		sts = sample_step(r);
		if (sts != 0 || r->failed || !output_flush())
			break;
	}
	if (sts >= 0 && is_overall(r))
		rank_print(r);
	return sts < 0 ? 1 : 0;
}
