/*
 * pmnsdel - removes metrics and branches from a name-space file (docs/spec/tools.md 14).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpmns/pmns.h"
#include "tools/common/cmdline.h"
#include "tools/pmns/tree.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	PMOPT_DEBUG,
	PMOPT_NAMESPACE,
	{ PMLONGOPT_VERSION, 0, 'V', 0, NULL },
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* The names to be removed. */
struct doomed {
	char **names;
	int n;
};

/* The program loads -n itself, not the library. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'n';
}

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
	pmOptions opts = {.short_options = "D:dn:V?",
			  .long_options = long_options,
			  .short_usage = "[options] metricpath [...]",
			  .override = is_ours};
	char *path = NULL;
	int letter, status;

	while ((letter = pmGetOptions(argc, argv, &opts)) != EOF) {
		if (letter == 'n') {
			free(path);
			path = strdup(opts.optarg);
		} else if (letter == 'd') {
			pmprintf(
			    "%s: Warning: -d deprecated, duplicate PMNS names allowed by default\n",
			    pmGetProgname());
			pmflush();
		} else {
			opts.errors++;
		}
	}
	if ((opts.flags & PM_OPTFLAG_EXIT) == 0 && opts.optind >= argc)
		opts.errors++;
	if (cmdline_accept(&opts, &status)) {
		if (path == NULL)
			path = tree_default_path();
		status =
		    pmnsdel_run(path, &(struct doomed){argv + opts.optind, argc - opts.optind});
	}
	free(path);
	pmFreeOptions(&opts);
	return output_finish(status);
}
