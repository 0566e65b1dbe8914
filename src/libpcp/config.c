/*
 * config - pcp.conf, and the features of this library: docs/spec/pmapi.md 23.
 *
 * The file is read once, by the first call that needs it; its variables are added to the
 * environment where that has no such variable yet. It is searched for where the environment says,
 * then beside this library (DIR/lib and DIR/etc move together), then in /etc.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/defaults.h"
#include "libpcp/trace.h"

#define SYSTEM_CONF "/etc/pcp.conf"

static pthread_once_t conf_once = PTHREAD_ONCE_INIT;
static char conf_path[MAXPATHLEN];
static bool
    run_dir_given;     /* by the caller's environment, before pcp.conf adds its variables to it */
static int conf_error; /* of opening or reading it: 0 or -errno */

/* DIR/etc/pcp.conf for DIR/lib/libpcp.so.3: false if there is none. */
static bool path_beside_library(char *path, size_t size)
{
	AUTO_FREE char *real = NULL;
	char *slash;
	Dl_info info;

	if (dladdr((void *)&conf_once, &info) == 0 || info.dli_fname == NULL)
		return false;
	real = realpath(info.dli_fname, NULL);
	slash = real != NULL ? strrchr(real, '/') : NULL;
	if (slash == NULL)
		return false;
	pmsprintf(path, size, "%.*s/../etc/pcp.conf", (int)(slash - real), real);
	return access(path, R_OK) == 0;
}

static void find_conf(char *path, size_t size)
{
	const char *conf = getenv("PCP_CONF");
	const char *dir = getenv("PCP_DIR");

	if (conf != NULL)
		pmsprintf(path, size, "%s", conf);
	else if (dir != NULL)
		pmsprintf(path, size, "%s/etc/pcp.conf", dir);
	else if (!path_beside_library(path, size))
		pmsprintf(path, size, "%s", SYSTEM_CONF);
}

/* Without the quotes around it, if both are there. */
static char *unquote(char *value)
{
	size_t len = strlen(value);

	if (len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
		value[len - 1] = '\0';
		return value + 1;
	}
	return value;
}

static void take_line(char *line)
{
	char *equals;

	line[strcspn(line, "\n")] = '\0';
	equals = strchr(line, '=');
	if (*line == '#' || equals == NULL || equals == line)
		return;
	*equals = '\0';
	if (setenv(line, unquote(equals + 1), 0) < 0)
		conf_error = -errno;
	else
		trace_config(line, getenv(line));
}

static void read_conf(void)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	FILE *f;

	run_dir_given = getenv("PCP_RUN_DIR") != NULL;
	find_conf(conf_path, sizeof(conf_path));
	f = fopen(conf_path, "re");
	if (f == NULL) {
		conf_error = -errno;
		return;
	}
	while (getline(&line, &size, f) > 0)
		take_line(line);
	if (!feof(f))
		conf_error = -errno;
	fclose(f);
}

static void die_without_conf(void)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr,
		"FATAL PCP ERROR: could not open config file \"%s\" : %s\n"
		"You may need to set PCP_CONF or PCP_DIR in your environment.\n",
		conf_path, pmErrStr_r(conf_error, text, sizeof(text)));
	exit(1);
}

bool config_run_dir_given(void)
{
	pthread_once(&conf_once, read_conf);
	return run_dir_given;
}

char *pmGetOptionalConfig(const char *name)
{
	pthread_once(&conf_once, read_conf);
	return getenv(name);
}

char *pmGetConfig(const char *name)
{
	static char empty[] = "";
	char *value = pmGetOptionalConfig(name);

	if (conf_error < 0)
		die_without_conf();
	return value != NULL ? value : empty;
}

/* clang-format off */
static const struct {
	const char *name;
	const char *value;
} features[] = {
	{ "pcp_version",            PCP_VERSION_STRING },
	{ "pmapi_version",          "3" },
	{ "openssl_version",        "" },
	{ "sasl_version",           "" },
	{ "multi_threaded",         "true" },
	{ "fault_injection",        "false" },
	{ "secure_sockets",         "false" },
	{ "ipv6",                   "true" },
	{ "authentication",         "false" },
	{ "unix_domain_sockets",    "true" },
	{ "static_probes",          "false" },
	{ "service_discovery",      "false" },
	{ "multi_archive_contexts", "true" },
	{ "lock_asserts",           "false" },
	{ "lock_debug",             "false" },
	{ "lzma_decompress",        "true" },
	{ "transparent_decompress", "true" },
	{ "compress_suffixes",      ".xz .lzma .bz2 .bz .gz .Z .z" },
	{ "v3_archives",            "true" },
	{ "archive_features",       "" },
};
/* clang-format on */

const char *pmGetAPIConfig(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (strcasecmp(name, features[i].name) == 0)
			return features[i].value;
	return NULL;
}

int pmGetVersion(void)
{
	return PM_VERSION_CURRENT;
}

int pmPathSeparator(void)
{
	return '/';
}
