/* controller - see controller.h. */
#include "controller.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int controller_open(int fd, unsigned timeout_ms, trace_id_t *ret, double *ret_ms)
{
	double start = now_ms();
	int r;

	while ((r = posix_trace_open(fd, ret)) != 0 && now_ms() - start < timeout_ms)
		usleep(200);
	if (ret_ms != NULL)
		*ret_ms = now_ms() - start;
	return r;
}

struct controller_log controller_read(trace_id_t log)
{
	struct controller_log found = {.stop = -1, .whole = true};
	struct posix_trace_event_info info;
	uint64_t number = 0;
	int unavailable, total = 0;
	size_t len;

	while (posix_trace_getnext_event(log, &info, &number, sizeof(number), &len, &unavailable) ==
		   0 &&
	       unavailable == 0) {
		if (total++ == 0)
			found.started = info.posix_event_id == POSIX_TRACE_START;
		found.stop = info.posix_event_id == POSIX_TRACE_STOP ? (int)number : -1;
		if (info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT) {
			if (found.count == 0)
				found.first = number;
			if (len != sizeof(number) || number != found.first + found.count)
				found.whole = false;
			found.count++;
		}
		number = 0;
	}
	return found;
}

trace_id_t controller_stream(int log, int stream_policy, int log_policy)
{
	trace_attr_t attr;
	trace_id_t trid;
	int r;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setname(&attr, "controller");
	posix_trace_attr_setstreamfullpolicy(&attr, stream_policy);
	posix_trace_attr_setlogfullpolicy(&attr, log_policy);
	r = log >= 0 ? posix_trace_create_withlog(0, &attr, log, &trid)
		     : posix_trace_create(0, &attr, &trid);
	if (r != 0)
		_exit(90);
	if (posix_trace_start(trid) != 0)
		_exit(91);
	return trid;
}

void controller_record(struct controller_state *state, uint64_t count)
{
	uint64_t number = atomic_load(&state->recorded);

	for (uint64_t i = 0; i < count; i++, number++) {
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &number, sizeof(number));
		atomic_store(&state->recorded, number + 1);
	}
}

static bool is_keeper_of(const char *pid, pid_t parent)
{
	char path[300], text[400];
	const char *name;
	int owner = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	name = strstr(text, "(pitot-keeper) ");
	return name != NULL && sscanf(name, "(pitot-keeper) %*c %d", &owner) == 1 &&
	       owner == parent && strstr(name, "(pitot-keeper) Z") == NULL;
}

int controller_keepers(pid_t parent, pid_t *ret)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	int count = 0;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_keeper_of(e->d_name, parent)) {
			*ret = (pid_t)atoi(e->d_name);
			count++;
		}
	if (dir != NULL)
		closedir(dir);
	return count;
}

int controller_kept(pid_t keeper)
{
	char path[40], line[400];
	int count = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)keeper);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		count += strstr(line, "memfd:trace control") != NULL;
	if (f != NULL)
		fclose(f);
	return count;
}
