#include "tools/archive/damage.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libstore/archive.h"
#include "tools/common/finding.h"

static int64_t volume_size(const struct archive *a, int number)
{
	const struct archive_files *files = archive_files(a);
	struct stat st;

	for (size_t i = 0; i < files->nvolumes; i++)
		if (files->volumes[i].number == number && stat(files->volumes[i].path, &st) == 0)
			return st.st_size;
	return 0;
}

void damage_report(const struct archive *a, const char *name, int code, const char *rest)
{
	struct archive_place place = archive_place(a);
	char text[PM_MAXERRMSGLEN];

	fprintf(finding(), "%s: Error: __pmLogRead[log %s]: %s\n", pmGetProgname(), name,
		pmErrStr_r(code, text, sizeof(text)));
	if (code != PM_ERR_LOGREC)
		return;
	fprintf(stderr,
		"%s: Error occurred at byte offset %" PRIu64 " into a file of %" PRIi64 " bytes.\n"
		"%s\n",
		pmGetProgname(), place.end, volume_size(a, place.volume), rest);
}
