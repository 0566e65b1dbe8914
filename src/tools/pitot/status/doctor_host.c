/*
 * doctor_host - checks of what the host gives: room, rights, descriptors, time.
 */
#include "tools/pitot/status/doctor.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/status/facts.h"

enum {
	DISK_FULL_KB = 1 << 10,
	DISK_NEARLY_KB = 1 << 20, /* less than this, and less than the share, is nearly full */
	FDS_FEW = 256,            /* a lower limit is enough for few clients only */
	FDS_ENOUGH = 65536,
};

static const double disk_nearly_part = 0.05;
static const double fds_near_part = 0.8;
static const double step_window_s = 0.05;
static const double step_ever_s = 0.5;
static const double clock_off_here_s = 0.05;
static const double clock_off_far_s = 1;

/*
 * Directories
 */

static void owner_of(const struct facts *f, char *text, size_t size)
{
	user_name(f->process.uid >= 0 ? f->process.uid : geteuid(), text, size);
}

/*
 * The mode that `pitot up` uses: the folder of root's collector is open to all users who connect.
 */
static int mode_for(const struct facts *f)
{
	uid_t me = geteuid();

	return me != 0 && (f->process.uid < 0 || f->process.uid == (int64_t)me) ? 0700 : 0755;
}

/* While nothing runs a missing folder is normal: `pitot up` makes it. */
void check_directory(struct doctor *d, const struct facts *f)
{
	char user[64];

	owner_of(f, user, sizeof(user));
	for (int i = 0; i < f->nfolder; i++) {
		const struct folder *one = &f->folders[i];

		if (one->error == -ENOENT &&
		    (f->reach < 0 ||
		     strcmp(one->role, "archive") == 0)) /* reported by recorder-folder-gone */
			continue;
		if (one->error != 0) {
			doctor_find(d, one->path, "the %s directory %s: %s", one->role, one->path,
				    strerror(-one->error));
			doctor_mend(d, "install -d -m %o -o %s %s", mode_for(f), user,
				    doctor_word(d, one->path));
		} else if (one->write_error == -EROFS) {
			doctor_find(d, one->path, "the %s directory %s: %s", one->role, one->path,
				    strerror(EROFS));
			doctor_mend(d,
				    "mount -o remount,rw \"$(df --output=target %s | tail -n 1)\"",
				    doctor_word(d, one->path));
		} else if (one->write_error != 0) {
			doctor_find(d, one->path, "%s can't write in the %s directory %s: %s", user,
				    one->role, one->path, strerror(-one->write_error));
			doctor_mend(d, "chown %s %s && chmod u+rwx %s", user,
				    doctor_word(d, one->path), doctor_word(d, one->path));
		}
	}
}

void check_directory_owner(struct doctor *d, const struct facts *f)
{
	int64_t uid = f->process.uid >= 0 ? f->process.uid : (int64_t)geteuid();
	char user[64], owner[64];

	owner_of(f, user, sizeof(user));
	for (int i = 0; i < f->nfolder; i++) {
		const struct folder *one = &f->folders[i];

		if (one->error != 0 || one->uid == uid || one->uid == 0)
			continue;
		doctor_find(d, one->path,
			    "the %s directory %s belongs to %s, the collector is %s's", one->role,
			    one->path, user_name(one->uid, owner, sizeof(owner)), user);
		doctor_mend(d, "chown %s %s", user, doctor_word(d, one->path));
	}
}

static bool is_full(const struct folder *one)
{
	return one->error == 0 && (one->free_kb < DISK_FULL_KB || one->inodes_part <= 0);
}

static bool is_nearly_full(const struct folder *one)
{
	return one->error == 0 && !is_full(one) &&
	       ((one->free_part < disk_nearly_part && one->free_kb < DISK_NEARLY_KB) ||
		one->inodes_part < disk_nearly_part / 5);
}

static void find_full(struct doctor *d, const struct facts *f, const char *how,
		      bool (*is)(const struct folder *one))
{
	for (int i = 0; i < f->nfolder; i++) {
		const struct folder *one = &f->folders[i];

		if (!is(one))
			continue;
		doctor_find(d, one->path,
			    "the disk of the %s directory %s is %s: %lld MiB and %.0f %% of the "
			    "inodes are free",
			    one->role, one->path, how, (long long)one->free_kb / 1024,
			    one->inodes_part * 100);
		doctor_mend(d, "du -xah \"$(df --output=target %s | tail -n 1)\" | sort -h | tail",
			    doctor_word(d, one->path));
	}
}

void check_disk_full(struct doctor *d, const struct facts *f)
{
	find_full(d, f, "full", is_full);
}

void check_disk_nearly_full(struct doctor *d, const struct facts *f)
{
	find_full(d, f, "nearly full", is_nearly_full);
}

/*
 * Descriptors
 */

static int64_t fds_limit(const struct facts *f)
{
	return f->collector.fds_limit >= 0 ? f->collector.fds_limit : f->process.fds_limit;
}

