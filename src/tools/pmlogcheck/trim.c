#include "tools/pmlogcheck/trim.h"

#include <inttypes.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libstore/archive_files.h"
#include "libstore/archive_repair.h"
#include "tools/pmlogcheck/pieces.h"

static void say_cut(const char *name, const char *what, uint64_t bytes)
{
	if (bytes > 0)
		fprintf(stderr, "%s: %" PRIu64 " bytes cut off the %s\n", name, bytes, what);
}

bool trim_run(const struct archive_files *files)
{
	const char *name = pieces_name(files->base);
	struct archive_repair done;
	char text[PM_MAXERRMSGLEN];
	int sts = archive_repair(files->base, &done);

	if (sts < 0) {
		fprintf(stderr, "%s: cannot trim \"%s\": %s\n", pmGetProgname(), name,
			pmErrStr_r(sts, text, sizeof(text)));
		return false;
	}
	say_cut(name, "metadata", done.meta_cut);
	say_cut(name, "last volume", done.data_cut);
	if (done.index_written)
		fprintf(stderr, "%s: temporal index written\n", name);
	if (done.damaged > 0)
		fprintf(stderr, "%s: %" PRIu64 " damaged regions left, see --repair\n", name,
			done.damaged);
	if (done.removed)
		fprintf(stderr, "%s: removed, there was no record in it\n", name);
	return !done.removed;
}
