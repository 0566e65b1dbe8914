/*
 * facts - gathers everything that `pitot status` prints and `pitot doctor` checks.
 */
#include "tools/pitot/status/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/up/up.h"

/*
 * Folders
 */

/*
 * The permissions of another user, by owner and mode; its groups are assumed to be the right ones.
 */
static int write_error_of(const struct stat *st, const struct statvfs *fs, int64_t uid)
{
	mode_t want = S_IWOTH | S_IXOTH;

	if ((fs->f_flag & ST_RDONLY) != 0)
		return -EROFS;
	if (uid == 0)
		return 0;
	if ((int64_t)st->st_uid == uid)
		want = S_IWUSR | S_IXUSR;
	else if ((st->st_mode & (S_IWGRP | S_IXGRP)) == (S_IWGRP | S_IXGRP))
		want = 0;
	return (st->st_mode & want) == want ? 0 : -EACCES;
}

/* Examines path for the user uid. */
static void folder_look(struct folder *f, const char *role, const char *path, int64_t uid)
{
	struct statvfs fs;
	struct stat st;

	*f = (struct folder){.role = role, .uid = -1, .free_part = 1, .inodes_part = 1};
	snprintf(f->path, sizeof(f->path), "%s", path);
	if (stat(path, &st) < 0 || statvfs(path, &fs) < 0) {
		f->error = -errno;
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		f->error = -ENOTDIR;
		return;
	}
	f->uid = st.st_uid;
	if (uid == (int64_t)geteuid())
		f->write_error =
		    faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
	else
		f->write_error = write_error_of(&st, &fs, uid);
	f->free_kb = (int64_t)(fs.f_bavail * (fs.f_frsize / 512) / 2);
	f->size_kb = (int64_t)(fs.f_blocks * (fs.f_frsize / 512) / 2);
	if (fs.f_blocks > 0)
		f->free_part = (double)fs.f_bavail / (double)fs.f_blocks;
	if (fs.f_files > 0)
		f->inodes_part = (double)fs.f_favail / (double)fs.f_files;
}

/*
 * Facts
 */

enum {
	PORT_DEFAULT = 44321,
	DOMAIN_OF_PMCD = 2, /* the agent that answers the request */
	START_SLACK_MS =
	    10000, /* a process id is assumed to be the collector's within this distance */
};

