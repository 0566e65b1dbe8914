/*
 * pmnsdel - removes metrics and branches from a name-space file (docs/spec/tools.md 14).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpmns/pmns.h"
#include "tools/common/cmdline.h"
#include "tools/pmns/tree.h"

struct options {
	pmOptions pm;
	const char *path; /* -n, which the program loads itself; NULL: the default */
};

static void warn_deprecated(void *options)
{
	(void)options;
	pmprintf("%s: Warning: -d deprecated, duplicate PMNS names allowed by default\n",
		 pmGetProgname());
	pmflush();
}

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_DEBUG },
	{ PMOPT_NAMESPACE, CMDLINE_TEXT, offsetof(struct options, path) },
	{ { "", 0, 'd', 0, NULL }, CMDLINE_CALL, .call = warn_deprecated, .form = CMDLINE_LETTER_ONLY },
	{ { PMLONGOPT_VERSION, 0, 'V', 0, NULL } },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* The names to be removed. */
struct doomed {
	char **names;
	int n;
};

/* True for a leaf that is not one of the names and not below one of them. */
static bool is_kept(void *arg, const struct pmns_entry *e)
{
	const struct doomed *d = arg;

	for (int i = 0; i < d->n; i++) {
		size_t len = strlen(d->names[i]);

		if (len <= e->name_len && memcmp(e->name, d->names[i], len) == 0 &&
		    (len == e->name_len || e->name[len] == '.'))
			return false;
	}
	return true;
}

static int check_names(const struct pmns *ns, const struct doomed *d)
{
	struct pmns_entry e;

	for (int i = 0; i < d->n; i++) {
		if (d->names[i][0] != '\0' &&
		    pmns_lookup(ns, d->names[i], strlen(d->names[i]), &e) >= 0)
			continue;
		fprintf(stderr, "%s: Error: metricpath \"%s\" not defined in the PMNS\n",
			pmGetProgname(), d->names[i]);
		return PM_ERR_NAME;
	}
	return 0;
}

/* Returns the exit status. */
static int pmnsdel_run(const char *path, struct doomed *d)
{
	struct pmns *ns = NULL;
	int sts = tree_load(path, true, &ns);

	if (sts < 0) {
		fprintf(stderr, "%s: Error: pmLoadASCIINameSpace(%s, 1): %s\n", pmGetProgname(),
			path, pmErrStr(sts));
		return 1;
	}
	sts = check_names(ns, d);
	if (sts >= 0) {
		pmns_trim(ns, is_kept, d);
		sts = writer_write(ns, path);
		if (sts < 0)
			fprintf(stderr, "%s: Error: cannot write PMNS file \"%s\": %s\n",
				pmGetProgname(), path, pmErrStr(sts));
	}
	pmns_free(ns);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o = {.pm.short_usage = "[options] metricpath [...]"};
	char *path;
	int status;

	cmdline_parse(&o, rows, argc, argv);
	if ((o.pm.flags & PM_OPTFLAG_EXIT) == 0 && o.pm.optind >= argc)
		o.pm.errors++;
	if (cmdline_accept(&o.pm, &status)) {
		path = o.path != NULL ? strdup(o.path) : tree_default_path();
		if (path == NULL)
			pmNoMem("path", MAXPATHLEN, PM_FATAL_ERR);
		status =
		    pmnsdel_run(path, &(struct doomed){argv + o.pm.optind, argc - o.pm.optind});
		free(path);
	}
	pmFreeOptions(&o.pm);
	return output_finish(status);
}
