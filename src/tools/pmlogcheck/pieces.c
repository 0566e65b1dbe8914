#include "tools/pmlogcheck/pieces.h"

#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "tools/common/finding.h"
#include "tools/pmlogcheck/frames.h"
#include "tools/archive/progress.h"

const char *pieces_name(const char *path)
{
	return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

static bool check_piece(const char *path, enum frames_kind kind, struct frames_version *first,
			bool verbose)
{
	const char *name = pieces_name(path);
	char text[PM_MAXERRMSGLEN];
	struct frames f;
	struct member *m;
	int sts;

	sts = member_open(path, &m);
	if (sts < 0) {
		fprintf(finding(), "%s: cannot open file: %s\n", name,
			pmErrStr_r(sts, text, sizeof(text)));
		return false;
	}
	progress_begin(name, verbose);
	f = frames_check(m, name, kind, first, verbose, stderr, progress_tick);
	progress_clear();
	member_close(m);
	return !f.fatal;
}

/* "DIR/BASE" of a missing file: the directory is always printed. */
static void say_missing(const char *base, const char *what)
{
	fprintf(finding(), "%s%s%s\n", strchr(base, '/') != NULL ? "" : "./", base, what);
}

bool pieces_check(const struct archive_files *files, bool verbose)
{
	struct frames_version first = {0};
	bool good = true;

	for (size_t i = 0; i < files->nvolumes; i++)
		good &= check_piece(files->volumes[i].path, FRAMES_DATA, &first, verbose);
	if (files->index != NULL)
		good &= check_piece(files->index, FRAMES_INDEX, &first, verbose);
	if (files->meta != NULL)
		good &= check_piece(files->meta, FRAMES_META, &first, verbose);
	else
		say_missing(files->base, ".meta: missing metadata file");
	if (files->nvolumes == 0)
		say_missing(files->base, ".0 (or similar): missing log file ");
	return good && files->meta != NULL && files->nvolumes > 0;
}