static void nap(double seconds)
{
	struct timespec ts = {.tv_sec = (time_t)seconds};

	ts.tv_nsec = (long)((seconds - (double)ts.tv_sec) * 1e9);
	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

/*
 * Processes
 */

/* The process id that a collector reports may be one of another host or of a container. */
static bool is_collector(const struct facts *f, const struct process *p)
{
	const struct collector *c = &f->collector;
	double now_ms = c->answered.boot_s * 1000;

	if (p->pid == f->target.socket_pid)
		return true;
	if (strcmp(p->name, "pmcd") != 0)
		return false;
	return c->uptime_ms < 0 ||
	       fabs(now_ms - (double)c->uptime_ms - (double)p->start_ms) < START_SLACK_MS;
}

static void look_at_processes(struct facts *f)
{
	struct collector *c = &f->collector;
	struct process p;

	if (!f->target.here || !process_read((pid_t)c->pid, &p) || !is_collector(f, &p))
		return;
	f->here = true;
	f->process = p;
	for (int i = 0; i < c->nagent; i++)
		process_read((pid_t)c->agents[i].pid, &c->agents[i].process);
}

static double cpu_percent(const struct process *before, const struct process *after, double seconds)
{
	if (before->pid != after->pid || before->start_ms != after->start_ms ||
	    before->cpu_us < 0 || seconds <= 0 || after->cpu_us < before->cpu_us)
		return NAN;
	return (double)(after->cpu_us - before->cpu_us) / 1e4 / seconds;
}

/*
 * The window
 */

static double facts_rate(int64_t before, int64_t after, double seconds)
{
	if (before < 0 || after < 0 || seconds <= 0)
		return NAN;
	return fmax(0, (double)(after - before)) / seconds;
}

/* PCP's counters have 32 bits. */
static int64_t unwrapped(int64_t before, int64_t after)
{
	return after >= before ? after : after + (INT64_C(1) << 32);
}

static void compare_agents(struct facts *f, const struct collector *before)
{
	struct collector *c = &f->collector;

	for (int i = 0; i < c->nagent; i++) {
		struct collector_agent *now = &c->agents[i];

		for (int j = 0; j < before->nagent; j++) {
			const struct collector_agent *then = &before->agents[j];

			if (then->domain != now->domain || then->requests < 0)
				continue;
			now->requests_per_s =
			    facts_rate(then->requests + (now->domain == DOMAIN_OF_PMCD),
				       now->requests, f->window_s);
			if (then->timeouts >= 0 && now->timeouts > then->timeouts)
				now->more_timeouts = now->timeouts - then->timeouts;
			now->process.cpu_percent =
			    cpu_percent(&then->process, &now->process, f->window_s);
		}
	}
}

static void facts_compare(struct facts *f, const struct facts *then)
{
	const struct collector *before = &then->collector;
	struct collector *now = &f->collector;

	f->step_s = moment_step(&before->answered, &now->answered);
	if (before->pid != now->pid)
		return; /* another collector: nothing can be compared */
	f->window_s = now->answered.boot_s - before->answered.boot_s;
	/* the request in between was made by this program */
	if (before->requests >= 0)
		f->requests_per_s = facts_rate(before->requests + 1, now->requests, f->window_s);
	if (before->fetches >= 0) {
		int64_t old = before->fetches + fmax(0, before->highres_fetches);

		f->fetches_per_s = facts_rate(
		    old + 1, unwrapped(old, now->fetches + fmax(0, now->highres_fetches)),
		    f->window_s);
	}
	f->process.cpu_percent = cpu_percent(&then->process, &f->process, f->window_s);
	compare_agents(f, before);
}

/* True if the kernel reports that no time service adjusts the clock. */
static bool is_unsynchronised(void)
{
	struct timex t = {.modes = 0};
	int state = adjtimex(&t);

	return state == TIME_ERROR || (state >= 0 && (t.status & STA_UNSYNC) != 0);
}

/*
 * The clocks differ by as much as the collector's stamp is outside of our two readings. A stamp
 * between them is explained by the duration of the exchange.
 */
static void look_at_clocks(struct facts *f)
{
	const struct collector *c = &f->collector;

	if (c->stamp < c->asked.wall_s)
		f->clock_off_s = c->stamp - c->asked.wall_s;
	else if (c->stamp > c->answered.wall_s)
		f->clock_off_s = c->stamp - c->answered.wall_s;
	if (c->uptime_ms >= 0 && !isnan(c->start_time))
		f->step_ever_s = c->stamp - c->start_time - (double)c->uptime_ms / 1000 -
				 (c->answered.boot_s - c->asked.boot_s);
	if (f->here)
		f->step_ever_s = c->answered.wall_s - c->start_time - (double)c->uptime_ms / 1000;
	f->unsynchronised = is_unsynchronised();
}

static int facts_look(struct facts *f, const struct collector_query *q)
{
	int r = collector_read(q, &f->collector);

	if (r == 0)
		look_at_processes(f);
	return r;
}

static void facts_init(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	process_init(&f->process);
	process_init(&f->recorder_process);
	collector_init(&f->collector);
	f->requests_per_s = f->fetches_per_s = f->requests_per_s_ever = NAN;
	f->step_ever_s = NAN;
}

/* Reads everything again, a window later, computes the rates, and frees the first reading. */
static int look_again(struct facts *f, const struct collector_query *q, double window_s)
{
	struct facts *then = malloc(sizeof(*then));
	int r;

	if (then == NULL)
		return 0; /* out of memory: keep the first reading */
	nap(window_s);
	*then = *f;
	process_init(&f->process);
	f->here = false;
	r = facts_look(f, q);
	if (r == 0)
		facts_compare(f, then);
	collector_free(&then->collector);
	free(then);
	return r;
}

static int ask_twice(struct facts *f, double window_s)
{
	struct collector_query *q;
	int r = collector_query_new(&q);

	if (r < 0)
		return r;
	r = facts_look(f, q);
	if (r == 0 && window_s > 0)
		r = look_again(f, q, window_s);
	collector_query_free(q);
	return r;
}

/* Returns 0 or the error of asking the collector. */
static int facts_ask(struct facts *f, double window_s)
{
	const struct collector *c = &f->collector;
	int context = pmNewContext(PM_CONTEXT_HOST, f->target.spec);
	int r = context < 0 ? context : ask_twice(f, window_s);

	if (r == 0) {
		if (c->requests >= 0 && c->uptime_ms > 0)
			f->requests_per_s_ever = (double)c->requests * 1000 / (double)c->uptime_ms;
		look_at_clocks(f);
		collector_count_names(&f->collector);
	}
	if (context >= 0)
		pmDestroyContext(context);
	if (r < 0) {
		collector_free(&f->collector);
		/* A listener that does not answer can be examined from outside. */
		process_read(f->target.socket_pid, &f->process);
	}
	return r;
}

/*
 * Around the collector
 */

static void facts_add_folder(struct facts *f, const char *role, const char *path, int64_t uid)
{
	for (int i = 0; i < f->nfolder; i++) {
		if (strcmp(f->folders[i].path, path) == 0)
			return;
	}
	if (f->nfolder < FACTS_FOLDERS)
		folder_look(&f->folders[f->nfolder++], role, path, uid);
}

static void look_at_folders(struct facts *f)
{
	const struct collector *c = &f->collector;
	const struct place *p = &f->target.place;
	int64_t uid = f->process.uid >= 0 ? f->process.uid : geteuid();
	char dir[PLACE_PATH];

	if (f->reach == 0 && !f->here)
		return;
	if (f->here && c->run_dir != NULL) {
		facts_add_folder(f, "run", c->run_dir, uid);
		if (c->log != NULL && c->log[0] == '/') {
			snprintf(dir, sizeof(dir), "%s", c->log);
			*strrchr(dir, '/') = '\0';
			facts_add_folder(f, "log", dir[0] != '\0' ? dir : "/", uid);
		}
		facts_add_folder(f, "tmp", c->tmp_dir, uid);
	}
	if (f->target.kind != TARGET_UP)
		return;
	if (f->recording)
		facts_add_folder(f, "archive", f->recorder.folder, uid);
	facts_add_folder(f, "run", p->run_dir, uid);
	facts_add_folder(f, "log", p->log_dir, uid);
	facts_add_folder(f, "state", p->state_dir, uid);
}

/* The recorder as `pitot up` describes it, and as its files and its process show it. */
static void look_at_recorder(struct facts *f)
{
	const struct place *p = &f->target.place;
	int64_t unused;
	struct timespec now;

	f->recording = f->target.kind == TARGET_UP && f->target.up_pid > 0 &&
		       recorder_state_read(p, &f->recorder);
	archives_look(&f->archives, p, f->recording ? f->recorder.folder : p->archive_dir);
	clock_gettime(CLOCK_REALTIME, &now);
	f->now_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	if (!f->recording)
		return;
	if (f->recorder.pid > 0)
		process_read(f->recorder.pid, &f->recorder_process);
	f->record_status =
	    verify_record(p, f->recorder.config, f->record_text, sizeof(f->record_text), &unused);
}

static void look_at_pidfile(struct facts *f)
{
	struct process p;
	FILE *file;
	int pid = 0;

	snprintf(f->pidfile.path, sizeof(f->pidfile.path), "%s/pmcd.pid",
		 f->collector.run_dir != NULL ? f->collector.run_dir : f->target.place.run_dir);
	file = fopen(f->pidfile.path, "re");
	if (file == NULL)
		return;
	if (fscanf(file, "%d", &pid) != 1 || pid <= 0)
		pid = -1;
	fclose(file);
	f->pidfile.pid = pid;
	f->pidfile.alive = process_read(pid, &p) && strcmp(p.name, "pmcd") == 0;
}

static void look_at_files(struct facts *f)
{
	const struct place *p = &f->target.place;
	const char *var_dir = f->collector.var_dir;

	if (f->here && f->collector.config != NULL)
		snprintf(f->config, sizeof(f->config), "%s", f->collector.config);
	else if (f->reach < 0)
		snprintf(f->config, sizeof(f->config), "%s/etc/pcp/pmcd/pmcd.conf", p->prefix);
	if (f->config[0] != '\0')
		f->config_status =
		    verify_config(p, f->config, f->config_text, sizeof(f->config_text));
	verify_names(var_dir != NULL ? var_dir : p->var_dir, f->names, sizeof(f->names),
		     f->names_text, sizeof(f->names_text));
}

static void look_around(struct facts *f)
{
	const char *port = getenv("PMCD_PORT");
	bool ours = f->here || (f->reach < 0 && f->target.kind != TARGET_HOST);

	/* A user who names a host knows its address. */
	redirect_judge(f->redirects, f->nredirect,
		       f->here && f->target.kind != TARGET_HOST ? &f->collector : NULL);
	if (!ours)
		return;
	look_at_recorder(f);
	look_at_folders(f);
	look_at_pidfile(f);
	look_at_files(f);
	portowner_find(port != NULL && atoi(port) > 0 ? atoi(port) : PORT_DEFAULT, &f->port);
}

int facts_gather(struct facts *f, const char *host, double window_s)
{
	facts_init(f);
	f->nredirect = redirect_note(f->redirects);
	if (target_find(&f->target, host) < 0)
		return -1;
	f->reach = facts_ask(f, window_s);
	look_around(f);
	return 0;
}

void facts_free(struct facts *f)
{
	collector_free(&f->collector);
}

/*
 * Agents as text
 */

const char *facts_agent_state(const struct collector_agent *a)
{
	const char *state = a->state;

	if (state == NULL)
		state = a->status == 0 ? "ready" : a->status == 1 ? "notready" : "down";
	if (a->fenced > 0 && strcmp(state, "down") != 0)
		return "fenced";
	if (a->late > 0 && strcmp(state, "ready") == 0)
		return "late";
	return state;
}

const char *facts_agent_kind(const struct collector_agent *a)
{
	static const char *const kinds[] = {"dso", "?", "socket", "?", "pipe"};

	return a->type >= 0 && a->type < 5 ? kinds[a->type] : "?";
}

/* docs/spec/pmcd.md 8.3 */
const char *facts_agent_error(const struct collector_agent *a, char *text, size_t size)
{
	int how = (int)(a->status & 0xff), status = (int)(a->status >> 8 & 0xff),
	    sig = (int)(a->status >> 16 & 0xff);
	const char *words = how == 4   ? "could not be started"
			    : how == 8 ? "broke the protocol, or did not answer in time"
				       : "ended";

	if (a->error != NULL)
		return a->error;
	if (a->status <= 1)
		return "";
	if (sig != 0)
		snprintf(text, size, "%s (signal %d)", words, sig);
	else
		snprintf(text, size, "%s (exit status %d)", words, status);
	return text;
}
