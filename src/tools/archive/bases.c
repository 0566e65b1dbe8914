#include "tools/archive/bases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/cleanup.h"
#include "libstore/archive_files.h"

/* The name is given away, whatever happens. */
static int add(struct bases *b, char *name)
{
	char **names = name != NULL ? reallocarray(b->names, b->n + 1, sizeof(*names)) : NULL;

	if (names == NULL) {
		free(name);
		return -ENOMEM;
	}
	b->names = names;
	b->names[b->n++] = name;
	return 0;
}

static int add_folder(struct bases *b, const char *folder)
{
	char **found = NULL;
	int n = archive_files_list(folder, &found), sts = 0;

	if (n < 0) {
		b->failed = strdup(folder);
		return n;
	}
	for (int i = 0; i < n; i++) {
		if (sts < 0)
			free(found[i]);
		else
			sts = add(b, found[i]);
	}
	free(found);
	return sts;
}

int bases_find(const char *argument, struct bases *ret_bases)
{
	AUTO_FREE char *list = strdup(argument);
	char *save = NULL;
	struct stat st;
	int sts = list != NULL ? 0 : -ENOMEM;

	*ret_bases = (struct bases){0};
	for (char *name = sts < 0 ? NULL : strtok_r(list, ",", &save); name != NULL && sts >= 0;
	     name = strtok_r(NULL, ",", &save)) {
		if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
			sts = add_folder(ret_bases, name);
		else
			sts = add(ret_bases, strdup(name));
	}
	return sts;
}

void bases_done(struct bases *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->names[i]);
	free(b->names);
	free(b->failed);
	*b = (struct bases){0};
}
