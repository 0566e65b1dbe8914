/*
 * logger_ports - the recorders that run (docs/spec/logger.md A7, B6): on this host according to
 * their port map files, on another host according to its collector.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libbase/resolve.h"
#include "libpcp/defaults.h"

enum {
	FILE_LEN_MAX = 16384,
	PORT_MAX = 65535,
};

/* Entries with their own strings; all zero is an empty list. */
struct logger_ports {
	__pmLogPort *list;
	size_t n;
	size_t room;
};

static const char primary[] = "primary";

static void logger_ports_done(struct logger_ports *ports)
{
	for (size_t i = 0; i < ports->n; i++) {
		free(ports->list[i].pmcd_host);
		free(ports->list[i].archive);
		free(ports->list[i].name);
	}
	free(ports->list);
	*ports = (struct logger_ports){0};
}

/* Adds an entry; the strings are copied. 0 or -ENOMEM. */
static int logger_ports_add(struct logger_ports *ports, const __pmLogPort *port)
{
	__pmLogPort *mine;

	if (ports->n == ports->room) {
		size_t room = ports->room == 0 ? 8 : ports->room * 2;
		__pmLogPort *list = reallocarray(ports->list, room, sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		ports->list = list;
		ports->room = room;
	}
	mine = &ports->list[ports->n++];
	*mine = (__pmLogPort){.pid = port->pid, .port = port->port};
	mine->pmcd_host = strdup(port->pmcd_host);
	mine->archive = strdup(port->archive);
	mine->name = strdup(port->name);
	return mine->pmcd_host == NULL || mine->archive == NULL || mine->name == NULL ? -ENOMEM : 0;
}

/* ---- Recorders of another host -------------------------------------------------------------- */

enum { PORT, PMCD_HOST, ARCHIVE, NMETRIC };

static const char *const remote_names[NMETRIC] = {
    [PORT] = "pmcd.pmlogger.port",
    [PMCD_HOST] = "pmcd.pmlogger.pmcd_host",
    [ARCHIVE] = "pmcd.pmlogger.archive",
};

/* The text of an instance of a metric, malloc'd; NULL: it has none. */
static char *remote_text_of(const pmValueSet *vset, int inst)
{
	pmAtomValue atom;

	for (int i = 0; i < vset->numval; i++) {
		if (vset->vlist[i].inst == inst &&
		    pmExtractValue(vset->valfmt, &vset->vlist[i], PM_TYPE_STRING, &atom,
				   PM_TYPE_STRING) == 0)
			return atom.cp;
	}
	return NULL;
}

static int remote_take_entry(const pmResult *result, const pmValue *value, int *insts,
			     char **inst_names, int ninst, struct logger_ports *ports)
{
	static char unknown[] = "";
	char *host = remote_text_of(result->vset[PMCD_HOST], value->inst);
	char *archive = remote_text_of(result->vset[ARCHIVE], value->inst);
	__pmLogPort port = {.pid = value->inst, .port = value->value.lval};
	char *name = unknown;
	int r;

	for (int i = 0; i < ninst; i++) {
		if (insts[i] == value->inst)
			name = inst_names[i];
	}
	port.name = name;
	port.pmcd_host = host != NULL ? host : unknown;
	port.archive = archive != NULL ? archive : unknown;
	r = logger_ports_add(ports, &port);
	free(host);
	free(archive);
	return r;
}

static int remote_take_result(const pmResult *result, pmInDom indom, int pid,
			      struct logger_ports *ports)
{
	const pmValueSet *vset = result->vset[PORT];
	char **inst_names = NULL;
	int *insts = NULL;
	int n = vset->numval > 0 ? pmGetInDom(indom, &insts, &inst_names) : 0;
	int r = 0;

	if (vset->numval < 0)
		return vset->numval;
	for (int i = 0; i < vset->numval && r == 0; i++) {
		if (pid == PM_LOG_ALL_PIDS || pid == vset->vlist[i].inst)
			r = remote_take_entry(result, &vset->vlist[i], insts, inst_names, n, ports);
	}
	if (n > 0) {
		free(insts);
		free(inst_names);
	}
	return r;
}

/* In the current context. */
static int remote_ask(int pid, struct logger_ports *ports)
{
	const char *asked[NMETRIC];
	pmID pmids[NMETRIC];
	pmResult *result;
	pmDesc desc;
	int r;

	memcpy(asked, remote_names, sizeof(asked));
	r = pmLookupName(NMETRIC, asked, pmids);
	if (r >= 0 || r == PM_ERR_NAME)
		r = pmids[PORT] == PM_ID_NULL ? PM_ERR_NAME : pmLookupDesc(pmids[PORT], &desc);
	if (r >= 0)
		r = pmFetch(NMETRIC, pmids, &result);
	if (r < 0)
		return r;
	r = remote_take_result(result, desc.indom, pid, ports);
	pmFreeResult(result);
	return r;
}

/* The recorders that the collector of a host reports. Errors of contexts and fetches. */
static int logger_ports_there(const char *host, int pid, struct logger_ports *ports)
{
	int before = pmWhichContext();
	int ctx = pmNewContext(PM_CONTEXT_HOST, host);
	int r;

	if (ctx < 0)
		return ctx;
	r = remote_ask(pid, ports);
	pmDestroyContext(ctx);
	if (before >= 0)
		pmUseContext(before);
	return r;
}

/* ---- Recorders of this host ----------------------------------------------------------------- */

/* A whole number from 1 up; 0: it is none. */
static int number_of(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return errno != 0 || *end != '\0' || *text < '1' || *text > '9' || n > INT_MAX ? 0 : (int)n;
}

/* The next line of a text, ended by a NUL; "" after the last. */
static char *next_line(char **rest)
{
	char *line = strsep(rest, "\n");
	static char none[] = "";

	return line == NULL ? none : line;
}

/* The three lines of a file: port, collector, archive. 0, or -errno: -EINVAL for an invalid
 * port. */
static int ports_read_file(const char *path, int pid, const char *name, struct logger_ports *ports)
{
	struct buffer text = BUFFER_INIT;
	int r = file_is_regular(path) ? file_read_all(path, FILE_LEN_MAX, &text) : -ENOENT;

	if (r >= 0) {
		char *rest = (char *)(uintptr_t)buffer_str(&text);
		__pmLogPort port = {.pid = pid, .name = (char *)(uintptr_t)name};

		port.port = number_of(next_line(&rest));
		port.pmcd_host = next_line(&rest);
		port.archive = next_line(&rest);
		r = port.port < 1 || port.port > PORT_MAX ? -EINVAL
							  : logger_ports_add(ports, &port);
	}
	buffer_done(&text);
	return r;
}

static bool is_wanted(const char *name, int pid)
{
	int id = number_of(name);

	if (strcmp(name, primary) == 0)
		return pid == PM_LOG_ALL_PIDS || pid == PM_LOG_PRIMARY_PID;
	if (id == 0 || (pid != PM_LOG_ALL_PIDS && pid != id))
		return false;
	return __pmProcessExists(id) != 0;
}

/* One file. 0 also for one that is left out, or -ENOMEM. */
static int take_file(const char *folder, const char *name, struct logger_ports *ports)
{
	char path[MAXPATHLEN];
	char text[PM_MAXERRMSGLEN];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	r = ports_read_file(path, strcmp(name, primary) == 0 ? 0 : number_of(name), name, ports);
	/* It may just have gone, with its recorder. */
	if (r < 0 && r != -ENOMEM && r != -ENOENT)
		pmNotifyErr(LOG_WARNING, "__pmLogFindPort: %s is no port map of a pmlogger: %s\n",
			    path, pmErrStr_r(r, text, sizeof(text)));
	return r == -ENOMEM ? r : 0;
}

/* The recorders of the files in a folder; a malformed file is reported and left out. */
static int logger_ports_here(const char *folder, int pid, struct logger_ports *ports)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	int r = 0;

	/* Where no recorder has ever run there is no folder. */
	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < n; i++) {
		if (r == 0 && is_wanted(entries[i]->d_name, pid))
			r = take_file(folder, entries[i]->d_name, ports);
		free(entries[i]);
	}
	free(entries);
	return r;
}

