/*
 * system - the running system as a whole: what it is, its constants, how long it is up, its load,
 * its users.
 */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utmpx.h>

#include "linux.h"
#include "scan.h"

/*
 * ---- names ----
 *
 * The running system: kernel, host name, distribution.
 *
 * /proc/sys/kernel has the fields of uname(2), and can be read under another root; the machine type
 * is there only since Linux 6.1. pmda.uname joins the five as uname -a does.
 */

struct uname {
	const char *release;
	const char *version;
	const char *sysname;
	const char *machine;
	const char *nodename;
	const char *distro;
	const char *all;
	const char *agent_version;
};

/* clang-format off */
static const struct agent_metric uname_metrics[] = {
	{ "kernel.uname.release", 12, 0, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, release),
	  "Release of the running kernel", "As uname -r.", 0 },
	{ "kernel.uname.version", 12, 1, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, version),
	  "Build of the running kernel", "As uname -v.", 0 },
	{ "kernel.uname.sysname", 12, 2, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, sysname),
	  "Name of the operating system", "As uname -s.", 0 },
	{ "kernel.uname.machine", 12, 3, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, machine),
	  "Type of the machine", "As uname -m.", 0 },
	{ "hinv.machine", 18, 7, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, machine),
	  "Type of the machine", "The same as kernel.uname.machine.", 0 },
	{ "kernel.uname.nodename", 12, 4, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, nodename),
	  "Name of the host", "As uname -n.", 0 },
	{ "pmda.uname", 12, 5, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, all),
	  "System name, host name, release, build and machine type", "As uname -a.", 0 },
	{ "pmda.version", 12, 6, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, agent_version),
	  "Version of the agent", "Of the PCP interface that it implements.", 0 },
	{ "kernel.uname.distro", 12, 7, STR, DISCRETE, ONE, AGENT_NONE, FIELD(uname, distro),
	  "Name and version of the distribution", NULL, 0 },
};
/* clang-format on */

/* The first line of a file; NULL if there is none. */
static const char *uname_read_line(struct agent_refresh *r, const char *path)
{
	const char *line;
	struct scan s;
	size_t len;

	if (agent_readf(r, &s.p, "%s", path) <= 0)
		return NULL;
	len = scan_rest(&s, &line);
	return len != 0 ? agent_string(r, line, len) : NULL;
}

static const char *read_machine(struct agent_refresh *r)
{
	const char *machine = uname_read_line(r, "proc/sys/kernel/arch");
	struct utsname u;

	if (machine != NULL || agent_root(r)[0] != '\0' || uname(&u) < 0)
		return machine;
	return agent_string(r, u.machine, strlen(u.machine));
}

/* PRETTY_NAME="..." of os-release. */
static const char *read_os_release(struct agent_refresh *r)
{
	struct scan s;

	if (agent_readf(r, &s.p, "etc/os-release") <= 0)
		return NULL;
	do {
		const char *name;
		size_t len;

		if (!scan_text(&s, "PRETTY_NAME="))
			continue;
		len = scan_rest(&s, &name);
		if (len >= 2 && name[0] == '"' && name[len - 1] == '"')
			return agent_string(r, name + 1, len - 2);
		return agent_string(r, name, len);
	} while (scan_next_line(&s));
	return NULL;
}

static const char *read_distro(struct agent_refresh *r)
{
	static const char *const files[] = {
	    "etc/fedora-release",
	    "etc/redhat-release",
	    "etc/SuSE-release",
	};
	const char *version = uname_read_line(r, "etc/debian_version");
	char name[256];

	if (version != NULL) {
		snprintf(name, sizeof(name), "Debian %s", version);
		return agent_string(r, name, strlen(name));
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		version = uname_read_line(r, files[i]);
		if (version != NULL)
			return version;
	}
	return read_os_release(r);
}

static const char *known(const char *text)
{
	return text != NULL ? text : "unknown";
}

static int uname_refresh(struct agent_refresh *r, void *snapshot)
{
	struct uname *u = snapshot;
	char all[1024];

	u->sysname = uname_read_line(r, "proc/sys/kernel/ostype");
	u->release = uname_read_line(r, "proc/sys/kernel/osrelease");
	u->version = uname_read_line(r, "proc/sys/kernel/version");
	u->nodename = uname_read_line(r, "proc/sys/kernel/hostname");
	u->machine = read_machine(r);
	u->distro = read_distro(r);
	u->agent_version = PCP_VERSION_STRING;
	snprintf(all, sizeof(all), "%s %s %s %s %s", known(u->sysname), known(u->nodename),
		 known(u->release), known(u->version), known(u->machine));
	u->all = agent_string(r, all, strlen(all));
	return u->release != NULL ? 0 : -ENOENT;
}

const struct agent_cluster uname_cluster = {
    .name = "uname",
    .source = "/proc/sys/kernel and /etc",
    .size = sizeof(struct uname),
    .refresh = uname_refresh,
    .metrics = uname_metrics,
    .nmetrics = NROWS(uname_metrics),
    .max_age_ms = 5000,
};

/* ---- constants of the running system that no file has ---- */

struct machine {
	uint32_t hz;
	uint32_t pagesize;
};

/* clang-format off */
static const struct agent_metric machine_metrics[] = {
	{ "kernel.all.hz", 0, 48, U32, DISCRETE, ONE, AGENT_PER_SEC, FIELD(machine, hz),
	  "Ticks per second of the times that the kernel reports", "USER_HZ.", 0 },
	{ "hinv.pagesize", 1, 11, U32, DISCRETE, ONE, AGENT_BYTE, FIELD(machine, pagesize),
	  "Size of a memory page", NULL, 0 },
};
/* clang-format on */