static int64_t fds_open(const struct facts *f)
{
	return f->collector.fds >= 0 ? f->collector.fds : f->process.fds;
}

/*
 * The command never lowers the limit. The collector notices the change at once, without a restart.
 */
static void mend_limit(struct doctor *d, const struct facts *f)
{
	int64_t limit = fds_limit(f);
	long long more = limit > FDS_ENOUGH / 2 ? 2 * (long long)limit : FDS_ENOUGH;
	long long pid = f->collector.pid > 0 ? f->collector.pid : f->target.socket_pid;

	if (f->here && pid > 0)
		doctor_mend(d, "prlimit --nofile=%lld:%lld --pid %lld", more, more, pid);
}

void check_descriptors(struct doctor *d, const struct facts *f)
{
	int64_t limit = fds_limit(f), fds = fds_open(f);

	if (limit <= 0 || fds < 0 || (double)fds < fds_near_part * (double)limit ||
	    f->collector.starved > 0)
		return;
	doctor_find(d, NULL, "%lld of %lld descriptors are in use", (long long)fds,
		    (long long)limit);
	mend_limit(d, f);
}

void check_descriptors_gone(struct doctor *d, const struct facts *f)
{
	if (f->reach == PM_ERR_CONNLIMIT)
		doctor_find(d, f->target.spec,
			    "the collector at %s refuses this client: no descriptors are left, or "
			    "an access "
			    "rule limits the connections",
			    f->target.spec);
	else if (f->collector.starved > 0)
		doctor_find(
		    d, NULL,
		    "no descriptors are left: %lld clients, new ones are refused or replace others",
		    (long long)f->collector.clients);
	else
		return;
	mend_limit(d, f);
}

void check_descriptors_limit(struct doctor *d, const struct facts *f)
{
	int64_t limit = fds_limit(f);

	if (limit < 0 || limit >= FDS_FEW)
		return;
	doctor_find(d, NULL, "the collector may have %lld descriptors", (long long)limit);
	mend_limit(d, f);
}

/*
 * Time
 */

/* clang-format off */
static const struct {
	const char *there; /* a path that exists on hosts where the command works */
	const char *command;
} services[] = {
	{ "/run/systemd/system", "timedatectl set-ntp true" },
	{ "/usr/sbin/chronyd",   "chronyd" },
	{ "/usr/sbin/ntpd",      "ntpd -g" },
	{ "/usr/bin/apt-get",    "apt-get install -y chrony && chronyd" },
};
/* clang-format on */

/* The command that starts a time service on this host. */
static const char *time_service(void)
{
	const size_t n = sizeof(services) / sizeof(services[0]);

	for (size_t i = 0; i < n; i++) {
		if (access(services[i].there, F_OK) == 0)
			return services[i].command;
	}
	return services[0].command;
}

/* Nothing is known of another host: most hosts have systemd. */
static const char *far_time_service = "timedatectl set-ntp true";

void check_clock_stepped(struct doctor *d, const struct facts *f)
{
	if (f->window_s <= 0 || fabs(f->step_s) < step_window_s)
		return;
	doctor_find(d, NULL, "the clock of this host was set by %+.3f s while we looked (%.1f s)",
		    f->step_s, f->window_s);
	doctor_mend(d, "%s", time_service());
}

void check_clock_was_stepped(struct doctor *d, const struct facts *f)
{
	if (!f->here || isnan(f->step_ever_s) || fabs(f->step_ever_s) < step_ever_s)
		return;
	doctor_find(d, NULL,
		    "the clock of this host was set by %+.1f s since the collector started",
		    f->step_ever_s);
	doctor_mend(d, "%s", time_service());
}

void check_clock_differs(struct doctor *d, const struct facts *f)
{
	if (fabs(f->clock_off_s) < (f->here ? clock_off_here_s : clock_off_far_s))
		return;
	doctor_find(d, NULL, "the clock of the collector is %.3f s %s ours", fabs(f->clock_off_s),
		    f->clock_off_s > 0 ? "ahead of" : "behind");
	if (f->target.here)
		doctor_mend(d, "%s", time_service());
	else
		doctor_mend(d, "ssh %s %s", doctor_host_word(d, f), far_time_service);
}

void check_clock_free_running(struct doctor *d, const struct facts *f)
{
	if (!f->unsynchronised || !f->here)
		return;
	doctor_find(d, NULL, "no time service keeps the clock of this host right");
	doctor_mend(d, "%s", time_service());
}

/*
 * The rest
 */

void check_environment(struct doctor *d, const struct facts *f)
{
	for (int i = 0; i < f->nredirect; i++) {
		const struct redirect *r = &f->redirects[i];

		if (!r->elsewhere)
			continue;
		doctor_find(d, r->name, "%s is \"%s\"", r->name, r->value);
		doctor_mend(d, "unset %s", r->name);
	}
}
