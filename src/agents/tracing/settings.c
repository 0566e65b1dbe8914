/* settings - see settings.h. Static: the configuration that is in force, its file and that file's time. */
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
static struct timespec config_changed;

static void use_config(void)
{
	collector.budget.queue = config.queue;
	collector.budget.memory = config.memory;
	collector.budget.recent = config.recent;
	collector.linger_s = config.linger_s;
}

static bool config_is_new(void)
{
	struct stat st = {0};

	if (stat(config_path, &st) < 0)
		st.st_mtim = (struct timespec){0};
	if (memcmp(&st.st_mtim, &config_changed, sizeof(config_changed)) == 0)
		return false;
	config_changed = st.st_mtim;
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
