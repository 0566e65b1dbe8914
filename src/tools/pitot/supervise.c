/* supervise - see supervise.h. */
#include "supervise.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "pitot.h"

enum {
	PAUSE_MIN_MS = 1000,
	PAUSE_MAX_MS = 60000,
	STEADY_MS = 60000, /* a run of this length forgets earlier deaths */
	STOP_MS = 5000,    /* how long one may take to end */
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int supervise_wait(int64_t timeout_ms)
{
	const sigset_t set = child_parent_signals();
	struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000};
	int sig;

	do {
		sig = timeout_ms < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &ts);
	} while (sig < 0 && errno == EINTR && timeout_ms < 0);
	return sig > 0 ? sig : 0;
}

int daemon_start(struct daemon *d, const struct daemon_user *user)
{
	int r = child_start(&d->child, (char **)d->argv, user->name, user->uid, user->gid);

	if (d->pause_ms == 0)
		d->pause_ms = PAUSE_MIN_MS;
	d->started_ms = now_ms();
	d->start_at_ms = 0;
	if (r < 0)
		pitot_complain("cannot start %s: %s", d->argv[0], strerror(-r));
	if (d->changed != NULL)
		d->changed(d);
	return r;
}

void daemon_stop(struct daemon *d)
{
	d->start_at_ms = 0;
	child_stop(&d->child, STOP_MS);
}

/* It has died: says so, and when it will start again. */
static void mourn(struct daemon *d, int64_t now)
{
	char text[64];

	if (now - d->started_ms > STEADY_MS)
		d->pause_ms = PAUSE_MIN_MS;
	pitot_complain("%s %s; starting it again in %d s (log: %s)", d->what,
		       child_status_text(&d->child, text, sizeof(text)), d->pause_ms / 1000, d->log);
	d->start_at_ms = now + d->pause_ms;
	d->pause_ms = d->pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : d->pause_ms * 2;
	if (d->changed != NULL)
		d->changed(d);
}

/* Does the work that is due for it; returns when the next is. */
static int64_t look_after(struct daemon *d, const struct daemon_user *user, int64_t now)
{
	if (d->start_at_ms == 0 && child_ended(&d->child))
		mourn(d, now);
	if (d->start_at_ms != 0 && now >= d->start_at_ms && daemon_start(d, user) < 0)
		d->start_at_ms = now + d->pause_ms;
	return d->start_at_ms != 0 ? d->start_at_ms : INT64_MAX;
}

void supervise(struct daemon *const daemons[], int n, const struct daemon_user *user, long seconds)
{
	const int64_t end = seconds > 0 ? now_ms() + seconds * 1000 : INT64_MAX;

	for (;;) {
		int64_t now = now_ms(), next = end;
		int sig;

		if (now >= end)
			return;
		for (int i = 0; i < n; i++) {
			int64_t at = look_after(daemons[i], user, now);

			if (at < next)
				next = at;
		}
		sig = supervise_wait(next == INT64_MAX ? -1 : next - now);
		if (sig == SIGINT || sig == SIGTERM)
			return;
		for (int i = 0; sig == SIGHUP && i < n; i++) {
			if (daemons[i]->rereads && daemons[i]->child.pid != 0)
				kill(daemons[i]->child.pid, SIGHUP);
		}
	}
}