/* ---- Which host is ours --------------------------------------------------------------------- */

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)a)->sin_addr,
			      &((const struct sockaddr_in *)b)->sin_addr,
			      sizeof(struct in_addr)) == 0;
	return a->sa_family == AF_INET6 &&
	       memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		      &((const struct sockaddr_in6 *)b)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

static bool have_common(const struct addrinfo *a, const struct addrinfo *b)
{
	for (; a != NULL; a = a->ai_next) {
		for (const struct addrinfo *x = b; x != NULL; x = x->ai_next) {
			if (same_address(a->ai_addr, x->ai_addr))
				return true;
		}
	}
	return false;
}

/* True if the list has an address that the other name has too. */
static bool shares_address(const struct addrinfo *list, const char *name)
{
	struct addrinfo *others;
	bool common;

	if (resolve_host_within(name, timeouts_connect_ms(), &others) != 0)
		return false;
	common = have_common(list, others);
	freeaddrinfo(others);
	return common;
}

int __pmIsLocalhost(const char *host)
{
	char self[MAXHOSTNAMELEN];
	struct addrinfo *list;
	bool local;

	if (strcmp(host, "localhost") == 0 || strncmp(host, "local:", 6) == 0 ||
	    strncmp(host, "unix:", 5) == 0)
		return 1;
	if (gethostname(self, sizeof(self)) < 0)
		return -errno;
	self[sizeof(self) - 1] = '\0';
	if (strcmp(host, self) == 0)
		return 1;
	if (*host == '\0' || resolve_host_within(host, timeouts_connect_ms(), &list) != 0)
		return -EHOSTUNREACH;
	local = shares_address(list, "localhost") || shares_address(list, self);
	freeaddrinfo(list);
	return local ? 1 : 0;
}

/* The recorders of this user's `pitot up`, and those of the system. */
static int logger_ports_of_host(int pid, struct logger_ports *ports)
{
	const char *tmp = pmGetOptionalConfig("PCP_TMP_DIR"), *folder;
	char path[MAXPATHLEN];
	size_t pos = 0;
	int r = 0;

	while (r == 0 && (folder = defaults_own_folder(&pos)) != NULL) {
		snprintf(path, sizeof(path), "%s/pmlogger", folder);
		r = logger_ports_here(path, pid, ports);
	}
	/* One process, or the one primary, is wanted and found. */
	if (r < 0 || (ports->n > 0 && pid != PM_LOG_ALL_PIDS))
		return r;
	snprintf(path, sizeof(path), "%s/pmlogger", tmp == NULL ? "" : tmp);
	return logger_ports_here(path, pid, ports);
}

int __pmLogFindPort(const char *host, int pid, __pmLogPort **list)
{
	static struct logger_ports found;
	int local = host == NULL ? 1 : __pmIsLocalhost(host);
	int r = local < 0 ? local : 0;

	logger_ports_done(&found);
	if (local == 1)
		r = logger_ports_of_host(pid, &found);
	else if (local == 0)
		r = logger_ports_there(host, pid, &found);
	*list = found.list;
	return r < 0 ? r : (int)found.n;
}
