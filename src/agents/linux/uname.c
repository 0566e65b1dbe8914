/*
 * uname - the running system: kernel, host name, distribution.
 *
 * /proc/sys/kernel has the fields of uname(2), and can be read under another root; the machine type
 * is there only since Linux 6.1. pmda.uname joins the five as uname -a does.
 */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "linux.h"
#include "scan.h"

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
static const char *read_line(struct agent_refresh *r, const char *path)
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
	const char *machine = read_line(r, "proc/sys/kernel/arch");
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
	const char *version = read_line(r, "etc/debian_version");
	char name[256];

	if (version != NULL) {
		snprintf(name, sizeof(name), "Debian %s", version);
		return agent_string(r, name, strlen(name));
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		version = read_line(r, files[i]);
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

	u->sysname = read_line(r, "proc/sys/kernel/ostype");
	u->release = read_line(r, "proc/sys/kernel/osrelease");
	u->version = read_line(r, "proc/sys/kernel/version");
	u->nodename = read_line(r, "proc/sys/kernel/hostname");
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
