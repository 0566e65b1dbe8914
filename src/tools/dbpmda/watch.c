/* watch - see watch.h. */
#include "tools/dbpmda/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int watch_begin(struct watch *w, const char *path)
{
	char *copy = strdup(path);

	watch_done(w);
	if (copy == NULL)
		return -ENOMEM;
	w->file = fopen(path, "re");
	if (w->file == NULL) {
		int r = -errno;

		free(copy);
		return r;
	}
	fseek(w->file, 0, SEEK_END);
	w->path = copy;
	return 0;
}

void watch_show(struct watch *w, FILE *out)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	long at;

	if (w->file == NULL)
		return;
	clearerr(w->file);
	for (;;) {
		at = ftell(w->file);
		n = getline(&line, &size, w->file);
		if (n <= 0 || line[n - 1] != '\n')
			break;
		fprintf(out, "%s: %s", w->path, line);
	}
	if (n > 0)
		fseek(w->file, at, SEEK_SET); /* an incomplete line: the rest is still to come */
	free(line);
}

void watch_done(struct watch *w)
{
	if (w->file != NULL)
		fclose(w->file);
	free(w->path);
	*w = (struct watch){0};
}
