/* process - see process.h. */
#include "process.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void process_init(struct process *p)
{
	*p = (struct process){.uid = -1,
			      .start_ms = -1,
			      .rss_kb = -1,
			      .pss_kb = -1,
			      .cpu_us = -1,
			      .cpu_percent = NAN,
			      .fds = -1,
			      .fds_limit = -1};
}

/* A file of the process as a string. False if it can't be read. */
static bool slurp(pid_t pid, const char *file, char *text, size_t size)
{
	char path[320];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* The number after a word at the beginning of a line, or -1. */
static int64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at != NULL ? strtoll(at + strlen(word), NULL, 10) : -1;
}

/* Behind the name, which may hold anything: state is the first field, utime the 12th. */
static bool read_stat(struct process *p)
{
	const int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);
	unsigned long long user, system, start;
	char text[1024], *begin, *end, state;

	if (!slurp(p->pid, "stat", text, sizeof(text)))
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (begin == NULL || end == NULL)
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(end - begin - 1), begin + 1);
	if (sscanf(end + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s "
		   "%*s %llu",
		   &state, &user, &system, &start) != 4)
		return false;
	p->stopped = state == 'T' || state == 't';
	p->cpu_us = (int64_t)(user + system) * tick_ms * 1000;
	p->start_ms = (int64_t)start * tick_ms;
	return true;
}

/* Nanoseconds on a processor come first; finer than ticks, where the kernel keeps it. */
static void read_schedule(struct process *p)
{
	char path[64], line[128];
	unsigned long long ns, sum = 0;
	struct dirent *e;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	tasks = opendir(path);
	if (tasks == NULL)
		return;
	while ((e = readdir(tasks)) != NULL) {
		char file[300];

		snprintf(file, sizeof(file), "task/%s/schedstat", e->d_name);
		if (e->d_name[0] != '.' && slurp(p->pid, file, line, sizeof(line)) &&
		    sscanf(line, "%llu", &ns) == 1)
			sum += ns;
	}
	closedir(tasks);
	/* Threads that have ended are in the ticks alone. */
	if ((int64_t)(sum / 1000) > p->cpu_us - 20000 && sum > 0)
		p->cpu_us = (int64_t)(sum / 1000);
}

static int64_t count_fds(pid_t pid)
{
	const struct dirent *e;
	int64_t n = 0;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	if (d == NULL)
		return -1;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

bool process_read(pid_t pid, struct process *ret_process)
{
	struct process p;
	char text[4096], path[64];
	struct stat st;
	ssize_t n;

	process_init(&p);
	p.pid = pid;
	if (pid <= 0 || !read_stat(&p))
		return false;
	read_schedule(&p);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == 0)
		p.uid = st.st_uid;
	if (slurp(pid, "status", text, sizeof(text)))
		p.rss_kb = number_after(text, "\nVmRSS:");
	if (slurp(pid, "smaps_rollup", text, sizeof(text)))
		p.pss_kb = number_after(text, "\nPss:");
	if (slurp(pid, "limits", text, sizeof(text)))
		p.fds_limit = number_after(text, "\nMax open files");
	p.fds = count_fds(pid);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	p.program_gone = strstr(text, " (deleted)") != NULL;
	*ret_process = p;
	return true;
}
