/*
 * bases - the archives that one argument names: an archive, a list with commas, folders of
 * archives.
 */
#ifndef TOOLS_ARCHIVE_BASES_H
#define TOOLS_ARCHIVE_BASES_H

#include <stddef.h>

struct bases {
	char **names; /* owned */
	size_t n;
	char *failed; /* owned: the folder that an error is about; NULL: none */
};

/* In the order of the argument; those of a folder by name. 0; -ENOMEM, or the error of a folder.
 * The bases found before an error are there. */
int bases_find(const char *argument, struct bases *ret_bases);
void bases_done(struct bases *b);

#endif
