/* settings - see settings.h. Static: the configuration that is in force, its file and that file's state. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "collector.h"
#include "settings.h"

enum {
	PATH = 4096,
};

static struct config config;
static char config_path[PATH];
static struct {
	struct timespec changed;
	off_t size;
	ino_t ino;
} config_state;

static void use_config(void)
{
	collector.budget.queue = config.queue;
	collector.budget.memory = config.memory;
	collector.budget.recent = config.recent;
	collector.linger_s = config.linger_s;
}

/* Half a file may have been read within the same tick of its clock in which the rest came. */
static bool config_is_new(void)
{
	struct stat st = {0};

	if (stat(config_path, &st) < 0)
		st = (struct stat){0};
	if (memcmp(&st.st_mtim, &config_state.changed, sizeof(st.st_mtim)) == 0 &&
	    st.st_size == config_state.size && st.st_ino == config_state.ino)
		return false;
	config_state.changed = st.st_mtim;
	config_state.size = st.st_size;
	config_state.ino = st.st_ino;
	return true;
}

int settings_load(const char *path, char *message, size_t size)
{
	snprintf(config_path, sizeof(config_path), "%s", path);
	config_is_new();
	int r = config_load(&config, config_path, message, size);

	use_config();
	return r;
}

/* A file that changed counts for processes that are not attached; one with mistakes does not. */
void settings_look(void)
{
	struct config fresh;
	char message[TRACING_TEXT];
	int r;

	if (!config_is_new())
		return;
	r = config_load(&fresh, config_path, message, sizeof(message));
	collector_lock();
	if (r < 0) {
		collector_failed("%s", message);
		collector_unlock();
		return;
	}
	config_done(&config);
	config = fresh;
	use_config();
	for (size_t i = 0; i < collector.nprocesses; i++)
		collector.processes[i]->decided = collector.processes[i]->attached != 0;
	collector_unlock();
}

const struct config_rule *settings_rule(const char *user, const char *command)
{
	return config_find(&config, user, command);
}

void settings_done(void)
{
	config_done(&config);
}
