/*
 * place - the folders and programs of `pitot up`.
 */
#include "tools/pitot/up/up.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"

static int path_set(char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int path_set(char *path, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, PLACE_PATH, fmt, ap);
	va_end(ap);
	if (n >= 0 && n < PLACE_PATH)
		return 0;
	pitot_complain("path is too long: %.60s...", path);
	return -1;
}

static int find_prefix(struct place *p)
{
	char exe[PLACE_PATH];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0) {
		pitot_complain("cannot find my own program: /proc/self/exe: %s; is /proc mounted?",
			       strerror(errno));
		return -1;
	}
	exe[n] = '\0';
	/* DIR/bin/pitot */
	return path_set(p->prefix, "%s", dirname(dirname(exe)));
}

/* The value of an environment variable that holds an absolute path, else NULL. */
static const char *env_dir(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && v[0] == '/' ? v : NULL;
}

/* True if the directory exists or can be made; the nearest existing parent decides. */
static bool is_usable(const char *path)
{
	char part[PLACE_PATH];
	char *slash;

	snprintf(part, sizeof(part), "%s", path);
	while (access(part, F_OK) < 0 && errno == ENOENT) {
		slash = strrchr(part, '/');
		if (slash == NULL || slash == part)
			return access("/", W_OK | X_OK) == 0;
		*slash = '\0';
	}
	return access(part, W_OK | X_OK) == 0;
}

/* Makes dir/rest if it is usable: 1; 0 if it is not, or if dir is not known. -1 after a message. */
static int take_dir(char *path, const char *dir, const char *rest)
{
	if (dir == NULL)
		return 0;
	if (path_set(path, "%s/%s", dir, rest) < 0)
		return -1;
	return is_usable(path);
}

/* In a container the usual places may be missing or read-only: then a folder below /tmp is used. */
static int fall_back(struct place *p, char *path, const char *rest)
{
	if (p->tmp_dir[0] == '\0' &&
	    path_set(p->tmp_dir, "/tmp/pitot-%u", (unsigned int)geteuid()) < 0)
		return -1;
	return path_set(path, "%s/%s", p->tmp_dir, rest);
}

static int find_dirs(struct place *p)
{
	bool root = geteuid() == 0;
	int r;

	r = take_dir(p->state_dir, root ? "/var/lib" : env_dir("XDG_STATE_HOME"), "pitot");
	if (r == 0 && !root)
		r = take_dir(p->state_dir, env_dir("HOME"), ".local/state/pitot");
	if (r == 0)
		r = fall_back(p, p->state_dir, "state");
	if (r < 0)
		return -1;
	r = take_dir(p->run_dir, root ? "/run" : env_dir("XDG_RUNTIME_DIR"), "pitot");
	if (r == 0)
		r = fall_back(p, p->run_dir, "run");
	return r < 0 ? -1 : 0;
}

int place_find(struct place *p)
{
	const char *v;

	p->lock_fd = p->archive_lock_fd = -1;
	p->tmp_dir[0] = '\0';
	if (find_prefix(p) < 0)
		return -1;
	if (find_dirs(p) < 0)
		return -1;
	if ((v = env_dir("PCP_RUN_DIR")) != NULL && path_set(p->run_dir, "%s", v) < 0)
		return -1;
	if ((v = env_dir("PCP_VAR_DIR")) != NULL ? path_set(p->var_dir, "%s", v) < 0
						 : path_set(p->var_dir, "%s/pcp", p->state_dir) < 0)
		return -1;
	if ((v = env_dir("PCP_LOG_DIR")) != NULL ? path_set(p->log_dir, "%s", v) < 0
						 : path_set(p->log_dir, "%s/log", p->state_dir) < 0)
		return -1;
	if (path_set(p->socket, "%s/pmcd.socket", p->run_dir) < 0 ||
	    path_set(p->lock, "%s/pitot.lock", p->run_dir) < 0 ||
	    path_set(p->pmcd_log, "%s/pmcd.log", p->log_dir) < 0 ||
	    path_set(p->pmlogger_log, "%s/pmlogger.log", p->log_dir) < 0 ||
	    path_set(p->port_dir, "%s/pmlogger", p->run_dir) < 0)
		return -1;
	if ((v = env_dir("PCP_ARCHIVE_DIR")) != NULL
		? path_set(p->archive_dir, "%s", v) < 0
		: path_set(p->archive_dir, "%s/archives", p->state_dir) < 0)
		return -1;
	if (strlen(p->socket) >= sizeof(((struct sockaddr_un *)0)->sun_path)) {
		pitot_complain("path of the socket is too long for a socket (%zu bytes): %s; "
			       "set XDG_RUNTIME_DIR or PCP_RUN_DIR to a shorter one",
			       strlen(p->socket), p->socket);
		return -1;
	}
	return 0;
}

