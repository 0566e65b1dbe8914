/* import_test - a folder for the archives of a test, and a look at what was written. */
#ifndef IMPORT_TEST_H
#define IMPORT_TEST_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

/* Before each test: a new folder, which is the current one; after it: it is removed. */
static inline int import_setup(void **state)
{
	char folder[] = "/tmp/pitot-import-XXXXXX";

	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return -1;
	*state = strdup(folder);
	return 0;
}

static inline int import_teardown(void **state)
{
	DIR *folder = opendir(*state);
	struct dirent *e;

	while (folder != NULL && (e = readdir(folder)) != NULL)
		unlinkat(dirfd(folder), e->d_name, 0);
	closedir(folder);
	rmdir(*state);
	free(*state);
	return 0;
}

static inline pmUnits import_no_units(void)
{
	return pmiUnits(0, 0, 0, 0, 0, 0);
}

/* Records of an archive that have values, as libpcp reads them; or a negative error. */
static inline int import_records(const char *archive)
{
	struct timespec start = {0, 0};
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	pmHighResResult *result;
	int n = 0;
	int r;

	if (context < 0)
		return context;
	r = pmSetModeHighRes(PM_MODE_FORW, &start, NULL);
	while (r >= 0 && (r = pmFetchHighResArchive(&result)) >= 0) {
		n += result->numpmid > 0;
		pmFreeHighResResult(result);
	}
	pmDestroyContext(context);
	return r == PM_ERR_EOL ? n : r;
}

#endif
