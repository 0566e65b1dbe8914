#include "tools/chkhelp/index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

/*
 * Reads a line of the file; the first line is the header, which ends with the number of the others.
 */
struct line {
	uint32_t id;
	uint32_t oneline;
	uint32_t help;
};

static int read_lines(FILE *f, uint32_t **ret_ids, size_t *ret_n)
{
	struct line line;
	struct stat st;
	uint32_t n, *ids;

	if (fread(&line, sizeof(line), 1, f) != 1 || fstat(fileno(f), &st) < 0)
		return -EINVAL;
	n = line.help;
	if (st.st_size / (off_t)sizeof(line) <= (off_t)n)
		return -EINVAL;
	ids = calloc((size_t)n + 1, sizeof(ids[0]));
	if (ids == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (fread(&line, sizeof(line), 1, f) != 1) {
			free(ids);
			return -EINVAL;
		}
		ids[i] = line.id;
	}
	*ret_ids = ids;
	*ret_n = n;
	return 0;
}

int index_read(const char *base, uint32_t **ret_ids, size_t *ret_n)
{
	char path[MAXPATHLEN];
	FILE *f;
	int sts;

	pmsprintf(path, sizeof(path), "%s.dir", base);
	f = fopen(path, "re");
	if (f == NULL)
		return -errno;
	sts = read_lines(f, ret_ids, ret_n);
	fclose(f);
	return sts;
}