static int make_dir(const char *path, mode_t mode)
{
	char part[PLACE_PATH];
	size_t len = strlen(path);
	struct stat st;

	memcpy(part, path, len + 1);
	for (size_t i = 1; i <= len; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, mode) < 0 && (stat(part, &st) < 0 || !S_ISDIR(st.st_mode))) {
			pitot_complain("cannot make the directory %s: %s", path,
				       strerror(errno == EEXIST ? ENOTDIR : errno));
			return -1;
		}
		part[i] = path[i];
	}
	if (access(path, W_OK | X_OK) < 0) {
		pitot_complain("cannot write in the directory %s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}

/*
 * In a place that all users may write to, a directory could be another user's trap, also for root.
 */
static int check_owner(const char *path, bool in_tmp)
{
	struct stat st;

	if (lstat(path, &st) < 0 ||
	    (S_ISDIR(st.st_mode) && (st.st_uid == geteuid() || (geteuid() == 0 && !in_tmp))))
		return 0;
	pitot_complain(
	    "%s belongs to another user (uid %u) or is no directory; set XDG_RUNTIME_DIR "
	    "or PCP_RUN_DIR to a directory of yours",
	    path, (unsigned int)st.st_uid);
	return -1;
}

/*
 * Locks the file at path and writes our process id to it. Returns its descriptor; -1 after a
 * message; -2 if another process has it: pid is its id, or "".
 */
static int lock_file(const char *path, char *pid, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	pid[0] = '\0';
	if (fd < 0) {
		pitot_complain("cannot write %s: %s", path, strerror(errno));
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		ssize_t n = read(fd, pid, size - 1);

		pid[n > 0 ? n : 0] = '\0';
		pid[strcspn(pid, "\n")] = '\0';
		close(fd);
		return -2;
	}
	snprintf(pid, size, "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, strlen(pid), 0) < 0) {
		pitot_complain("cannot write %s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static int take_lock(struct place *p)
{
	char pid[16];
	int fd = lock_file(p->lock, pid, sizeof(pid));

	if (fd == -2)
		pitot_complain(
		    "already running%s%s, at unix:%s; see pitot status, or stop it first",
		    pid[0] != '\0' ? " as process " : "", pid, p->socket);
	if (fd < 0)
		return -1;
	p->lock_fd = fd;
	return 0;
}

int place_lock_archives(struct place *p)
{
	char path[PLACE_PATH], pid[16];
	int fd;

	if (path_set(path, "%s/.pitot.lock", p->archive_dir) < 0)
		return -1;
	fd = lock_file(path, pid, sizeof(pid));
	if (fd == -2)
		pitot_complain(
		    "another pitot up%s%s records into %s; set PCP_ARCHIVE_DIR to another "
		    "folder, or give --no-record",
		    pid[0] != '\0' ? ", process " : "", pid, p->archive_dir);
	if (fd < 0)
		return -1;
	p->archive_lock_fd = fd;
	return 0;
}

/* Instance numbers are stored with the state; the name space is part of the installation. */
static int link_names(const struct place *p)
{
	char from[PLACE_PATH], to[PLACE_PATH], old[PLACE_PATH];
	ssize_t n;

	if (path_set(from, "%s/pmns", p->var_dir) < 0 ||
	    path_set(to, "%s/var/lib/pcp/pmns", p->prefix) < 0)
		return -1;
	n = readlink(from, old, sizeof(old) - 1);
	if (n >= 0) {
		old[n] = '\0';
		if (strcmp(old, to) == 0)
			return 0;
		unlink(from);
	} else if (errno != ENOENT) {
		return 0; /* a directory of the user's own */
	}
	if (symlink(to, from) < 0) {
		pitot_complain("cannot write %s: %s", from, strerror(errno));
		return -1;
	}
	return 0;
}

int place_make(struct place *p, uid_t owner, gid_t group)
{
	char config[PLACE_PATH], pmda[PLACE_PATH];
	const char *dirs[] = {p->run_dir, p->state_dir, p->log_dir,     p->var_dir,
			      config,     pmda,         p->archive_dir, p->port_dir};
	const mode_t mode = geteuid() == 0 ? 0755 : 0700;

	if (path_set(config, "%s/config", p->var_dir) < 0 ||
	    path_set(pmda, "%s/config/pmda", p->var_dir) < 0)
		return -1;
	/* The owner of the folder below /tmp could exchange its contents. */
	if (p->tmp_dir[0] != '\0' &&
	    (make_dir(p->tmp_dir, mode) < 0 || check_owner(p->tmp_dir, true) < 0))
		return -1;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (check_owner(dirs[i], false) < 0 || make_dir(dirs[i], mode) < 0)
			return -1;
		if (owner != (uid_t)-1 && lchown(dirs[i], owner, group) < 0) {
			pitot_complain("cannot give %s to user %u: %s", dirs[i],
				       (unsigned int)owner, strerror(errno));
			return -1;
		}
	}
	if (take_lock(p) < 0)
		return -1;
	return link_names(p);
}

int place_export(const struct place *p)
{
	char conf[PLACE_PATH];

	if (path_set(conf, "%s/etc/pcp.conf", p->prefix) < 0)
		return -1;
	/*
	 * The tools' default address is not that of this collector: its options have the address.
	 */
	unsetenv("PMCD_PORT");
	unsetenv("PMCD_LOCAL");
	if (setenv("PCP_CONF", conf, 0) < 0 || setenv("PCP_RUN_DIR", p->run_dir, 1) < 0 ||
	    setenv("PCP_LOG_DIR", p->log_dir, 1) < 0 || setenv("PCP_TMP_DIR", p->run_dir, 0) < 0 ||
	    setenv("PCP_VAR_DIR", p->var_dir, 1) < 0 ||
	    setenv("PCP_ARCHIVE_DIR", p->archive_dir, 1) < 0) {
		pitot_complain("%s", strerror(errno));
		return -1;
	}
	return 0;
}

void place_clean(struct place *p)
{
	if (p->lock_fd < 0)
		return;
	/* The lock file is kept: another process may have opened it in the meantime. */
	if (p->archive_lock_fd >= 0)
		close(p->archive_lock_fd);
	p->archive_lock_fd = -1;
	unlink(p->socket);
	unlink(p->lock);
	close(p->lock_fd);
	p->lock_fd = -1;
	rmdir(p->port_dir);
	rmdir(p->run_dir);
	if (p->tmp_dir[0] != '\0')
		rmdir(p->tmp_dir); /* kept while it is not empty */
}
