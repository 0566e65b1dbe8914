/* portowner - see portowner.h. */
#include "portowner.h"

#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

enum { TCP_LISTEN_STATE = 0x0a };

/* Looks for a listening socket of the port; its inode, or 0. */
static unsigned long find_inode(const char *table, int port, int64_t *ret_uid)
{
	FILE *f = fopen(table, "re");
	unsigned long inode = 0;
	char line[512];

	if (f == NULL)
		return 0;
	while (inode == 0 && fgets(line, sizeof(line), f) != NULL) {
		unsigned int local, state;
		unsigned long uid, found;

		/* sl local remote state queues timer retransmits uid timeout inode */
		if (sscanf(line, " %*[^:]: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %lu %*s %lu", &local,
			   &state, &uid, &found) == 4 &&
		    (int)local == port && state == TCP_LISTEN_STATE) {
			inode = found;
			*ret_uid = (int64_t)uid;
		}
	}
	fclose(f);
	return inode;
}

static bool has_socket(const char *pid, const char *link)
{
	char path[300], target[64];
	const struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	if (d == NULL)
		return false;
	while (!found && (e = readdir(d)) != NULL) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, link) == 0;
	}
	closedir(d);
	return found;
}

static pid_t find_process(unsigned long inode)
{
	const struct dirent *e;
	char link[40];
	pid_t pid = 0;
	DIR *d = opendir("/proc");

	if (d == NULL)
		return 0;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	while (pid == 0 && (e = readdir(d)) != NULL) {
		if (isdigit((unsigned char)e->d_name[0]) && has_socket(e->d_name, link))
			pid = atoi(e->d_name);
	}
	closedir(d);
	return pid;
}

void portowner_find(int port, struct portowner *ret_owner)
{
	struct portowner o = {.port = port, .uid = -1};
	unsigned long inode = find_inode("/proc/net/tcp", port, &o.uid);
	struct process p;

	if (inode == 0)
		inode = find_inode("/proc/net/tcp6", port, &o.uid);
	o.taken = inode != 0;
	if (o.taken)
		o.pid = find_process(inode);
	if (o.pid > 0 && process_read(o.pid, &p))
		snprintf(o.name, sizeof(o.name), "%s", p.name);
	*ret_owner = o;
}

const char *user_name(int64_t uid, char *text, size_t size)
{
	const struct passwd *pw = uid >= 0 ? getpwuid((uid_t)uid) : NULL;

	if (pw != NULL)
		snprintf(text, size, "%s", pw->pw_name);
	else
		snprintf(text, size, "user %lld", (long long)uid);
	return text;
}

const char *portowner_text(const struct portowner *o, char *text, size_t size)
{
	char user[64];

	user_name(o->uid, user, sizeof(user));
	if (o->pid > 0)
		snprintf(text, size, "process %d (%s) of %s", (int)o->pid, o->name, user);
	else
		snprintf(text, size, "a process of %s", user);
	return text;
}
