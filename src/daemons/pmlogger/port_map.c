/* port_map - see port_map.h. */
#include "daemons/pmlogger/port_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum { PATH_LEN = 1024, FOLDER_MODE = 0775, FILE_MODE = 0644, COMM_MAX = 64 };

/* Of this process; "" for what is not there. The links lead to the two others. */
static char map_path[PATH_LEN];
static char map_link[PATH_LEN];
static char socket_path[PATH_LEN];
static char socket_link[PATH_LEN];

/* A number from 1 up and nothing else; 0 for another text. */
static pid_t pid_of(const char *text)
{
	char *end;
	long n = *text >= '1' && *text <= '9' ? strtol(text, &end, 10) : 0;

	return n > 0 && *end == '\0' && n == (pid_t)n ? (pid_t)n : 0;
}

/*
 * A process id may belong to another process by now, surely after a restart of the machine: then
 * the process has another name. (Where it cannot be read the process counts.)
 */
static bool is_recorder(pid_t pid)
{
	struct buffer comm = BUFFER_INIT;
	char path[64];
	bool other;

	if (pid == getpid() || __pmProcessExists(pid) == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	other = file_read_all(path, COMM_MAX, &comm) >= 0 &&
		strncmp(buffer_str(&comm), "pmlogger", strlen("pmlogger")) != 0;
	buffer_done(&comm);
	return !other;
}

static bool folder_of(char *path)
{
	const char *tmp = pmGetOptionalConfig("PCP_TMP_DIR");

	return tmp != NULL && snprintf(path, PATH_LEN, "%s/pmlogger", tmp) < PATH_LEN;
}

static bool port_map_join(char *path, const char *folder, const char *name)
{
	return snprintf(path, PATH_LEN, "%s/%s", folder, name) < PATH_LEN;
}

static void remove_socket_of(pid_t pid)
{
	const char *run = pmGetOptionalConfig("PCP_RUN_DIR");
	char path[PATH_LEN];

	if (run != NULL && snprintf(path, sizeof(path), "%s/pmlogger.%d.socket", run, (int)pid) <
			       (int)sizeof(path))
		unlink(path);
}

/* Files that processes left which could not clean up. */
static void port_map_sweep(const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	char path[PATH_LEN];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		pid_t pid = pid_of(entry->d_name);

		if (pid == 0 || pid == getpid() || is_recorder(pid) ||
		    !port_map_join(path, folder, entry->d_name))
			continue;
		unlink(path);
		remove_socket_of(pid);
	}
	if (dir != NULL)
		closedir(dir);
}

/* The process that a link leads to; 0: there is none, or it leads nowhere known. */
static pid_t linked_pid(const char *path)
{
	char target[PATH_LEN];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *name;

	if (n < 0)
		return 0;
	target[n] = '\0';
	name = strrchr(target, '/');
	return pid_of(name == NULL ? target : name + 1);
}

int port_map_claim(bool primary)
{
	char folder[PATH_LEN];
	char path[PATH_LEN];
	pid_t other;
	int r;

	if (!folder_of(folder) || !port_map_join(path, folder, "primary"))
		return -ENAMETOOLONG;
	r = file_mkdirs(folder, FOLDER_MODE);
	if (r < 0)
		return r;
	other = linked_pid(path);
	if (primary && other > 0 && is_recorder(other)) {
		fprintf(stderr,
			"%s: ERROR: there is already a primary pmlogger running, pid %d "
			"linkfile=%s\n",
			pmGetProgname(), (int)other, path);
		return -EEXIST;
	}
	if (other > 0 && other != getpid() && !is_recorder(other))
		unlink(path);
	port_map_sweep(folder);
	return 0;
}

/* Under another name first, so that no reader meets half a file. */
static int write_file(const char *path, const struct port_map *map)
{
	struct buffer text = BUFFER_INIT;
	char fresh[PATH_LEN + 8];
	AUTO_FD int fd = -1;
	int r;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	buffer_printf(&text, "%d\n%s\n%s\n", map->port, map->pmcd_host, map->archive);
	if (map->note != NULL)
		buffer_printf(&text, "%s\n", map->note);
	r = text.err;
	fd = r < 0 ? -1 : open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	if (r == 0 && fd < 0)
		r = -errno;
	if (r == 0 && fchmod(fd, FILE_MODE) < 0)
		r = -errno;
	if (r == 0)
		r = file_write_full(fd, buffer_head(&text), buffer_pending(&text));
	if (r == 0 && rename(fresh, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(fresh);
	buffer_done(&text);
	return r;
}

/* A link to the target in the place of whatever was there. */
static int make_link(const char *target, const char *path)
{
	char fresh[PATH_LEN + 24];

	snprintf(fresh, sizeof(fresh), "%s.%d", path, (int)getpid());
	unlink(fresh);
	if (symlink(target, fresh) < 0)
		return -errno;
	if (rename(fresh, path) < 0) {
		int r = -errno;

		unlink(fresh);
		return r;
	}
	return 0;
}

static int write_links(const struct port_map *map, const char *folder)
{
	const char *slash = strrchr(map->socket, '/');
	char run[PATH_LEN];
	int r;

	if (!port_map_join(map_link, folder, "primary"))
		return -ENAMETOOLONG;
	r = make_link(map_path, map_link);
	if (r < 0 || slash == NULL)
		return r;
	snprintf(run, sizeof(run), "%.*s", (int)(slash - map->socket), map->socket);
	if (!port_map_join(socket_link, run, "pmlogger.primary.socket"))
		return -ENAMETOOLONG;
	return make_link(map->socket, socket_link);
}

int port_map_write(const struct port_map *map)
{
	char folder[PATH_LEN];
	char name[24];
	int r;

	snprintf(socket_path, sizeof(socket_path), "%s", map->socket);
	snprintf(name, sizeof(name), "%d", (int)getpid());
	if (!folder_of(folder) || !port_map_join(map_path, folder, name))
		return -ENAMETOOLONG;
	/* The file last: a reader that finds it finds everything. */
	r = map->primary ? write_links(map, folder) : 0;
	return r < 0 ? r : write_file(map_path, map);
}

/* The link may be another primary recorder's by now. */
static void remove_link(const char *path, const char *target)
{
	char there[PATH_LEN];
	ssize_t n = *path == '\0' ? -1 : readlink(path, there, sizeof(there) - 1);

	if (n < 0)
		return;
	there[n] = '\0';
	if (strcmp(there, target) == 0)
		unlink(path);
}

void port_map_remove(void)
{
	remove_link(map_link, map_path);
	remove_link(socket_link, socket_path);
	if (*map_path != '\0')
		unlink(map_path);
	if (*socket_path != '\0')
		unlink(socket_path);
}
