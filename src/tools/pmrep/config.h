/*
 * config - the configuration files: defaults of settings, metrics of all reports, and sets of
 * metrics by name.
 */
#ifndef PMREP_CONFIG_H
#define PMREP_CONFIG_H

#include <stddef.h>

#include "tools/pmrep/ini.h"
#include "tools/pmrep/settings.h"
#include "tools/pmrep/spec.h"

struct config {
	char **paths;
	struct ini *files;
	size_t n;
};

/*
 * Reads the file or folder at path, or, if path is NULL, the default one; without a default there
 * is nothing in the configuration. Returns 0, or an error after reporting it.
 */
int config_read(struct config *config, const char *path);

/* Reads one file whose contents are given. The same returns. */
int config_read_text(struct config *config, const char *path, const char *text, size_t length);

/* Applies [options] of all files. Returns 0, or an error after reporting it. */
int config_options(const struct config *config, struct settings *settings);

/* Adds the metrics of [global] of all files. The same returns. */
int config_globals(const struct config *config, struct specs *specs);

/* Applies the settings of a set and adds its metrics. The same returns. */
int config_set(const struct config *config, const char *name, struct settings *settings,
	       struct specs *specs);

void config_done(struct config *config);

#endif
