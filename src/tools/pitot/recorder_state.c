/* recorder_state - see recorder_state.h. A line a member: its name, a blank, its value. */
#include "recorder_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void path_of(const struct place *p, const char *suffix, char *path, size_t size)
{
	snprintf(path, size, "%s/pitot.recorder%s", p->run_dir, suffix);
}

/* The run folder may belong to another user than we are: no link in it is followed. */
void recorder_state_write(const struct place *p, const struct recorder_state *s)
{
	char path[PLACE_PATH + 32], next[PLACE_PATH + 32];
	FILE *f;
	int fd;

	path_of(p, "", path, sizeof(path));
	path_of(p, ".new", next, sizeof(next));
	unlink(next);
	fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	fprintf(f, "folder %s\nconfig %s\ninterval_ms %lld\npid %d\nends %d\nlast_end %.3f\nwhy %s\n",
		s->folder, s->config, (long long)s->interval_ms, (int)s->pid, s->ends, s->last_end,
		s->why);
	if (fclose(f) == 0)
		rename(next, path);
}

static void take_line(struct recorder_state *s, const char *key, const char *value)
{
	if (strcmp(key, "folder") == 0)
		snprintf(s->folder, sizeof(s->folder), "%s", value);
	else if (strcmp(key, "config") == 0)
		snprintf(s->config, sizeof(s->config), "%s", value);
	else if (strcmp(key, "interval_ms") == 0)
		s->interval_ms = strtoll(value, NULL, 10);
	else if (strcmp(key, "pid") == 0)
		s->pid = (pid_t)strtol(value, NULL, 10);
	else if (strcmp(key, "ends") == 0)
		s->ends = (int)strtol(value, NULL, 10);
	else if (strcmp(key, "last_end") == 0)
		s->last_end = strtod(value, NULL);
	else if (strcmp(key, "why") == 0)
		snprintf(s->why, sizeof(s->why), "%s", value);
}

bool recorder_state_read(const struct place *p, struct recorder_state *s)
{
	char path[PLACE_PATH + 32], line[PLACE_PATH + 128];
	FILE *f;

	memset(s, 0, sizeof(*s));
	path_of(p, "", path, sizeof(path));
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *value = strchr(line, ' ');

		if (value == NULL)
			continue;
		*value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		take_line(s, line, value);
	}
	fclose(f);
	return s->folder[0] != '\0';
}

void recorder_state_remove(const struct place *p)
{
	char path[PLACE_PATH + 32];

	path_of(p, "", path, sizeof(path));
	unlink(path);
}
