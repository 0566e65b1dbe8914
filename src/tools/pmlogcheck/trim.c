#include "tools/pmlogcheck/trim.h"

#include <inttypes.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libstore/archive_files.h"
#include "libstore/archive_repair.h"
#include "tools/common/finding.h"
#include "tools/pmlogcheck/pieces.h"

static void say_cut(const char *name, const char *what, uint64_t bytes)
{
	if (bytes > 0)
		fprintf(stderr, "%s: %" PRIu64 " bytes cut off the %s\n", name, bytes, what);
}

static void say_done(const char *name, const struct archive_repair *done)
{
	say_cut(name, "metadata", done->meta_cut);
	say_cut(name, "last volume", done->data_cut);
	if (done->index_written)
		fprintf(stderr, "%s: temporal index written\n", name);
	if (done->damaged > 0)
		fprintf(finding(), "%s: %" PRIu64 " damaged regions left, see --repair\n", name,
			done->damaged);
	if (done->removed)
		fprintf(stderr, "%s: removed, there was no record in it\n", name);
}

static int list_again(struct archive_files *files)
{
	struct archive_files now;
	int r = archive_files_members(files->base, &now);

	if (r < 0)
		return r;
	archive_files_done(files);
	*files = now;
	return 0;
}

bool trim_run(struct archive_files *files)
{
	struct archive_repair done;
	char text[PM_MAXERRMSGLEN];
	int sts = archive_repair(files->base, &done);

	if (sts >= 0)
		say_done(pieces_name(files->base), &done);
	if (sts >= 0 && !done.removed)
		sts = list_again(files);
	if (sts < 0)
		fprintf(stderr, "%s: cannot trim \"%s\": %s\n", pmGetProgname(),
			pieces_name(files->base), pmErrStr_r(sts, text, sizeof(text)));
	return sts >= 0 && !done.removed;
}