static int machine_refresh(struct agent_refresh *r, void *snapshot)
{
	struct machine *m = snapshot;

	m->hz = (uint32_t)sysconf(_SC_CLK_TCK);
	m->pagesize = (uint32_t)sysconf(_SC_PAGESIZE);
	return 0;
}

const struct agent_cluster machine_cluster = {
    .name = "machine",
    .source = "sysconf(3)",
    .size = sizeof(struct machine),
    .refresh = machine_refresh,
    .metrics = machine_metrics,
    .nmetrics = NROWS(machine_metrics),
};

/* ---- since boot: /proc/uptime ---- */

struct uptime {
	double up;
	double idle;
};

/* clang-format off */
static const struct agent_metric uptime_metrics[] = {
	{ "kernel.all.uptime", 26, 0, F64, INSTANT, ONE, AGENT_SEC, FIELD(uptime, up),
	  "Time since boot", "Suspended time included.", 0 },
	{ "kernel.all.idletime", 26, 1, F64, INSTANT, ONE, AGENT_SEC, FIELD(uptime, idle),
	  "Idle time since boot, of all processors together", "With n processors it may grow by n "
	  "seconds a second.", 0 },
};
/* clang-format on */

static int uptime_refresh(struct agent_refresh *r, void *snapshot)
{
	struct uptime *u = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/uptime", &s.p);

	if (n < 0)
		return (int)n;
	if (scan_double(&s, &u->up))
		scan_double(&s, &u->idle);
	return 0;
}

const struct agent_cluster uptime_cluster = {
    .name = "uptime",
    .source = "/proc/uptime",
    .size = sizeof(struct uptime),
    .refresh = uptime_refresh,
    .metrics = uptime_metrics,
    .nmetrics = NROWS(uptime_metrics),
};

/* ---- load averages and the number of tasks: /proc/loadavg ---- */

struct loadavg {
	uint64_t runnable;
	uint64_t nprocs;
	uint64_t lastpid;
};

struct average {
	float value;
};

static const struct agent_instance averages[] = {
    {1, "1 minute"},
    {5, "5 minute"},
    {15, "15 minute"},
};

static const struct agent_indom average_indom = {
    2, 1, averages, 3, "Spans of the load averages", "1, 5 and 15 minutes.",
};

/* clang-format off */
static const struct agent_metric loadavg_metrics[] = {
	{ "kernel.all.load", 2, 0, F32, INSTANT, &average_indom, AGENT_NONE, FIELD(average, value),
	  "Load averages",
	  "Tasks running, ready to run or blocked in the kernel, averaged over 1, 5 "
	  "and 15 minutes with exponential damping.", 0 },
	{ "kernel.all.lastpid", 2, 1, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, lastpid),
	  "Number given to a task last", "Of the agent's own process number space.", 0 },
	{ "kernel.all.runnable", 2, 2, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, runnable),
	  "Tasks on the run queues", "Running or ready to run, threads included.", 0 },
	{ "kernel.all.nprocs", 2, 3, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, nprocs),
	  "Tasks in the system", "Processes and their threads.", 0 },
};
/* clang-format on */

static int loadavg_refresh(struct agent_refresh *r, void *snapshot)
{
	struct loadavg *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/loadavg", &s.p);
	double load;

	if (n < 0)
		return (int)n;
	for (int i = 0; i < 3; i++) {
		struct average *a = agent_add_id(r, &average_indom, averages[i].id, NULL);

		if (a == NULL)
			return -ENOMEM;
		if (scan_double(&s, &load))
			a->value = (float)load;
	}
	if (!scan_u64(&s, &all->runnable) || *s.p != '/')
		return 0;
	s.p++;
	scan_u64(&s, &all->nprocs);
	scan_u64(&s, &all->lastpid);
	return 0;
}

const struct agent_cluster loadavg_cluster = {
    .name = "loadavg",
    .source = "/proc/loadavg",
    .size = sizeof(struct loadavg),
    .refresh = loadavg_refresh,
    .metrics = loadavg_metrics,
    .nmetrics = NROWS(loadavg_metrics),
    .fills = {{&average_indom, sizeof(struct average), 0}},
};

/* ---- sessions: the records of /run/utmp. Without that file there are none ---- */

struct users {
	uint32_t nusers;
	uint32_t nroots;
	uint32_t nsessions;
};

/* clang-format off */
static const struct agent_metric users_metrics[] = {
	{ "kernel.all.nusers", 25, 0, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nusers),
	  "Users logged in", "Records of user processes, those of root included.", 0 },
	{ "kernel.all.nroots", 25, 1, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nroots),
	  "Times that root is logged in", "Records of user processes of the user root.", 0 },
	{ "kernel.all.nsessions", 25, 2, U32, INSTANT, ONE, AGENT_NONE, FIELD(users, nsessions),
	  "Sessions", "Records of user processes.", 0 },
};
/* clang-format on */

static int users_refresh(struct agent_refresh *r, void *snapshot)
{
	struct users *u = snapshot;
	struct utmpx record;
	const char *text;
	long len = agent_readf(r, &text, "run/utmp");

	*u = (struct users){0};
	if (len < 0)
		return len == -ENOENT ? 0 : (int)len;
	for (; len >= (long)sizeof(record); len -= (long)sizeof(record)) {
		memcpy(&record, text, sizeof(record));
		text += sizeof(record);
		if (record.ut_type != USER_PROCESS)
			continue;
		u->nusers++;
		u->nsessions++;
		if (strncmp(record.ut_user, "root", sizeof(record.ut_user)) == 0)
			u->nroots++;
	}
	return 0;
}

const struct agent_cluster users_cluster = {
    .name = "users",
    .source = "/run/utmp",
    .size = sizeof(struct users),
    .refresh = users_refresh,
    .metrics = users_metrics,
    .nmetrics = NROWS(users_metrics),
};
