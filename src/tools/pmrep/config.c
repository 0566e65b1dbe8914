/*
 * In a set, a key with a dot is a metric in its compact form, unless the part before the dot was
 * declared; then it is a property. A key without a dot is a setting, or declares a metric.
 */
#include "tools/pmrep/config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

/* The largest file that is read. */
#define FILE_MAX (1 << 20)

static void *resize(void *list, size_t n, size_t size)
{
	void *more = realloc(list, n * size);

	if (more == NULL)
		pmNoMem("configuration", n * size, PM_FATAL_ERR);
	return more;
}

/*
 * Reading files
 */

int config_read_text(struct config *config, const char *path, const char *text, size_t length)
{
	struct ini_fault fault = {0};
	int sts;

	config->paths = resize(config->paths, config->n + 1, sizeof(config->paths[0]));
	config->files = resize(config->files, config->n + 1, sizeof(config->files[0]));
	config->paths[config->n] = strdup(path);
	if (config->paths[config->n] == NULL)
		pmNoMem("configuration", strlen(path), PM_FATAL_ERR);
	sts = ini_parse(&config->files[config->n], path, text, length, &fault);
	config->n++;
	if (sts == PM_ERR_GENERIC)
		fprintf(stderr, "Failed to read configuration file '%s', line %d:\n%s", path,
			fault.line, fault.text);
	else if (sts < 0)
		pmNoMem("configuration", length, PM_FATAL_ERR);
	return sts;
}

static int report_unreadable(const char *path)
{
	int code = errno;

	fprintf(stderr, "Failed to read configuration from '%s':\n%s.\n", path, strerror(code));
	return -code;
}

static int read_file(struct config *config, const char *path)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t length;
	int sts;

	if (f == NULL)
		return report_unreadable(path);
	text = resize(NULL, FILE_MAX, 1);
	length = fread(text, 1, FILE_MAX, f);
	if (ferror(f)) {
		sts = report_unreadable(path);
	} else if (length == FILE_MAX) {
		errno = EFBIG;
		sts = report_unreadable(path);
	} else {
		sts = config_read_text(config, path, text, length);
	}
	free(text);
	fclose(f);
	return sts;
}

static int is_configuration(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && entry->d_name[0] != '.' &&
	       strcmp(entry->d_name + length - 5, ".conf") == 0;
}

static int read_folder(struct config *config, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_configuration, alphasort), sts = 0;
	char file[MAXPATHLEN];

	if (n < 0)
		return report_unreadable(path);
	for (int i = 0; i < n; i++) {
		pmsprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (sts >= 0)
			sts = read_file(config, file);
		free(entries[i]);
	}
	free(entries);
	return sts;
}

static int read_path(struct config *config, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return report_unreadable(path);
	return S_ISDIR(st.st_mode) ? read_folder(config, path) : read_file(config, path);
}

int config_read(struct config *config, const char *path)
{
	const char *home = getenv("HOME"), *sysconf = pmGetConfig("PCP_SYSCONF_DIR");
	char files[5][MAXPATHLEN] = {"./pmrep.conf", "", "", "", ""};

	*config = (struct config){0};
	if (path != NULL)
		return read_path(config, path);
	if (home != NULL && home[0] != '\0') {
		pmsprintf(files[1], MAXPATHLEN, "%s/.pmrep.conf", home);
		pmsprintf(files[2], MAXPATHLEN, "%s/.pcp/pmrep.conf", home);
	}
	pmsprintf(files[3], MAXPATHLEN, "%s/pmrep/pmrep.conf", sysconf);
	pmsprintf(files[4], MAXPATHLEN, "%s/pmrep", sysconf);
	for (int i = 0; i < 5; i++)
		if (files[i][0] != '\0' && access(files[i], F_OK) == 0)
			return read_path(config, files[i]);
	return 0;
}

void config_done(struct config *config)
{
	for (size_t i = 0; i < config->n; i++) {
		ini_done(&config->files[i]);
		free(config->paths[i]);
	}
	free(config->paths);
	free(config->files);
	*config = (struct config){0};
}

/*
 * The meaning of sections
 */

static int complain(const char *path, const char *format, const char *key, const char *section)
{
	fprintf(stderr, "Failed to read configuration file '%s':\n", path);
	fprintf(stderr, format, key, section);
	return PM_ERR_GENERIC;
}

