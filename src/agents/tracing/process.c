/* process - see process.h. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"

enum {
	ENVIRON_MAX = 1 << 20,
	AUXV_MAX = 2048,
	STATE_FIELD = 3,
	THREADS_FIELD = 20,
	START_FIELD = 22
};

/* Up to size - 1 bytes of a file and a NUL: how many, or -errno. */
static long read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t r = 0;

	if (fd < 0)
		return -errno;
	while (n < size - 1 && (r = read(fd, text + n, size - 1 - n)) > 0)
		n += (size_t)r;
	r = r < 0 ? -errno : 0;
	close(fd);
	text[n] = '\0';
	return r < 0 ? r : (long)n;
}

void process_take_command(struct process *p, const char command[16])
{
	size_t n = 0;

	for (; n + 1 < sizeof(p->command) && command[n] != '\0'; n++) {
		unsigned char c = (unsigned char)command[n];

		p->command[n] = c < 0x20 || c == 0x7f ? '_' : command[n];
	}
	p->command[n] = '\0';
}

/* The beginning of a field of /proc/PID/stat; at: after the command. */
static const char *field_of(const char *at, int field)
{
	for (int i = STATE_FIELD; i < field; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	return at + strspn(at, " ");
}

int process_start(pid_t pid, uint64_t *ret_start)
{
	char path[32], text[1024], *at, state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_text(path, text, sizeof(text)) < 0)
		return -ESRCH;
	at = strrchr(text, ')'); /* the command may have anything in it */
	if (at == NULL)
		return -ESRCH;
	at++;
	state = *field_of(at, STATE_FIELD);
	/* A leader that has ended is a zombie for as long as other threads live. */
	if (state == 'X' || (state == 'Z' && atoi(field_of(at, THREADS_FIELD)) <= 1))
		return -ESRCH;
	*ret_start = strtoull(field_of(at, START_FIELD), NULL, 10);
	return 0;
}

int process_owner(pid_t pid, uid_t *ret_uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid <= 0 || stat(path, &st) < 0)
		return -ESRCH;
	*ret_uid = st.st_uid;
	return 0;
}

static uint64_t word(const uint8_t *at, size_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (width == 8)
		return memcpy(&wide, at, 8), wide;
	return memcpy(&narrow, at, 4), narrow;
}

/* The vector has pairs of words, as wide as the process's; types are small, so a large first 64-bit
 * word is two narrow ones. A missing word counts as yes. */
bool process_is_privileged_of(const void *auxv, size_t len)
{
	const uint8_t *at = auxv;
	size_t width = len >= 8 && word(at, 8) >= 4096 ? 4 : 8;

	for (; len >= 2 * width; at += 2 * width, len -= 2 * width)
		if (word(at, width) == AT_SECURE)
			return word(at + width, width) != 0;
	return true;
}

bool process_is_privileged(pid_t pid)
{
	char path[32], auxv[AUXV_MAX];
	long n;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	n = read_text(path, auxv, sizeof(auxv));
	return n < 0 || process_is_privileged_of(auxv, (size_t)n);
}

void process_variable_of(const char *text, size_t len, const char *name, char *value, size_t size)
{
	const char *end = text + len;
	size_t n = strlen(name);

	value[0] = '\0';
	for (const char *at = text; at < end;) {
		size_t left = (size_t)(end - at), length = strnlen(at, left);

		if (length == left)
			return; /* cut off */
		if (length > n && at[n] == '=' && memcmp(at, name, n) == 0) {
			if (length - n - 1 < size)
				memcpy(value, at + n + 1, length - n);
			return;
		}
		at += length + 1;
	}
}

void process_variable(pid_t pid, const char *name, char *value, size_t size)
{
	char path[32], *text = malloc(ENVIRON_MAX);
	long n = -1;

	value[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if (text != NULL)
		n = read_text(path, text, ENVIRON_MAX);
	if (n > 0) /* with its NUL: a process that overwrites its environment may leave none */
		process_variable_of(text, (size_t)n + 1, name, value, size);
	free(text);
}

void process_cgroup(pid_t pid, char *text, size_t size)
{
	char path[32], lines[4096], *line, *rest = lines;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (read_text(path, lines, sizeof(lines)) < 0)
		return;
	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *colon = strchr(line, ':');

		colon = colon != NULL ? strchr(colon + 1, ':') : NULL;
		if (colon == NULL || (text[0] != '\0' && strncmp(line, "0::", 3) != 0))
			continue;
		snprintf(text, size, "%s", colon + 1);
	}
}

void process_user(uid_t uid, char *text, size_t size)
{
	char room[4096];
	struct passwd pw, *found = NULL;

	if (getpwuid_r(uid, &pw, room, sizeof(room), &found) == 0 && found != NULL)
		snprintf(text, size, "%s", found->pw_name);
	else
		snprintf(text, size, "%u", (unsigned int)uid);
}

void process_boot(char text[PROCESS_BOOT])
{
	if (read_text("/proc/sys/kernel/random/boot_id", text, PROCESS_BOOT) < 0)
		strcpy(text, "unknown");
	text[strcspn(text, "\n")] = '\0';
}
