/* verify - see verify.h. */
#include "verify.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "capture.h"
#include "recorder.h"

int verify_config(const struct place *p, const char *config, char *text, size_t size)
{
	char program[PLACE_PATH + 16];
	char *argv[] = {program, "-v", "-c", (char *)config, NULL};

	snprintf(program, sizeof(program), "%s/bin/pmcd", p->prefix);
	return capture(argv, NULL, NULL, text, size);
}

int verify_record(const struct place *p, const char *config, char *text, size_t size,
		  int64_t *ret_interval_ms)
{
	static const char told[] = "shortest interval ";
	char program[PLACE_PATH + 16];
	char *argv[] = {program, "--check-syntax", "-t", RECORDER_INTERVAL_S,
			"-c",    (char *)config,   NULL};
	const char *number;
	int r;

	snprintf(program, sizeof(program), "%s/bin/pmlogger", p->prefix);
	r = capture(argv, NULL, NULL, text, size);
	number = strstr(text, told);
	if (r == 0 && number != NULL)
		*ret_interval_ms = strtoll(number + strlen(told), NULL, 10);
	return r;
}

static int load(const void *arg)
{
	int r = pmLoadASCIINameSpace(arg, 1);

	pmflush();
	if (r == PM_ERR_PMNS)
		return 1; /* it was said where */
	if (r < 0)
		fprintf(stderr, "%s: %s\n", (const char *)arg, pmErrStr(r));
	return r < 0;
}

static bool is_good(const char *file, char *text, size_t size)
{
	return capture(NULL, load, file, text, size) == 0;
}

bool verify_names(const char *var_dir, char *file, size_t file_size, char *text, size_t size)
{
	char dir[PLACE_PATH];
	const struct dirent *e;
	bool good = true;
	DIR *d;

	file[0] = '\0';
	snprintf(dir, sizeof(dir), "%s/pmns", var_dir);
	d = opendir(dir);
	if (d == NULL)
		return true;
	while (good && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, "root") != 0 && strncmp(e->d_name, "root_", 5) != 0)
			continue;
		snprintf(file, file_size, "%s/%s", dir, e->d_name);
		good = is_good(file, text, size);
	}
	closedir(d);
	if (good) {
		file[0] = '\0';
		text[0] = '\0';
	}
	return good;
}