#define NO_VALUE            "No value set for %s in [%s].\n"
#define NO_VALUE_FOR_OPTION "No value set for option %s in [%s].\n"

int config_options(const struct config *config, struct settings *settings)
{
	for (size_t f = 0; f < config->n; f++) {
		const struct ini_section *section = ini_find(&config->files[f], "options");

		for (size_t i = 0; section != NULL && i < section->n; i++) {
			const struct ini_entry *e = &section->entries[i];
			int sts;

			if (e->value[0] == '\0')
				return complain(config->paths[f], NO_VALUE_FOR_OPTION, e->key,
						"options");
			sts = settings_set(settings, e->key, e->value);
			if (sts == PM_ERR_NAME)
				return complain(config->paths[f], "Unknown option %s in [%s].\n",
						e->key, "options");
			if (sts < 0)
				return sts;
		}
	}
	if (settings->version == 1)
		return 0;
	fprintf(stderr, "Incompatible configuration file version (read v%d, need v1).\n",
		settings->version);
	return PM_ERR_GENERIC;
}

/* The metrics that a section has declared by a word. */
struct declared {
	const char *word;
	size_t length;
	int place; /* in the list of metrics */
};

struct reading {
	const char *path;
	struct settings *settings; /* NULL: the section has no settings */
	struct specs *specs;
	struct declared *declared;
	size_t n;
};

static const struct declared *find_declared(const struct reading *r, const char *word,
					    size_t length)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->declared[i].length == length &&
		    memcmp(r->declared[i].word, word, length) == 0)
			return &r->declared[i];
	return NULL;
}

static int declare(struct reading *r, const struct ini_entry *e)
{
	int place = specs_add(r->specs, e->value, NULL);

	r->declared = resize(r->declared, r->n + 1, sizeof(r->declared[0]));
	r->declared[r->n++] = (struct declared){e->key, strlen(e->key), place};
	return 0;
}

static bool is_property(const char *word)
{
	static const char *const words[] = {"label", "formula", "instances", "unit",
					    "type",  "width",   "precision", "limit"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static int read_dotted(struct reading *r, const struct ini_entry *e, const char *dot)
{
	const struct declared *d = find_declared(r, e->key, (size_t)(dot - e->key));
	char word[64];

	if (d != NULL && is_property(dot + 1))
		return spec_set(&r->specs->list[d->place], dot + 1, e->value);
	if (d == NULL && strchr(dot + 1, '.') == NULL && is_property(dot + 1)) {
		pmsprintf(word, sizeof(word), "%.*s", (int)(dot - e->key), e->key);
		return complain(r->path, "Undeclared metric key %s.\n", word, "");
	}
	return specs_add(r->specs, e->key, e->value);
}

static int read_section(struct reading *r, const struct ini_section *section)
{
	int sts = 0;

	for (size_t i = 0; i < section->n && sts >= 0; i++) {
		const struct ini_entry *e = &section->entries[i];
		const char *dot = strchr(e->key, '.');
		bool setting = dot == NULL && r->settings != NULL && settings_has(e->key);

		if (e->value[0] == '\0')
			sts = complain(r->path, setting ? NO_VALUE_FOR_OPTION : NO_VALUE, e->key,
				       section->name);
		else if (dot != NULL)
			sts = read_dotted(r, e, dot);
		else if (setting)
			sts = settings_set(r->settings, e->key, e->value);
		else
			sts = declare(r, e);
	}
	free(r->declared);
	return sts;
}

int config_globals(const struct config *config, struct specs *specs)
{
	int sts = 0;

	for (size_t f = 0; f < config->n && sts >= 0; f++) {
		const struct ini_section *section = ini_find(&config->files[f], "global");
		struct reading r = {.path = config->paths[f], .specs = specs};

		if (section != NULL)
			sts = read_section(&r, section);
	}
	return sts;
}

int config_set(const struct config *config, const char *name, struct settings *settings,
	       struct specs *specs)
{
	/* The last definition counts. */
	for (size_t f = config->n; f-- > 0;) {
		const struct ini_section *section = ini_find(&config->files[f], name);
		struct reading r = {.path = config->paths[f], .settings = settings, .specs = specs};

		if (section != NULL)
			return read_section(&r, section);
	}
	fprintf(stderr, "Metricset definition ':%s' not found.\n", name);
	return PM_ERR_NAME;
}
